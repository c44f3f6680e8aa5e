import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { noteReading, orSilent, orStuck, reacts, whileAlive } from '#extension/background/alive.ts';

const asked = { frameId: 0, documentId: 'D', url: 'https://a.example/' };

/** A page that answers no ping, on a machine on which timers come so much late. */
const askSilentPage = (): { outcome: Promise<unknown>; pass: (ms: number, lateMs?: number) => Promise<unknown>; answer: () => void } => {
  let now = 0;
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  vi.stubGlobal('chrome', { scripting: { executeScript: () => new Promise(() => {}) } });
  onTestFinished(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
    vi.unstubAllGlobals();
  });
  const work = Promise.withResolvers<string>();
  return {
    outcome: whileAlive(1, asked, false, work.promise).catch((thrown: unknown) => thrown),
    pass: async (ms, lateMs = 0) => {
      now += lateMs;
      for (let step = 0; step < ms; step += 5) {
        now += 5;
        await vi.advanceTimersByTimeAsync(5);
      }
    },
    answer: () => work.resolve('done'),
  };
};

describe('a page that does not answer', () => {
  test('is told within two seconds', async () => {
    const { outcome, pass } = askSilentPage();

    await pass(1_000);
    await pass(850);

    expect(await outcome).toMatchObject({ code: 'TOOL_TIMEOUT' });
  });

  test('is given as long as it took to be read, where that was long', async () => {
    noteReading('D', 3_000);
    onTestFinished(() => noteReading('D', 0));
    const { outcome, pass, answer } = askSilentPage();

    await pass(5_900);
    answer();

    expect(await outcome).toBe('done');
  });

  test('is not waited for as long again, until it answers', async () => {
    const { outcome, pass } = askSilentPage();
    await pass(1_850);
    await outcome;
    const again = orStuck(1, asked).catch((thrown: unknown) => thrown);
    await pass(850);

    expect(await again).toMatchObject({ code: 'TOOL_TIMEOUT' });

    const pings = vi.fn(() => Promise.resolve([]));
    vi.stubGlobal('chrome', { scripting: { executeScript: pings } });
    for (const documentId of ['E', 'D', 'D']) await orStuck(1, { ...asked, documentId });
    expect(pings).toHaveBeenCalledTimes(1);
  });

  test('is left out of what is read after two seconds, and not one that takes long over the answer', async () => {
    const { pass } = askSilentPage();
    const never = (): Promise<string> => new Promise(() => {});
    const silent = orSilent(1, { ...asked, documentId: 'F' }, never).catch((thrown: unknown) => thrown);
    vi.stubGlobal('chrome', { scripting: { executeScript: () => Promise.resolve([]) } });
    const long = Promise.withResolvers<string>();
    const answer = orSilent(1, { ...asked, documentId: 'G' }, () => long.promise);
    await pass(2_000);
    long.resolve('all of it');

    expect(await silent).toMatchObject({ code: 'TOOL_TIMEOUT' });
    expect(await answer).toBe('all of it');

    vi.stubGlobal('chrome', { scripting: { executeScript: never } });
    const again = orStuck(1, { ...asked, frameId: 4, documentId: 'F' }).catch((thrown: unknown) => thrown);
    await pass(100);
    expect(await again).toMatchObject({ code: 'TOOL_TIMEOUT' });
  });

  test('has more time on a machine that has none', async () => {
    const { outcome, pass, answer } = askSilentPage();

    await pass(1_000, 700);
    await pass(850, 600);
    await pass(850, 60);
    answer();

    expect(await outcome).toBe('done');
  });

  test('is told in the end on such a machine, too', async () => {
    const { outcome, pass } = askSilentPage();

    await pass(1_000, 700);
    for (let waits = 0; waits < 10; waits += 1) await pass(850, 600);

    expect(await outcome).toMatchObject({ code: 'TOOL_TIMEOUT' });
  });

  test('leaves no timer behind, however it answers in the end', async () => {
    const { outcome, pass, answer } = askSilentPage();
    await pass(1_500);
    answer();
    await outcome;
    expect(vi.getTimerCount()).toBe(0);

    const pinged = Promise.withResolvers<[]>();
    vi.stubGlobal('chrome', { scripting: { executeScript: () => pinged.promise } });
    const answers = [reacts(1), reacts(1)];
    await pass(500);
    pinged.resolve([]);
    await Promise.all(answers);
    expect(vi.getTimerCount()).toBe(0);

    vi.stubGlobal('chrome', { scripting: { executeScript: () => Promise.reject(new Error('No tab with id: 1.')) } });
    await reacts(1).catch(() => false);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('is not taken for one that hangs on such a machine, when it is to be left', async () => {
    const { pass } = askSilentPage();
    const pinged = Promise.withResolvers<[]>();
    vi.stubGlobal('chrome', { scripting: { executeScript: () => pinged.promise } });
    const answer = reacts(1);

    await pass(1_000, 700);
    pinged.resolve([]);

    expect(await answer).toBe(true);
  });
});
