/** An element as other tools name it, in the words of ours. Pure. */
import { targetFromXPath } from '#companion/toolsets/xpath.ts';

/** A longer one is nobody's own words, and would keep the patterns busy. */
const MAX_CHARS = 500;

/** A ref, a CSS selector, `text=` or `role=`; what is written in no way that is known stays as it is. */
export const meantTarget = (given: string): string => {
  const text = given.trim();
  if (text.length > MAX_CHARS) return given;
  for (const [pattern, toTarget] of WAYS) {
    const [, ...parts] = pattern.exec(text) ?? [];
    const target = parts.length === 0 ? null : toTarget(...parts.map((part) => part ?? ''));
    if (target !== null) return target;
  }
  return given;
};

/** An attribute by its value; CSS has the same strings as JSON for all that stands in names. */
const having = (attribute: string, value: string): string => `[${attribute}=${JSON.stringify(value)}]`;

const byRole = (role: string, name = ''): string => (name === '' ? `role=${role}` : `role=${role}[name=${JSON.stringify(name)}]`);

/** What `:has-text()` is asked of most. */
const ROLES = new Map([
  ['a', 'link'],
  ['button', 'button'],
]);

/** Each with one group at least. What is quoted is a group of its own, without escapes. */
const WAYS: readonly (readonly [RegExp, (...parts: string[]) => string | null])[] = [
  // A ref in capitals, or with the rest of its line in a snapshot.
  [/^\[?((?:f\d+)?e\d+)(?:\s+[a-z]+(?:\s.*)?)?$/i, (ref = '') => ref.toLowerCase()],
  [/^css=(.+)$/s, (selector = '') => selector.trim()],
  [/^(?:xpath=)?(\/\/?[a-z*].*)$/is, (xpath = '') => targetFromXPath(xpath)],
  [/^(id|placeholder|data-testid|data-test-id|data-test)=["']?([^"']+)["']?$/, (name = '', value = '') => having(name, value)],
  [/^(?:page\.)?getByTestId\(\s*["'`]([^"'`]+)["'`]\s*\)$/, (id = '') => having('data-testid', id)],
  [/^(?:page\.)?getByPlaceholder\(\s*["'`]([^"'`]+)["'`].*\)$/s, (words = '') => having('placeholder', words)],
  [/^(?:page\.)?getByText\(\s*["'`]([^"'`]+)["'`].*\)$/s, (words = '') => `text=${words}`],
  [/^(?:page\.)?getByRole\(\s*["'`]([a-z]+)["'`]\s*(?:,\s*\{.*?name:\s*["'`]([^"'`]+)["'`].*\})?\s*\)$/s, byRole],
  [/^(?:page\.)?locator\(\s*(["'`])(.+)\1\s*\)$/s, (_, inner = '') => meantTarget(inner)],
  [/^(a|button):has-text\(\s*["']([^"']+)["']\s*\)$/, (tag = '', words = '') => byRole(ROLES.get(tag) ?? tag, words)],
  // As a snapshot shows it.
  [/^([a-z]+) "([^"]+)"$/, byRole],
];
