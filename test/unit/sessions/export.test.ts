import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect } from 'vitest';
import { SessionSummary } from '#protocol/api.ts';
import { defaultSettings } from '#protocol/events.ts';
import { ItemId, SessionId, TurnId } from '#protocol/ids.ts';
import { SearchQuery } from '#protocol/search.ts';
import { attachmentsOf, emptyView, project, type SessionView } from '#protocol/view.ts';
import { parseExport, type SessionExport } from '#protocol/session-export.ts';
import { exportMarkdown, exportText, toExport } from '#companion/sessions/export.ts';
import { sourceOf } from '#companion/sessions/import.ts';
import { inOnePart } from '#companion/sessions/session-log.ts';
import { summarize } from '#companion/sessions/summary.ts';
import { extremeLog } from '#test/fixtures/extreme-log.ts';
import { isWhole } from '#test/fixtures/whole.ts';
import { createStage as createCli, type Stage as Cli } from '#test/unit/cli/stage.ts';
import { codeOf, isIdle, type Stage, test as base } from './stage.ts';

/** With a command line whose client reads and makes sessions of the stage. */
const test = base.extend<{ cli: Cli }>({
  cli: async ({ stage }, use) => {
    const cli = createCli();
    Object.assign(cli.client.sessions, {
      list: async () => stage.sessions.list(),
      export: async (sessionId: SessionId, format: string) => {
        const exported = await stage.sessions.export(sessionId);
        const pieces = format === 'json' ? exportText(exported, stage.store.attachments) : exportMarkdown(exported);
        return Readable.from(pieces, { objectMode: false });
      },
      import: async ({ uploadId = '' }: { uploadId?: string }) => {
        const document = parseExport(JSON.parse(readFileSync(uploadId.replace('upload of ', ''), 'utf8')));
        return stage.sessions.summary(await stage.sessions.import(sourceOf(document), { projectId: null, engine: 'fake' }));
      },
    });
    await use(cli);
    rmSync(cli.folder, { recursive: true, force: true });
  },
});

const PICTURE = { kind: 'image', name: 'a.png', mimeType: 'image/png', dataBase64: 'iVBORw0KGgo=' } as const;
/** More than one piece of a file, and no multiple of three bytes. */
const LONG = {
  kind: 'file',
  name: 'a.txt',
  mimeType: 'text/plain',
  dataBase64: Buffer.from('0123456789'.repeat(20_000)).toString('base64'),
} as const;

/** What a terminal must not get, and a name that is told in another way where the program has another. */
const UNFIT = 'a\u2028b\u0085c\u202ed `pilotfish run`';
const CHANGED = {
  text: UNFIT,
  changes: [{ path: 'src/a.ts', change: 'update', unified: '--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1 +1 @@\n-one\n+two\n' }],
  images: [{ mimeType: 'image/png', dataBase64: PICTURE.dataBase64 }],
} as const;

const SEEDS = isWhole ? 150 : 5;
const MESSAGES = isWhole ? 10_000 : 300;

const fileOf = async ({ sessions, store }: Stage, sessionId: SessionId): Promise<SessionExport> =>
  parseExport(JSON.parse(await text(exportText(await sessions.export(sessionId), store.attachments))));

/** A file with values that are allowed and extreme; what would be refused for its ids is left out. */
const extremeFile = async (seed: number): Promise<SessionExport> => {
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
  /** Each item with the place of its turn; what it belongs to stands in none that is later. */
  const known = new Map<string | null, number>([[null, -1]]);
  const items = byId(view.items, ({ itemId }) => itemId).filter(({ itemId, turnId, parentItemId }) => {
    const place = turns.findIndex((turn) => turn.turnId === turnId);
    const isPlaced = (known.get(parentItemId) ?? Infinity) <= place && place !== -1;
    if (isPlaced) known.set(itemId, place);
    return isPlaced;
  });
  const answered = byId(view.answered, ({ requestId }) => requestId);
  const exported = toExport(inOnePart({ ...view, turns, items, answered }), summarize(view, 5), 5);
  return parseExport(JSON.parse(await text(exportText(exported, noAttachments))));
};

