/** Takes out of text what is known to be secret, wherever it stands. Pure. */

/** A field that is filled with a secret is told by these in place of it, as a person sees it. */
export const NOT_SHOWN = '•••';

/** The text that replaces a secret. */
export const BLOT = '[secret]';

/**
 * The text without these values, as they are, as their signs are written in JSON (also within JSON), in addresses, in forms, in markup, in our
 * own quotes and in names of files, and in base64. Who alters a value otherwise takes it out of reach.
 */
export const withoutValues = (text: string, values: Iterable<string>): string => hiderOf(values)(text);

/** The same for many texts. */
export const hiderOf = (values: Iterable<string>): ((text: string) => string) => {
  const hiders = [...new Set(values)].toSorted((one, other) => other.length - one.length).map(hideOne);
  return (text) => hiders.reduce((kept, hide) => hide(kept), text);
};

/** A short value is a part of other words and numbers by chance. */
const ALONE_BELOW = 8;

/** A longer one, as a text of many lines is, is looked for as it is written whole: a pattern of it would be too large. */
const MAX_SIGNS = 200;

const hideOne = (value: string): ((text: string) => string) => {
  const hide = hideWritten(value);
  if (value.length < ENCODED_FROM || value.length > ENCODED_TO) return hide;
  const shortest = Math.floor((value.length * 8) / 6) - 1;
  let encoded: RegExp | null = null;
  return (text) => {
    const told = hide(text);
    return told.length < shortest ? told : told.replaceAll((encoded ??= new RegExp(base64Of(value).map(escape).join('|'), 'g')), BLOT);
  };
};

/** In base64 a shorter value is too few letters to be told from others. */
const ENCODED_FROM = 6;
/** The letters of a longer one would be too large a pattern. */
const ENCODED_TO = 2000;

/** The letters of base64 that stand for the value alone, wherever in what was encoded it begins: behind a name, as in `Authorization: Basic`. */
const base64Of = (value: string): string[] => {
  const bytes = Array.from(new TextEncoder().encode(value), (byte) => String.fromCharCode(byte)).join('');
  // What `btoa` is given as it is has a byte for each sign.
  const given = [...new Set([bytes, ...(/^[\0-\u00ff]*$/.test(value) ? [value] : [])])];
  const forms = given.flatMap((binary) => [0, 1, 2].map((before) => lettersOf(binary, before)));
  return [...new Set(forms.flatMap((form) => [form, form.replaceAll('+', '-').replaceAll('/', '_')]))];
};

const lettersOf = (binary: string, before: number): string =>
  btoa(' '.repeat(before) + binary).slice(Math.ceil((before * 8) / 6), Math.floor(((before + binary.length) * 8) / 6));

const hideWritten = (value: string): ((text: string) => string) => {
  if (value.length > MAX_SIGNS) {
    const forms = wholeForms(value);
    return (text) => forms.reduce((kept, form) => kept.replaceAll(form, BLOT), text);
  }
  const digits = value.replaceAll(/[ -]/g, '');
  if (CARD_DIGITS.test(digits)) return hideCard(digits);
  // What stands as it is in all forms is quickly found not to be there.
  const core = (value.match(/\w+/g) ?? []).reduce((longest, run) => (run.length > longest.length ? run : longest), '');
  let pattern: RegExp | null = null;
  return (text) => (text.includes(core) ? text.replaceAll((pattern ??= patternOf(value)), BLOT) : text);
};

const CARD_DIGITS = /^\d{13,19}$/;

/** A page that shows a card number groups its digits as it likes, by four or more. */
const hideCard = (digits: string): ((text: string) => string) => {
  const pattern = new RegExp(Array.from(digits).join('(?:[ \\u00a0+-]|%20|&nbsp;)?'), 'g');
  return (text) => (text.includes(digits.slice(0, 4)) ? text.replaceAll(pattern, BLOT) : text);
};

const patternOf = (value: string): RegExp => {
  const written = (value.toWellFormed().match(/\\+|[^]/gu) ?? []).map(formsOf).join('');
  return new RegExp(value.length < ALONE_BELOW ? `(?<![\\p{L}\\p{N}])${written}(?![\\p{L}\\p{N}])` : written, 'gu');
};

