/** The calls of browser tools as far as they were read: the newest at first, then those that come, and earlier ones as they are wanted. */
import type { AuditEntry, CallPage } from '#protocol/audit.ts';

/** What is read at one go. */
const PAGE = 200;
/** Earlier ones are read in larger pieces: somebody looks for something. */
const EARLIER_PAGE = 1000;

type Read = (query: { readonly last: number; readonly cursor?: number; readonly after?: number }) => Promise<CallPage>;

export class CallTrail {
  readonly #read: Read;
  #entries: readonly AuditEntry[] | null = null;
  #next: number | null = null;
  #earlier: Promise<void> | null = null;

  constructor(read: Read) {
    this.#read = read;
  }

  /** In the order of time; null until something was read. It is another list when something came to it. */
  get entries(): readonly AuditEntry[] | null {
    return this.#entries;
  }

  get hasEarlier(): boolean {
    return this.#next !== null;
  }

  /** Reads those that came since, at first the newest. */
  async readNewer(): Promise<void> {
    const known = this.#entries;
    if (known === null || known.length === 0) {
      const { entries, next = null } = await this.#read({ last: PAGE });
      [this.#entries, this.#next] = [entries, next];
      return;
    }
    const { entries } = await this.#read({ last: PAGE, after: known.at(-1)?.seq ?? 0 });
    if (entries.length > 0) this.#entries = [...(this.#entries ?? []), ...entries];
  }

  /** Reads those before. Who asks while they are read waits for the same. */
  readEarlier(): Promise<void> {
    this.#earlier ??= this.#readBefore().finally(() => {
      this.#earlier = null;
    });
    return this.#earlier;
  }

  async #readBefore(): Promise<void> {
    if (this.#next === null) return;
    const { entries, next = null } = await this.#read({ last: EARLIER_PAGE, cursor: this.#next });
    [this.#entries, this.#next] = [[...entries, ...(this.#entries ?? [])], next];
  }
}
