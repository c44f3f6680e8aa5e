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

  /** Resolves when it is stored. */
  async save(value: T): Promise<void> {
    this.#current = Promise.resolve(value);
    await chrome.storage[this.#area].set({ [this.#key]: this.#toStorable(value) });
  }

  async #read(): Promise<T> {
    const parsed = this.#schema.safeParse((await chrome.storage[this.#area].get(this.#key))[this.#key]);
    return parsed.success ? parsed.data : this.#initial();
  }
}
