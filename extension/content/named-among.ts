/** Which of several fields beside each other words mean, as of the boxes of a group. */
import { clean, nameOf } from './name.ts';
import { plain } from './plain.ts';
import { roleOf } from './roles.ts';

const MAX_NAMED = 30;

/** The one that is called so, else the one with that value; null where it is none of them, or several. */
export const namedAmong = (fields: readonly Element[], word: string): Element | null =>
  onlyOf(fields.filter((field) => isCalled(field, word))) ?? onlyOf(fields.filter((field) => plain(field).getAttribute('value') === word));

export const isCalled = (field: Element, word: string): boolean => {
  const name = clean(word).toLowerCase();
  return name !== '' && nameOf(field, roleOf(field)).toLowerCase() === name;
};

/** What they are called, for an error. */
export const namesOf = (fields: readonly Element[]): string =>
  fields
    .slice(0, MAX_NAMED)
    .map((field) => `"${nameOf(field, roleOf(field))}"`)
    .join(', ');

const onlyOf = ([only, ...more]: readonly Element[]): Element | null => (more.length === 0 ? (only ?? null) : null);
