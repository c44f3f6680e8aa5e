/** What agents did in the browser, call by call, from the audit: a decision and how it ended are one act. Pure. */
import type { AuditEntry } from '#protocol/audit.ts';
import { inAudit } from '#protocol/audit-lines.ts';
import { isErrorCode } from '#protocol/errors.ts';
import type { SessionId } from '#protocol/ids.ts';
import { auditText, elementIn, recorded } from './audit.ts';
import { errorTitle } from './error-text.ts';
import { callSentence } from './request-text.ts';
import { isSaid } from '#protocol/said.ts';
import type { SayWord } from './words.ts';

/** `running` is what has not ended yet, as far as the audit tells. */
export type ActState = 'running' | 'done' | 'failed' | 'refused';

export interface BrowserAct {
  readonly seq: number;
  /** Under which its pictures are kept; null in an audit from before there were any. */
  readonly callId: string | null;
  readonly sessionId: SessionId | null;
  readonly at: string;
  /** By its name for agents. */
  readonly tool: string;
  /** In words where the tool is one of Pilotfish's. */
  readonly what: string;
  /** Empty where it was about no site. */
  readonly where: string;
  readonly by: string;
  readonly state: ActState;
  /** How it was decided and, where it has ended, how it came out, for a person. */
  readonly results: readonly string[];
  /** How long it took once it was allowed; null where that is not known. */
  readonly durationMs: number | null;
  /** How much the agent was given; null where that is not known. */
  readonly answerBytes: number | null;
}

/** Which acts somebody looks for; null means however they ended. */
export interface ActFilter {
  readonly words: string;
  readonly state: 'failed' | 'refused' | null;
}

/** The newest first. An end whose beginning is not among the entries is left out. */
export const browserActs = (entries: readonly AuditEntry[], say: SayWord): BrowserAct[] => {
  const acts: BrowserAct[] = [];
  const open = new Map<string, number>();
  for (const entry of entries) {
    const index = open.get(keyOf(entry));
    const act = index === undefined ? undefined : acts[index];
    if (entry.kind === 'decision') {
      // One call is decided anew where its page has changed meanwhile.
      if (index !== undefined && act !== undefined && act.callId !== null) acts[index] = { ...begun(entry, say), seq: act.seq, at: act.at };
      else {
        open.set(keyOf(entry), acts.length);
        acts.push(begun(entry, say));
      }
    } else if (entry.kind === 'outcome') {
      if (index !== undefined && act !== undefined) acts[index] = ended(act, entry, say);
      // The next daemon may yet find out how it ended.
      if (resultCode(entry) !== CUT) open.delete(keyOf(entry));
    }
  }
  return acts.toReversed();
};

/** Whether an act has each of the words in what was done, where, by whom, with which tool or how it came out. */
export const isWanted = (act: BrowserAct, { words, state }: ActFilter): boolean => {
  if (state !== null && act.state !== state) return false;
  const text = [act.what, act.where, act.by, act.tool, ...act.results].join('\n').toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
};

/** Entries from before calls had ids belong together by what was asked for. */
const keyOf = ({ callId, sessionId, what, argsHash }: AuditEntry): string => callId ?? JSON.stringify([sessionId, what, argsHash]);

const begun = (entry: AuditEntry, say: SayWord): BrowserAct => {
  const { seq, at, what, callId = null, sessionId = null, origin, durationMs = null, answerBytes = null } = entry;
  const element = elementIn(entry);
  // What becomes of a file that was allowed is in no entry.
  const isDownload = entry.toolClass === 'download';
  return {
    seq,
    callId,
    sessionId,
    at,
    tool: what,
    what: callSentence(what, { element, name: element }, say) ?? what,
    where: origin ?? '',
    by: recorded(entry, 'by', say),
    state: resultCode(entry).startsWith('denied') ? 'refused' : isDownload ? 'done' : 'running',
    results: [resultText(entry, say)],
    durationMs,
    answerBytes,
  };
};

const ended = (act: BrowserAct, entry: AuditEntry, say: SayWord): BrowserAct => {
  const { what, durationMs = null, answerBytes = null } = entry;
  const element = elementIn(entry);
  const isDone = DONE.has(resultCode(entry));
  const did = isDone ? callSentence(what, { element, name: element }, say, 'done') : null;
  const results = [...act.results.slice(0, 1), resultText(entry, say)];
  return { ...act, what: did ?? act.what, state: isDone ? 'done' : 'failed', results, durationMs, answerBytes };
};

/** Entries from before there were codes have their English alone. */
const resultCode = ({ says, result }: AuditEntry): string => says?.result?.code ?? result;

const DONE: ReadonlySet<string> = new Set(['came_done', 'done']);

const CUT = 'came_cut';

/** Why a call came to nothing, without its code and what the agent is to do about it; the rule that allowed one is for the audit. */
const resultText = (entry: AuditEntry, say: SayWord): string => {
  if (resultCode(entry) === 'allowed_by') return auditText(inAudit('came_allowed'), say);
  const message = entry.says?.result?.values['message'];
  if (isSaid(message) && isErrorCode(message.code)) return errorTitle(message.code, say).replace(/[.。]$/, '');
  return recorded(entry, 'result', say);
};
