import jsonPatch from 'fast-json-patch';
import { describe, expect, test } from 'vitest';
import { ItemId } from '#protocol/ids.ts';
import type { SessionView } from '#protocol/view.ts';
import { Patcher, fromNothing } from '#companion/compat/patches.ts';
import { toAgentMessage } from '#companion/compat/realtime.ts';
import { createSessionsDouble, turn } from '#test/unit/server/room-doubles.ts';

const toDocument = (view: SessionView): unknown => ({
  entries: view.items.map((item) => JSON.parse(JSON.stringify(toAgentMessage(view, item))) as unknown),
  status: view.status,
});

describe('patches', () => {
  test('keep up with a session in which items are dropped and everything is reset', () => {
    const sessions = createSessionsDouble();
    const sessionId = sessions.create();
    const patcher = new Patcher(sessions.view(sessionId));
    const document: { entries: unknown[]; status: string } = { entries: [], status: 'idle' };
    const apply = (): void => void jsonPatch.applyPatch(document, structuredClone(patcher.patchTo(sessions.view(sessionId))), true);
    const { started, turnId, itemId } = turn('a');

    sessions.emit(sessionId, ...started(), {
      type: 'item.started',
      turnId,
      itemId: ItemId.parse('item_b'),
      item: { kind: 'thought', text: 'hm' },
    });
    apply();
    sessions.emit(sessionId, { type: 'item.dropped', turnId, itemId });
    apply();
    expect(document).toEqual(toDocument(sessions.view(sessionId)));

    sessions.emit(sessionId, { type: 'session.reset' });
    apply();
    expect(document).toEqual({ entries: [], status: 'idle' });
    expect(fromNothing(sessionId, sessions.view(sessionId))).toEqual([]);
  });
});
