import { rmSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, vi } from 'vitest';
import { SearchIndex } from '#companion/store/search-index.ts';
import type { SessionId } from '#protocol/ids.ts';
import { SearchQuery, type SearchAnswer, type SearchHit } from '#protocol/search.ts';
import { until } from '#test/fixtures/until.ts';
import { test, type Stage } from './stage.ts';

/** All pages of what is found: on a busy machine a page may be short. */
const findAll = (stage: Stage, q: string, more: Partial<SearchQuery> = {}): SearchAnswer => {
  let answer = stage.sessions.search(SearchQuery.parse({ q, ...more }));
  while (answer.next !== null) {
    const next = stage.sessions.search(SearchQuery.parse({ q, ...more, cursor: answer.next }));
    answer = { ...next, titles: answer.titles, hits: [...answer.hits, ...next.hits] };
  }
  return answer;
};
const hitsOf = (stage: Stage, q: string, more: Partial<SearchQuery> = {}): SearchHit[] => findAll(stage, q, more).hits;
const lines = (hits: readonly SearchHit[]): string[] => hits.map(({ kind, snippet }) => `${kind}: ${snippet.text}`);
const caughtUp = (stage: Stage) => until(() => findAll(stage, 'nothing').indexing === null, { what: 'the index to be complete' });

describe('what was said and run', () => {
  test('is found as soon as it is over, the newest first', async ({ stage }) => {
    const sessionId = await stage.create();

    await stage.turn(sessionId, 'say pelicans eat fish');

    const hits = hitsOf(stage, 'pelican');
    expect(lines(hits)).toEqual(['answer: pelicans eat fish', 'prompt: say pelicans eat fish']);
    const [answer] = hits;
    expect(answer).toMatchObject({ sessionId, engineName: 'fake', projectId: null });
    expect(answer?.snippet.marks).toEqual([[0, 7]]);
    expect(stage.sessions.view(sessionId).items.map(({ itemId }) => itemId)).toContain(answer?.itemId);
  });

  test('a Chinese word of two characters is found in the middle of a sentence', async ({ stage }) => {
    await stage.turn(await stage.create(), 'say 请修复登录页面的错误');

    expect(lines(hitsOf(stage, '登录'))).toEqual(['answer: 请修复登录页面的错误', 'prompt: say 请修复登录页面的错误']);
    expect(hitsOf(stage, '录登')).toEqual([]);
  });

  test('a cursor from the future begins at the newest, and after the oldest there is nothing', async ({ stage }) => {
    await stage.turn(await stage.create(), 'say grebe');
    const from = (cursor: string): string[] => lines(hitsOf(stage, 'grebe', { cursor }));

    expect(from('9'.repeat(16))).toEqual(lines(hitsOf(stage, 'grebe')));
    expect(from('0')).toEqual([]);
  });

  test('what streamed before a crash is found by the next daemon', async ({ stage }) => {
    const sessionId = await stage.create();
    await stage.send(sessionId, 'say heron && hang');
    await stage.until(sessionId, (view) => view.items.some(({ body }) => body.kind === 'message' && body.text.includes('heron')));

    await stage.restart({ isCrash: true });
    await caughtUp(stage);

    expect(lines(hitsOf(stage, 'heron'))).toContain('prompt: say heron && hang');
  });

  test('by session, agent, kind and time', async ({ stage }) => {
    const one = await stage.create();
    const other = await stage.create('steerable');
    await stage.turn(one, 'say osprey one');
    await stage.turn(other, 'say osprey two');

    const answers = (more: Partial<SearchQuery>) => lines(hitsOf(stage, 'osprey', { kind: 'answer', ...more }));
    expect(answers({})).toEqual(['answer: osprey two', 'answer: osprey one']);
    expect(answers({ sessionId: one })).toEqual(['answer: osprey one']);
    expect(answers({ engineName: 'steerable' })).toEqual(['answer: osprey two']);
    expect(answers({ engineName: 'nobody' })).toEqual([]);
    expect(answers({ since: '2999-01-01' })).toEqual([]);
    // JavaScript takes these for times.
    for (const since of ['-1', '1.5', '']) expect(SearchQuery.safeParse({ q: 'x', since }).success, since).toBe(false);
    expect(answers({ until: '2000-01-01' })).toEqual([]);
    expect(answers({ since: '2000-01-01', until: '2999-01-01' })).toHaveLength(2);
  });

  test('comes in pages that miss nothing and repeat nothing', async ({ stage }) => {
    const sessionId = await stage.create();
    for (let count = 0; count < 4; count += 1) await stage.turn(sessionId, `say plover ${count}`);

    expect(lines(hitsOf(stage, 'plover', { limit: 3, kind: 'answer' }))).toEqual([3, 2, 1, 0].map((count) => `answer: plover ${count}`));
  });

  test('a long beginning of a word is found, also behind many words that only begin like it', async ({ stage }) => {
    const sessionId = await stage.create();
    await stage.turn(sessionId, 'say kingfisher');
    const view = stage.sessions.view(sessionId);
    const [item] = view.items;
    if (item === undefined) throw new Error('nothing was said');
    stage.store.search.note({
      sessionId,
      doneSeq: null,
      changes: Array.from({ length: 600 }, (_, count) => ({
        type: 'put' as const,
        entry: {
          itemId: `${item.itemId}${count}` as never,
          turnId: item.turnId,
          at: Date.now() + 1000 + count,
          kind: 'answer' as const,
          title: null,
          text: 'kingdom',
        },
      })),
    });

    expect(lines(hitsOf(stage, 'kingfis', { kind: 'answer' }))).toEqual(['answer: kingfisher']);
  });

  test('a session is found by its name, whatever it is called by then', async ({ stage }) => {
    const sessionId = await stage.create();
    await stage.sessions.dispatch({ type: 'session.update', sessionId, name: 'Repair the checkout', settings: {} });

    expect(findAll(stage, 'check').titles).toMatchObject([{ session: { id: sessionId }, marks: [[11, 16]] }]);
    await stage.sessions.dispatch({ type: 'session.update', sessionId, name: 'Something else', settings: {} });
    expect(findAll(stage, 'check').titles).toEqual([]);
  });
});

