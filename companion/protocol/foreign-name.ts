/** The names that browsers, programs and sessions give themselves: nobody has checked them, and they stand in sentences and lists of ours. */

const MAX_CHARS = 200;

/** What cannot be seen, or turns the order of what is seen round; the selectors inside emoji are no harm. */
export const HIDDEN = /(?![\ufe0e\ufe0f])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** A sign that cannot be seen, as its code point. */
export const spelled = (sign: string): string => `⟨U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`;

/** The name as one short line in which nothing is hidden. */
export const foreignName = (name: string): string => {
  const line = name.slice(0, MAX_CHARS).toWellFormed().replaceAll(HIDDEN, spelled).replaceAll(/\s+/g, ' ').trim();
  return line.length <= MAX_CHARS ? line : `${line.slice(0, MAX_CHARS - 1).toWellFormed()}…`;
};
