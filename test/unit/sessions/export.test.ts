import { text } from 'node:stream/consumers';
import { describe, expect } from 'vitest';
import { SessionSummary } from '#protocol/api.ts';
import { defaultSettings } from '#protocol/events.ts';
import { ItemId, SessionId, TurnId } from '#protocol/ids.ts';
import { SearchQuery } from '#protocol/search.ts';
import { attachmentsOf, emptyView, project, type SessionView } from '#protocol/view.ts';
import { markdownPieces } from '#protocol/session-markdown.ts';
import { parseExport, type SessionExport } from '#protocol/session-export.ts';
import { exportText, toExport } from '#companion/sessions/export.ts';
import { summarize } from '#companion/sessions/summary.ts';
import { extremeLog } from '#test/fixtures/extreme-log.ts';
import { isWhole } from '#test/fixtures/whole.ts';
import { codeOf, isIdle, type Stage, test } from './stage.ts';

const PICTURE = { kind: 'image', name: 'a.png', mimeType: 'image/png', dataBase64: 'iVBORw0KGgo=' } as const;
/** More than one piece of a file, and no multiple of three bytes. */
const LONG = {
  kind: 'file',
  name: 'a.txt',
  mimeType: 'text/plain',
  dataBase64: Buffer.from('0123456789'.repeat(20_000)).toString('base64'),
} as const;

const SEEDS = isWhole ? 150 : 10;
const MESSAGES = isWhole ? 10_000 : 300;

const fileOf = async ({ sessions, store }: Stage, sessionId: SessionId): Promise<SessionExport> =>
  parseExport(JSON.parse(await text(exportText(sessions.export(sessionId), store.attachments))));

/** A file with values that are allowed and extreme; what would be refused for its ids is left out. */
const extremeFile = async ({ store }: Stage, seed: number): Promise<SessionExport> => {
  const sessionId = SessionId.parse('s-extreme');
  const created = {
    type: 'session.created',
    projectId: null,
    engine: 'fake',
    name: 'n',
    kind: 'agent',
    settings: defaultSettings,
  } as const;
  const view = [created, ...extremeLog(seed, 100)].reduce(
    (before, body, index) => project(before, { ...body, sessionId, seq: index + 1, at: index }),
    emptyView(sessionId),
  );
  const turns = byId(view.turns, ({ turnId }) => turnId);
  const known = new Set<string | null>([null]);
  const items = byId(view.items, ({ itemId }) => itemId).filter(({ itemId, turnId, parentItemId }) => {
    const isPlaced = known.has(parentItemId) && turns.some((turn) => turn.turnId === turnId);
    if (isPlaced) known.add(itemId);
    return isPlaced;
  });
  const answered = byId(view.answered, ({ requestId }) => requestId);
  const exported = toExport({ ...view, turns, items, answered }, summarize(view, 5), { has: () => false }, 5);
  return parseExport(JSON.parse(await text(exportText(exported, store.attachments))));
};

const byId = <T>(list: readonly T[], idOf: (entry: T) => string): T[] => [...new Map(list.map((entry) => [idOf(entry), entry])).values()];

/** What is seen of a conversation; what is attached is kept once more, under an id of its own. */
const told = ({ turns, items, answered, name, engine }: SessionView): unknown =>
  JSON.parse(
    JSON.stringify({ turns, items, answered, name, engine }, (key, value: unknown) => (key === 'attachmentId' ? 'its own' : value)),
  );

