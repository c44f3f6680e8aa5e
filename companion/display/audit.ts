/** The audit as people read it: what was decided or done, where, by whom, and how it came out. */
import type { AuditEntry, AuditRecord } from '#protocol/audit.ts';
import { auditBy, auditResult, auditSubject } from './audit-words.ts';
import { callSentence } from './request-text.ts';
import { isChinese, type SayWord, type WordKey } from './words.ts';

/** Words of agents and pages may be in each of its parts. */
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
}

/** How many entries a front end shows; `pilotfish logs --audit` has them all. */
export const SHOWN_ENTRIES = 200;

/** The newest entry first. */
export const auditLines = (entries: readonly AuditEntry[], say: SayWord, language: string): AuditLine[] =>
  entries.toReversed().map(({ seq, at, kind, what, toolClass, origin, by, result }) => ({
    seq,
    time: new Date(at).toLocaleString(language, { dateStyle: 'short', timeStyle: 'medium' }),
    what: `${say(kindWords[kind])}: ${(isChinese(say) ? callSentence(what, {}, say) : null) ?? auditSubject(what, say)}${
      toolClass === undefined || toolClass === what ? '' : ` (${auditSubject(toolClass, say)})`
    }`,
    where: origin ?? '',
    by: auditBy(by, say),
    result: auditResult(result, say),
  }));

const kindWords = {
  decision: 'audit_decision',
  outcome: 'audit_outcome',
  act: 'audit_act',
  grant: 'audit_grant',
  damage: 'audit_damage',
} as const satisfies Record<AuditRecord['kind'], WordKey>;
