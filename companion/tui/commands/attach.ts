/** Files and pictures that go along with the next message. */
import { currentDraft } from '../layout.ts';
import { draftOf } from '../editing.ts';
import { t } from '../say.ts';
import { attachedTo, outcome, type Outcome, type TuiState } from '../state.ts';

/** Asks for the path of a file. */
export const openAttach = (state: TuiState): Outcome =>
  currentDraft(state) === null
    ? outcome(state)
    : outcome({
        ...state,
        overlay: { type: 'input', purpose: 'attach', title: t('Path of a file or picture to attach'), draft: draftOf('') },
      });

/** Sends the file; it stands at the message when it is there. Paths that were dropped on the terminal come in quotes. */
export const attach = (state: TuiState, typed: string): Outcome => {
  const path = typed.replace(/^(['"])(.*)\1$/u, '$2');
  if (state.session === null || path === '') return outcome(state);
  return outcome(
    { ...state, notice: { level: 'info', text: t('Attaching…'), remedy: null } },
    { type: 'file.attach', sessionId: state.session.sessionId, path },
  );
};

/** Takes the file that was attached last away again. */
export const detach = (state: TuiState): Outcome => {
  const { session } = state;
  if (session === null) return outcome(state);
  const left = attachedTo(state, session.sessionId).slice(0, -1);
  return outcome({ ...state, attached: { ...state.attached, [session.sessionId]: left } });
};

/** Why there is nothing to take away. */
export const detachDisabled = (state: TuiState): string | null =>
  state.session !== null && attachedTo(state, state.session.sessionId).length > 0 ? null : t('Nothing is attached.');
