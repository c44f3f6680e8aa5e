/**
 * Foreign text made fit to be looked at: agents, pages, file names and logs may hold anything, a terminal obeys what it is
 * sent, and invisible signs hide what stands in a text. One pass over the text, so that its cost is its length whatever it holds.
 */

/** The text without control sequences, control characters and invisible direction marks; line feeds stay, tabs become spaces. */
export const plainText = (text: string): string => {
  if (isHarmless.test(text)) return text;
  return removeSequences(text)
    .replaceAll(/\r\n?|[\u2028\u2029\u0085]/gu, '\n')
    .replaceAll('\t', '    ')
    .replaceAll(unfit, '')
    .toWellFormed();
};

/** What a program printed on a terminal, as text: a line that it drew anew in place shows its last form; tabs stay. */
export const toPlainOutput = (text: string): string => settleLines(removeSequences(text));

/** The last form of each line, of a text without sequences. */
export const settleLines = (text: string): string =>
  text
    .replaceAll('\r\n', '\n')
    .split('\n')
    .map((line) => line.slice(line.lastIndexOf('\r', line.length - 2) + 1))
    .join('\n')
    .replaceAll(/[^\P{Cc}\n\t]/gu, '');

/** JSON that is safe on a terminal: JSON itself escapes only the controls below U+0020. */
export const printableJson = (value: unknown, indent = 2): string => toPrintable(JSON.stringify(value, null, indent));

/** The same of JSON that is a text already, or a piece of one. */
export const toPrintable = (json: string): string =>
  json.replaceAll(unfit, (character) =>
    character === '\n' ? character : [...Array(character.length).keys()].map((index) => escapeUnit(character.charCodeAt(index))).join(''),
  );

const isHarmless = /^[\n\u0020-\u007e]*$/u;

/**
 * What is left after the sequences: controls; direction marks, embeddings, overrides and isolates; invisible code points,
 * which hide text from the person who reads (not the joiner and the selectors inside emoji); code points that are no
 * characters, some of which the terminal UI uses as marks of its own.
 */
const unfit =
  /(?!\n)\p{Cc}|(?!\u200d|\ufe0e|\ufe0f)\p{Default_Ignorable_Code_Point}|[\u2028\u2029\ufff9-\ufffb]|\p{Noncharacter_Code_Point}/gu;

const escapeUnit = (unit: number): string => `\\u${unit.toString(16).padStart(4, '0')}`;

const ESC = 0x1b;
const BEL = 0x07;
const ST = 0x9c;

/** Without control sequences and control strings as ECMA-48 builds them, with ESC and in their 8-bit form. */
export const removeSequences = (text: string): string => {
  let result = '';
  let kept = 0;
  // A string without an end counts as text. The last end is looked for once, so that a thousand unended strings cost linear time.
  const lastEnd = Math.max(text.lastIndexOf('\u0007'), text.lastIndexOf('\u009c'), text.lastIndexOf('\u001b\\'));
  for (let index = 0; index < text.length;) {
    const unit = text.charCodeAt(index);
    if (unit !== ESC && (unit < 0x80 || unit > 0x9f)) {
      index += 1;
      continue;
    }
    result += text.slice(kept, index);
    index = unit === ESC ? skipEscape(text, index, lastEnd) : skipControl(text, index + 1, unit, lastEnd);
    kept = index;
  }
  return result + text.slice(kept);
};

/** ESC and one of 0x40–0x5f is the 7-bit form of a C1 control; otherwise intermediates and one final byte follow. */
const skipEscape = (text: string, start: number, lastEnd: number): number => {
  const unit = text.charCodeAt(start + 1);
  if (unit >= 0x40 && unit <= 0x5f) return skipControl(text, start + 2, unit + 0x40, lastEnd);
  const end = skipWhile(text, start + 1, 0x20, 0x2f);
  return isBetween(text.charCodeAt(end), 0x30, 0x7e) ? end + 1 : end;
};

const skipControl = (text: string, start: number, control: number, lastEnd: number): number => {
  switch (control) {
    // CSI: parameters, intermediates, final byte.
    case 0x9b: {
      const end = skipWhile(text, skipWhile(text, start, 0x30, 0x3f), 0x20, 0x2f);
      return isBetween(text.charCodeAt(end), 0x40, 0x7e) ? end + 1 : end;
    }
    // DCS, SOS, OSC, PM, APC: anything up to the string terminator.
    case 0x90:
    case 0x98:
    case 0x9d:
    case 0x9e:
    case 0x9f:
      return start > lastEnd ? start : skipString(text, start);
    default:
      return start;
  }
};

const skipString = (text: string, start: number): number => {
  for (let index = start; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit === BEL || unit === ST) return index + 1;
    if (unit === ESC && text.charCodeAt(index + 1) === 0x5c) return index + 2;
  }
  return start;
};

const skipWhile = (text: string, start: number, low: number, high: number): number => {
  let index = start;
  while (isBetween(text.charCodeAt(index), low, high)) index += 1;
  return index;
};

const isBetween = (unit: number, low: number, high: number): boolean => unit >= low && unit <= high;
