/** Server-sent events on a raw response: each event is serialised once and its bytes are shared by all readers. */
import type { ServerResponse } from 'node:http';
import { Unread } from './unread.ts';

const HEARTBEAT_MS = 30_000;

interface SseOptions {
  /** Sent every 30 s. It is a named event with data, because a comment never reaches the reader's code. */
  readonly heartbeat: () => Buffer;
}

/** One event as bytes. `name` is left out for ordinary events, `id` for those after which a reader cannot resume. */
export const toSse = ({ id, name, data }: { id?: string; name?: string; data: unknown }): Buffer =>
  Buffer.from(`${id === undefined ? '' : `id: ${id}\n`}${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`);

/** What Pilotfish's own streams send when there is nothing to say, so that a reader can tell that the connection lives. */
export const heartbeat = (): Buffer => toSse({ name: 'heartbeat', data: { type: 'heartbeat', at: Date.now() } });

/** One connection that reads events. */
export class SseReader {
  readonly #response: ServerResponse;
  readonly #unread: Unread;

  constructor(response: ServerResponse) {
    this.#response = response;
    this.#unread = new Unread(() => response.writableLength);
    response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
    // Without this a reader sees nothing until the first event, not even that it is connected.
    response.flushHeaders();
    response.on('error', () => response.destroy());
  }

  write(bytes: Buffer): void {
    this.#response.write(bytes);
  }

  /** Writes what a reader begins with: that is of any size, and no sign that the reader is slow. */
  begin(bytes: Buffer): void {
    this.#response.write(bytes);
    this.#unread.begin();
  }

  /** Whether more would only pile up in memory. */
  isFull(): boolean {
    return this.#unread.isFull();
  }

  /** Calls the listener once, when the reader has taken what it was sent. */
  onceDrained(listener: () => void): void {
    this.#response.once('drain', listener);
  }

  onClosed(listener: () => void): void {
    this.#response.once('close', listener);
  }

  close(): void {
    this.#response.destroy();
  }

  /** Says that nothing more comes, so that the reader can tell this from a broken connection. */
  end(): void {
    this.#response.end();
  }
}

/** The streams of one server: they share one timer, and end with it. */
export class SseServer {
  readonly #readers = new Map<SseReader, SseOptions>();
  readonly #onCount: () => void;
  #timer: NodeJS.Timeout | null = null;

  /** `onCount` is called when a stream opens or ends. */
  constructor(onCount: () => void) {
    this.#onCount = onCount;
  }

  open(response: ServerResponse, options: SseOptions): SseReader {
    const reader = new SseReader(response);
    this.#readers.set(reader, options);
    this.#timer ??= setInterval(() => this.#beat(), HEARTBEAT_MS);
    reader.onClosed(() => this.#remove(reader));
    this.#onCount();
    return reader;
  }

  count(): number {
    return this.#readers.size;
  }

  close(): void {
    for (const reader of this.#readers.keys()) reader.end();
  }

  #beat(): void {
    for (const [reader, { heartbeat }] of this.#readers) if (!reader.isFull()) reader.write(heartbeat());
  }

  #remove(reader: SseReader): void {
    this.#readers.delete(reader);
    if (this.#readers.size === 0 && this.#timer !== null) {
      clearInterval(this.#timer);
      this.#timer = null;
    }
    this.#onCount();
  }
}
