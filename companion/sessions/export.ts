/** A session as a file, and back. */
import type { Attachments } from '#companion/store/attachments.ts';
import type { SessionSummary } from '#protocol/api.ts';
import type { AttachmentId } from '#protocol/ids.ts';
import type { AttachmentRef } from '#protocol/items.ts';
import { exportHead, type SessionExport } from '#protocol/session-export.ts';
import { emptyView, type SessionView } from '#protocol/view.ts';

/** Of attachments so much goes into the file, so that it can be imported again; the newest first. */
const MAX_ATTACHED_BYTES = 12 * 1024 * 1024;

/** What belongs to no agent any more stands in the file as it is now. */
export const toExport = (
  view: SessionView,
  session: SessionSummary,
  attachments: Pick<Attachments, 'has' | 'load'>,
  now: number,
): SessionExport => {
  const { settings, usage, turns, items } = view;
  let left = MAX_ATTACHED_BYTES;
  const kept = attachedTo(view)
    .toReversed()
    .filter((ref) => attachments.has(ref) && (left -= ref.sizeBytes) >= 0);
  return {
    ...exportHead,
    exportedAt: new Date(now).toISOString(),
    session,
    settings,
    usage,
    turns,
    items,
    attachments: kept.map((ref) => ({ attachmentId: ref.attachmentId, dataBase64: attachments.load(ref).dataBase64 })),
  };
};

/** The view that the file shows; nothing in it works any more. */
export const toImportedView = ({ session, settings, turns, items }: SessionExport): SessionView => ({
  ...emptyView(session.id),
  name: session.name,
  engine: session.engineName,
  settings,
  turns,
  items,
});

/** Keeps the attachments of the file as new ones, by the ids that they have in it. All that were kept are removed when one cannot be. */
export const keepAttachments = (
  document: SessionExport,
  attachments: Pick<Attachments, 'saveAll' | 'remove'>,
): ReadonlyMap<AttachmentId, AttachmentRef> => {
  const bytes = new Map(document.attachments.map(({ attachmentId, dataBase64 }) => [attachmentId, dataBase64]));
  const kept = new Map<AttachmentId, AttachmentRef>();
  try {
    for (const { attachmentId, kind, name, mimeType } of attachedTo(toImportedView(document))) {
      const dataBase64 = bytes.get(attachmentId);
      if (dataBase64 === undefined || kept.has(attachmentId)) continue;
      for (const ref of attachments.saveAll([{ kind, name, mimeType, dataBase64 }])) kept.set(attachmentId, ref);
    }
    return kept;
  } catch (error) {
    for (const ref of kept.values()) attachments.remove(ref);
    throw error;
  }
};

const attachedTo = ({ turns }: Pick<SessionView, 'turns'>): AttachmentRef[] => turns.flatMap(({ prompt }) => prompt.attachments);
