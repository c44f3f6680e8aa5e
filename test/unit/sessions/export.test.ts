import { describe, expect } from 'vitest';
import { parseExport } from '#protocol/session-export.ts';
import { codeOf, isIdle, test } from './stage.ts';

const PICTURE = { kind: 'image', name: 'a.png', mimeType: 'image/png', dataBase64: 'iVBORw0KGgo=' } as const;

describe('a session that was exported', () => {
  test('is a session again, with all that was said and attached, when it was said, and nothing else changed', async ({ stage }) => {
    const sessionId = await stage.create();
    await stage.sessions.dispatch({ type: 'turn.start', sessionId, prompt: { text: 'say hello', attachments: [PICTURE] } });
    await stage.until(sessionId, isIdle);
    await stage.turn(sessionId, 'tool 100');
    await stage.sessions.dispatch({
      type: 'session.update',
      sessionId,
      settings: { maxTokens: 5000, systemPrompt: 'Obey.', mode: 'yolo' },
    });
    const before = stage.sessions.view(sessionId);
    const file = parseExport(JSON.parse(JSON.stringify(stage.sessions.export(sessionId))));

    const imported = await stage.sessions.import(file, { projectId: null, engine: 'fake' });

    expect(stage.sessions.view(sessionId)).toEqual(before);
    const view = stage.sessions.view(imported);
    const plain = ({ turnId, itemId, at, status, body }: (typeof view.items)[number]) => ({ turnId, itemId, at, status, kind: body.kind });
    expect(view.items.map(plain)).toEqual(before.items.map(plain));
    const [turn] = view.turns;
    expect(view.turns.map(({ turnId, startedAt, durationMs, status }) => [turnId, startedAt, durationMs, status])).toEqual(
      before.turns.map(({ turnId, startedAt, durationMs, status }) => [turnId, startedAt, durationMs, status]),
    );
    // The picture is one of its own: the other may be deleted.
    await stage.sessions.dispatch({ type: 'session.delete', sessionId, isForever: true });
    const [attached] = turn?.prompt.attachments ?? [];
    expect(attached === undefined ? '' : stage.store.attachments.load(attached).dataBase64).toBe(PICTURE.dataBase64);
    // What an agent is told and may do is not taken from a file.
    expect(view.settings).toMatchObject({ maxTokens: 5000, systemPrompt: null, mode: null });
    await stage.restart();
    expect(stage.sessions.view(imported).items.map(plain)).toEqual(before.items.map(plain));
    await stage.turn(imported, 'say more');
    expect(stage.trace().join('\n')).toContain('This conversation was begun with another agent');
  });

  test('for an agent that is not here makes nothing', async ({ stage }) => {
    const sessionId = await stage.create();
    await stage.turn(sessionId, 'say hello');
    const file = stage.sessions.export(sessionId);

    expect(await codeOf(stage.sessions.import(file, { projectId: null, engine: 'nowhere' }))).toBe('ENGINE_UNKNOWN');
    expect(stage.sessions.list()).toHaveLength(1);
  });
});
