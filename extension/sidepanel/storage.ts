/** What the panel remembers on this machine: drafts, the last choice, what was looked at. Foreign or old values read as absent. */
import type * as z from 'zod';

export interface Storage {
  load<S extends z.ZodType>(key: string, schema: S): Promise<z.output<S> | null>;
  save(key: string, value: unknown): void;
  remove(key: string): void;
}

/** `local` outlives the browser, `session` does not; neither is ever synced. */
export const createStorage = (area: 'local' | 'session'): Storage => {
  // When the storage is full, a draft is lost, but the panel works.
  const ignore = (): void => {};
  return {
    load: async (key, schema) => {
      const stored = await chrome.storage[area].get(key).catch((): Record<string, unknown> => ({}));
      const value = schema.safeParse(stored[key]);
      return value.success ? value.data : null;
    },
    save: (key, value) => void chrome.storage[area].set({ [key]: value }).catch(ignore),
    remove: (key) => void chrome.storage[area].remove(key).catch(ignore),
  };
};
