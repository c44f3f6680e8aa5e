/** Blots secrets out of what is kept or shown: known values wherever they are, and values that are secret by their name or form. */
import { withoutBytes } from './written-bytes.ts';

/** Shorter values would blot out ordinary words. */
export const MIN_SECRET_CHARS = 6;

/** The text that replaces a secret. */
export const BLOT = '[secret]';

const SECRET_NAME = /(?:key|token|secret|passw(?:or)?d|passphrase|pwd|pass|credentials?|auth(?:orization)?|cookie|bearer|_pat|dsn)s?$/i;
/** Folders that every shell puts into the environment (POSIX); blotted out, the path of a project would be missing from every text. */
const FOLDER_NAME = /^(?:OLD)?PWD$/;
/** The forms of keys and tokens, by their issuers. */
const SECRET_FORMS =
  /(?:sk-|sk_|rk_|pk_live_|ghp_|gho_|ghs_|github_pat_|glpat-|xox[a-z]-|AKIA|ASIA|AIza|ya29\.|hf_|npm_|pypi-|dop_v1_|eyJ[\w-]+\.)[\w.+/=-]{6,}/;
const SECRET_FORM = new RegExp(`^${SECRET_FORMS.source}$`);
/**
 * What settings are often set to, also by the name of a key. Blotted out, they would be missing from every text; and they are no secret, because
 * they can be guessed.
 */
const SETTING_WORD =
  /^(?:allowed|always|anonymous|automatic|changeme|default|denied|dev|development|disabled|disallowed|enabled|example|external|internal|keychain|keyring|local|localhost|manual|optional|password|placeholder|private|prod|production|public|readonly|required|session|staging|strict|testing|undefined|unlimited|unknown)$/i;
