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

/** At most one for each session: its next call tells what became of it. */
export class CutCalls {
  readonly #bySession = new Map<SessionId, CutCall>();

  note(sessionId: SessionId, { callId, name }: { callId: CallId; name: string }, peer: Peer): void {
    if (peer.journalId !== undefined) this.#bySession.set(sessionId, { callId, name, journalId: peer.journalId });
  }

  forget(sessionId: SessionId): void {
    this.#bySession.delete(sessionId);
  }

  /** Words about the call that was cut, for the agent; null when there is none, or this is not its browser. */
  async take(sessionId: SessionId, peer: Peer): Promise<string | null> {
    const cut = this.#bySession.get(sessionId);
    if (cut === undefined || cut.journalId !== peer.journalId) return null;
    const outcome = await askOutcome(peer, cut.callId);
    if (outcome === null) return null;
    this.#bySession.delete(sessionId);
    return `${cut.name}, which was cut off before, ${toWords(outcome)}`;
  }
}

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
