/** Calls that ended without their answer: the browser's journal is asked what became of them, and nothing is done a second time. */
import type { ToolResult } from '#protocol/browser.ts';
import type { CallId, SessionId } from '#protocol/ids.ts';
import type { CallOutcome } from '#protocol/link.ts';
import type { Peer } from './connection.ts';

const ASK_MS = 2_000;
const MAX_TOLD_CHARS = 300;

interface CutCall {
  readonly callId: CallId;
  /** The tool. */
  readonly name: string;
  readonly journalId: string;
}

/** What became of a call; null when the browser does not say. */
export const askOutcome = async (peer: Peer, callId: CallId): Promise<CallOutcome | null> =>
  peer.rpc.request('pilotfish/call_outcome', { callId }, AbortSignal.timeout(ASK_MS)).catch(() => null);

/** Of those of a session that were cut off together, the newest. */
const MAX_KEPT = 10;

/** The next call of their session tells what became of them: an agent makes several at once. */
export class CutCalls {
  readonly #bySession = new Map<SessionId, readonly CutCall[]>();

  note(sessionId: SessionId, { callId, name }: { callId: CallId; name: string }, { journalId }: Peer): void {
    if (journalId === undefined) return;
    this.#bySession.set(sessionId, [...(this.#bySession.get(sessionId) ?? []), { callId, name, journalId }].slice(-MAX_KEPT));
  }

  forget(sessionId: SessionId): void {
    this.#bySession.delete(sessionId);
  }

  /** Words about the calls that were cut, for the agent; null when there are none, or this is not their browser. Each is told once. */
  async take(sessionId: SessionId, peer: Peer): Promise<string | null> {
    const cut = this.#bySession.get(sessionId)?.filter(({ journalId }) => journalId === peer.journalId) ?? [];
    if (cut.length === 0) return null;
    const told = await Promise.all(cut.map(async (call) => ({ call, outcome: await askOutcome(peer, call.callId) })));
    const lines = told.flatMap(({ call, outcome }) =>
      outcome !== null && this.#forgetOne(sessionId, call) ? [toLine(call, outcome)] : [],
    );
    return lines.length === 0 ? null : lines.join('\n');
  }

  /** Whether nobody has told of it meanwhile. */
  #forgetOne(sessionId: SessionId, told: CutCall): boolean {
    const kept = this.#bySession.get(sessionId) ?? [];
    const others = kept.filter((call) => call !== told);
    if (others.length === 0) this.#bySession.delete(sessionId);
    else this.#bySession.set(sessionId, others);
    return others.length < kept.length;
  }
}

const toLine = ({ name }: CutCall, outcome: CallOutcome): string => `${name}, which was cut off before, ${toWords(outcome)}`;

const toWords = ({ state, result }: CallOutcome): string => {
  if (state === 'new') return 'was not begun: nothing of it happened.';
  if (state === 'begun' || result === undefined) return 'had begun, and whether it was done is not known: look before you repeat it.';
  return `has ended, do not repeat it: ${firstLine(result)}`;
};

/** Only our own words: what the page says stands in the lines after them. */
const firstLine = ({ content }: ToolResult): string => {
  const text = content.map((block) => block['text']).find((words) => typeof words === 'string') ?? '';
  return String(text).split('\n', 1)[0]?.slice(0, MAX_TOLD_CHARS) ?? '';
};
