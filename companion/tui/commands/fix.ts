/** Mending an agent with the command that is known for it. */
import { asCommand } from '#display/command-name.ts';
import { t } from '../say.ts';
import { outcome, type Outcome, type TuiState } from '../state.ts';

/** The command that mends the agent on the page; empty where none is known. */
export const fixOf = ({ overlay, engines, command }: TuiState): string =>
  overlay?.type === 'engine' ? asCommand(engines.find(({ name }) => name === overlay.name)?.fix ?? '', command) : '';

/** Why it cannot be run here. */
export const fixDisabled = (state: TuiState): string | null => {
  // Where something is to be started or written first, it is a sentence.
  if (fixOf(state) === '' || fixOf(state).endsWith('.')) return t('There is no command that mends it.');
  // A console there has no shell of the person's choice.
  return process.platform === 'win32' ? t('Copy it with <engine y>, and run it in a terminal.') : null;
};

/** Runs it in this terminal, once the person has said yes to the line as it stands. */
export const fix = (state: TuiState): Outcome => {
  const line = fixOf(state);
  const name = state.overlay?.type === 'engine' ? state.overlay.name : '';
  const text = t('Run {line} in this terminal?', { line });
  return outcome({ ...state, overlay: { type: 'confirm', text, effect: { type: 'engine.fix', name, line } } });
};
