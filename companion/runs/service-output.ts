/** The end of what a command has said: a flood costs its limit and no more, and each line the same however much came before. */

const BLOCK_CHARS = 64 * 1024;

export interface Output {
  add(line: string): void;
  read(): { output: string; truncated: boolean };
}

export const createOutput = (limitBytes: number): Output => {
  const blocks: Buffer[] = [];
  let blockBytes = 0;
  let totalBytes = 0;
  let open = '';

  const closeBlock = (): void => {
    const block = Buffer.from(open);
    open = '';
    blocks.push(block);
    blockBytes += block.length;
    totalBytes += block.length;
    for (let first = blocks[0]; first !== undefined && blockBytes - first.length >= limitBytes; first = blocks[0]) {
      blocks.shift();
      blockBytes -= first.length;
    }
  };

  return {
    add: (line) => {
      open += `${line}\n`;
      if (open.length >= BLOCK_CHARS) closeBlock();
    },
    read: () => {
      if (open !== '') closeBlock();
      return { output: endOf(Buffer.concat(blocks), limitBytes), truncated: totalBytes > limitBytes };
    },
  };
};

/** The last bytes, from a whole character on. */
const endOf = (bytes: Buffer, limitBytes: number): string => {
  let from = Math.max(0, bytes.length - limitBytes);
  while (from > 0 && ((bytes[from] ?? 0) & 0xc0) === 0x80) from += 1;
  return bytes.toString('utf8', from);
};
