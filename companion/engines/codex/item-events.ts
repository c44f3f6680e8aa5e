/** Notifications about items: begun, streamed, ended. */
import * as z from 'zod';
import { on, type Handler, type Handlers } from '#companion/engines/codecs/handlers.ts';
import type { OpenItems } from '#companion/engines/codecs/open-items.ts';
import type { Effect } from '../engine.ts';
import { toChanges, toEnd, toItem } from './items.ts';
import { isShownItem, notifications, ThreadItem } from './schema.ts';

export interface ItemEventsContext {
  readonly items: OpenItems;
  /** Whether this is the session's own thread, and not one of a sub-agent. */
  readonly isOwn: (threadId: string) => boolean;
}

export interface ItemEvents {
  readonly handlers: Handlers;
  /** The model is done: commands that still run go on in the background. */
  toBackground(): Effect[];
}

/** The items of a thread; items of a sub-agent's thread hang below the call that began it. */
export const createItemEvents = ({ items, isOwn }: ItemEventsContext): ItemEvents => {
  const commands = new Set<string>();
  /** Reasoning that has begun and said nothing yet: most of it never does, and an empty thought is not shown. */
  const silent = new Map<string, string | undefined>();
  const parents = new Map<string, string>();

  const placeOf = (threadId: string): { parentItemId: string | undefined } | null => {
    if (isOwn(threadId)) return { parentItemId: undefined };
    const parentItemId = parents.get(threadId);
    return parentItemId === undefined ? null : { parentItemId };
  };

  const begin = (item: ThreadItem, parentItemId: string | undefined): Effect[] => {
    if (item.type === 'collabAgentToolCall') for (const thread of item.receiverThreadIds) parents.set(thread, item.id);
    if (item.type === 'userMessage') {
      // A message of the user inside a turn cuts what the model was saying, and codex never ends that item.
      return parentItemId === undefined ? items.completeAll('completed', (open) => open.kind === 'message' || open.kind === 'thought') : [];
    }
    if (item.type === 'commandExecution') commands.add(item.id);
    const body = toItem(item);
    if (body === null) return [];
    if (body.kind === 'thought' && body.text === '') {
      silent.set(item.id, parentItemId);
      return [];
    }
    return items.start(item.id, body, parentItemId);
  };

  const end = (item: ThreadItem, parentItemId: string | undefined): Effect[] => {
    if (item.type === 'collabAgentToolCall') for (const thread of item.receiverThreadIds) parents.set(thread, item.id);
    commands.delete(item.id);
    const { status, patch } = toEnd(item);
    const wasSilent = silent.delete(item.id);
    const late = wasSilent && patch.text !== undefined && patch.text !== '';
    return [...(late ? items.start(item.id, { kind: 'thought', text: '' }, parentItemId) : []), ...items.complete(item.id, status, patch)];
  };

  const think = ({ itemId, delta }: { itemId: string; delta: string }): Effect[] => {
    if (!silent.has(itemId)) return items.append(itemId, delta);
    const parentItemId = silent.get(itemId);
    silent.delete(itemId);
    return [...items.start(itemId, { kind: 'thought', text: '' }, parentItemId), ...items.append(itemId, delta)];
  };

  const about =
    (take: (item: ThreadItem, parentItemId: string | undefined) => Effect[]): Handler =>
    (params) => {
      const event = notifications['item/started'].safeParse(params);
      if (!event.success) return z.prettifyError(event.error);
      const place = placeOf(event.data.threadId);
      if (place === null || !isShownItem(event.data.item.type)) return [];
      const item = ThreadItem.safeParse(event.data.item);
      return item.success ? take(item.data, place.parentItemId) : z.prettifyError(item.error);
    };

  const stream = on(notifications['item/agentMessage/delta'], ({ itemId, delta }) => items.append(itemId, delta));
  const reason = on(notifications['item/reasoning/textDelta'], think);

  const handlers: Handlers = new Map([
    ['item/started', about(begin)],
    ['item/completed', about(end)],
    ['item/agentMessage/delta', stream],
    ['item/plan/delta', stream],
    ['item/commandExecution/outputDelta', stream],
    ['item/reasoning/textDelta', reason],
    ['item/reasoning/summaryTextDelta', reason],
    ['item/reasoning/summaryPartAdded', on(notifications['item/reasoning/summaryPartAdded'], ({ itemId }) => items.append(itemId, '\n\n'))],
    [
      'item/fileChange/patchUpdated',
      on(notifications['item/fileChange/patchUpdated'], ({ itemId, changes }) => items.update(itemId, { changes: toChanges(changes) })),
    ],
    [
      'turn/plan/updated',
      on(notifications['turn/plan/updated'], ({ threadId, turnId, plan }) => {
        if (!isOwn(threadId)) return [];
        const itemId = `plan-${turnId}`;
        const entries = plan.map(({ step, status }) => ({ content: step, status: planStatus[status] }));
        return items.has(itemId) ? items.update(itemId, { entries }) : items.start(itemId, { kind: 'plan', entries });
      }),
    ],
  ]);

  return { handlers, toBackground: () => [...commands].flatMap((itemId) => items.update(itemId, { isBackground: true })) };
};

const planStatus = { pending: 'pending', inProgress: 'in_progress', completed: 'completed' } as const satisfies Record<
  z.infer<(typeof notifications)['turn/plan/updated']>['plan'][number]['status'],
  string
>;