/** `user:password@` in an address; the user may be missing. */
const ADDRESS_PASSWORD = /(?<=:\/\/[^\s/@:]*:)[^\s/@]+(?=@)/g;
const SECRET_PARAMETER = /(?<=[?&][\w.-]*(?:key|token|secret|passw(?:or)?d|pwd|auth|sig(?:nature)?)=)[^\s&#"']+/gi;

/** The secrets among variables: by name, by form, and passwords in addresses. */
export const secretsIn = (variables: Readonly<Record<string, string | undefined>>): string[] =>
  Object.entries(variables).flatMap(([name, value]) => (value === undefined ? [] : secretsOf(name, value)));

const secretsOf = (name: string, value: string): string[] => {
  const inAddress = [...value.matchAll(ADDRESS_PASSWORD), ...value.matchAll(SECRET_PARAMETER)].map(([found]) => found);
  if (inAddress.length > 0) return inAddress;
  // The value may be `Bearer …`, as in an Authorization header.
  const bare = value.replace(/^(?:Bearer|Basic|Token)\s+/i, '');
  return (SECRET_NAME.test(name) && !FOLDER_NAME.test(name) && !SETTING_WORD.test(bare)) || SECRET_FORM.test(bare) ? [bare] : [];
};

/** A text whose addresses contain no password and no key. */
export const redactAddresses = (text: string): string => text.replaceAll(ADDRESS_PASSWORD, BLOT).replaceAll(SECRET_PARAMETER, BLOT);

/** What looks like a secret in any text, also in JSON and in JSON within JSON; the first group is what stays. */
const SECRET_WORD = String.raw`(?:key|token|secret|passw(?:or)?d|passphrase|pwd|credentials?)s?`;
const SET_TO = String.raw`\\*["']?\s*[:=]\s*\\*["']?`;
const VALUE = String.raw`[^\s"'\\,;&]{6,}`;
const LIKELY: readonly RegExp[] = [
  new RegExp(String.raw`((?<![\w-]))${SECRET_FORMS.source}`, 'g'),
  /(-----BEGIN [A-Z ]*PRIVATE KEY-----)(?:(?!-----END)[^])+/g,
  // The value of these headers has several words.
  new RegExp(String.raw`(\b(?:(?:set-)?cookie|(?:proxy-)?authorization)${SET_TO})[^"'\\\r\n]+`, 'gi'),
  new RegExp(String.raw`(\bbearer\s+)${VALUE}`, 'gi'),
  new RegExp(String.raw`(${SECRET_WORD}${SET_TO})${VALUE}`, 'gi'),
  new RegExp(String.raw`(--?[\w-]*${SECRET_WORD}\\*["']?[\s,]+\\*["']?)(?!-)${VALUE}`, 'gi'),
];

/** A text for strangers: without all that looks like a secret, which may be more than there is. */
export const redactLikely = (text: string): string =>
  LIKELY.reduce((rest, pattern) => rest.replaceAll(pattern, (_, kept: string) => kept + BLOT), redactAddresses(text));

/** The secrets among variables that a person has set by hand for an agent or a server: such a value is usually a key, whatever its name is. */
export const secretsSetByHand = (variables: Readonly<Record<string, string>>): string[] => [
  ...secretsIn(variables),
  ...Object.entries(variables).flatMap(([name, value]) => (HARMLESS_NAME.test(name) || HARMLESS_VALUE.test(value) ? [] : [value])),
];

const HARMLESS_NAME =
  /(?:^|_)(?:MODELS?|URL|URI|HOST|PORT|PATH|DIR|HOME|LANG|LC_\w+|TERM|SHELL|USER|REGION|VERSION|MODE|LEVEL|TIMEOUT|DEBUG|TZ|TYPE)$|^content-type$|^accept$|^user-agent$/i;

/** Values that are not secret: paths, addresses (passwords in them are found separately), numbers, and words of letters. */
const HARMLESS_VALUE = /^(?:[~.]{0,2}[/\\]|[a-z]:\\).*$|^[a-z][\w+.-]*:\/\/.*$|^[\d.,:]*$|^\p{L}+(?:[-_. ]\p{L}+)*$/isu;

/** A variable that decides what is started, read or asked. A person who is to judge a file must see its value. */
const TELLING_NAME =
  /(?:options?|env|preload|path|rc|init|startup|shell|editor|command|cmd|url|uri|host|proxy|config|file|dir|home|args|flags)$/i;
/** One word of letters and digits that is neither a path nor an option. */
const MADE_WORD = /^(?=.*\d)(?=.*[a-z])[a-z0-9][\w.+=~-]{5,}$/i;

/** Whether the value of a variable or header is more likely a secret than something that a person must see. */
export const isLikelySecret = (name: string, value: string): boolean =>
  secretsOf(name, value).length > 0 || (MADE_WORD.test(value) && !TELLING_NAME.test(name));

/** The command with its secrets blotted out. */
export const redactArguments = (words: readonly string[]): string[] => {
  const redactor = new Redactor(secretsInArguments(words));
  return words.map((word) => redactor.text(word));
};

/** The secrets among the arguments of a command: what follows `--api-key`, `TOKEN=…`, passwords in addresses, tokens by their form. */
export const secretsInArguments = (words: readonly string[]): string[] =>
  words.flatMap((word, index) => {
    const [, name = '', value = word] = /^-{0,2}([\w.-]+)[=:](?!\/\/)(.+)$/.exec(word) ?? [];
    const before = words[index - 1] ?? '';
    return secretsOf(name === '' && /^--?\w/.test(before) && !word.startsWith('-') ? before : name, value);
  });

/** The forms in which a value may stand in a text whose letters are plain: as it is, in JSON, in JSON within JSON; in markup within JSON no quote needs a backslash. */
const formsOf = (secret: string): string[] => {
  const json = inJson(secret);
  const markup = withoutQuotes(secret, inJson);
  const quoted = quotedOf(secret).flatMap((form) => [form, inJson(form)]);
  const forms = [secret, json, inJson(json), markup, withoutQuotes(markup, inJson), ...quoted];
  return [...new Set(forms)].map((form) => inPlainLetters(form).bare);
};

const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);

