/**
 * Regular expressions of an agent on texts of a page: the time grows with the text alone, because all ways through the expression are
 * followed at once and none is tried again. What a single character fits is asked of the language itself. Pure.
 * https://swtch.com/~rsc/regexp/regexp1.html
 *
 * A library for it, re2js, has a syntax of its own and would make the worker, which Chrome starts again and again, 151 KB larger; this
 * is 3.5.
 */

type Place = (line: string, index: number) => boolean;

type Part =
  | { readonly type: 'character'; readonly fits: (character: string) => boolean }
  | { readonly type: 'place'; readonly holds: Place }
  | { readonly type: 'row'; readonly parts: readonly Part[] }
  | { readonly type: 'choice'; readonly ways: readonly Part[] }
  | { readonly type: 'repeated'; readonly part: Part; readonly least: number; readonly most: number };

interface CharacterState {
  readonly type: 'character';
  readonly fits: (character: string) => boolean;
  /** What was asked already. */
  readonly known: Map<string, boolean>;
  readonly next: State;
  step: number;
}

/** Where a way through the expression stands. `step` is the last one in which a way came by. */
type State =
  | CharacterState
  | { readonly type: 'place'; readonly holds: Place; readonly next: State; step: number }
  | { readonly type: 'fork'; nexts: readonly State[]; step: number }
  | { readonly type: 'end'; step: number };

/** A way through the expression, and where in the line it began. */
interface Way {
  readonly state: CharacterState;
  readonly from: number;
}

/** The place in a line that a way has come to, and the ways that go on from there. */
interface Here {
  readonly line: string;
  readonly index: number;
  readonly from: number;
  readonly ways: Way[];
}

const MAX_LENGTH = 1_000;
const MAX_STATES = 1_000;
/** For all lines together: about a second. */
const MAX_STEPS = 20_000_000;
/** Characters that a state remembers. */
const MAX_KNOWN = 1_000;

const TOO_LARGE = 'it is too large; write a shorter one with smaller counts';

export class LinearPattern {
  readonly #begin: State;
  /** One number for each place in each line. */
  #step = 0;
  #left = MAX_STEPS;

  /** Throws a SyntaxError for what is no expression, or none that is understood. */
  constructor(source: string) {
    if (source.length > MAX_LENGTH) throw new SyntaxError(TOO_LARGE);
    // Its own words for what is wrong are the best, and what is below relies on an expression that is right.
    void new RegExp(source, 'iu');
    this.#begin = new Builder().build(new Reader(source).read(), { type: 'end', step: -1 });
  }

  /** Where in a line the expression fits first, or -1. Throws a RangeError when all the lines so far took too long. */
  search(line: string): number {
    let ways: Way[] = [];
    let found = -1;
    let character = '';
    for (let index = 0; ; index += character.length) {
      const next: Way[] = [];
      const take = (state: State, from: number): void => {
        if (this.#leadsToEnd(state, { line, index, from, ways: next }) && (found < 0 || from < found)) found = from;
      };
      this.#step += 1;
      // In the order in which they began: the first way that comes to a state is the one that counts.
      for (const { state, from } of ways) if (this.#fits(state, character)) take(state.next, from);
      if (found < 0) take(this.#begin, index);
      ways = found < 0 ? next : next.filter(({ from }) => from < found);
      if (index >= line.length || (found >= 0 && ways.length === 0)) return found;
      character = String.fromCodePoint(line.codePointAt(index) ?? 0);
    }
  }

  #fits(state: CharacterState, character: string): boolean {
    this.#count();
    const known = state.known.get(character);
    if (known !== undefined) return known;
    const fits = state.fits(character);
    if (state.known.size < MAX_KNOWN) state.known.set(character, fits);
    return fits;
  }

  /** Follows a way up to the next characters that it needs, which are added to `ways`; true when it may end here. */
  #leadsToEnd(begin: State, { line, index, from, ways }: Here): boolean {
    const open = [begin];
    let isAtEnd = false;
    for (let state = open.pop(); state !== undefined; state = open.pop()) {
      this.#count();
      if (state.step === this.#step) continue;
      state.step = this.#step;
      if (state.type === 'character') ways.push({ state, from });
      else if (state.type === 'fork') open.push(...state.nexts);
      else if (state.type === 'end') isAtEnd = true;
      else if (state.holds(line, index)) open.push(state.next);
    }
    return isAtEnd;
  }

  #count(): void {
    this.#left -= 1;
    if (this.#left < 0) throw new RangeError('it takes too long on this page');
  }
}

/** Makes states of parts, from the end to the beginning. */
class Builder {
  #count = 0;

  build(part: Part, next: State): State {
    this.#count += 1;
    if (this.#count > MAX_STATES) throw new SyntaxError(TOO_LARGE);
    switch (part.type) {
      case 'character':
        return { ...part, next, known: new Map(), step: -1 };
      case 'place':
        return { ...part, next, step: -1 };
      case 'row':
        return part.parts.reduceRight((after, one) => this.build(one, after), next);
      case 'choice':
        return { type: 'fork', nexts: part.ways.map((way) => this.build(way, next)), step: -1 };
      case 'repeated':
        return this.#buildRepeated(part, next);
    }
  }

  #buildRepeated({ part, least, most }: Extract<Part, { type: 'repeated' }>, next: State): State {
    let begin = next;
    if (most === Infinity) {
      const loop: State = { type: 'fork', nexts: [next], step: -1 };
      loop.nexts = [this.build(part, loop), next];
      begin = loop;
    } else for (let times = least; times < most; times += 1) begin = { type: 'fork', nexts: [this.build(part, begin), next], step: -1 };
    for (let times = 0; times < least; times += 1) begin = this.build(part, begin);
    return begin;
  }
}

const CHARACTER =
  /\\u[dD][89abAB][\dA-Fa-f]{2}\\u[dD][c-fC-F][\dA-Fa-f]{2}|\\(?:u\{[\dA-Fa-f]+\}|u[\dA-Fa-f]{4}|x[\dA-Fa-f]{2}|c[A-Za-z]|[pP]\{[^}]*\}|[^])|\[(?:\\[^]|[^\]\\])*\]|[^]/uy;