describe('a session that was exported', () => {
  test('is the same again: what was said, attached, asked and answered, and when; nothing else changed', async ({ stage }) => {
    const sessionId = await stage.create();
    await stage.sessions.dispatch({ type: 'turn.start', sessionId, prompt: { text: 'say hello', attachments: [PICTURE, LONG] } });
    await stage.until(sessionId, isIdle);
    await stage.turn(sessionId, 'tool 100');
    await stage.send(sessionId, 'ask');
    await stage.until(sessionId, (view) => view.requests.length === 1);
    await stage.answer(sessionId, stage.sessions.view(sessionId).requests[0]?.request.options[0]?.optionId ?? '');
    await stage.until(sessionId, isIdle);
    await stage.sessions.dispatch({
      type: 'session.update',
      sessionId,
      settings: { maxTokens: 5000, systemPrompt: 'Obey.', mode: 'yolo' },
    });
    const pair = { element: 'button Go', isThere: true, before: { mimeType: 'image/png', dataBase64: PICTURE.dataBase64 } } as const;
    const shown = { url: 'http://localhost:5173/', outcome: 'updated', buildError: 'No such file', pairs: [pair] } as const;
    const lastTurn = stage.sessions.view(sessionId).turns.at(-1)?.turnId ?? TurnId.parse('none');
    stage.sessions.noteProof(sessionId, lastTurn, shown);
    // The agent of before does not know what it is to obey now, so it ends.
    const before = await stage.until(sessionId, ({ run }) => run.state === 'stopped');
    const file = await fileOf(stage, sessionId);
    const notices: unknown[] = [];
    stage.sessions.subscribeNotices((notice) => notices.push(notice));

    const imported = await stage.sessions.import(file, { projectId: null, engine: 'fake' });

    expect(before.answered).toHaveLength(1);
    expect(stage.sessions.view(sessionId)).toEqual(before);
    const view = stage.sessions.view(imported);
    expect(told(view)).toEqual(told(before));
    // It was news when it happened.
    expect(notices).toEqual([]);
    // What is attached is its own: the other may be deleted.
    await stage.sessions.dispatch({ type: 'session.delete', sessionId, isForever: true });
    const attached = attachmentsOf(view).map((ref) => stage.store.attachments.load(ref).dataBase64);
    expect(attached).toEqual([PICTURE.dataBase64, LONG.dataBase64, PICTURE.dataBase64]);
    // What an agent is told and may do is not taken from a file.
    expect(view.settings).toMatchObject({ maxTokens: 5000, systemPrompt: null, mode: null });
    await stage.restart();
    expect(told(stage.sessions.view(imported))).toEqual(told(before));
    const again = await stage.sessions.import(await fileOf(stage, imported), { projectId: null, engine: 'fake' });
    expect(told(stage.sessions.view(again))).toEqual(told(before));
    await stage.turn(imported, 'say more');
    expect(stage.trace().join('\n')).toContain('This conversation was begun with another agent');
  });

  test(`is the same again with ${MESSAGES} messages`, async ({ stage }) => {
    const sessionId = await stage.create();
    await stage.turn(sessionId, 'say hello');
    const small = await fileOf(stage, sessionId);
    const [turn, item] = [small.turns[0], small.items[0]];
    if (turn === undefined || item === undefined) throw new Error('nothing was said');
    const numbers = Array.from({ length: MESSAGES }, (_, index) => index);
    const long = {
      ...small,
      turns: numbers.map((index) => ({ ...turn, turnId: TurnId.parse(`turn_${index}`) })),
      items: numbers.map((index) => ({ ...item, turnId: TurnId.parse(`turn_${index}`), itemId: ItemId.parse(`item_${index}`) })),
    };

    const imported = await stage.sessions.import(long, { projectId: null, engine: 'fake' });

    const exported = stage.sessions.export(imported);
    const pieces: number[] = [];
    for await (const piece of exportText(exported, stage.store.attachments)) pieces.push(piece.length);
    const markdown = [...markdownPieces(exported.document.session, exported.document.items)];
    // However long it is, only a part of it is written at a time.
    for (const lengths of [pieces, markdown.map(({ length }) => length)]) {
      expect(Math.max(...lengths)).toBeLessThan(lengths.reduce((sum, length) => sum + length) / 3);
    }
    const { turns, items } = await fileOf(stage, imported);
    expect({ turns, items }).toEqual({ turns: long.turns, items: long.items });
  });

  test(`can be listed, shown, searched, exported, imported again and deleted, whatever stands in the file (${SEEDS} files)`, async ({
    stage,
  }) => {
    const { sessions } = stage;
    for (let seed = 1; seed <= SEEDS; seed += 1) {
      const first = await sessions.import(await extremeFile(stage, seed), { projectId: null, engine: 'fake' });
      const file = await fileOf(stage, first);
      const second = await sessions.import(file, { projectId: null, engine: 'fake' });

      expect(sessions.list().map((row) => SessionSummary.parse(JSON.parse(JSON.stringify(row))).id)).toHaveLength(2);
      expect(JSON.stringify(sessions.page(first, null, 100))).not.toBe('');
      expect([...markdownPieces(file.session, file.items)].join('')).toContain('#');
      expect(sessions.search(SearchQuery.parse({ q: 'a' })).hits).toBeInstanceOf(Array);
      expect((await fileOf(stage, second)).items).toEqual(file.items);
      for (const sessionId of [first, second]) await sessions.dispatch({ type: 'session.delete', sessionId, isForever: true });
      expect(sessions.list()).toEqual([]);
    }
  });

  test('for an agent that is not here makes nothing', async ({ stage }) => {
    const sessionId = await stage.create();
    await stage.turn(sessionId, 'say hello');
    const file = await fileOf(stage, sessionId);

    expect(await codeOf(stage.sessions.import(file, { projectId: null, engine: 'nowhere' }))).toBe('ENGINE_UNKNOWN');
    expect(stage.sessions.list()).toHaveLength(1);
  });
});
