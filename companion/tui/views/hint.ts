/** The line at the bottom: what the keys do here, or what just happened; at its right the connection. */
import { withCommand } from '#display/command-name.ts';
import { labelText, modeOf } from '#display/engines.ts';
import { showKey } from '../key-names.ts';
import type { Binding } from '../bindings.ts';
import { activeBindings, bindingFor } from '../keymap.ts';
import { paint, type StyleName } from '../paint.ts';
import { say, t } from '../say.ts';
import type { TuiState } from '../state.ts';
import { cleanLine, fit, pad, width, wrap } from '../text.ts';
import { inputLine } from './input.ts';

export interface HintView {
  readonly line: string;
  /** Where the cursor is in the line when it takes text. */
  readonly cursorColumn: number | null;
  /** A message that is too long for the line, in lines of their own. */
  readonly message: readonly string[];
}

/** The keys that answer a question have so many columns, however much is said at their right. */
const ANSWER_COLUMNS = 12;

export const hintView = (state: TuiState, columns: number): HintView => {
  const { overlay } = state;
  const right = fit(` ${linkText(state)} `, columns - (overlay?.type === 'confirm' ? ANSWER_COLUMNS : 0));
  const room = columns - width(right);
  const said = saidText(state);
  if (overlay?.type === 'input') {
    const { line, column } = inputLine(overlay, room);
    return { line: line + right, cursorColumn: column, message: messageLines(said, columns) };
  }
  // The keys that answer a question stand beside it or below it.
  const isBeside = said !== null && overlay?.type !== 'confirm' && width(said.text) <= room - 2;
  const text = said !== null && isBeside ? paint(said.style, said.text) : hints(state, room + 1);
  return {
    line: pad(fit(` ${text}`, room), room) + right,
    cursorColumn: null,
    message: isBeside ? [] : messageLines(said, columns),
  };
};

interface Said {
  readonly text: string;
  readonly style: StyleName;
}

const messageLines = (said: Said | null, columns: number): string[] =>
  said === null ? [] : wrap(said.text, columns - 2).map((line) => pad(` ${paint(said.style, line)}`, columns));

/** What has just happened, or what is asked. */
const saidText = ({ overlay, notice, command }: TuiState): Said | null => {
  if (overlay?.type === 'confirm') return { text: cleanLine(overlay.text), style: 'warning' };
  if (notice === null) return null;
  const text = `${notice.text}${notice.remedy === null ? '' : ` ${notice.remedy}`}`;
  const style = notice.level === 'error' ? 'error' : notice.level === 'warning' ? 'warning' : 'dim';
  return { text: cleanLine(withCommand(text, command)), style };
};

/** The hints that fit, in their order. One that has its place is among them, whatever stands before it. */
const hints = (state: TuiState, columns: number): string => {
  const all = hintedBindings(state);
  const placed = all.filter(({ binding }) => binding.hasPlace === true);
  let room = columns - placed.reduce((sum, { hint }) => sum + width(hint), 0);
  const shown = all.filter((candidate) => {
    if (placed.includes(candidate)) return true;
    if (width(candidate.hint) > room) return false;
    room -= width(candidate.hint);
    return true;
  });
  return shown
    .map(({ hint }) => hint)
    .join('')
    .trimStart();
};

/** Each with the space before it. */
const hintedBindings = (state: TuiState): { binding: Binding; hint: string }[] =>
  activeBindings(state).flatMap((binding) => {
    const [key] = binding.keys;
    if (binding.isHinted !== true || key === undefined || (binding.disabledReason?.(state) ?? null) !== null) return [];
    // A nearer context may have the key for something else.
    if (bindingFor(state, key)?.binding !== binding) return [];
    return [{ binding, hint: `  ${paint('accent', showKey(key))} ${t(binding.description)}` }];
  });

const readOnlyText = ({ isReadOnly }: TuiState): string => (isReadOnly ? `${paint('warning', t('read-only'))}  ` : '');

const linkText = (state: TuiState): string => `${readOnlyText(state)}${dangerText(state)}${attentionText(state)}${linkSign(state)}`;

/** A mode in which nothing asks any more is never out of sight, whatever covers the conversation. */
const dangerText = ({ session, engines }: TuiState): string => {
  if (session === null) return '';
  const mode = modeOf(
    engines.find(({ name }) => name === session.engine),
    session.settings.mode,
  );
  return mode?.isDangerous === true
    ? `${paint('danger', ` ${t('{mode}: asks nothing', { mode: cleanLine(labelText(mode, say)) })} `)}  `
    : '';
};

const attentionText = ({ sessions, session }: TuiState): string => {
  const waiting = sessions.filter(({ id, openRequests }) => openRequests > 0 && id !== session?.sessionId).length;
  return waiting > 0 ? `${paint('warning', t('{count} waiting elsewhere', { count: waiting }))}  ` : '';
};

const linkSign = ({ link }: TuiState): string => {
  switch (link) {
    case 'live':
      return `${paint('ok', '●')} ${t('live')}`;
    case 'connecting':
      return `${paint('warning', '○')} ${t('connecting')}`;
    case 'reconnecting':
      return `${paint('warning', '○')} ${t('reconnecting')}`;
  }
};
