import { describe, expect, vi } from 'vitest';
import { CompanionError } from '#protocol/errors.ts';
import { SearchQuery } from '#protocol/search.ts';
import { warningText } from '#protocol/warnings.ts';
import { HANG_MS } from '#test/fixtures/limits.ts';
import { writeLongSession } from '#test/fixtures/long-session.ts';
import { until } from '#test/fixtures/until.ts';
import { isWhole } from '#test/fixtures/whole.ts';
import { codeOf, isIdle, said, test, type Stage } from './stage.ts';

/** How many turns a long session has. */
const LONG = isWhole ? 10_000 : 300;

/** A disk that is full until `isFull` is set to false. */
const fillDisk = (stage: Stage): { isFull: boolean } => {
  const disk = { isFull: true };
  const { events } = stage.store;
  const append = events.append.bind(events);
  Object.assign(events, {
    append: (...args: Parameters<typeof append>) => {
      if (disk.isFull) throw new CompanionError('STORE_FAILED', 'database or disk is full');
      append(...args);
    },
  });
  return disk;
};

describe('the log of a session', () => {
  test('is the same read in pieces, live, and after a restart', async ({ stage }) => {
    const sessionId = await stage.create();
    const live: number[] = [];
    stage.sessions.subscribe(sessionId, (event) => live.push(event.seq));
    const view = await stage.turn(sessionId, 'stream 300');
    const all = stage.events(sessionId);
    const heard = [...live];

    await stage.restart();
    const page = stage.sessions.read(sessionId, 3, 4);

    expect(heard).toEqual(all.map((event) => event.seq).slice(1));
    expect(page).toEqual(all.slice(3, 7));
    expect(said(stage.sessions.view(sessionId))).toEqual(said(view));
  });

  test('costs far fewer entries than the deltas it was made of', async ({ stage }) => {
    const sessionId = await stage.create();

    const view = await stage.turn(sessionId, 'stream 5000');

    expect(said(view)[0]?.split(' ')).toHaveLength(5001);
    expect(stage.events(sessionId).filter((event) => event.type === 'item.delta').length).toBeLessThan(1000);
  });

  test('goes on after a listener that throws', async ({ stage }) => {
    const sessionId = await stage.create();
    stage.sessions.subscribe(sessionId, () => {
      throw new Error('broken subscriber');
    });

    expect(said(await stage.turn(sessionId, 'say hello'))).toEqual(['hello']);
  });

  test('is listed at a pace, newest first', async ({ stage }) => {
    const [first, second] = [await stage.create(), await stage.create()];
    const { promise, resolve } = Promise.withResolvers<string[]>();
    stage.sessions.subscribeList((list) => {
      if (list.find((row) => row.id === first)?.lastOutcome === 'completed') resolve(list.map((row) => row.id));
    });
    await stage.turn(first, 'say hello');

    expect(await promise).toEqual([first, second]);
  });

  test(`is copied into a fork at one go, however long it is (${LONG} turns), and is found there`, async ({ stage }) => {
    await stage.sessions.close();
    stage.store.close();
    writeLongSession(stage.paths, LONG, 'fake');
    await stage.restart({ isCrash: true });
    const [from] = stage.sessions.list();
    if (from === undefined) throw new Error('no session');
    const notices: unknown[] = [];
    stage.sessions.subscribeNotices((notice) => notices.push(notice));

    const { sessionId } = await stage.sessions.dispatch({ type: 'session.fork', sessionId: from.id });

    const { turns, items } = stage.sessions.view(from.id);
    expect(stage.sessions.view(sessionId)).toMatchObject({ turns, items, forkedFrom: { turns: LONG } });
    expect(notices).toEqual([]);
    const find = () => stage.sessions.search(SearchQuery.parse({ q: `tide ${LONG}`, sessionId }));
    await until(() => find().indexing === null, { what: 'the fork in the index' });
    expect(find().hits).toHaveLength(2);
    await stage.restart();
    expect(stage.sessions.view(sessionId)).toMatchObject({ turns, items });
  });

  test('is no longer in memory when many others were read after it', async ({ stage }) => {
    const ids = await Promise.all(Array.from({ length: 34 }, async () => stage.create()));
    await stage.restart();
    for (const id of ids) stage.sessions.view(id);
    const { views } = stage.store;
    const read = vi.spyOn(views, 'read');
    const [first = expect.unreachable()] = ids;

    await until(() => {
      stage.sessions.view(first);
      return read.mock.calls.length > 0;
    });
  });

  test('of an unknown session is not found', async ({ stage }) => {
    expect(await codeOf(stage.send('nobody' as never, 'hello'))).toBe('SESSION_NOT_FOUND');
    expect(() => stage.sessions.view('nobody' as never)).toThrow(CompanionError);
  });
});

