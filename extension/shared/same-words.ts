/** Text as it is compared: capitals, accents of one character or two, typographic quotes, dashes and dots make no difference. */
export const folded = (text: string): string => {
  const small = text.toLowerCase();
  if (!OTHERWISE.test(small)) return small;
  return small
    .normalize('NFC')
    .replaceAll(/[\u2018-\u201B\u2032]/g, "'")
    .replaceAll(/[\u201C-\u201F\u2033]/g, '"')
    .replaceAll(/[\u2010-\u2014\u2212]/g, '-')
    .replaceAll('\u2026', '...');
};

/** Most texts have nothing of it. */
const OTHERWISE = /[\p{M}\u1100-\u11FF\u2010-\u2033\u2212]/u;
