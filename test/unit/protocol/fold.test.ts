import { describe, expect, test } from 'vitest';
import type { EventBody } from '#protocol/events.ts';
import { Fold } from '#protocol/fold.ts';
import { ItemId, TurnId } from '#protocol/ids.ts';
import { emptyView, project } from '#protocol/view.ts';
import { numbered, sessionId, someLog } from '#test/fixtures/random-log.ts';

describe('Fold', () => {
  test.for([1, 2, 3, 4, 5, 6])('makes the view that event by event makes (%i)', (seed) => {
    const events = someLog(seed, 6000, seed === 6 ? 'client' : 'agent');
    const fold = new Fold(emptyView(sessionId));
    let expected = emptyView(sessionId);
    let longest = 0;

    for (const event of events) {
      fold.take(event);
      expected = project(expected, event);
      longest = Math.max(longest, expected.items.length);
      if (event.seq % 1000 === 0) expect(fold.view()).toEqual(expected);
    }

    expect(longest).toBeGreaterThan(80);
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
    const fold = new Fold(emptyView(sessionId));

    for (const event of numbered(bodies)) fold.take(event);

    // One list for each event would be more than two thousand million entries: minutes instead of a moment.
    expect(fold.view().items).toHaveLength(20_000);
  });
});
