/** Where the refs of a tab's next document begin: above all that were given out before, so an old ref never means a new element. */
import * as z from 'zod';
import { Stored } from './stored.ts';

export class RefBases {
  readonly #stored = new Stored<Record<string, number>>('session', 'refs', z.record(z.string(), z.number()), () => ({}));

  async of(tabId: number): Promise<number> {
    return (await this.#stored.load())[tabId] ?? 1;
  }

  async raise(tabId: number, top: number): Promise<void> {
    await this.#stored.update((all) => (top <= (all[tabId] ?? 1) ? all : { ...all, [tabId]: top }));
  }

  async forget(tabId: number): Promise<void> {
    await this.#stored.update((all) => {
      const { [tabId]: known, ...others } = all;
      return known === undefined ? all : others;
    });
  }
}
