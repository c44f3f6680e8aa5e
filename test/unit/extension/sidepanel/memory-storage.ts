/** The storage of the panel, in memory. */
import type { Storage } from '#extension/sidepanel/storage.ts';

export type MemoryStorage = Storage & {
  readonly values: Map<string, unknown>;
  /** The same storage, as the panel of another window has it. */
  another(): Storage;
};

type OnSaved = (key: string, value: unknown) => void;

export const createMemory = (): MemoryStorage => {
  const values = new Map<string, unknown>();
  const windows: OnSaved[][] = [];
  const open = (): Storage => {
    const own: OnSaved[] = [];
    windows.push(own);
    // As storage does: a copy.
    const write = (key: string, value: unknown): void => {
      if (value === null) values.delete(key);
      else values.set(key, structuredClone(value));
      for (const others of windows) if (others !== own) for (const onSaved of others) onSaved(key, structuredClone(value));
    };
    return {
      load: async (key, schema) => {
        const value = schema.safeParse(values.get(key));
        return value.success ? value.data : null;
      },
      save: write,
      remove: (key) => write(key, null),
      change: (key, schema, toNext) => {
        const kept = schema.safeParse(values.get(key));
        values.set(key, structuredClone(toNext(kept.success ? kept.data : null)));
      },
      hear: (onSaved) => void own.push(onSaved),
    };
  };
  return { ...open(), values, another: open };
};
