/** Length-prefixed frames as Chrome's native messaging has them: u32 little-endian, then that many bytes. The private link uses the same. */

export const FRAME_HEADER_BYTES = 4;

/** A body grows from here by doubling, so that a header which announces much costs nothing until it arrives. */
const FIRST_BODY_BYTES = 65_536;

/** One frame with `body` in it. */
export const encodeFrame = (body: string): Buffer => {
  const length = Buffer.byteLength(body);
  const frame = Buffer.allocUnsafe(FRAME_HEADER_BYTES + length);
  frame.writeUInt32LE(length, 0);
  frame.write(body, FRAME_HEADER_BYTES);
  return frame;
};

/** Cuts a byte stream into frame bodies. After a frame above `maxBytes` there is no way back into step: nothing more is read. */
export const createFrameReader = (options: {
  maxBytes: number;
  onFrame: (body: Buffer) => void;
  onTooLarge: (announcedBytes: number) => void;
}): { push(chunk: Buffer): void } => {
  const header = Buffer.alloc(FRAME_HEADER_BYTES);
  let headerBytes = 0;
  let wanted = 0;
  let body = Buffer.alloc(0);
  let bodyBytes = 0;
  let isBroken = false;

  const deliver = (frame: Buffer): void => {
    headerBytes = 0;
    bodyBytes = 0;
    body = Buffer.alloc(0);
    options.onFrame(frame);
  };

  const readHeader = (chunk: Buffer, at: number): number => {
    const taken = chunk.copy(header, headerBytes, at, at + FRAME_HEADER_BYTES - headerBytes);
    headerBytes += taken;
    if (headerBytes < FRAME_HEADER_BYTES) return taken;
    wanted = header.readUInt32LE(0);
    if (wanted > options.maxBytes) {
      isBroken = true;
      options.onTooLarge(wanted);
    } else if (wanted === 0) {
      deliver(Buffer.alloc(0));
    }
    return taken;
  };

  const readBody = (chunk: Buffer, at: number): number => {
    const taken = Math.min(wanted - bodyBytes, chunk.length - at);
    // The usual case, a body inside one chunk, is not copied.
    if (bodyBytes === 0 && taken === wanted) {
      deliver(chunk.subarray(at, at + taken));
      return taken;
    }
    if (bodyBytes + taken > body.length) {
      const grown = Buffer.allocUnsafe(Math.min(wanted, Math.max(FIRST_BODY_BYTES, (bodyBytes + taken) * 2)));
      body.copy(grown, 0, 0, bodyBytes);
      body = grown;
    }
    chunk.copy(body, bodyBytes, at, at + taken);
    bodyBytes += taken;
    if (bodyBytes === wanted) deliver(body.subarray(0, wanted));
    return taken;
  };

  return {
    push: (chunk) => {
      for (let at = 0; at < chunk.length && !isBroken;) {
        at += headerBytes < FRAME_HEADER_BYTES ? readHeader(chunk, at) : readBody(chunk, at);
      }
    },
  };
};
