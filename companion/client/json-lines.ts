/** Splits a byte stream into lines, wherever it is cut. */
import type { Readable } from 'node:stream';

/** Yields each whole line; the rest at the end without a newline is dropped. */
export async function* readLines(stream: Readable): AsyncGenerator<string> {
  let rest: Buffer[] = [];
  for await (const chunk of stream) {
    if (!Buffer.isBuffer(chunk)) continue;
    let start = 0;
    for (let end = chunk.indexOf('\n'); end >= 0; end = chunk.indexOf('\n', start)) {
      rest.push(chunk.subarray(start, end));
      yield Buffer.concat(rest).toString();
      rest = [];
      start = end + 1;
    }
    if (start < chunk.length) rest.push(chunk.subarray(start));
  }
}
