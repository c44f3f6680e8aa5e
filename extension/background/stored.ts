/** A value in Chrome's storage: `session` outlives the worker, `local` also a reload of the extension and the browser. */
import type * as z from 'zod';

/** The worker is the only writer, so it reads once. What is absent or of an older form reads as `initial`. */
export class Stored<T> {
  readonly #area: 'session' | 'local';
  readonly #key: string;
  readonly #schema: z.ZodType<T>;
  readonly #initial: () => T;
  readonly #toStorable: (value: T) => unknown;
  #current: Promise<T> | null = null;

  /** `toStorable` turns a value into what Chrome can keep, and `schema` turns that back. */
  constructor(
    area: 'session' | 'local',
    key: string,
    schema: z.ZodType<T>,
    initial: () => T,
    toStorable: (value: T) => unknown = (value) => value,
  ) {
    this.#area = area;
    this.#key = key;
    this.#schema = schema;
    this.#initial = initial;
    this.#toStorable = toStorable;
  }

  load(): Promise<T> {
    return (this.#current ??= this.#read());
  }

  /** Makes another value of what it is then, one change after the other; the same value is not stored again. Resolves when it is stored. */
  async update(change: (value: T) => T): Promise<void> {
    const before = this.load();
    const after = before.then(change);
    this.#current = after.catch(() => before);
    const value = await after;
    if (value !== (await before)) await this.#store(value);
  }

  /** Resolves when it is stored. */
  async save(value: T): Promise<void> {
    this.#current = Promise.resolve(value);
    await this.#store(value);
  }

  #store(value: T): Promise<void> {
    return chrome.storage[this.#area].set({ [this.#key]: this.#toStorable(value) });
  }

  async #read(): Promise<T> {
    const parsed = this.#schema.safeParse((await chrome.storage[this.#area].get(this.#key))[this.#key]);
    return parsed.success ? parsed.data : this.#initial();
  }
}
