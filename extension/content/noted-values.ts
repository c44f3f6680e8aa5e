/** What was held for a time, without each beginning of it that stood there while it was typed. */

export class NotedValues {
  readonly #values = new Set<string>();
  readonly #max: number;
  /** Those that were noted last, and may grow. */
  #growing: readonly string[] = [];

  /** Beyond `max` values the one that was noted first is forgotten. */
  constructor(max: number) {
    this.#max = max;
  }

  get values(): readonly string[] {
    return [...this.#values];
  }

  /** What is held now, whole. */
  add(values: readonly string[]): void {
    this.#growing = [];
    this.#note(values);
  }

  /** What is held now, in the midst of typing: one that goes on takes the place of its beginning, and of one that is erased the longest is kept. */
  grow(values: readonly string[]): void {
    const fresh = values.filter((value) => !this.#growing.some((before) => before.includes(value)));
    if (fresh.length === 0) return;
    for (const before of this.#growing) if (fresh.some((value) => value.includes(before))) this.#values.delete(before);
    // What was held whole before is a value of its own.
    this.#growing = fresh.filter((value) => !this.#values.has(value));
    this.#note(fresh);
  }

  #note(values: readonly string[]): void {
    for (const value of values) {
      this.#values.delete(value);
      this.#values.add(value);
    }
    for (const oldest of this.#values) {
      if (this.#values.size <= this.#max) return;
      this.#values.delete(oldest);
    }
  }
}
