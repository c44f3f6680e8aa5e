import jsonPatch from 'fast-json-patch';
import { describe, expect, test } from 'vitest';
import { ItemId } from '#protocol/ids.ts';
import { Patcher, fromNothing } from '#companion/compat/patches.ts';
import { createSessionsDouble, turn } from '#test/unit/server/room-doubles.ts';
import { toDocument } from './document.ts';

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
    expect(document.entries).toMatchObject([{ metadata: { isRemoved: true } }, { type: 'thinking', content: 'hm' }]);

    sessions.emit(sessionId, { type: 'session.reset' });
    apply();
    expect(document).toEqual({ entries: [], status: 'idle' });
    expect(fromNothing(sessionId, sessions.view(sessionId))).toEqual([]);
  });

  test('give every entry one place for ever: a call and its result have two, and what was taken back stays empty', () => {
    const sessions = createSessionsDouble();
    const sessionId = sessions.create();
    const { started, turnId, itemId } = turn('a');
    const tool = ItemId.parse('item_tool');
    const note = ItemId.parse('item_note');
    const patcher = new Patcher(sessions.view(sessionId));
    const document: { entries: { type: string }[]; status: string } = { entries: [], status: 'idle' };
    const apply = (): void => void jsonPatch.applyPatch(document, structuredClone(patcher.patchTo(sessions.view(sessionId))), true);

    sessions.emit(
      sessionId,
      ...started(),
      {
        type: 'item.started',
        turnId,
        itemId: tool,
        item: { kind: 'tool', tool: 'Bash', toolKind: 'execute', title: 'ls', text: '', input: { command: 'ls' } },
      },
      { type: 'item.started', turnId, itemId: note, item: { kind: 'notice', level: 'error', text: 'It broke.' } },
    );
    apply();
    sessions.emit(sessionId, { type: 'item.delta', turnId, itemId: tool, text: 'a.txt' }, { type: 'item.dropped', turnId, itemId });
    apply();
    sessions.emit(sessionId, { type: 'item.completed', turnId, itemId: tool, status: 'completed' }, ...turn('b').started());
    apply();

    expect(document).toEqual(toDocument(sessions.view(sessionId)));
    expect(document.entries).toMatchObject([
      { type: 'system', content: '' },
      { type: 'tool_use', tool: 'Bash', toolUseId: tool, input: { command: 'ls' }, timestamp: expect.any(Number) },
      { type: 'tool_result', tool: 'Bash', toolUseId: tool, output: 'a.txt', isFinal: true },
      { type: 'error', message: 'It broke.' },
      { type: 'assistant', content: '' },
    ]);
    const fresh = { entries: [], status: 'idle' };
    jsonPatch.applyPatch(fresh, structuredClone(fromNothing(sessionId, sessions.view(sessionId))), true);
    expect(fresh).toEqual(document);
  });
});
