/** Splits one JSON message into frames that every carrier takes, and joins them again: byte-identical or not at all. */
import { MAX_MESSAGE_BYTES } from './version.ts';

/** UTF-16 units per chunk. Escaping and UTF-8 make at most 3 bytes of one, so a frame stays under 1 MiB. */
const CHUNK_UNITS = 300_000;

/** A message of at most this many units needs no chunking. */
const WHOLE_UNITS = 340_000;

export interface ChunkFrame {
  readonly type: 'chunk';
  readonly id: string;
  readonly index: number;
  readonly count: number;
  readonly data: string;
}

/** The frames, as JSON texts, that carry the message `json`; `id` names the message on this carrier. */
export const splitMessage = (json: string, id: string): string[] => {
  if (json.length <= WHOLE_UNITS) return [json];
  const count = Math.ceil(json.length / CHUNK_UNITS);
  return Array.from({ length: count }, (_, index) =>
    JSON.stringify({
      type: 'chunk',
      id,
      index,
      count,
      data: json.slice(index * CHUNK_UNITS, (index + 1) * CHUNK_UNITS),
    } satisfies ChunkFrame),
  );
};

export type Joined = { type: 'message'; value: unknown } | { type: 'partial' } | { type: 'invalid'; reason: string };

/** Joins the frames of one direction of one carrier; a missing, repeated, reordered or foreign chunk never yields a message. */
export class Joiner {
  #open: { readonly id: string; readonly count: number; readonly parts: string[]; units: number } | null = null;

  /** Takes the next frame. */
  take(frame: unknown): Joined {
    if (typeof frame !== 'object' || frame === null || Array.isArray(frame)) return this.#drop('a frame must be an object');
    if (!('type' in frame) || frame.type !== 'chunk') {
      // Chunks of one message are contiguous: any other frame in between means that the rest of it is lost.
      this.#open = null;
      return { type: 'message', value: frame };
    }
    return isChunk(frame) ? this.#add(frame) : this.#drop('a chunk is malformed');
  }

  #add(chunk: ChunkFrame): Joined {
    if (this.#open === null) {
      if (chunk.index !== 0) return this.#drop('a chunk has no beginning');
      this.#open = { id: chunk.id, count: chunk.count, parts: [], units: 0 };
    } else if (chunk.id !== this.#open.id || chunk.count !== this.#open.count || chunk.index !== this.#open.parts.length) {
      return this.#drop('a chunk is out of order');
    }
    const open = this.#open;
    open.parts.push(chunk.data);
    open.units += chunk.data.length;
    if (open.units > MAX_MESSAGE_BYTES) return this.#drop('a message is too large');
    if (open.parts.length < open.count) return { type: 'partial' };
    this.#open = null;
    try {
      return { type: 'message', value: JSON.parse(open.parts.join('')) };
    } catch {
      return this.#drop('a chunked message is not JSON');
    }
  }

  #drop(reason: string): Joined {
    this.#open = null;
    return { type: 'invalid', reason };
  }
}

const isChunk = (frame: object): frame is ChunkFrame =>
  'id' in frame &&
  typeof frame.id === 'string' &&
  'index' in frame &&
  Number.isInteger(frame.index) &&
  'count' in frame &&
  typeof frame.count === 'number' &&
  Number.isInteger(frame.count) &&
  frame.count >= 1 &&
  frame.count <= Math.ceil(MAX_MESSAGE_BYTES / CHUNK_UNITS) + 1 &&
  'data' in frame &&
  typeof frame.data === 'string' &&
  frame.data.length <= CHUNK_UNITS;
