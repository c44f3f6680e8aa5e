/** Items of trees and menus that hold other items: what is theirs alone. */
import { onceInReading } from './memo.ts';
import { plain } from './plain.ts';
import { roleOf } from './roles.ts';
import { isVisible } from './visibility.ts';

/** What belongs to an item of each kind. */
const ITEMS: ReadonlyMap<string, string> = new Map([
  ['treeitem', '[role="treeitem"]'],
  ...['menuitem', 'menuitemcheckbox', 'menuitemradio'].map((role) => [role, '[role^="menuitem"]'] as const),
]);

const LISTS = 'ul, ol, [role="group"], [role="menu"], [role="tree"]';

/** The list of the items that an item holds, or these themselves where they stand in none; none of what is no such item. */
export const itemsIn = onceInReading((element: Element): readonly Element[] => {
  const selector = ITEMS.get(roleOf(element));
  const first = selector === undefined ? null : plain(element).querySelector(selector);
  if (selector === undefined || first === null) return [];
  const lists = [...plain(element).querySelectorAll(LISTS)].filter((list) => list.querySelector(selector) !== null);
  return lists.length > 0 ? lists : [...plain(element).querySelectorAll(selector)];
});

/** The words of an item, by which a person presses it: beside them it may be empty, or hold other items. Null of what is pressed anywhere. */
export const wordsOfItem = (element: Element): Text | null => {
  const items = itemsIn(element);
  if (items.length === 0 && roleOf(element) !== 'treeitem') return null;
  const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  let words: Text | null = null;
  while (texts.nextNode() !== null) {
    const { currentNode: text } = texts;
    if (!(text instanceof Text) || text.data.trim().length <= (words?.data.trim().length ?? 0)) continue;
    const says = text.parentElement;
    if (says !== null && isVisible(says) && !items.some((list) => list.contains(says))) words = text;
  }
  return words;
};
