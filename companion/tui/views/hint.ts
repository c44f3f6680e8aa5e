/** The line at the bottom: what the keys do here, or what just happened; at its right the connection. */
import { activeBindings, bindingFor, showKey } from '../keymap.ts';
import { paint } from '../paint.ts';
import type { TuiState } from '../state.ts';
import { cleanLine, fit, pad, width } from '../text.ts';
import { inputLine } from './input.ts';

/** The line, and where the cursor is when it takes text. */
export const hintView = (state: TuiState, columns: number): { line: string; cursorColumn: number | null } => {
  if (state.overlay?.type === 'input') {
    const { line, column } = inputLine(state.overlay, columns);
    return { line, cursorColumn: column };
  }
  const right = ` ${linkText(state)} `;
  const room = columns - width(right);
  return { line: pad(fit(` ${leftText(state, room - 1)}`, room), room) + right, cursorColumn: null };
};

const leftText = (state: TuiState, columns: number): string => {
  const { overlay, notice } = state;
  if (overlay?.type === 'confirm') return `${paint('warning', cleanLine(overlay.text))}  ${hints(state, columns)}`;
  if (notice !== null) {
    const style = notice.level === 'error' ? 'error' : notice.level === 'warning' ? 'warning' : 'dim';
    return paint(style, cleanLine(notice.text)) + (notice.remedy === null ? '' : ` ${cleanLine(notice.remedy)}`);
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

const linkText = ({ link, sessions, session }: TuiState): string => {
  const waiting = sessions.filter(({ id, openRequests }) => openRequests > 0 && id !== session?.sessionId).length;
  const attention = waiting > 0 ? `${paint('warning', `${waiting} waiting elsewhere`)}  ` : '';
  switch (link) {
    case 'live':
      return `${attention}${paint('ok', '●')} live`;
    case 'connecting':
      return `${attention}${paint('warning', '○')} connecting`;
    case 'reconnecting':
      return `${attention}${paint('warning', '○')} reconnecting`;
  }
};
