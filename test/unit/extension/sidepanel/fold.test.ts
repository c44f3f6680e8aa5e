import { describe, expect, test } from 'vitest';
import { applyEvents, emptyConversation } from '#extension/sidepanel/fold.ts';
import { asked, createLog, sessionId, started, tool } from './log-builder.ts';

const story = createLog().add(
  ...started('t1', 'hello'),
  ...tool('bash', 'execute'),
  asked('q1', 'bash'),
  { type: 'request.resolved', requestId: 'q1', outcome: 'allowed', optionId: 'once', by: 'panel' },
  asked('q2'),
  { type: 'request.resolved', requestId: 'q2', outcome: 'denied', optionId: 'no', text: 'not now', by: 'terminal' },
  { type: 'item.started', turnId: 't1', itemId: 'm', item: { kind: 'message', role: 'assistant', text: '' } },
  ...Array.from({ length: 50 }, (_, index) => ({ type: 'item.delta' as const, turnId: 't1', itemId: 'm', text: `${index} ` })),
  { type: 'item.completed', turnId: 't1', itemId: 'm', status: 'completed' },
  { type: 'turn.completed', turnId: 't1', outcome: 'completed', durationMs: 5 },
).events;

const whole = applyEvents(emptyConversation(sessionId), story);

describe('the fold', () => {
  test('comes to the same however the events are batched', () => {
    for (const size of [1, 2, 3, 7, 100]) {
      let conversation = emptyConversation(sessionId);
      for (let from = 0; from < story.length; from += size) conversation = applyEvents(conversation, story.slice(from, from + size));
      expect(conversation, `batches of ${size}`).toEqual(whole);
    }
  });

  test('a replay from any point changes nothing', () => {
    for (let cut = 0; cut < story.length; cut += 1) {
      const half = applyEvents(emptyConversation(sessionId), story.slice(0, cut));
      expect(applyEvents(half, story), `resumed after ${cut}`).toEqual(whole);
    }
  });

  test('keeps what became of each request, and where it was asked', () => {
    expect(
      whole.view.answered.map(({ requestId, outcome, text, by, afterItemId }) => ({ requestId, outcome, text, by, afterItemId })),
    ).toEqual([
      { requestId: 'q1', outcome: 'allowed', text: null, by: 'panel', afterItemId: 'bash' },
      { requestId: 'q2', outcome: 'denied', text: 'not now', by: 'terminal', afterItemId: 'bash' },
    ]);
    expect(whole.view.requests).toEqual([]);
  });

  test('knows when an item ended', () => {
    const item = whole.view.items.find(({ itemId }) => itemId === 'bash');

    expect(item?.endedAt).toBe((item?.at ?? 0) + 1000);
  });

  test('a delta leaves every other item the same object', () => {
    const before = applyEvents(emptyConversation(sessionId), story.slice(0, 12));
    const after = applyEvents(before, story.slice(12, 13));
    const changed = after.view.items.filter((item, index) => item !== before.view.items[index]);

    expect(changed.map(({ itemId }) => itemId)).toEqual(['m']);
  });

  test('a reset of the session forgets its answers too', () => {
    const log = createLog().add(...started('t1', 'a'), asked('q'), {
      type: 'request.resolved',
      requestId: 'q',
      outcome: 'allowed',
      by: 'panel',
    });
    const conversation = applyEvents(emptyConversation(sessionId), log.add({ type: 'session.reset' }).events);

    expect(conversation.view.answered).toEqual([]);
    expect(conversation.view.items).toEqual([]);
  });
});
