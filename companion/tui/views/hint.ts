/** The line at the bottom: what the keys do here, or what just happened; at its right the connection. */
import { withCommand } from '#display/command-name.ts';
import { modeOf } from '#display/engines.ts';
import { activeBindings, bindingFor, showKey } from '../keymap.ts';
import { paint } from '../paint.ts';
import type { TuiState } from '../state.ts';
import { cleanLine, fit, pad, width } from '../text.ts';
import { inputLine } from './input.ts';

/** The line, and where the cursor is when it takes text. */
export const hintView = (state: TuiState, columns: number): { line: string; cursorColumn: number | null } => {
  const right = fit(` ${linkText(state)} `, columns);
  const room = columns - width(right);
  if (state.overlay?.type === 'input') {
    const { line, column } = inputLine(state.overlay, room);
    return { line: line + right, cursorColumn: column };
  }
  return { line: pad(fit(` ${leftText(state, room - 1)}`, room), room) + right, cursorColumn: null };
};

const leftText = (state: TuiState, columns: number): string => {
  const { overlay, notice, command } = state;
  if (overlay?.type === 'confirm') return `${paint('warning', cleanLine(overlay.text))}  ${hints(state, columns)}`;
  if (notice !== null) {
    const style = notice.level === 'error' ? 'error' : notice.level === 'warning' ? 'warning' : 'dim';
    const remedy = notice.remedy === null ? '' : ` ${cleanLine(withCommand(notice.remedy, command))}`;
    return paint(style, cleanLine(withCommand(notice.text, command))) + remedy;
  }
  return hints(state, columns);
};

const hints = (state: TuiState, columns: number): string => {
  let line = '';
  for (const binding of activeBindings(state)) {
    const [key] = binding.keys;
    if (binding.isHinted !== true || key === undefined || (binding.disabledReason?.(state) ?? null) !== null) continue;
    // A nearer context may have the key for something else.
    if (bindingFor(state, key)?.binding !== binding) continue;
    const hint = `${line === '' ? '' : '  '}${paint('accent', showKey(key))} ${binding.description}`;
    if (width(line) + width(hint) > columns) break;
    line += hint;
  }
  return line;
};

const linkText = (state: TuiState): string => `${dangerText(state)}${attentionText(state)}${linkSign(state)}`;

/** A mode in which nothing asks any more is never out of sight, whatever covers the conversation. */
const dangerText = ({ session, engines }: TuiState): string => {
  if (session === null) return '';
  const mode = modeOf(
    engines.find(({ name }) => name === session.engine),
    session.settings.mode,
  );
  return mode?.isDangerous === true ? `${paint('danger', ` ${cleanLine(mode.label)}: asks nothing `)}  ` : '';
};

const attentionText = ({ sessions, session }: TuiState): string => {
  const waiting = sessions.filter(({ id, openRequests }) => openRequests > 0 && id !== session?.sessionId).length;
  return waiting > 0 ? `${paint('warning', `${waiting} waiting elsewhere`)}  ` : '';
};

const linkSign = ({ link }: TuiState): string => {
  switch (link) {
    case 'live':
      return `${paint('ok', '●')} live`;
    case 'connecting':
      return `${paint('warning', '○')} connecting`;
    case 'reconnecting':
      return `${paint('warning', '○')} reconnecting`;
  }
};
