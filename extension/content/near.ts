/** What is near a selector that matches nothing: what can be operated and goes by some of its words. */
import { queryAll } from './composed.ts';
import { withoutHeld } from './held-secrets.ts';
import { whileReading } from './memo.ts';
import { nameOf } from './name.ts';
import { plain } from './plain.ts';
import { roleOf } from './roles.ts';
import { describe } from './snapshot.ts';
import { isVisible } from './visibility.ts';

const OPERABLE = 'a[href], button, input:not([type="hidden"]), select, textarea, summary, [role], [onclick], [contenteditable]';
/** Names of attributes and of what nearly everything is say nothing. */
const EMPTY_WORDS = new Set(['text', 'role', 'name', 'type', 'class', 'div', 'span', 'input', 'button', 'link', 'data', 'aria', 'label']);
const MIN_WORD = 3;
const MAX_LOOKED_AT = 2_000;
const MAX_NEAR = 3;

/** At most three elements, as a snapshot names them. */
export const nearTo = (selector: string): string[] => {
  const words = wordsOf(selector).filter((word) => !EMPTY_WORDS.has(word));
  if (words.length === 0) return [];
  const scored = whileReading(() =>
    queryAll(OPERABLE)
      .slice(0, MAX_LOOKED_AT)
      .map((element) => ({ element, score: scoreOf(element, words) }))
      .filter(({ element, score }) => score > 0 && isVisible(element)),
  );
  return scored
    .toSorted((one, other) => other.score - one.score)
    .slice(0, MAX_NEAR)
    .map(({ element }) => {
      const { ref, role, name } = describe(element);
      return `e${ref} ${role} "${name ?? ''}"`;
    });
};

/** `#saveButton-2` has the words save and button. */
const wordsOf = (text: string): string[] =>
  (
    text
      .replaceAll(/(?<=\p{Ll})(?=\p{Lu})/gu, ' ')
      .toLowerCase()
      .match(/\p{L}+/gu) ?? []
  ).filter((word) => word.length >= MIN_WORD || /[^\0-\u024f]/.test(word));

/** What an element goes by is never what is written in it. */
const scoreOf = (element: Element, words: readonly string[]): number => {
  const given = ['id', 'class', 'name', 'data-testid', 'title'].map((name) => plain(element).getAttribute(name) ?? '');
  const own = wordsOf(withoutHeld([...given, nameOf(element, roleOf(element))].join(' ')));
  return words.filter((word) => own.some((other) => other.startsWith(word) || word.startsWith(other))).length;
};
