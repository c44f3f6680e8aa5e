/** The audit as people read it: what was decided or done, where, by whom, and how it came out. */
import type { AuditEntry } from '#protocol/audit.ts';
import { classInAudit } from '#protocol/audit-lines.ts';
import type { Said } from '#protocol/said.ts';
import { toDuration, toSize } from './amounts.ts';
import { toVisible } from '#protocol/foreign-name.ts';
import { auditLineWords } from './audit-line-words.ts';
import { toOneLine } from './one-line.ts';
import { callSentence } from './request-text.ts';
import { saidText } from './said.ts';
import { isChinese, type SayWord, type WordKey } from './words.ts';

/** Words of agents and pages may be in each of its parts; nothing in them is hidden. */
export interface AuditLine {
  readonly seq: number;
  /** Date and time, in the language of the reader. */
  readonly time: string;
  /** The kind of entry, and the tool or route with its class. */
  readonly what: string;
  /** Empty where there is none. */
  readonly where: string;
  readonly by: string;
  readonly result: string;
  /** How long it took and how much the agent was given, where that is known. */
  readonly amount: string;
}

/** The newest entry first. */
export const auditLines = (entries: readonly AuditEntry[], say: SayWord, language: string): AuditLine[] =>
  entries.toReversed().map((entry) => ({
    seq: entry.seq,
    time: new Date(entry.at).toLocaleString(language, { dateStyle: 'short', timeStyle: 'medium' }),
    what: toVisible(say('labelled', { label: say(kindWords[entry.kind]), text: subjectOf(entry, say) })),
    where: toVisible(entry.origin ?? ''),
    by: toVisible(recorded(entry, 'by', say)),
    result: toVisible(recorded(entry, 'result', say)),
    amount: amountOf(entry, say),
  }));

const amountOf = ({ durationMs, answerBytes }: AuditEntry, say: SayWord): string =>
  [durationMs === undefined ? '' : toDuration(durationMs, say), answerBytes === undefined ? '' : toSize(answerBytes)]
    .filter((text) => text !== '')
    .join(' · ');

/** What the audit says, or what is wrong with it. */
export const auditText = (said: Said, say: SayWord): string => saidText(said, say, auditLineWords);

/** A part of an entry in the language of the reader; what are not Pilotfish's words stays as it is. */
export const recorded = (entry: AuditEntry, part: 'by' | 'what' | 'result', say: SayWord): string => {
  const said = entry.says?.[part];
  return said === undefined ? entry[part] : auditText(said, say);
};

/** A class of tools; one of another version is named as it came. */
export const classText = (toolClass: string, say: SayWord): string => {
  const said = classes.get(toolClass);
  return said === undefined ? toolClass : auditText(said, say);
};

const classes = new Map<string, Said>(
  (['read', 'navigate', 'write', 'sensitive', 'download'] as const).map((name) => [name, classInAudit(name)]),
);

/** A page may call what it shows, and its own tools, by any number of words; the audit itself has them all. */
const MAX_NAME_CHARS = 120;

/** What a call acts on, by the name that the page gives to it; empty where there is none. */
export const elementIn = ({ element = '' }: AuditEntry): string => toOneLine(element, MAX_NAME_CHARS);

const subjectOf = (entry: AuditEntry, say: SayWord): string => {
  const { what, toolClass } = entry;
  const element = elementIn(entry);
  const sentence = isChinese(say) ? callSentence(what, { element, name: element }, say) : null;
  const named = element === '' ? [] : [say('quoted', { text: element })];
  const text = sentence ?? [recorded(entry, 'what', say), ...named].join(' ');
  return toolClass === undefined || toolClass === what ? text : say('aside', { text, aside: classText(toolClass, say) });
};

const kindWords = {
  decision: 'audit_decision',
  outcome: 'audit_outcome',
  act: 'audit_act',
  grant: 'audit_grant',
  damage: 'audit_damage',
} as const satisfies Record<AuditEntry['kind'], WordKey>;
