/** Texts of others that stand in Pilotfish's sentences and lists, such as the names that browsers, programs and sessions give themselves. */

const MAX_CHARS = 200;

/** What cannot be seen, or turns the order of what is seen round; the selectors inside emoji are no harm. */
const HIDDEN = /(?![\ufe0e\ufe0f])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** A sign that cannot be seen, as its code point. */
export const spelled = (sign: string): string => `⟨U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`;

/**
 * Text a person is about to read or approve, with all that could hide or reorder a part of it made visible: control characters, zero-width
 * ones and bidi overrides stand as their code point; its lines and tabs stay.
 */
export const toVisible = (text: string): string =>
  text.replaceAll(HIDDEN, (sign) => (sign === '\n' || sign === '\t' ? sign : spelled(sign)));

/** The name as one short line in which nothing is hidden. */
export const foreignName = (name: string): string => {
  const line = name.slice(0, MAX_CHARS).toWellFormed().replaceAll(HIDDEN, spelled).replaceAll(/\s+/g, ' ').trim();
  return line.length <= MAX_CHARS ? line : `${line.slice(0, MAX_CHARS - 1).toWellFormed()}…`;
};
