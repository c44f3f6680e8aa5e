/** Keeps the last bytes of a stream, whatever its size. */

/** Used for the stderr of a child: a flood costs at most `maxBytes` and one chunk. */
export class Tail {
  readonly #maxBytes: number;
  readonly #chunks: Buffer[] = [];
  #sizeBytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#sizeBytes += chunk.length;
    for (let [first] = this.#chunks; first !== undefined && this.#sizeBytes - first.length >= this.#maxBytes; [first] = this.#chunks) {
      this.#chunks.shift();
      this.#sizeBytes -= first.length;
    }
  }

  text(): string {
    return Buffer.concat(this.#chunks).subarray(-this.#maxBytes).toString('utf8').trim();
  }
}
