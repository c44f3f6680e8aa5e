/** Where the refs of a tab's next document begin: above all that were given out before, so an old ref never means a new element. */
import * as z from 'zod';
import { createStored } from './stored.ts';

export interface RefBases {
  of(tabId: number): Promise<number>;
  raise(tabId: number, top: number): Promise<void>;
  forget(tabId: number): Promise<void>;
}

export const createRefBases = (): RefBases => {
  const stored = createStored<Record<string, number>>('session', 'refs', z.record(z.string(), z.number()), () => ({}));
  const of = async (tabId: number): Promise<number> => (await stored.load())[tabId] ?? 1;
  return {
    of,
    raise: async (tabId, top) => {
      if (top <= (await of(tabId))) return;
      await stored.save({ ...(await stored.load()), [tabId]: top });
    },
    forget: async (tabId) => {
      const { [tabId]: known, ...others } = await stored.load();
      if (known !== undefined) await stored.save(others);
    },
  };
};
