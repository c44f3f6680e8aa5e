/** Server-sent events on a raw response: each event is serialised once and its bytes are shared by all readers. */
import type { ServerResponse } from 'node:http';

/** Bytes a reader may leave unread. Then it is told to wait or dropped; it resumes where it was. */
export const MAX_UNREAD_BYTES = 1024 * 1024;

const HEARTBEAT_MS = 30_000;

export interface SseReader {
  write(bytes: Buffer): void;
  /** Whether more would only pile up in memory. */
  isFull(): boolean;
  /** Calls once when the reader has taken what it was sent. */
  onceDrained(listener: () => void): void;
  onClosed(listener: () => void): void;
  close(): void;
}

interface SseOptions {
  /** Written every 30 s: a named event with data, for a comment never reaches the reader's code. */
  readonly heartbeat: () => Buffer;
}

/** One event as bytes. `name` is left out for ordinary events, `id` for those that are no place to resume from. */
export const toSse = ({ id, name, data }: { id?: string; name?: string; data: unknown }): Buffer =>
  Buffer.from(`${id === undefined ? '' : `id: ${id}\n`}${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`);

export interface SseServer {
  open(response: ServerResponse, options: SseOptions): SseReader;
  count(): number;
  close(): void;
}

/** The streams of one server: they share one timer, and end with it. */
export const createSseServer = (onCount: () => void): SseServer => {
  const readers = new Map<SseReader, SseOptions>();
  let timer: NodeJS.Timeout | null = null;
  const beat = (): void => {
    for (const [reader, { heartbeat }] of readers) if (!reader.isFull()) reader.write(heartbeat());
  };
  const remove = (reader: SseReader): void => {
    readers.delete(reader);
    if (readers.size === 0 && timer !== null) {
      clearInterval(timer);
      timer = null;
    }
    onCount();
  };
  return {
    open: (response, options) => {
      response.writeHead(200, {
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
      });
      // Without this a reader sees nothing, not even that it is connected, until the first event.
      response.flushHeaders();
      const reader: SseReader = {
        write: (bytes) => void response.write(bytes),
        isFull: () => response.writableLength > MAX_UNREAD_BYTES,
        onceDrained: (listener) => void response.once('drain', listener),
        onClosed: (listener) => void response.once('close', listener),
        close: () => void response.destroy(),
      };
      readers.set(reader, options);
      timer ??= setInterval(beat, HEARTBEAT_MS);
      response.on('error', () => response.destroy());
      response.once('close', () => remove(reader));
      onCount();
      return reader;
    },
    count: () => readers.size,
    close: () => {
      for (const reader of readers.keys()) reader.close();
    },
  };
};
