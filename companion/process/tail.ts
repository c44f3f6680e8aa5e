/** Keeps the last bytes of a stream, whatever its size. */

export interface Tail {
  push(chunk: Buffer): void;
  text(): string;
}

/** For the stderr of a child: a flood costs at most `maxBytes` and one chunk. */
export const createTail = (maxBytes: number): Tail => {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  return {
    push: (chunk) => {
      chunks.push(chunk);
      sizeBytes += chunk.length;
      for (let first = chunks[0]; first !== undefined && sizeBytes - first.length >= maxBytes; first = chunks[0]) {
        chunks.shift();
        sizeBytes -= first.length;
      }
    },
    text: () => Buffer.concat(chunks).subarray(-maxBytes).toString('utf8').trim(),
  };
};
