/** Attachments apart from prompts: sent before one in pieces, counted, fetched again and cleared away. */
import * as z from 'zod';
import { attachmentLimits } from './attachment-limits.ts';
import { ProjectId } from './ids.ts';
import { AttachmentRef } from './items.ts';

/** Something that is sent before the prompt to which it belongs. */
export const UploadInput = z.strictObject({
  /** A session that was exported is no attachment, and may be larger. */
  kind: z.enum([...AttachmentRef.shape.kind.options, 'session']),
  name: z.string().min(1).max(500),
  mimeType: z.string().max(200),
  sizeBytes: z.number().int().min(0),
});
export type UploadInput = z.infer<typeof UploadInput>;

/** `pieceBytes` is the most that one piece may have. */
export const Upload = z.object({ uploadId: z.string(), pieceBytes: z.number() });
export type Upload = z.infer<typeof Upload>;

/** A piece goes where the last one ended; one that was sent already changes nothing. */
export const UploadPiece = z.strictObject({
  offset: z.number().int().min(0),
  dataBase64: z.base64().max(Math.ceil(attachmentLimits.pieceBytes / 3) * 4),
});
export type UploadPiece = z.infer<typeof UploadPiece>;

/** How far an upload has come; `read` is how far what reads it has: an import of a session. */
export const UploadState = z.object({
  receivedBytes: z.number(),
  sizeBytes: z.number(),
  read: z.object({ done: z.number(), total: z.number() }).nullable(),
});
export type UploadState = z.infer<typeof UploadState>;

/** A project's id, or nothing for what belongs to none. */
const AttachmentOwner = z.union([ProjectId, z.literal('')]);

/** What is kept for a project; `existsInDb` is false for one that was forgotten. Sessions without a project stand under the empty id. */
export const AttachmentCount = z.object({
  projectId: AttachmentOwner,
  projectName: z.string().optional(),
  existsInDb: z.boolean(),
  fileCount: z.number(),
  totalBytes: z.number(),
});
export type AttachmentCount = z.infer<typeof AttachmentCount>;

export const AttachmentStats = z.object({
  success: z.literal(true),
  rootDir: z.string(),
  totalFiles: z.number(),
  totalBytes: z.number(),
  /** What may be kept in all. */
  limitBytes: z.number(),
  projects: z.array(AttachmentCount),
  orphanProjectIds: z.array(z.string()),
});
export type AttachmentStats = z.infer<typeof AttachmentStats>;

/** Without ids those of all projects. */
export const RemoveAttachmentsInput = z.strictObject({ projectIds: z.array(AttachmentOwner).max(10_000).optional() });

const removed = { removedFiles: z.number(), removedBytes: z.number() };

/** What a session that is at work has is kept. */
export const RemovedAttachments = z.object({
  success: z.literal(true),
  scope: z.enum(['project', 'selected', 'all']),
  ...removed,
  results: z.array(z.object({ projectId: z.string(), ...removed })),
});
export type RemovedAttachments = z.infer<typeof RemovedAttachments>;
