/**
 * The host copies bytes and keeps no message. It only needs to know where a frame begins, so that Chrome never gets one that is
 * too large for it, and whether the last one is the daemon's leave.
 */
import { RESTING_FRAME } from '#protocol/version.ts';
import { FRAME_HEADER_BYTES } from '#companion/lib/framing.ts';

/** `pass` may go on; `tooLarge` is the announced size of a frame that may not, or null. */
export interface Passage {
  readonly pass: Buffer;
  readonly tooLarge: number | null;
}

/** Watches one direction. A header goes on only once it is whole and announces at most `maxBytes`. */
export class FrameGuard {
  readonly #maxBytes: number;
  /** The beginning of a header. */
  #held: Buffer = Buffer.alloc(0);
  #bodyLeft = 0;
  /** The body of the newest frame, when it has the length of the daemon's leave; otherwise empty. */
  #farewell = '';
  #isFarewellLong = false;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  check(chunk: Buffer): Passage {
    const bytes = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    this.#held = Buffer.alloc(0);
    let at = 0;
    while (at < bytes.length) {
      if (this.#bodyLeft > 0) {
        const taken = Math.min(this.#bodyLeft, bytes.length - at);
        if (this.#isFarewellLong) this.#farewell += bytes.toString('latin1', at, at + taken);
        this.#bodyLeft -= taken;
        at += taken;
      } else if (bytes.length - at < FRAME_HEADER_BYTES) {
        this.#held = bytes.subarray(at);
        break;
      } else {
        const announced = bytes.readUInt32LE(at);
        if (announced > this.#maxBytes) return { pass: bytes.subarray(0, at), tooLarge: announced };
        this.#bodyLeft = announced;
        this.#isFarewellLong = announced === RESTING_FRAME.length;
        this.#farewell = '';
        at += FRAME_HEADER_BYTES;
      }
    }
    return { pass: bytes.subarray(0, at), tooLarge: null };
  }

  /** Whether the newest frame is the daemon's leave. */
  get isFarewell(): boolean {
    return this.#farewell === RESTING_FRAME;
  }
}
