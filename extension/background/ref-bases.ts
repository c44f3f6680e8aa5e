/** Where the refs of a tab's next document begin: above all that were given out before, so an old ref never means a new element. */
import * as z from 'zod';
import { Stored } from './stored.ts';

export class RefBases {
  readonly #stored = new Stored<Record<string, number>>('session', 'refs', z.record(z.string(), z.number()), () => ({}));

  async of(tabId: number): Promise<number> {
    return (await this.#stored.load())[tabId] ?? 1;
  }

  async raise(tabId: number, top: number): Promise<void> {
    if (top <= (await this.of(tabId))) return;
    await this.#stored.save({ ...(await this.#stored.load()), [tabId]: top });
  }

  async forget(tabId: number): Promise<void> {
    const { [tabId]: known, ...others } = await this.#stored.load();
    if (known !== undefined) await this.#stored.save(others);
  }
}
