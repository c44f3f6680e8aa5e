/** A session as a file: what `export` writes and `import` reads. */
import * as z from 'zod';
import { SessionDetail, SessionSummary } from './api.ts';
import { CompanionError } from './errors.ts';
import { SessionSettings, Usage } from './events.ts';
import { AttachmentId, type ItemId, ProjectId } from './ids.ts';

const FORMAT = 'pilotfish-session';
const VERSION = 1;

/** The turns and items in full; the bytes of attachments as far as they are kept and fit in. */
export const SessionExport = z.object({
  format: z.literal(FORMAT),
  version: z.literal(VERSION),
  exportedAt: z.string(),
  session: SessionSummary,
  settings: SessionSettings,
  usage: Usage,
  turns: SessionDetail.shape.turns,
  items: SessionDetail.shape.items,
  /** What was asked and how it was answered; files of earlier versions do not say. */
  answered: SessionDetail.shape.answered,
  attachments: z.array(z.object({ attachmentId: AttachmentId, dataBase64: z.base64() })),
});
export type SessionExport = z.infer<typeof SessionExport>;

/** What every such file begins with. */
export const exportHead = { format: FORMAT, version: VERSION } as const;

export const ExportFormat = z.enum(['markdown', 'json']);
export type ExportFormat = z.infer<typeof ExportFormat>;

/** Either the file itself, or for a large one the upload that holds it. */
export const ImportInput = z.strictObject({
  document: z.record(z.string(), z.unknown()).optional(),
  uploadId: z.string().max(200).optional(),
  /** Where the session works from now on; without one it can be read all the same. */
  projectId: ProjectId.optional(),
  /** The agent that goes on with it; otherwise the one it had, or where that is not here, the first that is ready. */
  engineName: z.string().max(200).optional(),
});
export type ImportInput = z.infer<typeof ImportInput>;

/** Reads such a file; what is none is refused with what is wrong with it. */
export const parseExport = (json: unknown): SessionExport => {
  const head = z.object({ format: z.literal(FORMAT), version: z.number() }).safeParse(json).data;
  if (head === undefined) throw refused('It is no session that pilotfish has exported as JSON.');
  if (head.version > VERSION) {
    throw new CompanionError('INPUT_INVALID', 'The file was exported by a later pilotfish.', {
      remedy: 'Update pilotfish, then import it.',
    });
  }
  const parsed = SessionExport.safeParse(json);
  if (!parsed.success) throw refused(z.prettifyError(parsed.error));
  const { turns, items } = parsed.data;
  const turnIds = new Set(turns.map(({ turnId }) => turnId));
  if (turnIds.size !== turns.length) throw refused('Two turns have one id.');
  const itemIds = new Set<ItemId | null>([null]);
  for (const { itemId, turnId, parentItemId } of items) {
    if (itemIds.has(itemId)) throw refused('Two items have one id.');
    // What an item belongs to stands before it: items in a ring could not be shown.
    if (!turnIds.has(turnId) || !itemIds.has(parentItemId)) throw refused(`The item ${itemId} belongs to nothing in it.`);
    itemIds.add(itemId);
  }
  const cardIds = new Set(parsed.data.answered.map(({ requestId }) => requestId));
  if (cardIds.size !== parsed.data.answered.length) throw refused('Two requests have one id.');
  return parsed.data;
};

const refused = (detail: string): CompanionError =>
  new CompanionError('INPUT_INVALID', detail, { remedy: 'Export the session again with `pilotfish export SESSION --json --output FILE`.' });
