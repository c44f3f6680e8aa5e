/** Makes text of agents and pages fit to be shown. */

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (sign) => entities[sign] ?? sign);

const characters = new Intl.Segmenter();

/** No character that people see is longer, but for those that somebody makes so. */
const CHARACTER_UNITS = 64;

/** The first `maxUnits` of a text at most; what people see as one character, a family or a flag, is not cut in two. */
export const beginningOf = (text: string, maxUnits: number): string => {
  if (text.length <= maxUnits) return text;
  const from = Math.max(0, maxUnits - CHARACTER_UNITS);
  const index = characters.segment(text.slice(from, maxUnits + CHARACTER_UNITS)).containing(maxUnits - from)?.index ?? 0;
  return text.slice(0, index === 0 ? maxUnits : from + index);
};

/** The first `maxUnits` of a text, cut at the end of a line when one is near. */
export const clip = (text: string, maxUnits: number): { shown: string; hiddenUnits: number } => {
  if (text.length <= maxUnits) return { shown: text, hiddenUnits: 0 };
  const newline = text.lastIndexOf('\n', maxUnits);
  const shown = newline > maxUnits / 2 ? text.slice(0, newline) : beginningOf(text, maxUnits);
  return { shown, hiddenUnits: text.length - shown.length };
};

/** A path that fits on one line: its end says more than its beginning, so the beginning is cut. */
export const toShortPath = (path: string, maxUnits = 34): string => {
  if (path.length <= maxUnits) return path;
  const cut = path.length + 1 - maxUnits;
  const { index = cut, segment = '' } = characters.segment(path).containing(cut) ?? {};
  return `…${path.slice(index === cut ? cut : index + segment.length)}`;
};

/** When something was, in few characters: the time of today, else the day, with its year if that is another one. */
export const toWhen = (date: Date, now = new Date(), language = document.documentElement.lang): string => {
  if (date.toDateString() === now.toDateString()) return date.toLocaleTimeString(language, { hour: '2-digit', minute: '2-digit' });
  const isOfThisYear = date.getFullYear() === now.getFullYear();
  return date.toLocaleDateString(language, { ...(isOfThisYear ? {} : { year: 'numeric' }), month: 'short', day: 'numeric' });
};

/**
 * A sentence in pieces, of which every second one stood between quotation marks: the marks stay with the pieces around it. A name may have such
 * marks itself, also one alone.
 */
export const quotations = (sentence: string): string[] => {
  const pieces: string[] = [];
  let start = 0;
  let depth = 0;
  const cut = (end: number): void => {
    pieces.push(sentence.slice(start, end));
    start = end;
  };
  for (const { 0: sign, index } of sentence.matchAll(/[“”]/g)) {
    if (sign === '“') {
      if (depth === 0) cut(index + 1);
      depth += 1;
    } else if (depth > 0) {
      depth -= 1;
      if (depth === 0) cut(index);
    }
  }
  const last = sentence.lastIndexOf('”');
  if (depth > 0 && last >= start) cut(last);
  cut(sentence.length);
  return pieces;
};
