/** The entries of the conversation from top to bottom: items, answered requests, ends of turns, prompts that wait. */
import { waitedMs, withoutWaiting } from '#display/waiting.ts';
import type { ItemId } from '#protocol/ids.ts';
import { isBackgroundTask, isTurnError, type ItemBody } from '#protocol/items.ts';
import type { AnsweredRequest, SessionView, ViewItem, ViewRequest, ViewTurn } from '#protocol/view.ts';
import { dropArrived, type Unsent } from './outbox.ts';

export interface ItemEntry {
  readonly type: 'item';
  readonly key: string;
  readonly item: ViewItem;
  /** The entries of the subagent inside it. */
  readonly children: readonly Entry[];
  /** Whether a request about this item waits for the user. */
  readonly isWaiting: boolean;
  readonly answered: readonly AnsweredRequest[];
  /** So much of its time it waited for the person; null while nobody knows whether it works or waits, because the turn waits for another answer. */
  readonly waitedMs: number | null;
}

export type Entry =
  | ItemEntry
  /** Consecutive finished calls that only read files, drawn as one line. */
  | { readonly type: 'group'; readonly key: string; readonly entries: readonly ItemEntry[] }
  | { readonly type: 'answered'; readonly key: string; readonly answered: AnsweredRequest }
  | { readonly type: 'turn-end'; readonly key: string; readonly turn: ViewTurn; readonly isLast: boolean; readonly last: ItemId | null }
  | { readonly type: 'queued'; readonly key: string; readonly turn: ViewTurn }
  | { readonly type: 'unsent'; readonly key: string; readonly unsent: Unsent };

/** Shortest run of finished reads that is drawn as one line. */
const GROUP_MIN = 3;

/** What is loaded of the conversation as a list; cheap enough to be made anew for each frame. */
export const toEntries = (view: SessionView, outbox: readonly Unsent[]): Entry[] => {
  const known = new Set<string>();
  // What an item belongs to stands before it: where it does not, or is not loaded, the item stands by itself.
  const byParent = Map.groupBy(view.items, ({ itemId, parentItemId }) => {
    const isInside = parentItemId !== null && known.has(parentItemId) && !known.has(itemId);
    known.add(itemId);
    return isInside ? parentItemId : null;
  });
  const roots = byParent.get(null) ?? [];
  const waiting = new Set(view.requests.map(({ itemId }) => itemId));
  const answeredOf = Map.groupBy(view.answered, ({ itemId }) => (itemId !== null && known.has(itemId) ? itemId : null));
  const loose = Map.groupBy(answeredOf.get(null) ?? noAnswers, (answered) => answered.afterItemId);
  const waits = Map.groupBy([...view.answered, ...view.requests], ({ turnId }) => turnId);
  const waitingTurns = new Set(view.requests.map(({ turnId }) => turnId));

  const toItem = (item: ViewItem): ItemEntry => {
    const children = grouped((byParent.get(item.itemId) ?? []).flatMap(withAnswers));
    const answered = answeredOf.get(item.itemId) ?? noAnswers;
    const isHeld = item.status === 'running' && !isBackgroundTask(item.body) && waitingTurns.has(item.turnId);
    // It began to work when the last of what was asked about it was answered: before, it waited, also behind other requests.
    const to = Math.max(0, ...[...answered, ...children.flatMap(answersIn)].map(({ answeredAt }) => answeredAt ?? item.endedAt ?? 0));
    const around = waits.get(item.turnId) ?? [];
    const isUnknown = isHeld || (to === 0 && mayHaveWaited(item, around));
    return {
      type: 'item',
      key: item.itemId,
      item,
      children,
      isWaiting: waiting.has(item.itemId),
      answered,
      waitedMs: isUnknown ? null : waitedMs(around, { from: item.at, to: Math.min(to, item.endedAt ?? to) }),
    };
  };
  const toAnswered = (answered: AnsweredRequest): Entry => ({ type: 'answered', key: answered.requestId, answered });
  const withAnswers = (item: ViewItem): Entry[] => [toItem(item), ...(loose.get(item.itemId) ?? []).map(toAnswered)];

  const lastOf = new Map(roots.map((item) => [item.turnId, item.itemId]));
  const ended = new Map(view.turns.filter(isEnded).map((turn) => [turn.turnId, turn]));
  const lastTurn = view.turns.findLast((turn) => turn.status !== 'queued');
  const toEnd = (turn: ViewTurn, last: ItemId | null): Entry => ({
    type: 'turn-end',
    key: `end-${turn.turnId}`,
    turn: withoutWaiting(turn, view),
    isLast: turn === lastTurn,
    last,
  });

  const entries: Entry[] = (loose.get(null) ?? []).map(toAnswered);
  for (const item of roots) {
    entries.push(...withAnswers(item).slice(isTurnError(item.body) ? 1 : 0));
    const turn = lastOf.get(item.turnId) === item.itemId ? ended.get(item.turnId) : undefined;
    if (turn !== undefined) entries.push(toEnd(turn, item.itemId));
  }
  // A turn that failed before it had an item must still be shown.
  for (const turn of ended.values()) if (!lastOf.has(turn.turnId)) entries.push(toEnd(turn, null));
  return [
    ...grouped(entries),
    ...view.turns.filter((turn) => turn.status === 'queued').map((turn): Entry => ({ type: 'queued', key: turn.turnId, turn })),
    ...dropArrived(outbox, view).map((unsent): Entry => ({ type: 'unsent', key: unsent.turnId, unsent })),
  ];
};

