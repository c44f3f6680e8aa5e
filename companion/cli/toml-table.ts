/** Puts a table into a TOML file in which everything else stays as it is, to the letter. Pure. */
import { isDeepStrictEqual } from 'node:util';
import { parseTOML } from 'confbox/toml';
import { isObject } from '#companion/lib/is-object.ts';
import { own } from '#companion/lib/own.ts';

/** What a line ends in: nothing open, or a string that goes on in the next line. */
type Open = 'none' | '"""' | "'''";

const TOKENS: Readonly<Record<Open, RegExp>> = {
  none: /"""|'''|"(?:[^"\\]|\\.)*"|'[^']*'|#.*/gu,
  '"""': /\\.|"""/gu,
  "'''": /'''/gu,
};

/**
 * The file with the table `[group.name]` of these lines: an older one is replaced where it stands, with the tables below it,
 * by the lines that are made of it. Throws where the file is no TOML, or has the table in another form, since a table that is there twice spoils the whole file.
 */
export const putTable = (
  text: string,
  [group, name]: readonly [string, string],
  toLines: (older: unknown) => readonly string[],
): string => {
  const before = parse(text);
  const others = own(before, group) ?? {};
  const older = isObject(others) ? own(others, name) : undefined;
  const lines = toLines(older);
  const wanted = own(parse(lines.join('\n')), group);
  if (older !== undefined && isObject(wanted) && isDeepStrictEqual(own(wanted, name), older)) return text;
  const eol = text.includes('\r\n') ? '\r' : '';
  const table = lines.map((line) => `${line}${eol}`);
  const after = replaceTable(text, `${group}.${name}`, table) ?? appendTable(text, table, eol);
  const whole = { ...before, [group]: { ...(isObject(others) ? others : {}), ...(isObject(wanted) ? wanted : {}) } };
  if (!isDeepStrictEqual(parseOrNull(after), toPlain(whole))) throw new Error(`it has ${group}.${name} in a form that is not changed here`);
  return after;
};

/** Null when the file has no such table. */
const replaceTable = (text: string, name: string, table: readonly string[]): string | null => {
  const kept: string[] = [];
  /** Comments at the end of the old table: they belong to what follows. */
  let comments: string[] = [];
  let open: Open = 'none';
  let isOurs = false;
  let isReplaced = false;
  for (const line of text.split('\n')) {
    const header = open === 'none' ? headerOf(line) : null;
    const isBare = open === 'none' && /^\s*(?:#.*)?$/u.test(line);
    open = openAfter(line, open);
    if (header !== null) {
      isOurs = header === name || header.startsWith(`${name}.`);
      if (!isOurs || !isReplaced) kept.push(...comments.splice(0));
      if (isOurs && !isReplaced) kept.push(...table);
      isReplaced ||= isOurs;
    }
    if (!isOurs) kept.push(line);
    else if (isBare) comments.push(line);
    else comments = comments.filter((earlier) => earlier.trim() !== '');
  }
  return isReplaced ? [...kept, ...comments].join('\n') : null;
};

const appendTable = (text: string, table: readonly string[], eol: string): string => {
  const rest = text.trimEnd();
  return [...(rest === '' ? [] : [`${rest}${eol}`, eol]), ...table, ''].join('\n');
};

/** The name in `[name]`, without quotes and spaces; null when the line is none. */
const headerOf = (line: string): string | null => /^\s*\[+\s*([^\]]+?)\s*\]/u.exec(line)?.[1]?.replaceAll(/["'\s]/gu, '') ?? null;

const openAfter = (line: string, before: Open): Open => {
  let open = before;
  for (let at = 0; ;) {
    const tokens = TOKENS[open];
    tokens.lastIndex = at;
    const token = tokens.exec(line)?.[0];
    if (token === undefined) return open;
    at = tokens.lastIndex;
    if (token === '"""' || token === "'''") open = open === 'none' ? token : 'none';
  }
};

const parse = (text: string): Record<string, unknown> => {
  const value = parseOrNull(text);
  if (value === null) throw new Error('it is not valid TOML');
  return value;
};

const parseOrNull = (text: string): Record<string, unknown> | null => {
  try {
    return toPlain(parseTOML<Record<string, unknown>>(text));
  } catch {
    return null;
  }
};

/** Without what only the parser knows of an object, by which two that say the same would differ. */
const toPlain = (value: Record<string, unknown>): Record<string, unknown> => structuredClone(value);
