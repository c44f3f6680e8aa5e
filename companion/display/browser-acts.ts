/** What agents did in the browser, call by call, from the audit: a decision and how it ended are one act. Pure. */
import type { AuditEntry } from '#protocol/audit.ts';
import { auditBy } from './audit-words.ts';
import { callSentence } from './request-text.ts';
import type { SayWord } from './words.ts';

export interface BrowserAct {
  readonly seq: number;
  /** Under which its pictures are kept; null in an audit from before there were any. */
  readonly callId: string | null;
  readonly at: string;
  /** In words where the tool is one of Pilotfish's. */
  readonly what: string;
  /** Empty where it was about no site. */
  readonly where: string;
  readonly by: string;
  /** The rule or the answer by which it was allowed or refused. */
  readonly decision: string;
  /** How it ended; null while it runs, and for what was refused. */
  readonly outcome: string | null;
  readonly isDenied: boolean;
  /** How long it took once it was allowed; null where that is not known. */
  readonly durationMs: number | null;
  /** How much the agent was given; null where that is not known. */
  readonly answerBytes: number | null;
}

/** The newest first. */
export const browserActs = (entries: readonly AuditEntry[], say: SayWord): BrowserAct[] => {
  const acts: BrowserAct[] = [];
  const open = new Map<string, number>();
  for (const entry of entries) {
    const { seq, at, kind, what, sessionId = '', argsHash = '', origin, element = '', by, result } = entry;
    const key = JSON.stringify([sessionId, what, argsHash]);
    if (kind === 'decision') {
      open.set(key, acts.length);
      const isDenied = result.startsWith('denied');
      acts.push({
        seq,
        callId: entry.callId ?? null,
        at,
        what: callSentence(what, { element }, say) ?? what,
        where: origin ?? '',
        by: auditBy(by, say),
        decision: result,
        outcome: null,
        isDenied,
        durationMs: null,
        answerBytes: null,
      });
    } else if (kind === 'outcome') {
      const index = open.get(key);
      const act = index === undefined ? undefined : acts[index];
      const did = result === 'done' ? callSentence(what, { element }, say, 'done') : null;
      const { durationMs = null, answerBytes = null } = entry;
      if (index !== undefined && act !== undefined)
        acts[index] = { ...act, what: did ?? act.what, outcome: result, durationMs, answerBytes };
      open.delete(key);
    }
  }
  return acts.toReversed();
};
