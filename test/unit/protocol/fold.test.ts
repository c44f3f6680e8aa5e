import { describe, expect, test } from 'vitest';
import { defaultSettings, type EventBody, type SessionEvent } from '#protocol/events.ts';
import { Fold } from '#protocol/fold.ts';
import { ItemId, RequestId, SessionId, TurnId } from '#protocol/ids.ts';
import { emptyView, project } from '#protocol/view.ts';
import { createRandom } from '#test/fixtures/random.ts';

const sessionId = SessionId.parse('s');
const numbered = (bodies: readonly EventBody[]): SessionEvent[] =>
  bodies.map((body, index) => ({ ...body, sessionId, seq: index + 1, at: index }));

/** A log in which much is repeated, taken back and left open, and old turns and items are named again now and then. */
const someLog = (seed: number, length: number, kind: 'agent' | 'client'): SessionEvent[] => {
  const random = createRandom(seed);
  const bodies: EventBody[] = [{ type: 'session.created', projectId: null, engine: 'e', name: 'n', kind, settings: defaultSettings }];
  let turns = 0;
  let items = 0;
  const near = (count: number): number => Math.max(0, random(40) === 0 ? random(count + 1) : count - random(3));
  while (bodies.length < length) {
    const turnId = TurnId.parse(`t${near(turns)}`);
    const itemId = ItemId.parse(`i${near(items)}`);
    const requestId = RequestId.parse(`r${near(items)}`);
    const prompt = { text: 'p', attachments: [] };
    const choices: (() => EventBody)[] = [
      () => ({ type: 'turn.queued', turnId: TurnId.parse(`t${(turns += 1)}`), prompt }),
      () => ({ type: 'turn.started', turnId: TurnId.parse(`t${(turns += 1)}`), prompt }),
      () => ({ type: 'turn.started', turnId, prompt }),
      () => ({ type: 'turn.unqueued', turnId }),
      () => ({ type: 'turn.completed', turnId, outcome: 'completed', durationMs: 1 }),
      () => ({ type: 'turn.completed', turnId, outcome: 'cancelled', durationMs: 1 }),
      () => ({
        type: 'item.started',
        turnId,
        itemId: ItemId.parse(`i${(items += 1)}`),
        item: { kind: 'message', role: 'assistant', text: '' },
      }),
      () => ({ type: 'item.started', turnId, itemId: ItemId.parse(`i${(items += 1)}`), item: { kind: 'notice', level: 'info', text: '' } }),
      () => ({ type: 'item.delta', turnId, itemId, text: 'a' }),
      () => ({ type: 'item.completed', turnId, itemId, status: 'completed' }),
      () => ({ type: 'item.completed', turnId, itemId, status: 'failed' }),
      () => ({ type: 'request.opened', turnId, requestId, request: { kind: 'question', title: '', options: [] } }),
      () => ({ type: 'request.resolved', requestId, outcome: 'answered', by: 'panel' }),
      () => ({ type: 'run.changed', state: 'ready' }),
      () => ({ type: 'session.updated', name: `n${items}` }),
      () => (random(30) === 0 ? { type: 'item.dropped', turnId, itemId } : { type: 'session.seen' }),
      () => (random(90) === 0 ? { type: 'session.reset' } : { type: 'turn.cancelling', turnId }),
    ];
    const body = choices[random(choices.length)]?.();
    if (body !== undefined) bodies.push(body);
    // Now and then everything comes to its end.
    if (random(50) === 0) {
      for (let turn = Math.max(0, turns - 40); turn <= turns; turn += 1) {
        const over = TurnId.parse(`t${turn}`);
        bodies.push({ type: 'turn.unqueued', turnId: over }, { type: 'turn.completed', turnId: over, outcome: 'completed', durationMs: 1 });
      }
      for (let item = Math.max(0, items - 40); item <= items; item += 1) {
        bodies.push({ type: 'item.completed', turnId, itemId: ItemId.parse(`i${item}`), status: 'completed' });
      }
    }
  }
  return numbered(bodies);
};

describe('Fold', () => {
  test.for([1, 2, 3, 4, 5, 6])('makes the view that event by event makes (%i)', (seed) => {
    const events = someLog(seed, 6000, seed === 6 ? 'client' : 'agent');
    const fold = new Fold(sessionId);
    let expected = emptyView(sessionId);
    let longest = 0;

    for (const event of events) {
      fold.take(event);
      expected = project(expected, event);
      longest = Math.max(longest, expected.items.length);
      if (event.seq % 1000 === 0) expect(fold.view()).toEqual(expected);
    }

    expect(longest).toBeGreaterThan(100);
    expect(fold.view()).toEqual(expected);
  });

  test('costs a long log no more for each event than a short one', () => {
    const bodies: EventBody[] = [];
    for (let index = 0; index < 20_000; index += 1) {
      const turnId = TurnId.parse(`t${index}`);
      const itemId = ItemId.parse(`i${index}`);
      bodies.push(
        { type: 'turn.started', turnId, prompt: { text: 'p', attachments: [] } },
        { type: 'item.started', turnId, itemId, item: { kind: 'message', role: 'assistant', text: 'a' } },
        { type: 'item.completed', turnId, itemId, status: 'completed' },
        { type: 'turn.completed', turnId, outcome: 'completed', durationMs: 1 },
      );
    }
    const fold = new Fold(sessionId);

    for (const event of numbered(bodies)) fold.take(event);

    // One list for each event would be more than two thousand million entries: minutes instead of a moment.
    expect(fold.view().items).toHaveLength(20_000);
  });
});
