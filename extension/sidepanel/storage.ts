/** What the panel remembers on this machine: drafts, what was not sent, the last choice, what was looked at. Foreign or old values read as absent. */
import * as z from 'zod';

export interface Storage {
  load<S extends z.ZodType>(key: string, schema: S): Promise<z.output<S> | null>;
  save(key: string, value: unknown): void;
  remove(key: string): void;
  /** Makes another value of what is kept then. Of two changes made at one moment, in two windows too, neither takes back the other. */
  change<S extends z.ZodType>(key: string, schema: S, toNext: (kept: z.output<S> | null) => unknown): void;
  /** Calls back with what the panel of another window saves from now on; what it removes is null. */
  hear(onSaved: (key: string, value: unknown) => void): void;
}

const Saved = z.object({ key: z.string(), value: z.unknown() });

/** It outlives the browser, has room for large files, and is never synced. */
export const createStorage = (): Storage => {
  const name = 'storage local';
  let others: BroadcastChannel | null = null;
  // When the disk is full, a draft is lost, but the panel works.
  const ignore = (): void => {};
  const load = async <S extends z.ZodType>(key: string, schema: S): Promise<z.output<S> | null> => {
    const stored = await chrome.storage.local.get(key).catch((): Record<string, unknown> => ({}));
    const value = schema.safeParse(stored[key]);
    return value.success ? value.data : null;
  };
  return {
    load,
    save: (key, value) => {
      void chrome.storage.local.set({ [key]: value }).catch(ignore);
      others?.postMessage({ key, value });
    },
    remove: (key) => {
      void chrome.storage.local.remove(key).catch(ignore);
      others?.postMessage({ key, value: null });
    },
    change: (key, schema, toNext) =>
      void navigator.locks
        .request(`${name} ${key}`, async () => chrome.storage.local.set({ [key]: toNext(await load(key, schema)) }))
        .catch(ignore),
    hear: (onSaved) => {
      others = new BroadcastChannel(name);
      others.addEventListener('message', ({ data }) => {
        const saved = Saved.safeParse(data);
        if (saved.success) onSaved(saved.data.key, saved.data.value);
      });
    },
  };
};
