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

/** Where a question belongs. `isCertain` is false of a call whose arguments were not told yet: they may turn out to be others. */
export interface AskingPlace {
  readonly itemId: ItemId;
  readonly isCertain: boolean;
}

/**
 * The running call that is meant; null where it may be one of several. `itemId` is what the agent's own id stands for. Without ids, calls that are
 * the same in everything ask the same, whichever of them is which: each has the first entry that none of them has, as they came. `asked`
 * are the entries that have a question of another call.
 */
export const findAskingItem = (
  items: readonly ViewItem[],
  { tool, args, agentItemId }: AskingCall,
  itemId: ItemId | undefined,
  asked: ReadonlySet<ItemId>,
): AskingPlace | null => {
  const certain = (found: ItemId | undefined): AskingPlace | null => (found === undefined ? null : { itemId: found, isCertain: true });
  const running = items.filter(
    ({ status, body }) => status === 'running' && body.kind === 'tool' && body.toolKind === 'browser' && body.tool === tool,
  );
  if (running.some((item) => item.itemId === itemId)) return certain(itemId);
  const same = running.filter(({ body }) => body.kind === 'tool' && args.some((given) => isDeepStrictEqual(given, body.input)));
  const first = agentItemId === undefined ? same.find((item) => !asked.has(item.itemId)) : undefined;
  if (same.length > 0) return certain((first ?? (same.length === 1 ? same[0] : undefined))?.itemId);
  // Not every agent reports the arguments of a call.
  const [untold, ...others] = running.filter(({ body }) => body.kind === 'tool' && body.input === undefined);
  return untold === undefined || others.length > 0 ? null : { itemId: untold.itemId, isCertain: false };
};
