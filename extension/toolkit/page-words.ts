/** What a page says, to search in. Pure. */
import type { SnapChild, SnapNode } from '#extension/content/api.ts';
import { CompanionError } from '#protocol/errors.ts';
import { LinearPattern } from '#extension/shared/linear-pattern.ts';
import { folded } from '#extension/shared/same-words.ts';
import type { FramePart } from './snapshot-text.ts';

/** So many frames of a page are asked. */
export const MOST_FRAMES = 300;

/** All that can be read on the page and in its frames, in one line: text, names and values, but nothing that is invisible. */
export const wordsOf = (parts: readonly FramePart[]): string => oneLine(parts.map(({ snapshot }) => wordsIn(snapshot.children)).join(' '));

/** Text as it is compared: in one line, and however it is written. */
export const comparable = (text: string): string => folded(oneLine(text));

/** A list may be longer than the time is that a call takes for it. */
export const wordsForRest = (share: number): string =>
  share >= 1
    ? ''
    : ` Only the first ${Math.max(1, Math.round(share * 100))} % of a long list could be looked at: use the page's own search or filter for the rest.`;

/** A text of many megabytes is read as far as its beginning. */
export const wordsForLeftOut = (parts: readonly FramePart[]): string => {
  const count = parts.reduce((sum, { snapshot }) => sum + (snapshot.leftOut ?? 0), 0);
  return count === 0
    ? ''
    : ` ${count} characters of its longest texts were not read: browser_evaluate looks through them (document.body.textContent.indexOf('…')).`;
};

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

const wordsIn = (children: readonly SnapChild[]): string =>
  children.map((child) => (child === null ? ' ' : typeof child === 'string' ? child : ` ${wordsOfNode(child)} `)).join('');

const wordsOfNode = ({ role, name = '', value = '', children = [] }: SnapNode): string =>
  // The value of a heading is its level.
  role === 'hidden' ? '' : [name, role === 'heading' ? '' : value, wordsIn(children)].join(' ');

/** Where in a line a text, or a regular expression of a model, which may be written as `/a/i`, stands first; -1 where it does not. */
export const toMatcher = (text: string | undefined, regex: string | undefined): ((line: string) => number) => {
  if (text !== undefined) {
    const wanted = comparable(text);
    // As a snapshot writes it in quotes.
    const inQuotes = wanted.replaceAll('"', '\\"');
    return (line) => {
      const read = folded(line);
      return Math.max(read.indexOf(wanted), read.indexOf(inQuotes));
    };
  }
  if (regex === undefined) throw new CompanionError('TOOL_ARGUMENTS', 'Give "text" or "regex".');
  const [, bare = regex] = /^\/(.+)\/[a-z]*$/s.exec(regex.trim()) ?? [];
  const pattern = orRefused(() => new LinearPattern(bare));
  return (line) => orRefused(() => pattern.search(line));
};

const orRefused = <T>(task: () => T): T => {
  try {
    return task();
  } catch (error) {
    if (error instanceof SyntaxError) throw new CompanionError('TOOL_ARGUMENTS', `"regex": ${error.message}.`);
    if (error instanceof RangeError)
      throw new CompanionError('TOOL_ARGUMENTS', `"regex": ${error.message}; write a simpler one, or give "text".`);
    throw error;
  }
};
