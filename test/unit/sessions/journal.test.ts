import { describe, expect } from 'vitest';
import { CompanionError } from '#protocol/errors.ts';
import { codeOf, isIdle, said, test, type World } from './world.ts';

/** A disk that is full until `isFull` is set to false. */
const fillDisk = (world: World): { isFull: boolean } => {
  const disk = { isFull: true };
  const { events } = world.store;
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
  test('is the same read in pieces, live, and after a restart', async ({ world }) => {
    const sessionId = await world.create();
    const live: number[] = [];
    world.sessions.subscribe(sessionId, (event) => live.push(event.seq));
    const view = await world.turn(sessionId, 'stream 300');
    const all = world.events(sessionId);
    const heard = [...live];

    await world.restart();
    const page = world.sessions.read(sessionId, 3, 4);

    expect(heard).toEqual(all.map((event) => event.seq).slice(1));
    expect(page).toEqual(all.slice(3, 7));
    expect(said(world.sessions.view(sessionId))).toEqual(said(view));
  });

  test('costs far fewer entries than the deltas it was made of', async ({ world }) => {
    const sessionId = await world.create();

    const view = await world.turn(sessionId, 'stream 5000');

    expect(said(view)[0]?.split(' ')).toHaveLength(5001);
    expect(world.events(sessionId).filter((event) => event.type === 'item.delta').length).toBeLessThan(1000);
  });

  test('goes on after a listener that throws', async ({ world }) => {
    const sessionId = await world.create();
    world.sessions.subscribe(sessionId, () => {
      throw new Error('broken subscriber');
    });

    expect(said(await world.turn(sessionId, 'say hello'))).toEqual(['hello']);
  });

  test('is listed at a pace, newest first', async ({ world }) => {
    const [first, second] = [await world.create(), await world.create()];
    const { promise, resolve } = Promise.withResolvers<string[]>();
    world.sessions.subscribeList((list) => {
      if (list.find((row) => row.id === first)?.lastOutcome === 'completed') resolve(list.map((row) => row.id));
    });
    await world.turn(first, 'say hello');

    expect(await promise).toEqual([first, second]);
  });

  test('of an unknown session is not found', async ({ world }) => {
    expect(await codeOf(world.send('nobody' as never, 'hello'))).toBe('SESSION_NOT_FOUND');
    expect(() => world.sessions.view('nobody' as never)).toThrow(CompanionError);
  });
});

describe('a full disk (R19)', () => {
  test('refuses a prompt instead of losing it, and says so', async ({ world }) => {
    const sessionId = await world.create();
    const disk = fillDisk(world);

    expect(await codeOf(world.send(sessionId, 'say hello', { turnId: 'mine' }))).toBe('STORE_FAILED');
    disk.isFull = false;
    await world.send(sessionId, 'say hello', { turnId: 'mine' });

    expect(said(await world.until(sessionId, isIdle))).toEqual(['hello']);
  });

  test('holds back what a working engine says until there is space, and loses nothing', async ({ world }) => {
    const sessionId = await world.create();
    await world.turn(sessionId, 'say warm');
    await world.send(sessionId, 'ask');
    await world.until(sessionId, (view) => view.requests.length === 1);
    await world.send(sessionId, 'say after');
    await world.answer(sessionId, 'yes');
    const disk = fillDisk(world);
    const { promise: held, resolve } = Promise.withResolvers<void>();
    const look = setInterval(() => {
      if (world.sessions.warnings.length > 0) resolve();
    }, 5);

    await held;
    clearInterval(look);
    disk.isFull = false;
    const view = await world.until(sessionId, (seen) => isIdle(seen) && said(seen).includes('after'));

    expect(said(view)).toEqual(['warm', 'you said yes', 'after']);
    expect(world.events(sessionId).map((event) => event.seq)).toEqual(world.events(sessionId).map((_, index) => index + 1));
    expect(world.sessions.warnings).toEqual([]);
  });
});
