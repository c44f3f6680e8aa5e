/** The storage of the panel, in memory. */
import type { Storage } from '#extension/sidepanel/storage.ts';

export type MemoryStorage = Storage & { readonly values: Map<string, unknown> };

export const createMemory = (): MemoryStorage => {
  const values = new Map<string, unknown>();
  return {
    values,
    load: async (key, schema) => {
      const value = schema.safeParse(values.get(key));
      return value.success ? value.data : null;
    },
    // As storage does: a copy.
    save: (key, value) => void values.set(key, structuredClone(value)),
    remove: (key) => void values.delete(key),
  };
};
