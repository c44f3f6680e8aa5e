/** Reads a stream in slices of time: a stream that floods the process must not keep everything else waiting. */
import type { Readable } from 'node:stream';

/** How long one stream may keep the event loop busy before others have their turn. */
const SLICE_MS = 8;
/** What is handed on at once: the clock is looked at in between. */
const PIECE_BYTES = 8 * 1024;

export interface PacedReader {
  /** Hands on what has come and was not handed on yet, however long it takes: nothing more will come. */
  flush(): void;
  /** Bytes that have come so far. */
  readonly receivedBytes: number;
}

/** Hands the bytes of `stream` to `take`, in order. A program that writes faster than its lines are read is held up by its full pipe. */
export const readPaced = (stream: Readable, take: (bytes: Buffer) => void): PacedReader => {
  let waiting: Buffer[] = [];
  let receivedBytes = 0;
  let sliceEnd = 0;
  let isScheduled = false;

  const work = (): void => {
    let done = 0;
    for (; done < waiting.length && (done === 0 || performance.now() < sliceEnd); done += 1) take(waiting[done] ?? Buffer.alloc(0));
    waiting = waiting.slice(done);
    if (waiting.length > 0) stream.pause();
    else if (stream.isPaused()) stream.resume();
  };
  /** All that comes until the others had their turn is of one slice. */
  const beginSlice = (): void => {
    sliceEnd = performance.now() + SLICE_MS;
    isScheduled = true;
    setImmediate(() => {
      isScheduled = false;
      if (waiting.length === 0) return;
      beginSlice();
      work();
    });
  };
  stream.on('data', (chunk: Buffer) => {
    receivedBytes += chunk.length;
    for (let at = 0; at < chunk.length; at += PIECE_BYTES) waiting.push(chunk.subarray(at, at + PIECE_BYTES));
    if (!isScheduled) beginSlice();
    if (performance.now() < sliceEnd) work();
    else stream.pause();
  });
  return {
    flush: () => {
      const rest = waiting;
      waiting = [];
      for (const bytes of rest) take(bytes);
    },
    get receivedBytes() {
      return receivedBytes;
    },
  };
};
