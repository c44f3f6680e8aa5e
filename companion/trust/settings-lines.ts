/** A JSON file of settings as lines that a person can judge: first what it starts, then every other value that may matter. */
import { parseTree, type Node, type ParseError } from 'jsonc-parser';
import { finding, type Pieces } from '#protocol/findings.ts';
import { isLikelySecret, redactArguments } from '#companion/lib/redact.ts';

const SECRET = /(?:key|token|secret|password|authorization|cookie)s?$/i;
/** The settings of no agent are nested this deep. */
const MAX_DEPTH = 30;

/** One line for each setting that is not harmless, or null when the text is not a JSON object, with or without comments. */
export const settingsIn = (text: string, harmless: readonly string[]): Pieces[] | null => {
  if (text.trim() === '') return [];
  const value = parseSettings(text);
  if (!isRecord(value)) return null;
  const covers = harmless.map((name) => name.split('.'));
  // Names are compared by segments: a key that contains a dot is not the setting that it looks like.
  const isHarmless = (path: readonly string[]): boolean => covers.some((cover) => cover.every((segment, index) => segment === path[index]));
  return flatten(value, [])
    .filter(({ path }) => !isHarmless(path))
    .map(({ path, said }) => [path.map(printable).join('.'), ...said]);
};

/** The value in a JSON file, with or without comments; undefined when it is not JSON. */
export const parseSettings = (text: string): unknown => parse(text) ?? parseWithComments(text);

interface Line {
  readonly path: readonly string[];
  readonly said: Pieces;
}

const flatten = (value: unknown, path: readonly string[]): Line[] => {
  if (path.length > MAX_DEPTH) return [leaf(path, finding('too_deep'))];
  if (Array.isArray(value)) {
    const items: unknown[] = value;
    if (items.every(isPlain)) return [leaf(path, redactArguments(items.map(toText)).join(' '))];
    return items.flatMap((item, index) => flatten(item, [...path, String(index + 1)]));
  }
  if (!isRecord(value)) return [isSecretSetting(path, value) ? leaf(path, finding('not_shown')) : leaf(path, toText(value))];
  const { command, args = [], ...others } = value;
  const words = [command, args].flat();
  const isStarted = command !== undefined && words.every((word) => typeof word === 'string');
  return [
    ...(isStarted ? [{ path, said: [finding('starts'), redactArguments(words).map(toText).join(' ')] }] : []),
    ...Object.entries(isStarted ? others : value).flatMap(([key, each]) => flatten(each, [...path, key])),
  ];
};

/** The value of a variable or a header. */
const isSecretSetting = (path: readonly string[], value: unknown): boolean =>
  typeof value === 'string' &&
  /^(?:env|environment|http_?headers|headers)$/i.test(path.at(-2) ?? '') &&
  isLikelySecret(path.at(-1) ?? '', value);

const leaf = (path: readonly string[], value: Pieces[number]): Line => ({
  path,
  said: [': ', SECRET.test(path.at(-1) ?? '') ? finding('not_shown') : value],
});

/** An address without the password in it. */
const toText = (value: unknown): string =>
  typeof value === 'string' ? printable(value.replaceAll(/\/\/[^/@\s]+@/g, '//…@')) : JSON.stringify(value);

/** A text with control characters in quotes, so that it stays on its line. */
export const printable = (text: string): string => (/[\p{Cc}\p{Cf}\u2028\u2029]/u.test(text) ? JSON.stringify(text) : text);

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** With comments and trailing commas. Where a comment ends must be beyond doubt: readers disagree about lone line breaks. */
const parseWithComments = (text: string): unknown => {
  if (/\r(?!\n)|[\u2028\u2029]/.test(text)) return undefined;
  const faults: ParseError[] = [];
  try {
    const tree = parseTree(text, faults, { allowTrailingComma: true });
    return tree === undefined || faults.length > 0 ? undefined : toValue(tree);
  } catch (error) {
    // A value that is nested too deeply for the parser counts as a whole, like any other text that is not understood.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
};

/** The parser's own values lose the key `__proto__`, behind which an agent may find its settings all the same. */
const toValue = (node: Node): unknown => {
  if (node.type === 'array') return (node.children ?? []).map(toValue);
  if (node.type !== 'object') return node.value;
  return Object.fromEntries(
    (node.children ?? []).map(({ children: [key, value] = [] }) => [String(key?.value), value === undefined ? null : toValue(value)]),
  );
};

const isPlain = (value: unknown): boolean => typeof value !== 'object' || value === null;

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && !Array.isArray(value) && value !== null;
