/** What was said elsewhere comes into a new session a slice at a time: by a fork, and from a file of any size. */
import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { describe, expect } from 'vitest';
import type { SessionEvent } from '#protocol/events.ts';
import { ItemId, type SessionId, TurnId } from '#protocol/ids.ts';
import { whyNotImported } from '#protocol/attachment-limits.ts';
import { SearchQuery } from '#protocol/search.ts';
import type { ExportHead, SessionExport } from '#protocol/session-export.ts';
import { exportText } from '#companion/sessions/export.ts';
import { sourceFrom, sourceOf } from '#companion/sessions/import.ts';
import { codeOf, isIdle, type Stage, test } from './stage.ts';

const TURNS = 600;
const HERE = { projectId: null, engine: 'fake' };
const PICTURE = { kind: 'image', name: 'a.png', mimeType: 'image/png', dataBase64: 'iVBORw0KGgo=' } as const;
const never = new AbortController().signal;

/** A session that was exported, and then grew to so many turns. */
const longOne = async (stage: Stage, turns = TURNS): Promise<SessionExport> => {
  const sessionId = await stage.create();
  await stage.sessions.dispatch({ type: 'turn.start', sessionId, prompt: { text: 'say hello', attachments: [PICTURE] } });
  await stage.until(sessionId, isIdle);
  await stage.send(sessionId, 'ask');
  await stage.until(sessionId, ({ requests }) => requests.length === 1);
  await stage.answer(sessionId, 'yes');
  await stage.until(sessionId, isIdle);
  const file: SessionExport = JSON.parse(await text(exportText(await stage.sessions.export(sessionId), stage.store.attachments)));
  const [first, second] = file.turns;
  const [item] = file.items;
  if (first === undefined || second === undefined || item === undefined) throw new Error('nothing was said');
  const numbers = Array.from({ length: turns }, (_, index) => index);
  return {
    ...file,
    turns: [...file.turns, ...numbers.map((index) => ({ ...second, turnId: TurnId.parse(`turn_${index}`) }))],
    items: [
      ...file.items,
      ...numbers.map((index) => ({
        ...item,
        turnId: TurnId.parse(`turn_${index}`),
        itemId: ItemId.parse(`item_${index}`),
        body: said(index),
      })),
      // Something that was still going on in the background.
      { ...item, turnId: TurnId.parse('turn_1'), itemId: ItemId.parse('item_late'), body: said(0) },
    ],
  };
};

const said = (index: number) => ({ kind: 'message', role: 'assistant', text: `number ${index}` }) as const;

const fileOf = (stage: Stage, document: unknown): string => {
  const file = path.join(stage.home, 'session.json');
  writeFileSync(file, JSON.stringify(document));
  return file;
};

/** How many events were stored between two turns of the loop, at most; and who heard of how much was read. */
const watchLoop = ({ store }: Stage) => {
  let most = 0;
  let now = 0;
  let isOver = false;
  const append = store.events.append.bind(store.events);
  Object.assign(store.events, {
    append: (events: readonly SessionEvent[], ...rest: [never]) => {
      now += events.length;
      most = Math.max(most, now);
      append(events, ...rest);
    },
  });
  void (async () => {
    while (!isOver) {
      now = 0;
      await setImmediate();
    }
  })();
  return () => {
    isOver = true;
    return most;
  };
};

const shown = (stage: Stage, sessionId: SessionId) => {
  const { turns, items, answered } = stage.sessions.view(sessionId);
  return {
    turns: turns.map(({ prompt, ...turn }) => ({ ...turn, text: prompt.text, attached: prompt.attachments.length })),
    items: items.map(({ body, ...item }) => ({ ...item, text: body.kind === 'message' ? body.text : body.kind })),
    answered,
  };
};

/** What is left on disk of anything but this session. */
const left = ({ store, paths }: Stage, kept: SessionId) => ({
  sessions: store.sessions.list().map(({ sessionId }) => sessionId),
  events: store.events.lastSeq(kept) > 0,
  attached: store.attached.list().every(({ sessionId }) => sessionId === kept),
  files: readdirSync(paths.attachmentsDir).filter((name) => name.startsWith('att')).length,
});