describe('a full disk', () => {
  test('refuses a prompt instead of losing it, and says so', async ({ stage }) => {
    const sessionId = await stage.create();
    const disk = fillDisk(stage);

    expect(await codeOf(stage.send(sessionId, 'say hello', { turnId: 'mine' }))).toBe('STORE_FAILED');
    disk.isFull = false;
    await stage.send(sessionId, 'say hello', { turnId: 'mine' });

    expect(said(await stage.until(sessionId, isIdle))).toEqual(['hello']);
  });

  test('keeps nobody from stopping an agent', async ({ stage }) => {
    const sessionId = await stage.create();
    await stage.send(sessionId, 'slow');
    await stage.until(sessionId, (view) => said(view).length > 0);
    const disk = fillDisk(stage);

    await stage.sessions.dispatch({ type: 'turn.cancel', sessionId });
    await expect.poll(() => stage.trace().includes('in interrupt')).toBe(true);
    disk.isFull = false;

    expect((await stage.until(sessionId, isIdle)).turns[0]?.status).toBe('cancelled');
  });

  test('holds back what a working engine says until there is space, and loses nothing', async ({ stage }) => {
    const sessionId = await stage.create();
    await stage.turn(sessionId, 'say warm');
    await stage.send(sessionId, 'ask');
    await stage.until(sessionId, (view) => view.requests.length === 1);
    await stage.send(sessionId, 'say after');
    await stage.answer(sessionId, 'yes');
    const disk = fillDisk(stage);
    // Who follows the list is told when to look at the warnings.
    const seen: (readonly string[])[] = [];
    const isTold = (count: number) => async () => expect(seen.at(-1)).toHaveLength(count);
    stage.sessions.subscribeList(() => seen.push(stage.sessions.warnings.map(warningText)));

    await vi.waitFor(isTold(1), { timeout: HANG_MS, interval: 5 });
    expect(seen.at(-1)).toEqual([expect.stringContaining('The history cannot be written')]);
    disk.isFull = false;
    await vi.waitFor(isTold(0), { timeout: HANG_MS, interval: 5 });
    const view = await stage.until(sessionId, (now) => isIdle(now) && said(now).includes('after'));

    expect(said(view)).toEqual(['warm', 'you said yes', 'after']);
    expect(stage.events(sessionId).map((event) => event.seq)).toEqual(stage.events(sessionId).map((_, index) => index + 1));
    expect(stage.sessions.warnings).toEqual([]);
  });
});

test('a question that cannot be stored fails, for nobody would see it; what an agent says waits', async ({ stage }) => {
  const sessionId = await stage.create();
  const disk = fillDisk(stage);
  const ask = (): Promise<unknown> =>
    stage.sessions.ask(
      sessionId,
      { kind: 'consent', title: 'Click?', options: [{ optionId: 'once', label: 'Allow once', kind: 'allow_once' }] },
      new AbortController().signal,
    );

  expect(await codeOf(ask())).toBe('STORE_FAILED');
  expect(stage.sessions.view(sessionId).requests).toEqual([]);
  disk.isFull = false;
  const asked = ask();
  await stage.answer(sessionId, 'once');

  expect(await asked).toMatchObject({ optionId: 'once' });
});
