/** Which entry of the log a question about a browser call belongs to. Pure. */
import { isDeepStrictEqual } from 'node:util';
import type { ItemId } from '#protocol/ids.ts';
import type { ViewItem } from '#protocol/view.ts';

/** A browser call that has a question, as its caller made it. */
export interface AskingCall {
  readonly tool: string;
  /** What was sent, and what it was taken for: an agent reports the former, in the log of an outside client stands the latter. */
  readonly args: readonly unknown[];
  /** The agent's own id of the call, where it sends one along. */
  readonly agentItemId: string | undefined;
}

/**
 * The running call that is meant; null where it is not certain. The same tool with the same arguments twice at once can be told
 * apart by their ids only. `itemId` is what the agent's own id stands for.
 */
export const findAskingItem = (items: readonly ViewItem[], { tool, args }: AskingCall, itemId: ItemId | undefined): ItemId | null => {
  const running = items.filter(
    ({ status, body }) => status === 'running' && body.kind === 'tool' && body.toolKind === 'browser' && body.tool === tool,
  );
  if (running.some((item) => item.itemId === itemId)) return itemId ?? null;
  const same = running.filter(({ body }) => body.kind === 'tool' && args.some((given) => isDeepStrictEqual(given, body.input)));
  // Not every agent reports the arguments of a call.
  const meant = same.length > 0 ? same : running.filter(({ body }) => body.kind === 'tool' && body.input === undefined);
  return meant.length === 1 ? (meant[0]?.itemId ?? null) : null;
};
