/** Reads a file of lines from its end. */
import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';

const BLOCK_BYTES = 256 * 1024;
const NEW_LINE = 10;

/** Its lines that are not empty, the last one first; none where there is no such file. */
export function* linesFromEnd(file: string, blockBytes = BLOCK_BYTES): Generator<string> {
  if (!existsSync(file)) return;
  const fd = openSync(file, 'r');
  try {
    // What stands before the first end of a line in a block goes on in the block before it.
    let begun: Buffer[] = [];
    for (let end = fstatSync(fd).size; end > 0;) {
      const start = Math.max(0, end - blockBytes);
      const block = Buffer.alloc(end - start);
      readSync(fd, block, 0, block.length, start);
      end = start;
      const first = start === 0 ? -1 : block.indexOf(NEW_LINE);
      const isWhole = start === 0 || first >= 0;
      begun.unshift(isWhole ? block.subarray(first + 1) : block);
      if (!isWhole) continue;
      const lines = Buffer.concat(begun).toString('utf8').split('\n');
      begun = start === 0 ? [] : [block.subarray(0, first + 1)];
      for (const line of lines.toReversed()) if (line !== '') yield line;
    }
  } finally {
    closeSync(fd);
  }
}