/** As a shell prints it to be read again (`export -p`, `set -x`, `printf %q`), and as Markdown has it (CommonMark 2.4). */
const quotedOf = (secret: string): string[] => [
  secret.replaceAll(/["$`\\]/g, String.raw`\$&`),
  secret.replaceAll("'", String.raw`'\''`),
  secret.replaceAll(/[^\w@%+=:,./-]/g, String.raw`\$&`),
  secret.replaceAll(/[_*]/g, String.raw`\$&`),
  secret.replaceAll(/[!-/:-@[-`{-~]/g, String.raw`\$&`),
];

const withoutQuotes = (text: string, write: (part: string) => string): string => text.split('"').map(write).join('"');

/** The value as a program prints bytes. */
const hexOf = (secret: string): string[] => {
  const digits = Buffer.from(secret).toString('hex');
  return [digits, digits.toUpperCase()];
};

/** The letters of base64 that stand for the value alone, wherever in what was encoded it begins: as in `Authorization: Basic`. */
const base64Of = (secret: string): string[] =>
  [0, 1, 2].flatMap((before) => {
    const bytes = Buffer.from(' '.repeat(before) + secret);
    const letters = bytes.toString('base64').slice(Math.ceil((before * 8) / 6), Math.floor((bytes.length * 8) / 6));
    return [letters, letters.replaceAll('+', '-').replaceAll('/', '_')];
  });

/** This many characters of a secret reveal nothing. */
const HARMLESS_CHARS = 3;

/** The shortest secret of which so many may be shown, because the rest cannot be guessed. */
const LONG_SECRET_CHARS = 16;

/** A pattern for each beginning of the secret that is longer than that. */
const beginningOf = (form: string): string => {
  let rest = '';
  for (let at = form.length - 1; at > HARMLESS_CHARS; at -= 1) rest = `(?:${RegExp.escape(form.charAt(at))}${rest})?`;
  return RegExp.escape(form.slice(0, HARMLESS_CHARS + 1)) + rest;
};

/** What programs put where they have cut a text. */
const CUT = ['\u2026', '...'];

/** Matches any of the texts; null when there is none. */
const patternOf = (texts: Iterable<string>, flags?: string): RegExp | null => {
  const escaped = Array.from(texts, (text) => RegExp.escape(text));
  return escaped.length === 0 ? null : new RegExp(escaped.join('|'), flags);
};

/** How a program colours what it prints (ECMA-48), also within JSON: `grep --color` does it in the middle of a word. */
const PARAMETERS = String.raw`\[[0-?]{0,64}[ -/]{0,8}`;
const LINK = String.raw`\][^\u0007\u001b\\]{0,2000}`;
/** The escape as it is, in JSON (behind an odd number of backslashes), and in JSON within JSON; other backslashes there are of the text. */
const ESCAPES = [
  { escape: String.raw`\u001b`, ends: [String.raw`\u0007`, String.raw`\u001b\\`] },
  { escape: String.raw`\\(?=u001b)(?<=(?<!\\)(?:\\\\)*\\)u001b`, ends: [String.raw`\\u0007`, String.raw`\\u001b\\\\`] },
  { escape: String.raw`\\\\(?=u001b)(?<=(?<!\\)(?:\\\\)+)u001b`, ends: [String.raw`\\\\u0007`, String.raw`\\\\u001b\\\\\\\\`] },
];
/** Signs that nobody sees. */
const UNSEEN = String.raw`[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff]|\udb40[\udc00-\udfff]`;
/** The number of a letter behind a backslash: in JSON, in what languages of programs print, and in octal. */
const BEHIND = String.raw`(?:u0{4}00[\da-f]{2}|u[\da-f]{4}|u\{[\da-f]{1,6}\}|x[\da-f]{2}|[0-3][0-7]{2})`;
/** Letters by their numbers: in an address, once and twice, in markup, in JSON, and in JSON within JSON, twice; which backslashes belong to the number is as above. */
const NUMBERED = [
  String.raw`%25[2-7][\da-f]|%u[\da-f]{4}`,
  String.raw`%[0-7][\da-f]|%[cd][\da-f]%[89ab][\da-f]|%e[\da-f](?:%[89ab][\da-f]){2}|%f[0-4](?:%[89ab][\da-f]){3}`,
  String.raw`&#x[\da-f]{1,8};?|&#\d{1,9};?|&[a-z]{2,8};`,
  String.raw`\\(?=${BEHIND})(?<=(?<!\\)(?:\\\\)*\\)${BEHIND}`,
  String.raw`\\{4}(?=${BEHIND})(?<=(?<!\\)(?:\\{4})+)${BEHIND}`,
  String.raw`\\\\(?=${BEHIND})(?<=(?<!\\)(?:\\\\)+)${BEHIND}`,
].join('|');
/** Choosing letters, and keeping the place (ECMA-35, DEC). */
const SHORT = String.raw`[()*+][\dA-Z]|[78=>]`;
const COLOURS = [
  ...ESCAPES.map(({ escape, ends }) => `${escape}(?:${PARAMETERS}[@-~]|${SHORT}|${LINK}(?:${ends.join('|')}))`),
  String.raw`\u009b[0-?]{0,64}[ -/]{0,8}[@-~]`,
].join('|');
const DISGUISE = new RegExp(`${COLOURS}|${UNSEEN}|(?<numbered>${NUMBERED})`, 'gi');
const DISGUISE_BEGUN = new RegExp(
  [
    `(?:${ESCAPES.map(({ escape }) => escape).join('|')})(?:${PARAMETERS}|[()*+]|${LINK}\u001b?)?$`,
    String.raw`\u009b[0-?]{0,64}[ -/]{0,8}$`,
    String.raw`(?:%[c-f][\da-f](?:%[89ab][\da-f]){0,2})?%[\da-f]?$|%[c-f][\da-f](?:%[89ab][\da-f]){0,2}$|%25[2-7]?$|%u[\da-f]{0,3}$|\udb40$`,
    String.raw`\\{1,4}(?:u[\da-f]{0,3}|u0{4}[\da-f]{0,3}|u\{[\da-f]{0,6}|x[\da-f]?|[0-3][0-7]?)?$`,
    String.raw`&(?:#(?:x[\da-f]{0,8}|\d{0,9})|[a-z]{0,8})?$`,
  ].join('|'),
  'i',
);

const HIDES = new RegExp(String.raw`[\u001b\u009b]|%u?[\da-f]{2}|\\${BEHIND}|&#[\da-z]{1,9}|&[a-z]{2,8};|${UNSEEN}`, 'i');
const isDisguised = (text: string): boolean => HIDES.test(text);

/** A text in plain letters: without colours and signs that nobody sees, and with the letters that are written by their numbers. */
interface PlainLetters {
  readonly bare: string;
  /** Where each letter begins and ends in the text; null where it is the same. */
  readonly places: { readonly from: readonly number[]; readonly to: readonly number[] } | null;
  /** Where a disguise begins in the text that is not whole. */
  readonly end: number;
}

/** With `goesOn` the text may end within a disguise. */
const inPlainLetters = (text: string, goesOn = false): PlainLetters => {
  const end = goesOn ? (DISGUISE_BEGUN.exec(text)?.index ?? text.length) : text.length;
  if (!isDisguised(text)) return { bare: text.slice(0, end), places: null, end };
  const places: { from: number[]; to: number[] } = { from: [], to: [] };
  let bare = '';
  let at = 0;
  const add = (letters: string, from: number, to: number, step: number): void => {
    bare += letters;
    for (let index = 0; index < letters.length; index += 1) {
      places.from.push(from + index * step);
      places.to.push(step === 0 ? to : from + index + 1);
    }
  };
  for (const { index, 0: disguise, groups } of text.matchAll(DISGUISE)) {
    if (index >= end) break;
    add(text.slice(at, index), at, index, 1);
    at = index + disguise.length;
    if (groups?.['numbered'] !== undefined) add(letterOf(disguise), index, at, 0);
  }
  if (at < end) add(text.slice(at, end), at, end, 1);
  return { bare, places, end };
};

/** Empty for a sign that nobody sees. */
const letterOf = (numbered: string): string => {
  if (numbered.startsWith('&')) return letterOfEntity(numbered.slice(1).replace(/;$/, '').toLowerCase());
  try {
    const letter = /^%[^u]/i.test(numbered) ? decodeURIComponent(numbered.replace(/^%25(?=.)/, '%')) : letterBehind(numbered);
    return UNSEEN_LETTER.test(letter) ? '' : letter;
  } catch {
    return numbered;
  }
};

const letterBehind = (numbered: string): string => {
  const number = numbered.replace(/^%|^\\+/, '');
  if (/^[0-3]/.test(number)) return String.fromCharCode(Number.parseInt(number, 8));
  return String.fromCodePoint(Number.parseInt(number.replaceAll(/[ux{}]/gi, ''), 16));
};

/** Those of the signs that keys have. https://html.spec.whatwg.org/multipage/named-characters.html */
const NAMED = new Map(
  `amp& lt< gt> quot" apos' lowbar_ underbar_ hyphen- dash- period. comma, colon: semi; excl! num# dollar$ percnt% ast* plus+ equals=
     sol/ bsol\\ quest? commat@ lsqb[ rsqb] lpar( rpar) lcub{ rcub} verbar| grave\` hat^`
    .split(/\s+/)
    .map((named) => [named.slice(0, -1), named.slice(-1)] as const),
).set('shy', '');

const letterOfEntity = (name: string): string => {
  const point = name.startsWith('#x') ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
  const letter = NAMED.get(name) ?? (name.startsWith('#') && point <= 0x10ffff ? String.fromCodePoint(point) : `&${name};`);
  return UNSEEN_LETTER.test(letter) ? '' : letter;
};

const UNSEEN_LETTER = new RegExp(UNSEEN);

/** Keys whose values name things and are not text for a person. */
const NO_TEXT = /^(?:\w*[iI]d|type|kind|status|mimeType|sha256|dataBase64)$/;

/** What stands below these keys has keys that an agent or a tool has chosen: any may be text. */
const FREE = /^(?:input|arguments|values)$/;

/** Tells where a text ends with the beginning of one of many forms in which letters stand for bytes, by a look at its last word. */
class Encodings {
  readonly #forms = new Map<string, string[]>();
  /** Their beginnings that are as short as reveals nothing. */
  readonly #short = new Set<string>();

  constructor(forms: Iterable<string>) {
    for (const form of forms) {
      const start = form.slice(0, HARMLESS_CHARS + 1);
      this.#forms.set(start, [...(this.#forms.get(start) ?? []), form]);
      for (let length = 1; length <= HARMLESS_CHARS; length += 1) this.#short.add(start.slice(0, length));
    }
  }

  /** How many characters at the end of the text they may be. */
  openChars(text: string): number {
    let from = text.length;
    while (from > 0 && isEncodingUnit(text.charCodeAt(from - 1))) from -= 1;
    for (let at = from; at < text.length; at += 1) {
      const length = text.length - at;
      const start = text.slice(at, at + HARMLESS_CHARS + 1);
      const isOpen =
        length <= HARMLESS_CHARS
          ? this.#short.has(start)
          : this.#forms.get(start)?.some((form) => form.length > length && form.startsWith(text.slice(at)));
      if (isOpen === true) return length;
    }
    return 0;
  }
}

/** A letter or a digit, or one of `+`, `-`, `/`, `_`. */
const isEncodingUnit = (unit: number): boolean =>
  (unit > 96 && unit < 123) || (unit > 64 && unit < 91) || (unit > 46 && unit < 58) || unit === 43 || unit === 45 || unit === 95;

/** Blots out one set of secrets. */
export class Redactor {
  /** The longest come first, so that when two overlap the whole is blotted out. */
  readonly #forms: readonly string[];
  /** Those of them in letters of their own. */
  readonly #plain: readonly string[];
  /** The others. Letters of base64 begin every other word: to wait for what follows would hold all texts up, so that a few are given out. */
  readonly #encoded: readonly string[];
  #encodings: Encodings | null = null;
  readonly #pattern: RegExp | null;
  /** The first characters of the secrets: where none of them stand, no secret begins. */
  readonly #startPattern: RegExp | null;
  /** The beginning of a secret at the end of a text within a line of JSON. It is made when it is needed: for a hundred secrets that takes long. */
  #cutPattern: RegExp | null = null;

  constructor(secrets: Iterable<string>) {
    const known = [...new Set(secrets)].filter((secret) => secret.length >= MIN_SECRET_CHARS);
    this.#plain = [...new Set(known.flatMap(formsOf))];
    this.#encoded = [...new Set(known.flatMap((secret) => [...base64Of(secret), ...hexOf(secret)]))];
    this.#forms = [...new Set([...this.#plain, ...this.#encoded])].toSorted((one, other) => other.length - one.length);
    this.#pattern = patternOf(this.#forms, 'g');
    this.#startPattern = patternOf(new Set(this.#forms.map((form) => form.slice(0, HARMLESS_CHARS + 1))));
  }

  /** The text without the secrets. */
  text(text: string): string {
    return this.#withoutBytes(this.#letters(text));
  }

  #withoutBytes(text: string): string {
    return this.#pattern === null ? text : withoutBytes(text, BLOT, (said) => this.#letters(said) !== said);
  }

  #letters(text: string): string {
    if (this.#pattern === null) return text;
    if (!isDisguised(text)) return text.replaceAll(this.#pattern, BLOT);
    const letters = inPlainLetters(text);
    const { rest, end } = this.#blotted(text, letters, letters.bare.length);
    return rest + text.slice(end);
  }

  /** A line of JSON without the secrets, and without the beginning of one that goes on in another line. */
  line(line: string): string {
    if (this.#startPattern?.test(inPlainLetters(line).bare) !== true) return this.#withoutBytes(line);
    this.#cutPattern ??= new RegExp(`(?:${this.#plain.map(beginningOf).join('|')})(?=\\\\*")`, 'g');
    return this.text(line).replaceAll(this.#cutPattern, BLOT);
  }

  /**
   * The value with each of its texts redacted; Pilotfish's own ids and the like stay as they are. A text may end with the beginning of a secret: because
   * it was cut, or because it grows, and then less is left of it.
   */
  value<T>(value: T, grows?: boolean): T;
  value(value: unknown, grows = false): unknown {
    return this.#pattern === null ? value : this.#value(value, grows ? HARMLESS_CHARS + 1 : MIN_SECRET_CHARS, false);
  }

  #value(value: unknown, minChars: number, isFree: boolean): unknown {
    if (typeof value === 'string') return this.#withoutBeginning(value, minChars);
    if (Array.isArray(value)) return value.map((each: unknown) => this.#value(each, minChars, isFree));
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value).map(([key, each]) => [
      this.text(key),
      !isFree && NO_TEXT.test(key) ? each : this.#value(each, minChars, isFree || FREE.test(key)),
    ]);
    return Object.fromEntries(entries);
  }

  /** The text without the secrets, and without the beginning of one at its end that has so many characters. */
  #withoutBeginning(text: string, minChars: number): string {
    const dots = CUT.find((end) => text.endsWith(end)) ?? '';
    const whole = text.slice(0, text.length - dots.length);
    if (this.#startPattern?.test(whole.slice(-(this.#forms[0]?.length ?? 0))) !== true) return this.text(text);
    const { given, held } = this.split(whole);
    const rest = this.text(held);
    return given + (rest.length >= minChars && !rest.includes(BLOT) ? BLOT : rest) + dots;
  }

  /** For a text that comes in pieces. */
  stream(): RedactedStream {
    return new RedactedStream({ redactor: this });
  }

  /**
   * Splits a text that goes on into a redacted part that may be given out, and a rest that may be the beginning of a secret. So many characters
   * of the rest may be given out, too: they are too few to reveal anything, and most words begin so.
   */
  split(text: string): { given: string; held: string; harmlessChars: number } {
    if (this.#pattern === null) return { given: text, held: '', harmlessChars: 0 };
    const letters = inPlainLetters(text, true);
    const plain = this.#openChars(letters.bare);
    this.#encodings ??= new Encodings(this.#encoded);
    const encoded = this.#encodings.openChars(letters.bare);
    const isAsItIs = letters.places === null && letters.end === text.length;
    const harmlessChars = isAsItIs && encoded <= HARMLESS_CHARS ? Math.max(0, encoded - plain) : 0;
    const until = letters.bare.length - Math.max(plain, encoded);
    const { rest, end } = this.#blotted(text, letters, until);
    const begun = until === letters.bare.length ? letters.end : until;
    const open = Math.max(end, letters.places?.from[until] ?? begun);
    return { given: rest + text.slice(end, open), held: text.slice(open), harmlessChars };
  }

  /** The text up to the end of the last secret that begins before `until`, a place among its plain letters, and where that end is. */
  #blotted(text: string, { bare, places }: PlainLetters, until: number): { rest: string; end: number } {
    let rest = '';
    let end = 0;
    for (const { index, 0: found } of this.#found(bare)) {
      // A longer secret may begin before this one; the next piece shows it.
      if (index >= until) break;
      const to = index + found.length;
      rest += text.slice(end, places?.from[index] ?? index) + BLOT;
      end = places?.to[to - 1] ?? to;
    }
    return { rest, end };
  }

  /** The secrets in plain letters. Most texts have none, and to look for a beginning takes less than to begin a search for all. */
  #found(bare: string): Iterable<RegExpExecArray> {
    return this.#pattern === null || this.#startPattern?.test(bare) !== true ? [] : bare.matchAll(this.#pattern);
  }

  /** Whether a text that is the beginning of a secret reveals nothing of it. */
  isHarmless(beginning: string): boolean {
    if (beginning.length > HARMLESS_CHARS || isDisguised(beginning)) return false;
    return this.#plain.every((form) => form.length >= LONG_SECRET_CHARS || !form.startsWith(beginning));
  }

  /** How many characters at the end of the text may be the beginning of a secret. */
  #openChars(text: string): number {
    const last = text.charCodeAt(text.length - 1);
    let open = 0;
    for (const form of this.#plain) {
      for (let length = Math.min(form.length - 1, text.length); length > open; length -= 1) {
        if (form.charCodeAt(length - 1) === last && text.endsWith(form.slice(0, length))) open = length;
      }
    }
    return open;
  }
}

/** A text in pieces: what may be the beginning of a secret is held back until the next piece shows whether it is one. */
export class RedactedStream {
  readonly #known: { readonly redactor: Redactor };
  /** Whether a secret has come in several pieces since this was last set to false. */
  wasCut = false;
  /** What may be the beginning of a secret. */
  #held = '';
  /** How many characters at the start of it were given out all the same. */
  #shown = 0;
  /** All of it reveals nothing. */
  #isHarmless = false;

  /** Another secret may become known while the text goes on. */
  constructor(known: { readonly redactor: Redactor }) {
    this.#known = known;
  }

  /** Whether something may still turn out to be the beginning of a secret. */
  get isHolding(): boolean {
    return this.#held !== '' && !this.#isHarmless;
  }

  /** Whether that would reveal something of it. */
  get isRevealing(): boolean {
    return this.isHolding && !this.#known.redactor.isHarmless(this.#held);
  }

  /** Takes the next piece, and returns what may be given out. */
  push(piece: string): string {
    const before = this.#held;
    const { given, held, harmlessChars } = this.#known.redactor.split(before + piece);
    // What was held back was blotted out.
    if (before !== '' && !(given + held).startsWith(before)) this.wasCut = true;
    const fresh = this.#notShown(given);
    this.#shown = Math.max(0, this.#shown - given.length);
    this.#held = held;
    this.#isHarmless = harmlessChars === held.length;
    const early = held.slice(this.#shown, harmlessChars);
    this.#shown += early.length;
    return fresh + early;
  }

  /** For when no piece comes for a while: returns what is held back if it reveals nothing. What follows it is still compared with the secrets. */
  pause(): string {
    if (!this.#known.redactor.isHarmless(this.#held)) return '';
    const rest = this.#held.slice(this.#shown);
    this.#shown = this.#held.length;
    return rest;
  }

  /** The text has ended. A large part of a secret is not given out even now. */
  end(): string {
    const text = this.#known.redactor.text(this.#held);
    const rest = this.#notShown(text.length >= MIN_SECRET_CHARS && !text.includes(BLOT) ? BLOT : text);
    this.#held = '';
    this.#shown = 0;
    return rest;
  }

  /** The text without the characters at its start that were given out before. */
  #notShown(text: string): string {
    let at = 0;
    while (at < this.#shown && at < text.length && text[at] === this.#held[at]) at += 1;
    return text.slice(at);
  }
}
