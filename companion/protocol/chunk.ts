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

/** Takes the frames of one direction of one carrier in order; a missing, repeated, reordered or foreign chunk never yields a message. */
export const createJoiner = (): ((frame: unknown) => Joined) => {
  let open: { id: string; count: number; parts: string[]; units: number } | null = null;
  const drop = (reason: string): Joined => {
    open = null;
    return { type: 'invalid', reason };
  };
  return (frame) => {
    if (typeof frame !== 'object' || frame === null || Array.isArray(frame)) return drop('a frame must be an object');
    if (!('type' in frame) || frame.type !== 'chunk') {
      // Chunks of one message are contiguous: any other frame in between means that the rest of it is lost.
      open = null;
      return { type: 'message', value: frame };
    }
    if (!isChunk(frame)) return drop('a chunk is malformed');
    if (open === null) {
      if (frame.index !== 0) return drop('a chunk has no beginning');
      open = { id: frame.id, count: frame.count, parts: [], units: 0 };
    } else if (frame.id !== open.id || frame.count !== open.count || frame.index !== open.parts.length) {
      return drop('a chunk is out of order');
    }
    open.parts.push(frame.data);
    open.units += frame.data.length;
    if (open.units > MAX_MESSAGE_BYTES) return drop('a message is too large');
    if (open.parts.length < open.count) return { type: 'partial' };
    const text = open.parts.join('');
    open = null;
    try {
      return { type: 'message', value: JSON.parse(text) };
    } catch {
      return drop('a chunked message is not JSON');
    }
  };
};

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
