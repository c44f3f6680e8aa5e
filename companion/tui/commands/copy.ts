/** Copying to the clipboard of the person's terminal. */
import { t } from '../say.ts';
import { fixOf } from './fix.ts';
import { outcome, type Outcome, type TuiState } from '../state.ts';

/** Terminals take no longer texts. */
const MAX_UNITS = 74_000;

/** Why there is no answer to copy. */
export const copyDisabled = (state: TuiState): string | null => (lastAnswer(state) === '' ? t('There is no answer to copy yet.') : null);

/** Copies the agent's last message as it was written. */
export const copyAnswer = (state: TuiState): Outcome => copy(state, lastAnswer(state), t('The last answer was copied.'));

/** Why there is no command to copy. */
export const copyFixDisabled = (state: TuiState): string | null => (fixOf(state) === '' ? t('There is nothing to mend.') : null);

/** Copies the command that mends the agent on the page. */
export const copyFix = (state: TuiState): Outcome =>
  copy(state, fixOf(state), t('Copied: paste it into a terminal, then press <engine r> here.'));

const EXTENSIONS_PAGE = 'chrome://extensions';

/** Why there is no folder to copy. */
export const copyFolderDisabled = ({ extension }: TuiState): string | null =>
  extension === null || extension.version === null ? t('The extension is not unpacked yet; <guide r> does it.') : null;

/** Copies what "Load unpacked" needs, one after the other: a browser opens none of its own pages for a program. */
export const copyForLoading = (state: TuiState): Outcome => {
  const folder = state.extension?.path ?? '';
  return state.copied === EXTENSIONS_PAGE
    ? copy(state, folder, t('Copied {folder}: paste it where "Load unpacked" asks for the folder.', { folder }))
    : copy(
        state,
        EXTENSIONS_PAGE,
        t('Copied {page}: paste it as an address. <guide y> again copies the folder.', { page: EXTENSIONS_PAGE }),
      );
};

const copy = (state: TuiState, text: string, notice: string): Outcome =>
  text.length > MAX_UNITS
    ? outcome({
        ...state,
        notice: { level: 'warning', text: t('It is too long for the clipboard.'), remedy: t('`pilotfish export` writes it to a file.') },
      })
    : outcome({ ...state, copied: text, notice: { level: 'info', text: notice, remedy: null } }, { type: 'copy', text });

const lastAnswer = ({ session }: TuiState): string => {
  const body = session?.items.findLast((item) => item.body.kind === 'message' && item.body.role === 'assistant')?.body;
  return body?.kind === 'message' ? body.text : '';
};
