import { describe, expect, test } from 'vitest';
import type { OpenedWindow } from '#companion/desktop/desktop.ts';
import { Errands } from '#companion/desktop/errands.ts';
import { CompanionError } from '#protocol/errors.ts';
import type { Errand } from '#protocol/errands.ts';

const login: Errand = {
  type: 'log_in',
  name: 'claude',
  label: 'Claude',
  shown: 'claude login',
  command: '/bin/claude',
  args: ['login'],
  env: {},
};

/** Errands with a clock that the test sets, and the ids of the windows that were opened. */
const stage = () => {
  const clock = { nowMs: 0 };
  const ids: string[] = [];
  const errands = new Errands(() => clock.nowMs);
  const open = async ([command, id = '']: readonly string[]): Promise<OpenedWindow> => {
    expect(command).toBe('errand');
    ids.push(id);
    return { settled: Promise.resolve() };
  };
  return { clock, ids, errands, open };
};

describe('what a window was opened for', () => {
  test('is taken once, and by its id only', async () => {
    const { errands, open, ids } = stage();
    await errands.send(login, open);

    expect(() => errands.take('errand_other')).toThrow(CompanionError);
    expect(errands.take(ids[0] ?? '')).toEqual(login);
    expect(() => errands.take(ids[0] ?? '')).toThrow(expect.objectContaining({ code: 'ERRAND_GONE' }));
  });

  test('is gone after three minutes', async () => {
    const { errands, open, ids, clock } = stage();
    await errands.send(login, open);
    clock.nowMs = 3 * 60_000;

    expect(() => errands.take(ids[0] ?? '')).toThrow(expect.objectContaining({ code: 'ERRAND_GONE' }));
  });

  test('is gone where no window could be opened', async () => {
    const { errands } = stage();
    const fail = (): Promise<never> => Promise.reject(new CompanionError('DESKTOP_FAILED'));

    for (let time = 0; time < 9; time += 1) await expect(errands.send(login, fail)).rejects.toMatchObject({ code: 'DESKTOP_FAILED' });

    await errands.send(login, stage().open);
  });

  test('fills no screen with windows: three may be on their way', async () => {
    const { errands, open, ids, clock } = stage();
    for (let time = 0; time < 3; time += 1) await errands.send(login, open);

    await expect(errands.send(login, open)).rejects.toMatchObject({ code: 'DESKTOP_FAILED' });
    expect(ids).toHaveLength(3);
    errands.take(ids[0] ?? '');
    await errands.send(login, open);
    clock.nowMs = 3 * 60_000;
    await errands.send(login, open);
    expect(ids).toHaveLength(5);
  });

  test('is gone where the window has closed at once, and the caller is told', async () => {
    const { errands, ids } = stage();
    const closes = async ([, id = '']: readonly string[]): Promise<OpenedWindow> => {
      ids.push(id);
      return { settled: Promise.reject(new CompanionError('DESKTOP_FAILED')) };
    };

    await expect(errands.send(login, closes)).rejects.toMatchObject({ code: 'DESKTOP_FAILED' });

    expect(() => errands.take(ids[0] ?? '')).toThrow(expect.objectContaining({ code: 'ERRAND_GONE' }));
  });

  test('is on its way no longer than until it is taken', async () => {
    const { errands } = stage();

    // A window of which nobody hears again.
    await errands.send(login, async ([, id = '']) => {
      queueMicrotask(() => errands.take(id));
      return { settled: new Promise(() => {}) };
    });
  });

  test('is not given any more when it was withdrawn', async () => {
    const { errands, open, ids } = stage();
    const withdrawn = new AbortController();
    await errands.send(login, open, withdrawn.signal);
    withdrawn.abort();

    expect(() => errands.take(ids[0] ?? '')).toThrow(expect.objectContaining({ code: 'ERRAND_GONE' }));
  });

  test('opens ten windows within ten minutes at most, whatever becomes of them', async () => {
    const { errands, open, ids, clock } = stage();
    for (let time = 0; time < 10; time += 1) {
      await errands.send(login, open);
      errands.take(ids[time] ?? '');
    }

    await expect(errands.send(login, open)).rejects.toMatchObject({ code: 'DESKTOP_FAILED' });
    expect(ids).toHaveLength(10);
    clock.nowMs = 10 * 60_000;
    await errands.send(login, open);
  });
});
