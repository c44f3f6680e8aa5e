/** What a reader of a stream leaves unread: by Server-sent events and by WebSocket. */

/** How many bytes a reader may leave unread. Beyond that it is told to wait or disconnected, and resumes where it was. */
const MAX_UNREAD_BYTES = 1024 * 1024;

/** What is buffered for one reader. The state with which it began is of any size, and no sign that it is slow. */
export class Unread {
  readonly #bufferedBytes: () => number;
  /** What it has yet to take of what it began with. */
  #beginning = 0;

  constructor(bufferedBytes: () => number) {
    this.#bufferedBytes = bufferedBytes;
  }

  /** All that is buffered now is what it begins with. */
  begin(): void {
    this.#beginning = this.#bufferedBytes();
  }

  /** Whether more would only pile up in memory. */
  isFull(): boolean {
    const buffered = this.#bufferedBytes();
    this.#beginning = Math.min(this.#beginning, buffered);
    return buffered - this.#beginning > MAX_UNREAD_BYTES;
  }
}
