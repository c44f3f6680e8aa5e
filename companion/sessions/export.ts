/** A session as a file, and back. */
import type { Attachments } from '#companion/store/attachments.ts';
import type { SessionSummary } from '#protocol/api.ts';
import type { AttachmentId } from '#protocol/ids.ts';
import type { AttachmentRef } from '#protocol/items.ts';
import { exportHead, type SessionExport } from '#protocol/session-export.ts';
import { attachmentsOf, emptyView, type SessionView } from '#protocol/view.ts';

/** Of attachments so much goes into the file, so that it can be imported again; the newest first. */
const MAX_ATTACHED_BYTES = 12 * 1024 * 1024;

/** Entries that are written at a time. */
const ENTRIES = 100;

/** What is told of a session beside the bytes of its attachments, and which of those go along. */
export interface Exported {
  readonly document: Omit<SessionExport, 'attachments'>;
  readonly attached: readonly AttachmentRef[];
}

/** What belongs to no agent any more stands in the file as it is now. */
export const toExport = (view: SessionView, session: SessionSummary, attachments: Pick<Attachments, 'has'>, now: number): Exported => {
  const { settings, usage, turns, items, answered } = view;
  let left = MAX_ATTACHED_BYTES;
  const attached = attachmentsOf(view)
    .toReversed()
    .filter((ref) => attachments.has(ref) && (left -= ref.sizeBytes) >= 0);
  return {
    document: { ...exportHead, exportedAt: new Date(now).toISOString(), session, settings, usage, turns, items, answered },
    attached,
  };
};

/** The file as text, piece by piece: neither it nor what is attached is ever held in memory whole. */
export async function* exportText({ document, attached }: Exported, attachments: Pick<Attachments, 'stream'>): AsyncGenerator<string> {
  const { turns, items, answered, ...head } = document;
  yield JSON.stringify(head).slice(0, -1);
  for (const [name, list] of Object.entries({ turns, items, answered })) yield* listText(name, list);
  yield ',"attachments":[';
  for (const [index, ref] of attached.entries()) {
    yield `${index === 0 ? '' : ','}{"attachmentId":${JSON.stringify(ref.attachmentId)},"dataBase64":"`;
    const { bytes } = await attachments.stream(ref);
    yield* base64(bytes);
    yield '"}';
  }
  yield ']}';
}

/** A field that is a list. */
function* listText(name: string, list: readonly unknown[]): Generator<string> {
  yield `,${JSON.stringify(name)}:[`;
  for (let from = 0; from < list.length; from += ENTRIES) {
    yield `${from === 0 ? '' : ','}${JSON.stringify(list.slice(from, from + ENTRIES)).slice(1, -1)}`;
  }
  yield ']';
}

/** Three bytes are four characters, so what is left of a piece goes to the next. */
async function* base64(pieces: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let left: Buffer = Buffer.alloc(0);
  for await (const piece of pieces) {
    const all = Buffer.concat([left, piece]);
    const whole = all.length - (all.length % 3);
    yield all.toString('base64', 0, whole);
    left = all.subarray(whole);
  }
  yield left.toString('base64');
}

/** The view that the file shows; nothing in it works any more. */
export const toImportedView = ({ session, settings, turns, items, answered }: SessionExport): SessionView => ({
  ...emptyView(session.id),
  name: session.name,
  engine: session.engineName,
  settings,
  turns,
  items,
  answered,
});

/** Keeps the attachments of the file as new ones, by the ids that they have in it. All that were kept are removed when one cannot be. */
export const keepAttachments = (
  document: SessionExport,
  attachments: Pick<Attachments, 'saveAll' | 'remove'>,
): ReadonlyMap<AttachmentId, AttachmentRef> => {
  const bytes = new Map(document.attachments.map(({ attachmentId, dataBase64 }) => [attachmentId, dataBase64]));
  const kept = new Map<AttachmentId, AttachmentRef>();
  try {
    for (const { attachmentId, kind, name, mimeType } of attachmentsOf(toImportedView(document))) {
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
