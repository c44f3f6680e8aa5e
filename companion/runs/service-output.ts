/** The end of a command's output: a flood costs its limit and no more, and each line costs the same however much came before. */

const BLOCK_CHARS = 64 * 1024;

export class ServiceOutput {
  readonly #limitBytes: number;
  readonly #blocks: Buffer[] = [];
  #blockBytes = 0;
  #totalBytes = 0;
  /** Lines that do not belong to a block yet. */
  #open = '';

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  add(line: string): void {
    this.#open += `${line}\n`;
    if (this.#open.length >= BLOCK_CHARS) this.#closeBlock();
  }

  read(): { output: string; truncated: boolean } {
    if (this.#open !== '') this.#closeBlock();
    return { output: endOf(Buffer.concat(this.#blocks), this.#limitBytes), truncated: this.#totalBytes > this.#limitBytes };
  }

  #closeBlock(): void {
    const block = Buffer.from(this.#open);
    this.#open = '';
    this.#blocks.push(block);
    this.#blockBytes += block.length;
    this.#totalBytes += block.length;
    for (let first = this.#blocks[0]; first !== undefined && this.#blockBytes - first.length >= this.#limitBytes; first = this.#blocks[0]) {
      this.#blocks.shift();
      this.#blockBytes -= first.length;
    }
  }
}

/** The last bytes, beginning with a whole character. */
const endOf = (bytes: Buffer, limitBytes: number): string => {
  let from = Math.max(0, bytes.length - limitBytes);
  while (from > 0 && ((bytes[from] ?? 0) & 0xc0) === 0x80) from += 1;
  return bytes.toString('utf8', from);
};
