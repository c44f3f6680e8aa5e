import { afterEach, describe, expect, test, vi } from 'vitest';
import { changeLook, type Look, usualLook, watchLook } from '#extension/shared/look.ts';

/** What a browser keeps for the extension: it is read and written in turns of its own. */
const keep = (stored: Record<string, unknown>): void => {
  const listeners = new Set<(changes: Record<string, { newValue: unknown }>) => void>();
  const later = <T>(work: () => T): Promise<T> => new Promise((resolve) => setImmediate(() => resolve(work())));
  const local = {
    get: (key: string) => later(() => ({ [key]: stored[key] })),
    set: (given: Record<string, unknown>) =>
      later(() => {
        Object.assign(stored, given);
        for (const [key, newValue] of Object.entries(given)) for (const listener of listeners) listener({ [key]: { newValue } });
      }),
    onChanged: {
      addListener: (listener: never) => listeners.add(listener),
      removeListener: (listener: never) => listeners.delete(listener),
    },
  };
  vi.stubGlobal('chrome', { storage: { local } });
};

afterEach(() => void vi.unstubAllGlobals());

describe('the look of the pages', () => {
  test('has both of two changes that are made together, and is told to each page', async () => {
    keep({});
    const seen: Look[] = [];
    const stop = watchLook((look) => seen.push(look));

    await Promise.all([changeLook({ density: 'compact' }), changeLook({ textSize: 'larger' })]);
    stop();

    expect(seen.at(-1)).toEqual({ ...usualLook, density: 'compact', textSize: 'larger' });
  });

  test('is the usual one again, but for the change, where what was kept cannot be read', async () => {
    const stored: Record<string, unknown> = { look: { theme: 'plaid' } };
    keep(stored);

    await changeLook({ theme: 'dark' });

    expect(stored['look']).toEqual({ ...usualLook, theme: 'dark' });
  });
});