describe('a long session', () => {
  test('is forked and imported a slice at a time: others work meanwhile, and nobody sees half of it', async ({ stage }) => {
    const document = await longOne(stage);
    const other = await stage.create();
    const seen: number[] = [];
    const stop = watchLoop(stage);
    const source = await sourceFrom(fileOf(stage, document), { signal: never, onRead: (read, total) => seen.push(read / total) });
    const importing = stage.sessions.import(source, HERE);
    await setImmediate();
    const atHalf = stage.sessions.list().length;
    await stage.turn(other, 'say hello');
    const imported = await importing;

    const forking = stage.sessions.dispatch({ type: 'session.fork', sessionId: imported });
    await stage.turn(other, 'say more');
    const { sessionId: forked } = await forking;

    expect(stop()).toBeLessThan(400);
    expect(atHalf).toBe(2);
    expect(seen.toSorted((one, other) => one - other)).toEqual(seen);
    expect(seen.at(-1)).toBe(1);
    const fromBody = await stage.sessions.import(sourceOf(document), HERE);
    expect(shown(stage, imported).turns).toHaveLength(TURNS + 2);
    expect(shown(stage, imported)).toEqual(shown(stage, fromBody));
    expect(shown(stage, forked)).toEqual(shown(stage, imported));
    expect(stage.sessions.view(forked).forkedFrom).toMatchObject({ sessionId: imported, turns: TURNS + 2 });
    // One of a turn that was over stands at its end.
    const late = stage.sessions.view(imported).items.findIndex(({ itemId }) => itemId === 'item_late');
    expect(stage.sessions.view(imported).items[late - 1]?.itemId).toBe('item_1');
    await expect
      .poll(() => stage.sessions.search(SearchQuery.parse({ q: `number ${TURNS - 1}` })).hits.length, { timeout: 30_000 })
      .toBe(3);

    // It goes a slice at a time, too, and its id is free for the next one.
    let turnsOfOthers = 0;
    let isGone = false;
    const others = (async () => {
      for (; !isGone; turnsOfOthers += 1) await setImmediate();
    })();
    const events = stage.store.events.lastSeq(forked);
    const deleting = stage.sessions.dispatch({ type: 'session.delete', sessionId: forked, isForever: true });
    expect(stage.sessions.has(forked)).toBe(false);
    const making = stage.sessions.dispatch({ type: 'session.create', sessionId: forked, projectId: null, engine: 'fake' });
    await Promise.all([deleting, making]);
    isGone = true;
    await others;
    expect(turnsOfOthers).toBeGreaterThanOrEqual(Math.floor(events / 1000));
    expect(stage.store.events.lastSeq(forked)).toBe(1);
    expect(stage.sessions.view(forked).turns).toEqual([]);
  });

  test('leaves none of its attachments behind where the daemon dies before any of the copy is stored', async ({ stage }) => {
    const sessionId = await stage.create();
    const attachments = [{ kind: 'file' as const, name: 'a.txt', mimeType: 'text/plain', dataBase64: 'aGk=' }];
    await stage.sessions.dispatch({ type: 'turn.start', sessionId, prompt: { text: 'say x', attachments } });
    await stage.until(sessionId, isIdle);
    const files = () => readdirSync(stage.paths.attachmentsDir);
    const before = files();
    const dying = stage.store.attachments;
    const copy = dying.copy.bind(dying);
    const { promise: isCopied, resolve } = Promise.withResolvers<void>();
    // What a dead daemon would not do any more is left out.
    const died = (...args: Parameters<typeof copy>) => {
      const ref = copy(...args);
      resolve();
      Object.assign(dying, { remove: () => {} });
      return ref;
    };
    Object.assign(dying, { copy: died });

    const dead = stage.sessions.dispatch({ type: 'session.fork', sessionId });
    await isCopied;
    expect(files()).toHaveLength(2);
    await stage.restart({ isCrash: true });

    await expect.poll(files, { timeout: 30_000 }).toEqual(before);
    await codeOf(dead);
  });

  test('that is given up while it comes in leaves nothing, also when the daemon dies', async ({ stage }) => {
    const document = await longOne(stage);
    const [kept] = stage.sessions.list();
    if (kept === undefined) throw new Error('there is none');
    const before = left(stage, kept.id);
    const file = fileOf(stage, document);
    const untilHalf = (): { signal: AbortSignal; onRead: (done: number, total: number) => void } => {
      const given = new AbortController();
      return { signal: given.signal, onRead: (done, total) => (done / total > 0.9 ? given.abort(new Error('given up')) : undefined) };
    };

    expect(await codeOf(stage.sessions.import(await sourceFrom(file, untilHalf()), HERE))).toContain('given up');
    expect(left(stage, kept.id)).toEqual(before);

    // A daemon that dies in the midst leaves what the next one removes.
    const source = await sourceFrom(file, { signal: never, onRead: () => {} });
    const { promise: isHalf, resolve } = Promise.withResolvers<void>();
    const { promise: goesOn, resolve: goOn } = Promise.withResolvers<void>();
    const append = stage.store.events.append.bind(stage.store.events);
    let stored = 0;
    const halting = async function* () {
      for await (const part of source.parts()) {
        if (stored > 1000) {
          resolve();
          await goesOn;
          throw new Error('its daemon has died');
        }
        yield part;
      }
    };
    Object.assign(stage.store.events, {
      append: (events: readonly SessionEvent[], ...rest: [never]) => {
        stored += events.length;
        append(events, ...rest);
      },
    });
    const dead = stage.sessions.import({ ...source, parts: halting }, HERE);
    await isHalf;
    const { store } = stage;
    await stage.restart({ isCrash: true });
    await expect.poll(() => left(stage, kept.id), { timeout: 30_000 }).toEqual(before);
    expect(stage.sessions.removed()).toEqual([]);
    expect(store.sessions.list()).toHaveLength(1);
    goOn();
    await codeOf(dead);
  });

  test('that is no session, or not whole, makes nothing', async ({ stage }) => {
    const document = await longOne(stage, 3);
    const begin = async (json: string): Promise<string> => {
      writeFileSync(fileOf(stage, {}), json);
      return codeOf(
        (async () =>
          stage.sessions.import(await sourceFrom(path.join(stage.home, 'session.json'), { signal: never, onRead: () => {} }), HERE))(),
      );
    };
    const { session } = document satisfies ExportHead;
    const whole = JSON.stringify(document);
    const wrong = [
      '',
      '{}',
      JSON.stringify({ ...document, version: 2 }),
      JSON.stringify({ ...document, session: { ...session, id: 5 } }),
      JSON.stringify({ ...document, items: [...document.items, document.items[0]] }),
      JSON.stringify({ ...document, turns: document.turns.slice(1) }),
      JSON.stringify({ ...document, items: [{ ...document.items[0], at: 'noon' }] }),
      whole.slice(0, -1),
      whole.slice(0, whole.length / 2),
      `${whole}x`,
    ];

    for (const json of wrong) expect(await begin(json)).toBe('INPUT_INVALID');

    expect(stage.sessions.list()).toHaveLength(1);
    expect(stage.store.sessions.list()).toHaveLength(1);
    expect(await begin(whole)).toBe('none');
    expect(await codeOf(stage.sessions.import(sourceOf(document), { ...HERE, engine: 'nowhere' }))).toBe('ENGINE_UNKNOWN');
  });

  test('may be far larger than an attachment, but not larger than the disk; and it is none', async ({ stage }) => {
    const { uploads } = stage.store.attachments;
    const input = { kind: 'session', name: 'long.json', mimeType: 'application/json', sizeBytes: 2 } as const;
    const refusal = (sizeBytes: number) => codeOf((async () => uploads.begin({ ...input, sizeBytes }))());

    expect(await refusal(100 * 2 ** 20)).toBe('none');
    expect(await refusal(4097 * 2 ** 20)).toBe('INPUT_TOO_LARGE');
    expect(whyNotImported(2 ** 20, 2 ** 20)?.message).toContain('4.0 MiB of the disk; 1.0 MiB are free');
    const { uploadId } = uploads.begin(input);
    uploads.append(uploadId, { offset: 0, dataBase64: 'e30=' });
    const sessionId = await stage.create();
    const prompt = { text: 'say hello', attachments: [{ uploadId }] };
    expect(await codeOf(stage.sessions.dispatch({ type: 'turn.start', sessionId, prompt }))).toBe('INPUT_INVALID');
    const { signal } = uploads.take(uploadId);
    uploads.noteRead(uploadId, 1, 8);
    expect(uploads.state(uploadId)).toEqual({ receivedBytes: 2, sizeBytes: 2, read: { done: 1, total: 8 } });
    uploads.letGo(uploadId);
    expect(signal.aborted).toBe(true);
  });
});
