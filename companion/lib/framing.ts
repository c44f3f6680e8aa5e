/**
 * Length-prefixed frames as Chrome's native messaging has them: u32 little-endian, then that many bytes. The private link uses the same.
 * https://developer.chrome.com/docs/extensions/develop/concepts/native-messaging#native-messaging-host-protocol
 */

export const FRAME_HEADER_BYTES = 4;

/** The room for a body begins with this and doubles, so that a header which announces much costs nothing until the bytes arrive. */
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
export class FrameReader {
  readonly #maxBytes: number;
  readonly #onFrame: (body: Buffer) => void;
  readonly #onTooLarge: (announcedBytes: number) => void;
  readonly #header = Buffer.alloc(FRAME_HEADER_BYTES);
  #headerBytes = 0;
  #wanted = 0;
  #body = Buffer.alloc(0);
  #bodyBytes = 0;
  #isBroken = false;

  /** `onTooLarge` gets the size that a frame announced and may not have. */
  constructor(options: { maxBytes: number; onFrame: (body: Buffer) => void; onTooLarge: (announcedBytes: number) => void }) {
    this.#maxBytes = options.maxBytes;
    this.#onFrame = options.onFrame;
    this.#onTooLarge = options.onTooLarge;
  }

  push(chunk: Buffer): void {
    for (let at = 0; at < chunk.length && !this.#isBroken;) {
      at += this.#headerBytes < FRAME_HEADER_BYTES ? this.#readHeader(chunk, at) : this.#readBody(chunk, at);
    }
  }

  #readHeader(chunk: Buffer, at: number): number {
    const taken = chunk.copy(this.#header, this.#headerBytes, at, at + FRAME_HEADER_BYTES - this.#headerBytes);
    this.#headerBytes += taken;
    if (this.#headerBytes < FRAME_HEADER_BYTES) return taken;
    this.#wanted = this.#header.readUInt32LE(0);
    if (this.#wanted > this.#maxBytes) {
      this.#isBroken = true;
      this.#onTooLarge(this.#wanted);
    } else if (this.#wanted === 0) {
      this.#deliver(Buffer.alloc(0));
    }
    return taken;
  }

  #readBody(chunk: Buffer, at: number): number {
    const taken = Math.min(this.#wanted - this.#bodyBytes, chunk.length - at);
    // The usual case, a body inside one chunk, is not copied.
    if (this.#bodyBytes === 0 && taken === this.#wanted) {
      this.#deliver(chunk.subarray(at, at + taken));
      return taken;
    }
    this.#makeRoom(this.#bodyBytes + taken);
    chunk.copy(this.#body, this.#bodyBytes, at, at + taken);
    this.#bodyBytes += taken;
    if (this.#bodyBytes === this.#wanted) this.#deliver(this.#body.subarray(0, this.#wanted));
    return taken;
  }

  #makeRoom(bytes: number): void {
    if (bytes <= this.#body.length) return;
    const grown = Buffer.allocUnsafe(Math.min(this.#wanted, Math.max(FIRST_BODY_BYTES, bytes * 2)));
    this.#body.copy(grown, 0, 0, this.#bodyBytes);
    this.#body = grown;
  }

  #deliver(frame: Buffer): void {
    this.#headerBytes = 0;
    this.#bodyBytes = 0;
    this.#body = Buffer.alloc(0);
    this.#onFrame(frame);
  }
}
