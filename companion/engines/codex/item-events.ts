/** Notifications by which items begin, stream and end. */
import * as z from 'zod';
import { on, type Handler, type Handlers } from '#companion/engines/codecs/handlers.ts';
import type { OpenItems } from '#companion/engines/codecs/open-items.ts';
import type { ItemBody } from '#protocol/items.ts';
import type { Effect } from '../engine.ts';
import { toChanges, toEnd, toItem } from './items.ts';
import { isShownItem, notifications, ThreadItem } from './schema.ts';

/** The items of a thread; items of a sub-agent's thread hang below the call that began it. */
export class ItemEvents {
  /** By the name of the notification. */
  readonly handlers: Handlers = this.#makeHandlers();
  readonly #items: OpenItems;
  readonly #isOwn: (threadId: string) => boolean;
  /** Commands that run. */
  readonly #commands = new Set<string>();
  /** Thoughts that have begun and said nothing yet, with the item they hang below: most stay empty, and an empty thought is not shown. */
  readonly #silent = new Map<string, string | undefined>();
  /** The call that began each sub-agent, by the sub-agent's thread. */
  readonly #parents = new Map<string, string>();

  /** `isOwn` tells whether a thread is the session's own, and not one of a sub-agent. */
  constructor(items: OpenItems, isOwn: (threadId: string) => boolean) {
    this.#items = items;
    this.#isOwn = isOwn;
  }

  /** The model is done: commands that still run go on in the background. */
  toBackground(): Effect[] {
    return [...this.#commands].flatMap((itemId) => this.#items.update(itemId, { isBackground: true }));
  }

  #makeHandlers(): Handlers {
    const append = on(notifications['item/agentMessage/delta'], ({ itemId, delta }) => this.#items.append(itemId, delta));
    const think = on(notifications['item/reasoning/textDelta'], (thought) => this.#think(thought));
    return new Map<string, Handler>([
      ['item/started', (params) => this.#about(params, (item, parentItemId) => this.#begin(item, parentItemId))],
      ['item/completed', (params) => this.#about(params, (item, parentItemId) => this.#end(item, parentItemId))],
      ['item/agentMessage/delta', append],
      ['item/plan/delta', append],
      ['item/commandExecution/outputDelta', append],
      ['item/reasoning/textDelta', think],
      ['item/reasoning/summaryTextDelta', think],
      [
        'item/reasoning/summaryPartAdded',
        on(notifications['item/reasoning/summaryPartAdded'], ({ itemId }) => this.#items.append(itemId, '\n\n')),
      ],
      [
        'item/fileChange/patchUpdated',
        on(notifications['item/fileChange/patchUpdated'], ({ itemId, changes }) =>
          this.#items.update(itemId, { changes: toChanges(changes) }),
        ),
      ],
      ['turn/plan/updated', on(notifications['turn/plan/updated'], (plan) => this.#showPlan(plan))],
    ]);
  }

  /** Reads a notification about a whole item. */
  #about(params: unknown, take: (item: ThreadItem, parentItemId: string | undefined) => Effect[]): Effect[] | string {
    const event = notifications['item/started'].safeParse(params);
    if (!event.success) return z.prettifyError(event.error);
    const { threadId, item } = event.data;
    const isOwn = this.#isOwn(threadId);
    const parentItemId = isOwn ? undefined : this.#parents.get(threadId);
    const isKnown = isOwn || parentItemId !== undefined;
    if (!isKnown || !isShownItem(item.type)) return [];
    const parsed = ThreadItem.safeParse(item);
    return parsed.success ? take(parsed.data, parentItemId) : z.prettifyError(parsed.error);
  }

  #begin(item: ThreadItem, parentItemId: string | undefined): Effect[] {
    this.#noteSubAgents(item);
    if (item.type === 'userMessage') {
      // A message of the user inside a turn cuts what the model was saying, and codex never ends that item.
      const isCut = (open: ItemBody): boolean => open.kind === 'message' || open.kind === 'thought';
      return parentItemId === undefined ? this.#items.completeAll('completed', isCut) : [];
    }
    if (item.type === 'commandExecution') this.#commands.add(item.id);
    const body = toItem(item);
    if (body === null) return [];
    if (body.kind === 'thought' && body.text === '') {
      this.#silent.set(item.id, parentItemId);
      return [];
    }
    return this.#items.start(item.id, body, parentItemId);
  }

  #end(item: ThreadItem, parentItemId: string | undefined): Effect[] {
    this.#noteSubAgents(item);
    this.#commands.delete(item.id);
    const { status, patch } = toEnd(item);
    const isLate = this.#silent.delete(item.id) && patch.text !== undefined && patch.text !== '';
    return [
      ...(isLate ? this.#items.start(item.id, { kind: 'thought', text: '' }, parentItemId) : []),
      ...this.#items.complete(item.id, status, patch),
    ];
  }

  #noteSubAgents(item: ThreadItem): void {
    if (item.type === 'collabAgentToolCall') for (const thread of item.receiverThreadIds) this.#parents.set(thread, item.id);
  }

  #think({ itemId, delta }: { itemId: string; delta: string }): Effect[] {
    const append = (): Effect[] => this.#items.append(itemId, delta);
    if (!this.#silent.has(itemId)) return append();
    const parentItemId = this.#silent.get(itemId);
    this.#silent.delete(itemId);
    return [...this.#items.start(itemId, { kind: 'thought', text: '' }, parentItemId), ...append()];
  }

  #showPlan({ threadId, turnId, plan }: PlanUpdate): Effect[] {
    if (!this.#isOwn(threadId)) return [];
    const itemId = `plan-${turnId}`;
    const entries = plan.map(({ step, status }) => ({ content: step, status: planStatus[status] }));
    return this.#items.has(itemId) ? this.#items.update(itemId, { entries }) : this.#items.start(itemId, { kind: 'plan', entries });
  }
}

type PlanUpdate = z.infer<(typeof notifications)['turn/plan/updated']>;

const planStatus = { pending: 'pending', inProgress: 'in_progress', completed: 'completed' } as const satisfies Record<
  PlanUpdate['plan'][number]['status'],
  string
>;
