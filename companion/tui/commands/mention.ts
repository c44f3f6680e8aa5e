/** Naming a file of the project (`@`) or a command of the agent (`/`) in the composer: the sign opens a list, and typing narrows it. */
import { insert } from '../editing.ts';
import { currentDraft } from '../layout.ts';
import { t } from '../say.ts';
import { outcome, type Choice, type Outcome, type Overlay, type TuiState } from '../state.ts';
import { change } from './composer.ts';

/** What the key that was just typed opens: `@` behind a space or at the beginning, `/` at the very beginning where the agent has commands. */
export const openMention = (typed: Outcome, key: string): Outcome => {
  const { state } = typed;
  const draft = currentDraft(state);
  const { session } = state;
  if (draft === null || session === null) return typed;
  const before = draft.text.slice(0, draft.cursor);
  if (key === '@' && /(?:^|\s)@$/u.test(before) && session.projectId !== null) {
    const overlay = picker('file', t('Files of the project'), []);
    return { state: { ...state, overlay }, effects: [...typed.effects, { type: 'files.read', projectId: session.projectId }] };
  }
  const commands = state.engines.find(({ name }) => name === session.engine)?.commands ?? [];
  if (key !== '/' || draft.text !== '/' || commands.length === 0) return typed;
  const choices = commands.map(({ name, description }): Choice => ({ value: name, label: `/${name}`, detail: description ?? '' }));
  return { ...typed, state: { ...state, overlay: picker('slash', t('Commands of the agent'), choices) } };
};

/** Takes the files that were read, unless the list was closed meanwhile. */
export const takeFiles = (state: TuiState, files: readonly string[]): TuiState =>
  state.overlay?.type === 'picker' && state.overlay.purpose === 'file'
    ? { ...state, overlay: { ...state.overlay, choices: files.map((file) => ({ value: file, label: file, detail: '' })) } }
    : state;

/** Writes what was chosen behind the sign. */
export const insertMention = (state: TuiState, purpose: 'file' | 'slash', value: string): Outcome => {
  const word = purpose === 'file' && /\s/u.test(value) ? `"${value}"` : value;
  const changed = change(state, (draft) => insert(draft, `${word} `));
  return outcome({ ...changed.state, focus: 'composer' }, ...changed.effects);
};

const picker = (purpose: 'file' | 'slash', title: string, choices: readonly Choice[]): Extract<Overlay, { type: 'picker' }> => ({
  type: 'picker',
  purpose,
  title,
  choices,
  index: 0,
  filter: '',
  engine: null,
});
