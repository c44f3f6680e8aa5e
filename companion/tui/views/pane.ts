/** A box with a title in its border: every part of the screen is one. */
import { paint } from '../paint.ts';
import { fit, pad, width } from '../text.ts';

export interface PaneOptions {
  /** Painted text for the upper border. */
  readonly title: string;
  /** Painted text at the right of the upper border. */
  readonly note?: string;
  readonly lines: readonly string[];
  readonly width: number;
  readonly height: number;
  readonly isFocused: boolean;
  /** Waits for the user: drawn so that it is seen. */
  readonly isUrgent?: boolean;
}

/** Exactly `height` lines of exactly `width` columns. Lines that are too many are not shown. */
export const pane = (options: PaneOptions): string[] => {
  const { lines, width: columns, height, isFocused, isUrgent = false } = options;
  const edge = (text: string): string => paint(isUrgent ? 'warning' : isFocused ? 'accent' : 'border', text);
  const inner = columns - 2;
  const note = options.note === undefined || options.note === '' ? '' : ` ${options.note} `;
  const title = ` ${fit(options.title, Math.max(1, inner - 4))} `;
  const noteWidth = width(title) + width(note) + 3 <= inner ? width(note) : 0;
  const rule = Math.max(0, inner - 1 - width(title) - noteWidth);
  const upper = `${edge('┌─')}${title}${edge('─'.repeat(Math.max(0, rule - 1)))}${noteWidth > 0 ? note : ''}${edge('─┐'.slice(rule === 0 ? 1 : 0))}`;
  const body = Array.from({ length: Math.max(0, height - 2) }, (_, index) => `${edge('│')}${pad(lines[index] ?? '', inner)}${edge('│')}`);
  return [pad(upper, columns), ...body, `${edge('└')}${edge('─'.repeat(inner))}${edge('┘')}`].slice(0, height);
};

/** The part of `lines` that is shown from `top` on; null shows the end. */
export const windowOf = (lines: readonly string[], top: number | null, height: number): { lines: readonly string[]; top: number } => {
  const last = Math.max(0, lines.length - height);
  const first = top === null ? last : Math.min(Math.max(0, top), last);
  return { lines: lines.slice(first, first + height), top: first };
};
