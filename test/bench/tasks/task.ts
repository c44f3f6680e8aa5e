/** What a task of the bench is: a page with a goal, and a script that pursues it with nothing but what a driver's snapshots show. */

/** Numbers from 0 to 1 that are the same for the same seed (mulberry32). */
export const createRandom = (seed: number): Random => {
  let state = seed * 7919 + 13;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (count: number): number => Math.floor(next() * count);
  const some = <T>(values: readonly T[], count: number): T[] => {
    const left = [...values];
    return Array.from({ length: count }, () => left.splice(below(left.length), 1)).flat();
  };
  const pick = <T>(values: readonly T[]): T => {
    const [one] = some(values, 1);
    if (one === undefined) throw new Error('nothing to pick from');
    return one;
  };
  return { below, pick, some };
};

export interface Random {
  /** A whole number from 0 on. */
  below(count: number): number;
  pick<T>(values: readonly T[]): T;
  /** Different ones, in a random order. */
  some<T>(values: readonly T[], count: number): T[];
}

/** Something that a snapshot gives a ref to. */
export interface Thing {
  readonly ref: string;
  /** What the snapshot says of it: role, name, states. */
  readonly line: string;
}

/** Which thing is meant, by what a snapshot says of it. */
export type Which = RegExp | Thing;

/** A place in the view, in CSS pixels. */
export interface Place {
  readonly x: number;
  readonly y: number;
}

/** A driver's tools, one name for the same tool of each. Each method fails when the driver has no such tool, or nothing fits. */
export interface Hands {
  /** The text of the page as the driver shows it. */
  text(): Promise<string>;
  /** All that one thing holds. */
  whole(which: Which): Promise<string>;
  /** What the page shows now that fits. */
  all(which: RegExp): Promise<Thing[]>;
  click(which: Which): Promise<void>;
  /** Presses the words themselves, where they have no ref of their own. */
  clickWords(words: string): Promise<void>;
  type(which: Which, text: string, submits?: boolean): Promise<void>;
  choose(which: Which, options: readonly string[]): Promise<void>;
  hover(which: Which): Promise<void>;
  drag(from: Which, to: Which): Promise<void>;
  press(key: string): Promise<void>;
  clickAt(place: Place): Promise<void>;
  dragAt(from: Place, to: Place): Promise<void>;
  /** Drags words that may have no ref of their own onto others. */
  dragWords(from: string, to: string): Promise<void>;
  scrollToEnd(selector: string): Promise<void>;
  waitFor(text: string): Promise<void>;
  /** What the driver says that flashed within so many seconds, in its order. */
  watch(seconds: number): Promise<Thing[]>;
}

/** One task as a seed makes it. The page calls `done(isRight)` once. */
export interface Task {
  readonly goal: string;
  readonly html: string;
  solve(hands: Hands): Promise<void>;
}

export interface Kind {
  readonly name: string;
  make(random: Random): Task;
}

export const kind = (name: string, make: (random: Random) => Task): Kind => ({ name, make });

export const html = (strings: TemplateStringsArray, ...values: readonly string[]): string => String.raw(strings, ...values);
