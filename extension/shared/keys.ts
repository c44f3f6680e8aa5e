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
  ['\n', 'Enter'],
  ['\r', 'Enter'],
  ['\t', 'Tab'],
  ['space', ' '],
  ['esc', 'Escape'],
  ['return', 'Enter'],
  ['del', 'Delete'],
  ['up', 'ArrowUp'],
  ['down', 'ArrowDown'],
  ['left', 'ArrowLeft'],
  ['right', 'ArrowRight'],
]);

interface Position {
  readonly code: string;
  readonly keyCode: number;
}

/** What the keys of a US keyboard write, without and with Shift, besides letters. */
const SIGNS: readonly (readonly [plain: string, shifted: string, position: Position])[] = [
  ...['!', '@', '#', '$', '%', '^', '&', '*', '('].map((shifted, index) =>
    signOn(String(index + 1), shifted, `Digit${index + 1}`, 49 + index),
  ),
  signOn('0', ')', 'Digit0', 48),
  signOn(' ', ' ', 'Space', 32),
  signOn(';', ':', 'Semicolon', 186),
  signOn('=', '+', 'Equal', 187),
  signOn(',', '<', 'Comma', 188),
  signOn('-', '_', 'Minus', 189),
  signOn('.', '>', 'Period', 190),
  signOn('/', '?', 'Slash', 191),
  signOn('`', '~', 'Backquote', 192),
  signOn('[', '{', 'BracketLeft', 219),
  signOn('\\', '|', 'Backslash', 220),
  signOn(']', '}', 'BracketRight', 221),
  signOn("'", '"', 'Quote', 222),
];

/** Some chords are other ones there. */
export const isOnMac = (): boolean => navigator.userAgent.includes('Mac');

const SHIFTED: ReadonlyMap<string, string> = new Map(SIGNS.map(([plain, shifted]) => [plain, shifted]));

const POSITIONS: ReadonlyMap<string, Position> = new Map(
  SIGNS.flatMap(([plain, shifted, position]) => [
    [plain, position],
    [shifted, position],
  ]),
);

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
  const plain = name.trim().toLowerCase();
  const other = OTHER_NAMES.get(name) ?? OTHER_NAMES.get(plain);
  if (other !== undefined) return other;
  if (/^.$/su.test(name)) return isShifted ? withShift(name) : name;
  if (plain === 'plus') return '+';
  const modifier = MODIFIERS.get(plain);
  if (modifier !== undefined) return modifier === 'ControlOrMeta' ? null : modifier;
  const [, letter] = /^(?:key|digit)([a-z\d])$/.exec(plain) ?? [];
  if (letter !== undefined) return isShifted ? withShift(letter) : letter;
  return [...NAMED.keys()].find((known) => known.toLowerCase() === plain) ?? null;
};

/** `KeyboardEvent.code` and `keyCode` on a US keyboard. A sign that is on none of its keys has no code: the number of the sign would be another key's. */
export const positionOf = (key: string): Position => {
  const named = NAMED.get(key);
  if (named !== undefined) return { code: SIDED.has(key) ? `${key}Left` : key, keyCode: named };
  if (/^[a-z]$/i.test(key)) return { code: `Key${key.toUpperCase()}`, keyCode: key.toUpperCase().charCodeAt(0) };
  return POSITIONS.get(key) ?? { code: '', keyCode: 0 };
};

const withShift = (sign: string): string => SHIFTED.get(sign) ?? sign.toUpperCase();

function signOn(plain: string, shifted: string, code: string, keyCode: number): readonly [string, string, Position] {
  return [plain, shifted, { code, keyCode }];
}

const SIDED = new Set(['Shift', 'Control', 'Alt', 'Meta']);

/** Whether the chord reads or writes the clipboard where it is a real one. */
export const isClipboardChord = ({ key, modifiers }: Chord): boolean => {
  const isCommand = modifiers.includes('Control') || modifiers.includes('Meta');
  if (isCommand && ['c', 'v', 'x'].includes(key.toLowerCase())) return true;
  return (key === 'Insert' && modifiers.length > 0) || (key === 'Delete' && modifiers.includes('Shift'));
};
