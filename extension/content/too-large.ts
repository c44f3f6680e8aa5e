/** What is too large to be looked through element by element: that takes so long that the page would be taken for one that hangs, and it would do nothing else meanwhile. */
import { MOST_ELEMENTS } from './composed.ts';
import { FaultError } from './fault.ts';
import { plain } from './plain.ts';

/** Refuses to read all of what is below `root`, or of the frame. */
export const refuseToRead = (root: Element | null): void =>
  refuse(
    root,
    'read',
    'Read a part of it: browser_snapshot or browser_read with a selector as "target", or browser_evaluate. browser_take_screenshot shows what is in view. Where the page has a filter or parts, use that.',
  );

/** Refuses to look through all of the frame for words. */
export const refuseToSearch = (): void =>
  refuse(null, 'searched for words', 'Use a CSS selector as "target", or "x" and "y" of what browser_take_screenshot shows.');

const refuse = (root: Element | null, done: string, remedy: string): void => {
  const count = root === null ? document.getElementsByTagName('*').length : plain(root).querySelectorAll('*').length;
  if (count <= MOST_ELEMENTS) return;
  const what = root === null ? 'page' : 'target';
  throw new FaultError('TOOL_FAILED', `The ${what} has ${count} elements, and ${MOST_ELEMENTS} can be ${done} at once.`, '', remedy);
};