const wholeForms = (value: string): string[] => {
  const json = JSON.stringify(value).slice(1, -1);
  const inAddress = encodeURIComponent(value.toWellFormed());
  const inMarkup = value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const inJson = [json, JSON.stringify(json).slice(1, -1)];
  const forms = [value, ...inJson, inAddress, inAddress.replaceAll('%20', '+'), inMarkup, inMarkup.replaceAll('"', '&quot;')];
  return [...new Set(forms)].toSorted((one, other) => other.length - one.length);
};

const NAMES = new Map([
  ['&', 'amp'],
  ['<', 'lt'],
  ['>', 'gt'],
  ['"', 'quot'],
  ["'", 'apos'],
]);
const SHORT = new Map([
  ['\n', 'n'],
  ['\r', 'r'],
  ['\t', 't'],
]);

/** How often JSON, or an address, may stand in another one. There is an end to it, because a page chooses values and texts that could take for ever. */
const LEVELS = [0, 1, 2, 3];

const hex = (digits: string): string => digits.replaceAll(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);

/** How a sign of this byte is written in an address. */
const inAddressAs = (byte: number): string => `%(?:25){0,3}${hex(byte.toString(16).padStart(2, '0'))}`;

/** The signs by which JSON and markup write others: each may stand in an address itself. */
const BACKSLASH = ['\\\\', `(?:${inAddressAs(0x5c)})`];
const backslashes = (count: string): string[] => BACKSLASH.map((form) => `${form}{${count}}`);
const BACKSLASHES = `(?:${backslashes('1,8').join('|')})`;
const AMPERSAND = `(?:&|${inAddressAs(0x26)})`;
const SEMICOLON = `(?:;|${inAddressAs(0x3b)})`;
const HASH = `(?:#|${inAddressAs(0x23)})`;

/** Before a quote: none, or those of one level or more. */
const ESCAPING = `(?:${['7', '3', '1'].flatMap(backslashes).join('|')})?`;

/**
 * One sign, or several backslashes, as a pattern of all the ways in which it is written. Letters and digits stand as they are nearly everywhere.
 * A text that we quote has ' for ", and a name of a file has _ for what cannot be in one.
 */
const formsOf = (sign: string): string => {
  if (/^\w$/.test(sign)) return sign;
  // Each JSON around another one doubles the backslashes.
  if (sign.startsWith('\\')) {
    const raw = LEVELS.flatMap((level) => backslashes(String(sign.length * 2 ** level)));
    return `(?:${[...raw, ...[...encodings('\\'), '_'].map((form) => `(?:${form}){${sign.length}}`)].join('|')})`;
  }
  const changed = [...(sign === '"' ? ["'"] : []), ...(/["*/:<>?|]/.test(sign) ? ['_'] : [])];
  const forms = `(?:${[escape(sign), ...encodings(sign), ...changed].join('|')})`;
  return /["'/]/.test(sign) ? ESCAPING + forms : forms;
};

const encodings = (sign: string): string[] => {
  const point = sign.codePointAt(0) ?? 0;
  const units = Array.from({ length: sign.length }, (_, at) => hex(sign.charCodeAt(at).toString(16).padStart(4, '0')));
  const name = NAMES.get(sign);
  const short = SHORT.get(sign);
  return [
    Array.from(new TextEncoder().encode(sign), inAddressAs).join(''),
    units.map((unit) => `${BACKSLASHES}u${unit}`).join(''),
    `${AMPERSAND}${HASH}0{0,5}${point}${SEMICOLON}`,
    `${AMPERSAND}${HASH}[xX]0{0,5}${hex(point.toString(16))}${SEMICOLON}`,
    ...(sign === ' ' ? [String.raw`\+`] : []),
    ...(name === undefined ? [] : [`${AMPERSAND}${name}${SEMICOLON}`]),
    ...(short === undefined ? [] : [`${BACKSLASHES}${short}`]),
  ];
};

const escape = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
