/** Questions of the companion's own to the user: consent for the browser, trust in a project. */
import { randomId } from '#companion/lib/random-id.ts';
import { RequestId, type SessionId } from '#protocol/ids.ts';
import type { SessionEvent } from '#protocol/events.ts';
import type { RequestAnswer, RequestBody } from '#protocol/requests.ts';
import { runningTurn } from '#protocol/view.ts';
import type { SessionLog } from './session-log.ts';

export interface Asks {
  /** Resolves with the answer, or null when the question was withdrawn. */
  ask(journal: SessionLog, request: RequestBody, signal: AbortSignal): Promise<RequestAnswer | null>;
  /** Hears every event of every session. */
  settle(event: SessionEvent): void;
  /** The session is deleted: its log will not say any more that its questions are over. */
  forget(sessionId: SessionId): void;
}

/** Keeps the open questions until the log says that they are resolved, by whoever. */
export const createAsks = (): Asks => {
  const waiting = new Map<RequestId, { sessionId: SessionId; resolve: (answer: RequestAnswer | null) => void }>();
  return {
    ask: async (journal, request, signal) => {
      if (signal.aborted) return null;
      const requestId = RequestId.parse(randomId('request'));
      const { promise, resolve } = Promise.withResolvers<RequestAnswer | null>();
      waiting.set(requestId, { sessionId: journal.sessionId, resolve });
      const withdraw = (): void => {
        if (waiting.has(requestId))
          journal.record([{ type: 'request.resolved', requestId, outcome: 'withdrawn', by: 'the call was cancelled' }]);
      };
      try {
        journal.record([{ type: 'request.opened', turnId: runningTurn(journal.view())?.turnId ?? null, requestId, request }]);
        signal.addEventListener('abort', withdraw, { once: true });
        return await promise;
      } finally {
        signal.removeEventListener('abort', withdraw);
        waiting.delete(requestId);
      }
    },
    settle: (event) => {
      if (event.type !== 'request.resolved') return;
      const asked = waiting.get(event.requestId);
      waiting.delete(event.requestId);
      asked?.resolve(toAnswer(event));
    },
    forget: (sessionId) => {
      for (const [requestId, asked] of waiting) {
        if (asked.sessionId !== sessionId) continue;
        waiting.delete(requestId);
        asked.resolve(null);
      }
    },
  };
};

/** What the user answered, as the log has it; null when nobody did. */
export const toAnswer = (event: Extract<SessionEvent, { type: 'request.resolved' }>): RequestAnswer | null =>
  event.outcome === 'withdrawn' || event.optionId === undefined
    ? null
    : {
        optionId: event.optionId,
        ...(event.text === undefined ? {} : { text: event.text }),
        ...(event.answers === undefined ? {} : { answers: event.answers }),
      };
