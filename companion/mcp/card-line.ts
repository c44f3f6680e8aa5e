/** A line of a card: a label of Pilotfish's, and what stands below it. No text of a page or an agent can begin another line, or go on without end. Pure. */
import type { CallSubject } from '#protocol/browser.ts';
import { CARD_LABELS, CARD_TEXTS } from '#protocol/card-lines.ts';
import { asItCame, type Said, saidAgain } from '#protocol/said.ts';
import { TOOL_LABELS, TOOL_TEXTS } from '#protocol/tool-lines.ts';

const MAX_LINE_CHARS = 2_000;

const labels = { ...TOOL_LABELS, ...CARD_LABELS };
const sentences: ReadonlyMap<string, string> = new Map(Object.entries({ ...labels, ...TOOL_TEXTS, ...CARD_TEXTS }));

export const line = (code: Exclude<keyof typeof labels, 'line_code'>, text: string | Said, maxChars = MAX_LINE_CHARS): Said =>
  saidAgain({ code, values: { text }, text: '' }, sentences, (given) => oneLine(given, maxChars));

/**
 * A line of a tool, in the words of this version: a browser tells which sentence and what stands in it, and not how it reads. One of an earlier
 * version, and a tool that is not Pilotfish's, tell English alone.
 */
export const toolsLine = ({ label, text, told }: CallSubject['lines'][number], isBuilt: boolean): Said => {
  const isKnown = isBuilt && told !== undefined && Object.hasOwn(labels, told.code);
  return isKnown ? saidAgain(told, sentences, (given) => oneLine(given)) : asItCame(oneLine(`${label}: ${text}`));
};

/** One line of a bounded length. Who reads it sees that it was longer, and by how many characters. */
export const oneLine = (text: string, maxChars = MAX_LINE_CHARS): string => {
  const whole = text.replaceAll(/\s+/g, ' ').trim();
  return whole.length <= maxChars ? whole : `${whole.slice(0, maxChars)}… (+${whole.length - maxChars})`;
};
