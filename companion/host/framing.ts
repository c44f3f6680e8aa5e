/** The host copies bytes and keeps no message; it only has to know where a frame begins, so that Chrome never meets one it would die of. */
import { FRAME_HEADER_BYTES } from '#companion/lib/framing.ts';

/** What of a chunk may go on; `tooLarge` is the size a frame announced that may not. */
export interface Passage {
  readonly pass: Buffer;
  readonly tooLarge: number | null;
}

/** Watches one direction. A header goes on only once it is whole and within `maxBytes`. */
export const createFrameGuard = (maxBytes: number): ((chunk: Buffer) => Passage) => {
  let held: Buffer = Buffer.alloc(0);
  let bodyLeft = 0;
  return (chunk) => {
    const bytes = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
    held = Buffer.alloc(0);
    let at = 0;
    while (at < bytes.length) {
      if (bodyLeft > 0) {
        const taken = Math.min(bodyLeft, bytes.length - at);
        bodyLeft -= taken;
        at += taken;
      } else if (bytes.length - at < FRAME_HEADER_BYTES) {
        held = bytes.subarray(at);
        break;
      } else {
        const announced = bytes.readUInt32LE(at);
        if (announced > maxBytes) return { pass: bytes.subarray(0, at), tooLarge: announced };
        bodyLeft = announced;
        at += FRAME_HEADER_BYTES;
      }
    }
    return { pass: bytes.subarray(0, at), tooLarge: null };
  };
};
