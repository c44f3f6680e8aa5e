/** Keys as models write them: `Enter`, `a`, `Control+Shift+A`. */

/** A key that is held down with another. */
export type Modifier = 'Alt' | 'Control' | 'Meta' | 'Shift';

/** A key with the keys held down with it. */
export interface Chord {
  /** `KeyboardEvent.key`. */
  readonly key: string;
  readonly modifiers: readonly Modifier[];
}

const MODIFIERS: ReadonlyMap<string, Modifier | 'ControlOrMeta'> = new Map([
  ['alt', 'Alt'],
  ['option', 'Alt'],
  ['control', 'Control'],
  ['ctrl', 'Control'],
  ['meta', 'Meta'],
  ['cmd', 'Meta'],
  ['command', 'Meta'],
  ['shift', 'Shift'],
  ['controlormeta', 'ControlOrMeta'],
]);

/** https://developer.mozilla.org/en-US/docs/Web/API/UI_Events/Keyboard_event_key_values with their Windows codes. */
const NAMED: ReadonlyMap<string, number> = new Map([
  ['Enter', 13],
  ['Tab', 9],
  ['Escape', 27],
  ['Backspace', 8],
  ['Delete', 46],
  ['Insert', 45],
  ['Home', 36],
  ['End', 35],
  ['PageUp', 33],
  ['PageDown', 34],
  ['ArrowLeft', 37],
  ['ArrowUp', 38],
  ['ArrowRight', 39],
  ['ArrowDown', 40],
  ['ContextMenu', 93],
  ['Shift', 16],
  ['Control', 17],
  ['Alt', 18],
  ['Meta', 91],
  ...Array.from({ length: 12 }, (_, index) => [`F${index + 1}`, 112 + index] as const),
]);

const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ['space', ' '],
  ['esc', 'Escape'],
  ['return', 'Enter'],
  ['del', 'Delete'],
  ['up', 'ArrowUp'],
  ['down', 'ArrowDown'],
  ['left', 'ArrowLeft'],
  ['right', 'ArrowRight'],
]);

const PUNCTUATION: ReadonlyMap<string, { readonly code: string; readonly keyCode: number }> = new Map([
  [' ', { code: 'Space', keyCode: 32 }],
  ['+', { code: 'Equal', keyCode: 187 }],
  ['=', { code: 'Equal', keyCode: 187 }],
  ['-', { code: 'Minus', keyCode: 189 }],
  [',', { code: 'Comma', keyCode: 188 }],
  ['.', { code: 'Period', keyCode: 190 }],
  ['/', { code: 'Slash', keyCode: 191 }],
  ['?', { code: 'Slash', keyCode: 191 }],
]);

/** Null when the text names no key. */
export const readChord = (text: string, isMac: boolean): Chord | null => {
  const parts = text === '+' ? ['+'] : text.replace(/\+\+$/, '+Plus').split('+');
  const name = parts.pop() ?? '';
  const modifiers: Modifier[] = [];
  for (const part of parts) {
    const modifier = MODIFIERS.get(part.trim().toLowerCase());
    if (modifier === undefined) return null;
    modifiers.push(modifier === 'ControlOrMeta' ? (isMac ? 'Meta' : 'Control') : modifier);
  }
  const isShifted = modifiers.includes('Shift');
  const key = readKey(name, isShifted);
  if (key === null) return null;
  // Control+K is how a shortcut is written; the key that pages are told is a small letter without Shift.
  const isShortcut = modifiers.length > 0 && !isShifted && /^[A-Z]$/.test(key);
  return { key: isShortcut ? key.toLowerCase() : key, modifiers };
};

const readKey = (name: string, isShifted: boolean): string | null => {
  if (/^.$/su.test(name)) return isShifted ? name.toUpperCase() : name;
  const plain = name.trim().toLowerCase();
  if (plain === 'plus') return '+';
  const other = OTHER_NAMES.get(plain);
  if (other !== undefined) return other;
  const modifier = MODIFIERS.get(plain);
  if (modifier !== undefined) return modifier === 'ControlOrMeta' ? null : modifier;
  const [, letter] = /^(?:key|digit)([a-z\d])$/.exec(plain) ?? [];
  if (letter !== undefined) return isShifted ? letter.toUpperCase() : letter;
  return [...NAMED.keys()].find((known) => known.toLowerCase() === plain) ?? null;
};

/** `KeyboardEvent.code` and `keyCode` on a US keyboard. */
export const positionOf = (key: string): { readonly code: string; readonly keyCode: number } => {
  const named = NAMED.get(key);
  if (named !== undefined) return { code: SIDED.has(key) ? `${key}Left` : key, keyCode: named };
  if (/^[a-z]$/i.test(key)) return { code: `Key${key.toUpperCase()}`, keyCode: key.toUpperCase().charCodeAt(0) };
  if (/^\d$/.test(key)) return { code: `Digit${key}`, keyCode: key.charCodeAt(0) };
  return PUNCTUATION.get(key) ?? { code: '', keyCode: key.toUpperCase().charCodeAt(0) };
};

const SIDED = new Set(['Shift', 'Control', 'Alt', 'Meta']);

/** Whether the chord reads or writes the clipboard where it is a real one. */
export const isClipboardChord = ({ key, modifiers }: Chord): boolean => {
  const isCommand = modifiers.includes('Control') || modifiers.includes('Meta');
  if (isCommand && ['c', 'v', 'x'].includes(key.toLowerCase())) return true;
  return (key === 'Insert' && modifiers.length > 0) || (key === 'Delete' && modifiers.includes('Shift'));
};
