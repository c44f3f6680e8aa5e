/** What a page says, to search in. Pure. */
import type { SnapChild, SnapNode } from '#extension/content/api.ts';
import { CompanionError } from '#protocol/errors.ts';
import type { FramePart } from './snapshot-text.ts';

/** All that can be read on the page and in its frames, in one line: text, names and values, but nothing that is invisible. */
export const wordsOf = (parts: readonly FramePart[]): string => oneLine(parts.map(({ snapshot }) => wordsIn(snapshot.children)).join(' '));

/** Text as it is compared: in one line and without regard to capitals. */
export const comparable = (text: string): string => oneLine(text).toLowerCase();

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

const wordsIn = (children: readonly SnapChild[]): string =>
  children.map((child) => (child === null ? ' ' : typeof child === 'string' ? child : ` ${wordsOfNode(child)} `)).join('');

const wordsOfNode = ({ role, name = '', value = '', children = [] }: SnapNode): string =>
  // The value of a heading is its level.
  role === 'hidden' ? '' : [name, role === 'heading' ? '' : value, wordsIn(children)].join(' ');

/** A text, or a regular expression of a model. One that repeats what repeats in itself may run for ever on a text that a page chose. */
export const toMatcher = (text: string | undefined, regex: string | undefined): ((line: string) => number) => {
  if (text !== undefined) {
    const wanted = comparable(text);
    return (line) => line.toLowerCase().indexOf(wanted);
  }
  if (regex === undefined) throw new CompanionError('TOOL_ARGUMENTS', 'Give "text" or "regex".');
  if (repeatsRepetition(regex))
    throw new CompanionError('TOOL_ARGUMENTS', '"regex": a repeated group must not hold a repetition or a choice; write it without.');
  try {
    const pattern = new RegExp(regex, 'iu');
    return (line) => line.slice(0, MAX_LINE).search(pattern);
  } catch (error) {
    throw new CompanionError('TOOL_ARGUMENTS', `"regex": ${error instanceof Error ? error.message : String(error)}.`);
  }
};

const MAX_LINE = 1_000;

/** Whether a group that is repeated holds a repetition or a choice: then the time may grow with every character. */
const repeatsRepetition = (regex: string): boolean => {
  // For each group that is open, whether it holds one.
  const open = [false];
  const marks = regex.replaceAll(/\\.|\[(?:\\.|[^\]\\])*\]/g, 'x').replaceAll('(?', '(');
  for (const [index, mark] of marks.split('').entries()) {
    if (mark === '(') open.push(false);
    else if (mark === ')') {
      const isVaried = open.pop() === true;
      const isRepeated = '*+{'.includes(marks[index + 1] ?? 'x');
      if (isVaried && isRepeated) return true;
      if (isVaried || isRepeated) open[open.length - 1] = true;
    } else if ('*+{|'.includes(mark)) open[open.length - 1] = true;
  }
  return false;
};
