/** A value in Chrome's storage: `session` outlives the worker, `local` also a reload of the extension and the browser. */
import type * as z from 'zod';

export interface Stored<T> {
  load(): Promise<T>;
  /** Resolves when it is stored. */
  save(value: T): Promise<void>;
}

/**
 * What is absent or of an older form reads as `initial`. The worker is the only writer, so it reads once.
 * `toStorable` turns a value into what Chrome can keep, and `schema` turns that back.
 */
export const createStored = <T>(
  area: 'session' | 'local',
  key: string,
  schema: z.ZodType<T>,
  initial: () => T,
  toStorable: (value: T) => unknown = (value) => value,
): Stored<T> => {
  let current: Promise<T> | null = null;
  const read = async (): Promise<T> => {
    const parsed = schema.safeParse((await chrome.storage[area].get(key))[key]);
    return parsed.success ? parsed.data : initial();
  };
  return {
    load: () => (current ??= read()),
    save: async (value) => {
      current = Promise.resolve(value);
      await chrome.storage[area].set({ [key]: toStorable(value) });
    },
  };
};