const noAttachments = { has: () => false, stream: () => Promise.reject(new Error('none is kept')) };

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

    const imported = await stage.sessions.import(sourceOf(file), { projectId: null, engine: 'fake' });

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
    const again = await stage.sessions.import(sourceOf(await fileOf(stage, imported)), { projectId: null, engine: 'fake' });
    expect(told(stage.sessions.view(again))).toEqual(told(before));
    await stage.turn(imported, 'say more');
    expect(stage.trace().join('\n')).toContain('This conversation was begun with another agent');
  });

  test('is the same again by the command line: requests allowed and denied, a changed file, pictures, a fork; what waited has ended', async ({
    stage,
    cli,
  }) => {
    const { sessions } = stage;
    const file = path.join(cli.folder, 'session.json');
    const again = async (sessionId: SessionId): Promise<SessionId> => {
      expect(await cli.run('export', sessionId, '--json', '--output', file)).toBe(0);
      cli.out = '';
      expect(await cli.run('import', file)).toBe(0);
      return SessionId.parse(cli.out.split(' ', 1)[0]);
    };
    const begun = await stage.create();
    await sessions.dispatch({ type: 'turn.start', sessionId: begun, prompt: { text: 'say hello', attachments: [PICTURE] } });
    await stage.until(begun, isIdle);
    for (const optionId of ['yes', 'no']) {
      await stage.send(begun, 'ask');
      await stage.until(begun, ({ requests }) => requests.length === 1);
      await stage.answer(begun, optionId);
      await stage.until(begun, isIdle);
    }
    await stage.turn(begun, 'edit src/a.ts');
    const { sessionId: fork } = await sessions.dispatch({ type: 'session.fork', sessionId: begun });
    await stage.turn(fork, 'say hello');
    await stage.send(fork, 'slow');
    await stage.until(fork, ({ items }) => items.at(-1)?.body.kind === 'message' && items.at(-1)?.status === 'running');
    await stage.send(fork, 'say it later', { delivery: 'queue' });
    const original = sessions.view(fork);

    const first = sessions.view(await again(fork));

    expect(original.turns.slice(-2).map(({ status }) => status)).toEqual(['running', 'queued']);
    expect(first.turns.slice(-2)).toMatchObject([
      { status: 'interrupted', prompt: { text: 'slow' } },
      { status: 'interrupted', prompt: { text: 'say it later' } },
    ]);
    expect(first.answered.map(({ outcome }) => outcome)).toEqual(['allowed', 'denied']);
    const finished = (view: SessionView): unknown => told({ ...view, turns: view.turns.slice(0, -2), items: view.items.slice(0, -2) });
    expect(finished(first)).toEqual(finished(original));
    // What this agent does not report: a diff, a picture that a tool returned, and signs that no terminal gets.
    const document = parseExport(JSON.parse(readFileSync(file, 'utf8')));
    const items = document.items.map((item) =>
      item.body.kind === 'tool' && item.body.tool === 'Edit' ? { ...item, body: { ...item.body, ...CHANGED } } : item,
    );
    writeFileSync(file, JSON.stringify({ ...document, items }));
    cli.out = '';
    expect(await cli.run('import', file)).toBe(0);
    const second = SessionId.parse(cli.out.split(' ', 1)[0]);
    expect(sessions.view(second).items.filter(({ body }) => body.kind === 'tool' && body.tool === 'Edit')).toMatchObject([
      { body: CHANGED },
    ]);
    expect(told(sessions.view(await again(second)))).toEqual(told(sessions.view(second)));
    // What is printed is the same, too, under whatever name the program is called.
    cli.command = '/opt/pilotfish';
    cli.out = '';
    expect(await cli.run('export', second, '--json')).toBe(0);
    expect(JSON.parse(cli.out)).toEqual({ ...JSON.parse(readFileSync(file, 'utf8')), exportedAt: expect.any(String) });
    expect(cli.out).not.toMatch(/[\u2028\u202e\u0085]/u);
    await sessions.dispatch({ type: 'turn.cancel', sessionId: fork });
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

    const imported = await stage.sessions.import(sourceOf(long), { projectId: null, engine: 'fake' });

    const exported = await stage.sessions.export(imported);
    const pieces: number[] = [];
    for await (const piece of exportText(exported, stage.store.attachments)) pieces.push(piece.length);
    const markdown: number[] = [];
    for await (const piece of exportMarkdown(exported)) markdown.push(piece.length);
    // However long it is, only a part of it is written at a time.
    for (const lengths of [pieces, markdown]) {
      expect(Math.max(...lengths)).toBeLessThan(lengths.reduce((sum, length) => sum + length) / 3);
    }
    // The conversation is walked twice at most.
    let walks = 0;
    const counted = {
      head: exported.head,
      parts: () => {
        walks += 1;
        return exported.parts();
      },
    };
    await text(exportText(counted, stage.store.attachments));
    expect(walks).toBe(2);
    const { turns, items } = await fileOf(stage, imported);
    expect({ turns, items }).toEqual({ turns: long.turns, items: long.items });
  });

  test('whose item belongs to one of a later turn is refused: it could not be written again', async ({ stage }) => {
    const file = await fileOf(stage, await stage.sessions.import(sourceOf(await extremeFile(1)), { projectId: null, engine: 'fake' }));
    const [turn, item] = [file.turns[0], file.items[0]];
    if (turn === undefined || item === undefined) throw new Error('nothing is in it');
    const turns = ['t1', 't2'].map((id) => ({ ...turn, turnId: TurnId.parse(id) }));
    const inTurn = (id: string, of: number, parent: string | null): typeof item => ({
      ...item,
      itemId: ItemId.parse(id),
      turnId: turns[of]?.turnId ?? turn.turnId,
      parentItemId: parent === null ? null : ItemId.parse(parent),
    });
    const made = (...items: (typeof item)[]): SessionExport => ({ ...file, turns, items, answered: [] });

    expect(() => parseExport(JSON.parse(JSON.stringify(made(inTurn('i1', 1, null), inTurn('i2', 0, 'i1')))))).toThrow(
      'i2 belongs to nothing',
    );
    expect(parseExport(JSON.parse(JSON.stringify(made(inTurn('i1', 0, null), inTurn('i2', 1, 'i1'))))).items).toHaveLength(2);
  });

  test(`can be listed, shown, searched, exported, imported again and deleted, whatever stands in the file (${SEEDS} files)`, async ({
    stage,
  }) => {
    const { sessions } = stage;
    for (let seed = 1; seed <= SEEDS; seed += 1) {
      const first = await sessions.import(sourceOf(await extremeFile(seed)), { projectId: null, engine: 'fake' });
      const file = await fileOf(stage, first);
      const second = await sessions.import(sourceOf(file), { projectId: null, engine: 'fake' });

      expect(sessions.list().map((row) => SessionSummary.parse(JSON.parse(JSON.stringify(row))).id)).toHaveLength(2);
      expect(JSON.stringify(await sessions.page(first, null, 100))).not.toBe('');
      expect(await text(exportMarkdown(await sessions.export(first)))).toContain('#');
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

    expect(await codeOf(stage.sessions.import(sourceOf(file), { projectId: null, engine: 'nowhere' }))).toBe('ENGINE_UNKNOWN');
    expect(stage.sessions.list()).toHaveLength(1);
  });
});
