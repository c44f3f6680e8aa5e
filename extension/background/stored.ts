/** A value in `chrome.storage.session`: it outlives the worker, not the browser. */
import type * as z from 'zod';

export interface Stored<T> {
  load(): Promise<T>;
  /** Resolves when it is stored. */
  save(value: T): Promise<void>;
}

/** What is absent or of an older form reads as `initial`. The worker is the only writer, so it reads once. */
export const createStored = <T>(key: string, schema: z.ZodType<T>, initial: () => T): Stored<T> => {
  let current: Promise<T> | null = null;
  const read = async (): Promise<T> => {
    const parsed = schema.safeParse((await chrome.storage.session.get(key))[key]);
    return parsed.success ? parsed.data : initial();
  };
  return {
    load: () => (current ??= read()),
    save: async (value) => {
      current = Promise.resolve(value);
      await chrome.storage.session.set({ [key]: value });
    },
  };
};
