/** How long something waited for the person: that is not the agent's time. */
import type { AnsweredRequest, ViewRequest } from '#protocol/view.ts';

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
