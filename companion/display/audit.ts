/** The audit as people read it: what was decided or done, where, by whom, and how it came out. */
import type { AuditEntry, AuditRecord } from '#protocol/audit.ts';
import { toDuration, toSize } from './amounts.ts';
import { auditBy, auditResult, auditSubject } from './audit-words.ts';
import { toVisible } from '#protocol/foreign-name.ts';
import { callSentence } from './request-text.ts';
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

/** How many entries a front end shows; `pilotfish logs --audit` has them all. */
export const SHOWN_ENTRIES = 200;

/** The newest entry first. */
export const auditLines = (entries: readonly AuditEntry[], say: SayWord, language: string): AuditLine[] =>
  entries.toReversed().map((entry) => ({
    seq: entry.seq,
    time: new Date(entry.at).toLocaleString(language, { dateStyle: 'short', timeStyle: 'medium' }),
    what: toVisible(say('labelled', { label: say(kindWords[entry.kind]), text: subjectOf(entry, say) })),
    where: toVisible(entry.origin ?? ''),
    by: toVisible(auditBy(entry.by, say)),
    result: toVisible(auditResult(entry.result, say)),
    amount: amountOf(entry, say),
  }));

const amountOf = ({ durationMs, answerBytes }: AuditEntry, say: SayWord): string =>
  [durationMs === undefined ? '' : toDuration(durationMs, say), answerBytes === undefined ? '' : toSize(answerBytes)]
    .filter((text) => text !== '')
    .join(' · ');

const subjectOf = ({ what, toolClass }: AuditEntry, say: SayWord): string => {
  const text = (isChinese(say) ? callSentence(what, {}, say) : null) ?? auditSubject(what, say);
  return toolClass === undefined || toolClass === what ? text : say('aside', { text, aside: auditSubject(toolClass, say) });
};

const kindWords = {
  decision: 'audit_decision',
  outcome: 'audit_outcome',
  act: 'audit_act',
  grant: 'audit_grant',
  damage: 'audit_damage',
} as const satisfies Record<AuditRecord['kind'], WordKey>;
