/** Puts a member into a JSON file with comments, in which everything else stays as it is, to the letter. Pure. */
import { isDeepStrictEqual } from 'node:util';
import { createScanner, getNodeValue, parseTree, type Node, type ParseError } from 'jsonc-parser';

/**
 * The file with the member `name` in the object `group`: an older one is replaced where it stands by what is made of it,
 * a missing object is made. Throws where the file is no JSON, or has one of them twice, since readers differ in which of two counts.
 */
export const putMember = (text: string, [group, name]: readonly [string, string], toValue: (older?: unknown) => unknown): string => {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  if (root === undefined || errors.length > 0) throw new Error('it is not valid JSON');
  if (root.type !== 'object') throw new Error('what it holds is no object');
  const outer = memberOf(root, group);
  if (outer === undefined) return insert(text, root, group, { [name]: toValue() });
  if (outer.type === 'null') return replace(text, outer, { [name]: toValue() });
  if (outer.type !== 'object') throw new Error(`"${group}" in it is no object`);
  const inner = memberOf(outer, name);
  if (inner === undefined) return insert(text, outer, name, toValue());
  // What the parser makes has no prototype.
  const older: unknown = structuredClone(getNodeValue(inner));
  const value = toValue(older);
  return isDeepStrictEqual(older, value) ? text : replace(text, inner, value);
};

/** The value of a member. */
const memberOf = (object: Node, name: string): Node | undefined => {
  const found = (object.children ?? []).filter(({ children: [key] = [] }) => key?.value === name);
  if (found.length > 1) throw new Error(`"${name}" is in it twice`);
  return found[0]?.children?.[1];
};

const insert = (text: string, object: Node, name: string, value: unknown): string => {
  const indent = indentAt(text, object.offset);
  const closing = object.offset + object.length - 1;
  const last = object.children?.at(-1);
  const eol = eolOf(text);
  if (last === undefined) {
    const comments = text.slice(0, closing).trimEnd();
    const inside = `${indent}${unitOf(text)}`;
    return `${comments}${eol}${inside}${written(text, inside, value, name)}${eol}${indent}${text.slice(closing)}`;
  }
  const end = last.offset + last.length;
  const { comma, place } = tailOf(text, end, closing);
  const isOneLine = !text.slice(object.offset, closing).includes('\n');
  const inside = indentAt(text, last.offset);
  const member = isOneLine ? ` ${JSON.stringify(name)}: ${JSON.stringify(value)}` : `${eol}${inside}${written(text, inside, value, name)}`;
  return comma
    ? `${text.slice(0, place)}${member},${text.slice(place)}`
    : `${text.slice(0, end)},${text.slice(end, place)}${member}${text.slice(place)}`;
};

/** What follows the last member of an object: whether a comma does, and where that and the comments of its line end. */
const tailOf = (text: string, end: number, closing: number): { comma: boolean; place: number } => {
  const scanner = createScanner(text, false);
  scanner.setPosition(end);
  let [comma, place, isSameLine] = [false, end, true];
  while (scanner.getPosition() < closing) {
    scanner.scan();
    const token = text.slice(scanner.getTokenOffset(), scanner.getPosition());
    if (/^[\r\n]/u.test(token)) isSameLine = false;
    if (token === ',') comma = true;
    if (token === ',' || (token.startsWith('/') && isSameLine)) place = scanner.getPosition();
  }
  return { comma, place };
};

const replace = (text: string, node: Node, value: unknown): string =>
  `${text.slice(0, node.offset)}${written(text, indentAt(text, node.offset), value)}${text.slice(node.offset + node.length)}`;

/** A value in the file's own form, with its name before it where it has none yet. */
const written = (text: string, indent: string, value: unknown, name?: string): string => {
  const json = JSON.stringify(value, null, unitOf(text)).replaceAll('\n', `${eolOf(text)}${indent}`);
  return name === undefined ? json : `${JSON.stringify(name)}: ${json}`;
};

const eolOf = (text: string): string => (text.includes('\r\n') ? '\r\n' : '\n');

/** By how much the file indents. */
const unitOf = (text: string): string => /^([ \t]+)"/mu.exec(text)?.[1] ?? '  ';

/** The indentation of the line in which a place is. */
const indentAt = (text: string, offset: number): string => {
  const start = text.lastIndexOf('\n', offset - 1) + 1;
  return /^[ \t]*/u.exec(text.slice(start, offset))?.[0] ?? '';
};
