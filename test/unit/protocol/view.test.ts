import { describe, expect, test } from 'vitest';
import type { EventBody } from '#protocol/events.ts';
import { ItemId, RequestId, SessionId, TurnId } from '#protocol/ids.ts';
import { backgroundTasks, emptyView, project, type SessionView } from '#protocol/view.ts';

const sessionId = SessionId.parse('s');
const [turnId, itemId, requestId] = [TurnId.parse('t'), ItemId.parse('i'), RequestId.parse('r')];
const fold = (bodies: readonly EventBody[]): SessionView =>
  bodies.reduce((view, body, index) => project(view, { ...body, sessionId, seq: index + 1, at: index }), emptyView(sessionId));
const begun: EventBody[] = [
  { type: 'turn.started', turnId, prompt: { text: 'p', attachments: [] } },
  { type: 'run.changed', state: 'ready' },
  { type: 'item.started', turnId, itemId, item: { kind: 'message', role: 'assistant', text: '' } },
];

describe('project', () => {
  test('grows a message by its deltas and replaces it when it is reconciled', () => {
    const delta = (text: string): EventBody => ({ type: 'item.delta', turnId, itemId, text });

    const grown = fold([...begun, delta('a'), delta('b')]);
    const replaced = fold([
      ...begun,
      delta('a'),
      { type: 'item.completed', turnId, itemId, status: 'completed', patch: { text: 'whole' } },
    ]);

    expect(grown.items[0]?.body).toMatchObject({ text: 'ab' });
    expect(replaced.items[0]).toMatchObject({ status: 'completed', body: { text: 'whole' } });
  });

  test('takes an event once, however often it is replayed', () => {
    const view = fold([...begun, { type: 'item.delta', turnId, itemId, text: 'a' }]);

    const again = project(view, { type: 'item.delta', turnId, itemId, text: 'a', sessionId, seq: 4, at: 9 });

    expect(again).toBe(view);
  });

  test('says the true state: starting, running, waiting, stopping, idle', () => {
    const [started, ready] = begun;
    const ask: EventBody = { type: 'request.opened', turnId, requestId, request: { kind: 'permission', title: '', options: [] } };
    const withdrawn: EventBody = { type: 'request.resolved', requestId, outcome: 'withdrawn', by: 'end of turn' };
    const states = [
      [started],
      [started, ready],
      [started, ready, ask],
      [started, ready, ask, { type: 'turn.cancelling', turnId }],
      [started, ready, ask, withdrawn, { type: 'turn.completed', turnId, outcome: 'cancelled', durationMs: 1 }],
    ].map((bodies) => fold(bodies.flatMap((body) => (body === undefined ? [] : [body as EventBody]))).status);

    expect(states).toEqual(['starting', 'running', 'waiting', 'stopping', 'idle']);
  });

  test('ends the items of a turn with it', () => {
    const view = fold([...begun, { type: 'turn.completed', turnId, outcome: 'interrupted', durationMs: 5 }]);

    expect(view.items.map((item) => item.status)).toEqual(['cancelled']);
    expect(view.turns[0]).toMatchObject({ status: 'interrupted', durationMs: 5 });
  });

  test('keeps a question open over the end of the turn it was asked in, until it is resolved, and moves it to where its call is told', () => {
    const [nextTurn, nextItem] = [TurnId.parse('next'), ItemId.parse('asking')];
    const asked: EventBody[] = [
      ...begun,
      { type: 'request.opened', turnId, requestId, request: { kind: 'consent', title: '', options: [] } },
      { type: 'turn.completed', turnId, outcome: 'completed', durationMs: 5 },
    ];

    const open = fold(asked);
    const placed = fold([
      ...asked,
      { type: 'turn.started', turnId: nextTurn, prompt: { text: '', attachments: [] } },
      { type: 'item.started', turnId: nextTurn, itemId: nextItem, item: { kind: 'message', role: 'assistant', text: '' } },
      { type: 'request.placed', requestId, itemId: nextItem },
    ]);

    expect(open).toMatchObject({ status: 'waiting', requests: [{ requestId, itemId: null, turnId }] });
    expect(placed).toMatchObject({ status: 'waiting', requests: [{ requestId, itemId: nextItem, turnId: nextTurn }] });
  });

  test('forgets a reset conversation and a dropped item', () => {
    expect(fold([...begun, { type: 'session.reset' }])).toMatchObject({ turns: [], items: [] });
    expect(fold([...begun, { type: 'item.dropped', turnId, itemId }]).items).toEqual([]);
  });

  test('the end of a turn ends what is open in it, but no background task and nothing inside one', () => {
    const [task, inside, other] = [ItemId.parse('task'), ItemId.parse('inside'), ItemId.parse('other')];
    const tool = { kind: 'tool', tool: 'Agent', toolKind: 'task', title: '', text: '' } as const;
    const start = (id: ItemId, parentItemId?: ItemId): EventBody => ({
      type: 'item.started',
      turnId,
      itemId: id,
      ...(parentItemId === undefined ? {} : { parentItemId }),
      item: tool,
    });
    const end: EventBody = { type: 'turn.completed', turnId, outcome: 'completed', durationMs: 1 };

    const ended = fold([
      ...begun,
      start(task),
      { type: 'item.updated', turnId, itemId: task, patch: { isBackground: true } },
      start(inside, task),
      start(other),
      end,
    ]);
    const stopped = [{ type: 'item.completed', turnId, itemId: task, status: 'cancelled' } as const].reduce(
      (view, body) => project(view, { ...body, sessionId, seq: view.seq + 1, at: 9 }),
      ended,
    );

    expect(ended.items.map(({ status }) => status)).toEqual(['completed', 'running', 'running', 'completed']);
    expect(backgroundTasks(ended).map((item) => item.itemId)).toEqual([task]);
    expect(ended.status).toBe('idle');
    expect(backgroundTasks(stopped)).toEqual([]);
  });
});