describe('what is not there any more', () => {
  const withOne = async (stage: Stage): Promise<SessionId> => {
    const sessionId = await stage.create();
    await stage.turn(sessionId, 'say grebe');
    return sessionId;
  };

  test('a deleted session is not found, and is again when it is brought back', async ({ stage }) => {
    const sessionId = await withOne(stage);

    await stage.sessions.dispatch({ type: 'session.delete', sessionId });
    expect(findAll(stage, 'grebe')).toMatchObject({ hits: [], titles: [] });

    await stage.sessions.dispatch({ type: 'session.restore', sessionId });
    expect(hitsOf(stage, 'grebe')).toHaveLength(2);
  });

  test('of a session that was deleted for ever nothing is left on disk', async ({ stage }) => {
    const sessionId = await withOne(stage);
    expect(hitsOf(stage, 'grebe')).toHaveLength(2);

    await stage.sessions.dispatch({ type: 'session.delete', sessionId, isForever: true });

    const db = new DatabaseSync(stage.paths.searchFile, { readOnly: true });
    expect(db.prepare('SELECT (SELECT COUNT(*) FROM entries) + (SELECT COUNT(*) FROM sessions) AS count').get()).toEqual({ count: 0 });
    db.close();
  });

  test('an emptied session has lost its words; an archived one is marked', async ({ stage }) => {
    const emptied = await withOne(stage);
    const archived = await withOne(stage);

    await stage.sessions.dispatch({ type: 'session.reset', sessionId: emptied });
    await stage.sessions.dispatch({ type: 'session.update', sessionId: archived, isArchived: true, settings: {} });

    expect(hitsOf(stage, 'grebe').map(({ sessionId, isArchived }) => [sessionId, isArchived])).toEqual([
      [archived, true],
      [archived, true],
    ]);
  });

  test('a secret that was learned later is not shown', async ({ stage }) => {
    await stage.turn(await stage.create(), 'say the word is hunter2-and-more');
    stage.store.known.learn(['hunter2-and-more']);

    expect(lines(hitsOf(stage, 'word', { kind: 'answer' }))).toEqual(['answer: the word is [secret]']);
  });
});

describe('the index', () => {
  const lose = {
    'is not there': (file: string) => rmSync(file),
    'is no database': (file: string) => writeFileSync(file, 'something else '.repeat(500)),
    'is of another version': (file: string) => {
      const db = new DatabaseSync(file);
      db.exec('PRAGMA user_version = 99');
      db.close();
    },
  };

  for (const [what, damage] of Object.entries(lose)) {
    test(`is made again in the background when it ${what}`, async ({ stage }) => {
      const sessionId = await stage.create();
      await stage.turn(sessionId, 'say bittern');
      await stage.turn(sessionId, 'say stork');
      await stage.sessions.close();
      stage.store.close();
      for (const suffix of ['-wal', '-shm']) rmSync(`${stage.paths.searchFile}${suffix}`, { force: true });
      damage(stage.paths.searchFile);

      await stage.restart({ isCrash: true });
      await caughtUp(stage);

      expect(lines(hitsOf(stage, 'bittern'))).toEqual(['answer: bittern', 'prompt: say bittern']);
      await stage.turn(sessionId, 'say again');
      expect(lines(hitsOf(stage, 'again', { kind: 'answer' }))).toEqual(['answer: again']);
    });
  }

  test('of a search in one session only that one has to be read in', async ({ stage }) => {
    const old = await stage.create();
    await stage.turn(old, 'say bittern');
    await stage.sessions.close();
    stage.store.close();
    for (const suffix of ['', '-wal', '-shm']) rmSync(`${stage.paths.searchFile}${suffix}`, { force: true });
    await stage.restart({ isCrash: true });
    const fresh = await stage.create();

    const indexing = [{}, { sessionId: old }, { sessionId: fresh }].map((scope) => findAll(stage, 'bittern', scope).indexing);

    expect(indexing).toEqual([{ done: 0, total: 1 }, { done: 0, total: 1 }, null]);
    await caughtUp(stage);
    expect(hitsOf(stage, 'bittern', { sessionId: old })).toHaveLength(2);
  });

  test('a daemon that begins again has nothing to read in', async ({ stage }) => {
    await stage.turn(await stage.create(), 'say avocet');

    await stage.restart();

    expect(findAll(stage, 'avocet').indexing).toBeNull();
    expect(hitsOf(stage, 'avocet')).toHaveLength(2);
  });

  test('no start waits for the look at what the index has; it comes before the first prompt that the index is told of', async ({
    stage,
  }) => {
    const sessionId = await stage.create();
    await stage.turn(sessionId, 'say plover');
    const states = vi.spyOn(SearchIndex.prototype, 'states');

    await stage.restart();
    const looksAtStart = states.mock.calls.length;
    await stage.turn(sessionId, 'say curlew');
    states.mockRestore();

    expect(looksAtStart).toBe(0);
    expect(lines(hitsOf(stage, 'plover'))).toEqual(['answer: plover', 'prompt: say plover']);
    expect(lines(hitsOf(stage, 'curlew'))).toEqual(['answer: curlew', 'prompt: say curlew']);
  });
});
