/**
 * Files that a call brings to the machine of the browser while the companion is on another one. The extension offers each, the companion reads
 * it in parts, and compares what it has got with the checksum of the offer.
 */
import * as z from 'zod';
import { SessionId } from './ids.ts';

export const crossingLimits = {
  /** The extension holds the whole file while it makes the checksum. */
  fileBytes: 64 * 1024 * 1024,
  /** Of all that crossed for one session. */
  sessionBytes: 512 * 1024 * 1024,
  /** In base64 a part fits into one message without being split more than twice. */
  partBytes: 384 * 1024,
} as const;

/** A file that can be read from the extension, until it is told what became of it. */
export const OfferedFile = z.object({
  fileId: z.string().min(1).max(100),
  sessionId: SessionId,
  /** As the browser has named it. */
  name: z.string().max(1_000),
  sizeBytes: z.number().int().nonnegative().max(crossingLimits.fileBytes),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});
export type OfferedFile = z.infer<typeof OfferedFile>;

export const ReadFileParams = z.object({ fileId: z.string(), offset: z.number().int().nonnegative() });
/** At most `partBytes`; fewer only at the end. */
export const FilePart = z.object({ dataBase64: z.base64() });

/** Where the file is now on the companion's machine, or why it is not there. */
export const FileTaken = z.object({ fileId: z.string(), path: z.string().nullable(), problem: z.string().nullable() });
export type FileTaken = z.infer<typeof FileTaken>;
