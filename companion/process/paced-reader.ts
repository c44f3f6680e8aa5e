/** Reads a stream in slices of time: a stream that floods the process must not keep everything else waiting. */
import type { Readable } from 'node:stream';

/** How long one stream may keep the event loop busy before others have their turn. */
const SLICE_MS = 8;
/** How much is handed on before the clock is looked at again. */
const PIECE_BYTES = 8 * 1024;

/** Hands the bytes of `stream` to `take`, in order. A program that writes faster than its lines are read is held up by its full pipe. */
export class PacedReader {
  readonly #stream: Readable;
  readonly #take: (bytes: Buffer) => void;
  #waiting: Buffer[] = [];
  #receivedBytes = 0;
  #sliceEnd = 0;
  #isScheduled = false;

  constructor(stream: Readable, take: (bytes: Buffer) => void) {
    this.#stream = stream;
    this.#take = take;
    stream.on('data', (chunk: Buffer) => this.#receive(chunk));
  }

  /** Bytes that have come so far. */
  get receivedBytes(): number {
    return this.#receivedBytes;
  }

  /** Hands on all that has come, however long it takes: nothing more will come. */
  flush(): void {
    const rest = this.#waiting;
    this.#waiting = [];
    for (const bytes of rest) this.#take(bytes);
  }

  #receive(chunk: Buffer): void {
    this.#receivedBytes += chunk.length;
    for (let at = 0; at < chunk.length; at += PIECE_BYTES) this.#waiting.push(chunk.subarray(at, at + PIECE_BYTES));
    if (!this.#isScheduled) this.#beginSlice();
    if (performance.now() < this.#sliceEnd) this.#work();
    else this.#stream.pause();
  }

  /** What comes before the event loop has served the others belongs to this slice. */
  #beginSlice(): void {
    this.#sliceEnd = performance.now() + SLICE_MS;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      if (this.#waiting.length === 0) return;
      this.#beginSlice();
      this.#work();
    });
  }

  #work(): void {
    const waiting = this.#waiting;
    let done = 0;
    for (; done < waiting.length && (done === 0 || performance.now() < this.#sliceEnd); done += 1) {
      this.#take(waiting[done] ?? Buffer.alloc(0));
    }
    this.#waiting = waiting.slice(done);
    if (this.#waiting.length > 0) this.#stream.pause();
    else if (this.#stream.isPaused()) this.#stream.resume();
  }
}
