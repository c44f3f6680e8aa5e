/** How long something waited for the person: that is not the agent's time. */
import type { AnsweredRequest, SessionView, ViewRequest, ViewTurn } from '#protocol/view.ts';

/** Milliseconds between `from` and `to` in which at least one of the requests was open. */
export const waitedMs = (
  requests: readonly (Pick<ViewRequest, 'at'> & Pick<AnsweredRequest, 'answeredAt'>)[],
  { from, to }: { readonly from: number; readonly to: number },
): number => {
  let waited = 0;
  let counted = from;
  for (const { at, answeredAt = to } of requests.toSorted((one, other) => one.at - other.at)) {
    const end = Math.min(answeredAt, to);
    const begin = Math.max(at, counted);
    if (end <= begin) continue;
    waited += end - begin;
    counted = end;
  }
  return waited;
};

/** The time in which a turn waited for the person is not the agent's. The same turn gives the same object, so that it is not drawn again. */
export const withoutWaiting = (turn: ViewTurn, { answered }: Pick<SessionView, 'answered'>): ViewTurn => {
  if (turn.durationMs === null) return turn;
  const before = worked.get(turn);
  if (before !== undefined) return before;
  const requests = answered.filter(({ turnId }) => turnId === turn.turnId);
  const waited = waitedMs(requests, { from: turn.startedAt, to: turn.startedAt + turn.durationMs });
  const known = waited === 0 ? turn : { ...turn, durationMs: turn.durationMs - waited };
  worked.set(turn, known);
  return known;
};

const worked = new WeakMap<ViewTurn, ViewTurn>();
