import { explain } from '#protocol/faults.ts';
import type { Said } from '#protocol/said.ts';
/**
 * Reads a JSON object of any size piece by piece: its members one after the other, and of a member that is a list each element. Only one
 * piece is in memory at a time. What a piece contains is for its reader to parse; around the pieces nothing but JSON is taken.
 *
 * A parser of tokens, @streamparser/json 0.0.26, takes 2.2 times as long for a file that is read several times (39 MiB in 0.9 s), and bounds
 * neither the size nor the depth of a piece, so that one entry of a foreign file could fill the memory.
 */

/** A member of the object, or an element of one that is a list. */
export interface JsonPiece {
  readonly name: string;
  readonly isElement: boolean;
  readonly json: string;
}

/** The text is not what it should be; the message says how, for a person. */
export class JsonPieceError extends Error {
  readonly what: Said;

  constructor(what: Said) {
    super(what.text);
    this.what = what;
  }
}

export interface JsonLimits {
  /** The largest piece. */
  readonly pieceBytes: number;
  /** How deep a piece may be nested. */
  readonly depth: number;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);
const LIST_BEGINS = 0x5b;
const LIST_ENDS = 0x5d;
const OBJECT_BEGINS = 0x7b;
const OBJECT_ENDS = 0x7d;
/** With which some editors and shells begin a file (https://www.rfc-editor.org/rfc/rfc8259#section-8.1). */
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];
const WHITE = new Set([0x20, 0x09, 0x0a, 0x0d]);

/** What may come next outside of pieces. */
type Place = 'object' | 'first name' | 'name' | 'colon' | 'value' | 'first element' | 'element' | 'after element' | 'after member' | 'end';

/** The pieces of the object that these bytes are. */
export async function* jsonMembers(bytes: AsyncIterable<Buffer>, limits: JsonLimits): AsyncGenerator<JsonPiece> {
  const reader = new MemberReader(limits);
  for await (const chunk of bytes) yield* reader.read(chunk);
  reader.finish();
}

class MemberReader {
  readonly #limits: JsonLimits;
  #place: Place = 'object';
  /** How much of a byte order mark has come. */
  #markBytes = 0;
  #name = '';
  /** What came of the piece before this chunk; null outside of pieces. */
  #begun: Buffer[] | null = null;
  #begunBytes = 0;
  #depth = 0;
  #isInString = false;
  #isEscaped = false;

  constructor(limits: JsonLimits) {
    this.#limits = limits;
  }

  *read(chunk: Buffer): Generator<JsonPiece> {
    for (let at = 0; at < chunk.length;) {
      if (this.#begun === null) at = this.#readBetween(chunk, at);
      else {
        const end = this.#endOfPiece(chunk, at);
        this.#add(chunk.subarray(at, end ?? chunk.length));
        if (end === null) return;
        at = end;
        yield* this.#close();
      }
    }
  }

  finish(): void {
    if (this.#place !== 'end') throw new JsonPieceError(explain('file_cut'));
  }

  /** Reads one sign between two pieces; says where the next one is. */
  #readBetween(chunk: Buffer, at: number): number {
    const sign = chunk[at] ?? 0;
    if (WHITE.has(sign)) return at + 1;
    switch (this.#place) {
      case 'object':
        if (sign === BYTE_ORDER_MARK[this.#markBytes]) {
          this.#markBytes += 1;
          return at + 1;
        }
        return this.#go(sign === OBJECT_BEGINS && this.#markBytes % BYTE_ORDER_MARK.length === 0, 'first name', at + 1);
      case 'first name':
      case 'name':
        if (sign === OBJECT_ENDS && this.#place === 'first name') return this.#go(true, 'end', at + 1);
        if (sign !== QUOTE) throw wrong();
        return this.#begin(at);
      case 'colon':
        return this.#go(sign === COLON, 'value', at + 1);
      case 'value':
        return sign === LIST_BEGINS ? this.#go(true, 'first element', at + 1) : this.#begin(at);
      case 'first element':
        return sign === LIST_ENDS ? this.#go(true, 'after member', at + 1) : this.#begin(at);
      case 'element':
        return this.#begin(at);
      case 'after element':
        return sign === COMMA ? this.#go(true, 'element', at + 1) : this.#go(sign === LIST_ENDS, 'after member', at + 1);
      case 'after member':
        return sign === COMMA ? this.#go(true, 'name', at + 1) : this.#go(sign === OBJECT_ENDS, 'end', at + 1);
      case 'end':
        throw wrong();
    }
  }

  #go(isRight: boolean, place: Place, at: number): number {
    if (!isRight) throw wrong();
    this.#place = place;
    return at;
  }

  #begin(at: number): number {
    this.#begun = [];
    this.#begunBytes = 0;
    this.#depth = 0;
    return at;
  }

  #add(part: Buffer): void {
    this.#begunBytes += part.length;
    if (this.#begunBytes > this.#limits.pieceBytes) throw new JsonPieceError(explain('entry_too_large'));
    this.#begun?.push(part);
  }

  /** The index after the piece; null when it goes on in the next chunk. */
  #endOfPiece(chunk: Buffer, from: number): number | null {
    for (let at = from; at < chunk.length; at += 1) {
      const sign = chunk[at] ?? 0;
      if (this.#isInString) {
        if (this.#isEscaped) this.#isEscaped = false;
        else if (sign === BACKSLASH) this.#isEscaped = true;
        else if (sign === QUOTE) {
          this.#isInString = false;
          if (this.#depth === 0) return at + 1;
        }
      } else if (sign === QUOTE) this.#isInString = true;
      else if (OPENING.has(sign)) {
        this.#depth += 1;
        if (this.#depth > this.#limits.depth) throw new JsonPieceError(explain('nested_too_deeply'));
      } else if (CLOSING.has(sign)) {
        // A number or a word ends with what it stands in.
        if (this.#depth === 0) return at;
        this.#depth -= 1;
        if (this.#depth === 0) return at + 1;
      } else if (this.#depth === 0 && (sign === COMMA || WHITE.has(sign))) return at;
    }
    return null;
  }

  *#close(): Generator<JsonPiece> {
    const json = Buffer.concat(this.#begun ?? []).toString('utf8');
    this.#begun = null;
    if (this.#place === 'first name' || this.#place === 'name') {
      this.#name = nameOf(json);
      this.#place = 'colon';
      return;
    }
    const isElement = this.#place !== 'value';
    this.#place = isElement ? 'after element' : 'after member';
    yield { name: this.#name, isElement, json };
  }
}

const nameOf = (json: string): string => {
  try {
    return String(JSON.parse(json));
  } catch {
    throw wrong();
  }
};

const wrong = (): JsonPieceError => new JsonPieceError(explain('not_json'));
