/**
 * The colours of what a program printed on a terminal, as spans of the text that `toPlainOutput` gives. Colours become one of
 * eight that a front end draws so that they can be read on its ground; backgrounds and all other sequences are left out.
 *
 * Seven packages were tried for it. Six show the digits of `38:2::200:0:0` or of an 8-bit sequence, or lose that colour; besides, anser needs
 * 4 GB for forty thousand times `ESC [ 1 m`, ansi-sequence-parser keeps the colour after `ESC [ m` and takes three seconds for one sequence
 * of 400 kB, @alcalzone/ansi-tokenize takes a second for a text of 1 MB, ansi_up and fancy-ansi give only HTML, and @ansi-tools/parser
 * loses the text after an unended title. @xterm/headless reads all colours rightly and is a whole terminal: tabs become spaces, lines are
 * broken at its width, and what a program cleared from its screen is gone, which a person must be able to read.
 */
import { removeSequences, settleLines } from './plain-text.ts';

const hues = ['plain', 'grey', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan'] as const;
type Hue = (typeof hues)[number];

interface Look {
  readonly hue: Hue;
  readonly isBold: boolean;
  readonly isFaint: boolean;
  readonly isItalic: boolean;
  readonly isUnderlined: boolean;
}

interface ColouredSpan extends Look {
  readonly text: string;
}

/** A longer text goes on in one piece and without colours, so that a page never holds more elements than this for one output. */
const MAX_SPANS = 4_000;

const plainLook: Look = { hue: 'plain', isBold: false, isFaint: false, isItalic: false, isUnderlined: false };

/** The first `maxUnits` of an output in spans; their texts together are the plain output. */
export const toColouredSpans = (output: string, maxUnits = Number.POSITIVE_INFINITY): ColouredSpan[] => {
  const spans: ColouredSpan[] = [];
  let look = plainLook;
  let left = maxUnits;
  for (const [index, part] of settleLines(moveMarks(removeSequences(markLooks(output))))
    .split(MARK)
    .entries()) {
    const isMarked = index > 0;
    if (isMarked && spans.length < MAX_SPANS) look = looks[part.charCodeAt(0) - FIRST_LOOK] ?? plainLook;
    if (spans.length >= MAX_SPANS) look = plainLook;
    const text = (isMarked ? part.slice(1) : part).slice(0, left);
    left -= text.length;
    const last = spans.at(-1);
    if (text === '') continue;
    if (last !== undefined && numberOf(last) === numberOf(look)) spans[spans.length - 1] = { ...last, text: last.text + text };
    else spans.push({ ...look, text });
  }
  return spans;
};

/** A code point that is no character, before the number of a look: it stands where a sequence has changed the look. */
const MARK = '\ufdd0';
const FIRST_LOOK = 0xe000;

const flags = [false, true];
const looks: readonly Look[] = hues.flatMap((hue) =>
  flags.flatMap((isBold) =>
    flags.flatMap((isFaint) =>
      flags.flatMap((isItalic) => flags.map((isUnderlined) => ({ hue, isBold, isFaint, isItalic, isUnderlined }))),
    ),
  ),
);

/** The place of a look among `looks`. */
const numberOf = ({ hue, isBold, isFaint, isItalic, isUnderlined }: Look): number =>
  hues.indexOf(hue) * 16 + Number(isBold) * 8 + Number(isFaint) * 4 + Number(isItalic) * 2 + Number(isUnderlined);

/** Each sequence that changes the look (SGR, ECMA-48 8.3.117) becomes a mark with the number of the look that holds after it. */
const markLooks = (output: string): string => {
  let look = plainLook;
  // oxlint-disable-next-line no-control-regex -- sequences of a terminal begin with control characters
  return output.replaceAll(MARK, '').replaceAll(/(?:\u001b\[|\u009b)([\d;:]*)m/g, (_, parameters: string) => {
    look = change(look, parameters);
    return MARK + String.fromCharCode(FIRST_LOOK + numberOf(look));
  });
};

/** At the end of a line the marks come before what returns to its beginning, which then counts as the end of the line. */
const moveMarks = (text: string): string =>
  text
    .split('\n')
    .map((line) => {
      let end = line.length;
      while (line[end - 1] === '\r' || line[end - 2] === MARK) end -= line[end - 1] === '\r' ? 1 : 2;
      const tail = line.slice(end);
      const marks = tail.replaceAll('\r', '');
      return line.slice(0, end) + marks + '\r'.repeat(tail.length - marks.length);
    })
    .join('\n');

const change = (before: Look, parameters: string): Look => {
  const codes = parameters.split(';').slice(0, 32);
  let look = before;
  for (let index = 0; index < codes.length; index += 1) {
    const [code = 0, ...parts] = (codes[index] ?? '').split(':').map(Number);
    if (parts.length > 0) look = divided(look, code, parts);
    else if (code === 38 || code === 48 || code === 58) {
      const { hue, used } = extended(codes.slice(index + 1).map(Number));
      if (code === 38) look = { ...look, hue };
      index += used;
    } else look = simple(look, code);
  }
  return look;
};

/** A parameter with parts (ITU-T T.416, 13.1.8): `38:5:n` and `38:2:space:r:g:b` are colours, mostly without the space; `4:n` is a kind of underline. */
const divided = (look: Look, code: number, [kind = 0, ...values]: readonly number[]): Look => {
  if (code === 4) return { ...look, isUnderlined: kind !== 0 };
  if (code !== 38) return look;
  return { ...look, hue: extended([kind, ...values.slice(kind === 2 && values.length > 3 ? 1 : 0)]).hue };
};

const simple = (look: Look, code: number): Look => {
  if (code >= 30 && code <= 37) return { ...look, hue: basic(code - 30) };
  if (code >= 90 && code <= 97) return { ...look, hue: basic(code - 82) };
  switch (code) {
    case 0:
      return plainLook;
    case 1:
      return { ...look, isBold: true };
    case 2:
      return { ...look, isFaint: true };
    case 3:
      return { ...look, isItalic: true };
    case 4:
      return { ...look, isUnderlined: true };
    case 22:
      return { ...look, isBold: false, isFaint: false };
    case 23:
      return { ...look, isItalic: false };
    case 24:
      return { ...look, isUnderlined: false };
    case 39:
      return { ...look, hue: 'plain' };
    default:
      return look;
  }
};

/** Black and white are the ground of one theme each, so both are drawn as plain text. */
const basic = (index: number): Hue =>
  index === 8 ? 'grey' : ((['plain', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'plain'] as const)[index % 8] ?? 'plain');

/** `5;n` is one of 256 colours, `2;r;g;b` any; `used` is how many parameters belong to it. */
const extended = ([kind, ...values]: readonly number[]): { hue: Hue; used: number } => {
  const [first = 0, second = 0, third = 0] = values;
  if (kind === 2) return { hue: nearest(first, second, third), used: 4 };
  if (kind !== 5) return { hue: 'plain', used: 0 };
  if (first < 16) return { hue: basic(first), used: 2 };
  if (first >= 232) return { hue: first > 238 && first < 250 ? 'grey' : 'plain', used: 2 };
  const level = (value: number): number => (value === 0 ? 0 : 55 + value * 40);
  const cube = first - 16;
  return { hue: nearest(level(Math.floor(cube / 36)), level(Math.floor(cube / 6) % 6), level(cube % 6)), used: 2 };
};

/** The hue of a colour; one with hardly any is plain or grey. */
const nearest = (red: number, green: number, blue: number): Hue => {
  const [low, high] = [Math.min(red, green, blue), Math.max(red, green, blue)];
  const spread = high - low;
  if (spread < 40) return high > 70 && high < 200 ? 'grey' : 'plain';
  const sector = high === red ? ((green - blue) / spread + 6) % 6 : high === green ? (blue - red) / spread + 2 : (red - green) / spread + 4;
  return (['red', 'yellow', 'green', 'cyan', 'blue', 'magenta'] as const)[Math.round(sector) % 6] ?? 'plain';
};