const COUNT = /(?:[*+?]|\{(\d+)(,?)(\d*)\})\??/y;
const GROUP = /\((?:\?(?::|<(?![=!])[^>]*>))?/y;

/** Reads an expression that the language has found right. */
class Reader {
  readonly #source: string;
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  /** Up to the end, or to the bracket that closes a group. */
  read(): Part {
    const ways: Part[] = [this.#readRow()];
    while (this.#take(/\|/y) !== null) ways.push(this.#readRow());
    return { type: 'choice', ways };
  }

  #readRow(): Part {
    const parts: Part[] = [];
    while (this.#at < this.#source.length && !'|)'.includes(this.#source[this.#at] ?? '')) parts.push(this.#readCount(this.#readOne()));
    return { type: 'row', parts };
  }

  #readOne(): Part {
    const group = this.#take(GROUP);
    if (group === null) return toPart(this.#take(CHARACTER)?.[0] ?? '');
    if (this.#source[this.#at] === '?') throw new SyntaxError('it may neither look ahead or behind nor change its flags');
    const part = this.read();
    this.#at += 1;
    return part;
  }

  #readCount(part: Part): Part {
    const count = this.#take(COUNT);
    if (count === null) return part;
    const [sign = '', least, comma, most] = count;
    if (least !== undefined) {
      const end = most === '' ? Infinity : Number(most);
      return { type: 'repeated', part, least: Number(least), most: comma === '' ? Number(least) : end };
    }
    return { type: 'repeated', part, least: sign.startsWith('+') ? 1 : 0, most: sign.startsWith('?') ? 1 : Infinity };
  }

  #take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const taken = pattern.exec(this.#source);
    if (taken !== null) this.#at = pattern.lastIndex;
    return taken;
  }
}

const toPart = (text: string): Part => {
  switch (text) {
    case '^':
      return { type: 'place', holds: (_, index) => index === 0 };
    case '$':
      return { type: 'place', holds: (line, index) => index === line.length };
    case String.raw`\b`:
      return { type: 'place', holds: isWordEdge };
    case String.raw`\B`:
      return { type: 'place', holds: (line, index) => !isWordEdge(line, index) };
    default: {
      if (/^\\[1-9k]/.test(text)) throw new SyntaxError('it may not refer back to what a group has found');
      const pattern = new RegExp(`^${text}$`, 'iu');
      return { type: 'character', fits: (character) => pattern.test(character) };
    }
  }
};

/** As the language has it, letters of other scripts are no part of a word. */
const isWordEdge: Place = (line, index) => isWord(line[index - 1]) !== isWord(line[index]);

const isWord = (character: string | undefined): boolean => character !== undefined && /\w/iu.test(character);
