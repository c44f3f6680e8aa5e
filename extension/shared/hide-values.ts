/** Takes out of text what is known to be secret, wherever it stands. Pure. */

/** The text that replaces a secret. */
export const BLOT = '[secret]';

/** The text without these values, as they are, in JSON (also within JSON), in addresses and in markup. Who alters a value first takes it out of reach. */
export const withoutValues = (text: string, values: Iterable<string>): string => hiderOf(values)(text);

/** The same for many texts. */
export const hiderOf = (values: Iterable<string>): ((text: string) => string) => {
  const patterns = [...new Set([...values].flatMap(formsOf))].toSorted((one, other) => other.length - one.length).map(standingAlone);
  return (text) => patterns.reduce((kept, pattern) => kept.replaceAll(pattern, BLOT), text);
};

const formsOf = (value: string): string[] => {
  const json = JSON.stringify(value).slice(1, -1);
  const inAddress = encodeURIComponent(value.toWellFormed());
  return [value, json, JSON.stringify(json).slice(1, -1), inAddress, inAddress.replaceAll('%20', '+'), escapeMarkup(value)];
};

const escapeMarkup = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** A short value is a part of other words and numbers by chance. */
const standingAlone = (value: string): RegExp => {
  const escaped = value.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
  return new RegExp(value.length < ALONE_BELOW ? `(?<![\\p{L}\\p{N}])${escaped}(?![\\p{L}\\p{N}])` : escaped, 'gu');
};

const ALONE_BELOW = 8;