/**
 * Whether something about which nobody was asked may have stood behind others about which somebody was: some agents do one thing after the
 * other, some several at once. What ended while a request was open has worked meanwhile.
 */
const mayHaveWaited = ({ at, endedAt, body }: ViewItem, requests: readonly (ViewRequest | AnsweredRequest)[]): boolean => {
  if (endedAt === null || body.kind !== 'tool' || isBackgroundTask(body)) return false;
  const around = requests.filter((request) => request.at < endedAt && (answeredAtOf(request) ?? endedAt) > at);
  return around.length > 0 && around.every((request) => (answeredAtOf(request) ?? Infinity) <= endedAt);
};

const answeredAtOf = (request: ViewRequest | AnsweredRequest): number | undefined =>
  'answeredAt' in request ? request.answeredAt : undefined;

/** Whether an item is this entry or stands in it. */
export const holds = (entry: Entry, itemId: ItemId): boolean =>
  entry.key === itemId ||
  (entry.type === 'turn-end' && entry.last === itemId) ||
  (entry.type === 'item' && entry.children.some((child) => holds(child, itemId))) ||
  (entry.type === 'group' && entry.entries.some((child) => holds(child, itemId)));

const noAnswers: readonly AnsweredRequest[] = [];

const answersIn = (entry: Entry): readonly AnsweredRequest[] => {
  if (entry.type === 'item') return [...entry.answered, ...entry.children.flatMap(answersIn)];
  return entry.type === 'answered' ? [entry.answered] : [];
};

const isEnded = (turn: ViewTurn): boolean => turn.status !== 'queued' && turn.status !== 'running' && turn.status !== 'cancelling';

const grouped = (entries: readonly Entry[]): Entry[] => {
  const result: Entry[] = [];
  let run: ItemEntry[] = [];
  const close = (): void => {
    const [first] = run;
    if (first !== undefined && run.length >= GROUP_MIN) result.push({ type: 'group', key: `group-${first.key}`, entries: run });
    else result.push(...run);
    run = [];
  };
  for (const entry of entries) {
    if (entry.type === 'item' && isQuietRead(entry)) run.push(entry);
    else {
      close();
      result.push(entry);
    }
  }
  close();
  return result;
};

const isQuietRead = ({ item, answered, children }: ItemEntry): boolean =>
  item.status === 'completed' && isLook(item.body) && answered.length === 0 && children.length === 0;

const isLook = (body: ItemBody): boolean =>
  body.kind === 'tool' && (body.toolKind === 'read' || body.toolKind === 'search') && (body.images ?? []).length === 0;

/** Whether two entries look the same. Items and turns of the view are replaced when they change, never modified. */
export const isSameEntry = (one: Entry, other: Entry): boolean => {
  if (one === other) return true;
  if (one.key !== other.key) return false;
  switch (one.type) {
    case 'item':
      return (
        other.type === 'item' &&
        one.item === other.item &&
        one.isWaiting === other.isWaiting &&
        one.waitedMs === other.waitedMs &&
        isSameList(one.answered, other.answered, Object.is) &&
        isSameList(one.children, other.children, isSameEntry)
      );
    case 'group':
      return other.type === 'group' && isSameList(one.entries, other.entries, isSameEntry);
    case 'answered':
      return other.type === 'answered' && one.answered === other.answered;
    case 'turn-end':
      return other.type === 'turn-end' && one.turn === other.turn && one.isLast === other.isLast;
    case 'queued':
      return other.type === 'queued' && one.turn === other.turn;
    case 'unsent':
      return other.type === 'unsent' && one.unsent === other.unsent;
  }
};

const isSameList = <T>(one: readonly T[], other: readonly T[], isSame: (a: T, b: T) => boolean): boolean =>
  one.length === other.length &&
  one.every((value, index) => {
    const counterpart = other[index];
    return counterpart !== undefined && isSame(value, counterpart);
  });
