/** A session as a file, and back. */
import type { Attachments } from '#companion/store/attachments.ts';
import type { SessionSummary } from '#protocol/api.ts';
import type { AttachmentId } from '#protocol/ids.ts';
import type { AttachmentRef } from '#protocol/items.ts';
import { exportHead, type SessionExport } from '#protocol/session-export.ts';
import { markdownHead, markdownItem } from '#protocol/session-markdown.ts';
import { attachmentsOf } from '#protocol/view.ts';
import type { ViewInParts } from './session-log.ts';
import type { ViewPart } from './stored-view.ts';

/** Of attachments so much goes into the file, so that it can be imported again; the newest first. */
const MAX_ATTACHED_BYTES = 12 * 1024 * 1024;

/** Entries that are written at a time. */
const ENTRIES = 100;

/** A session for a file. */
export interface Exported {
  /** What the file says beside its lists. */
  readonly head: Omit<SessionExport, keyof ViewPart | 'attachments'>;
  /** Turns, items and answers from their beginnings; they are never held in memory whole. */
  parts(): AsyncIterable<ViewPart>;
}

/** What belongs to no agent any more stands in the file as it is now. */
export const toExport = ({ head: { settings, usage }, parts }: ViewInParts, session: SessionSummary, now: number): Exported => ({
  head: { ...exportHead, exportedAt: new Date(now).toISOString(), session, settings, usage },
  parts,
});

/** The file as text, piece by piece: neither it nor what is attached is ever held in memory whole. */
export async function* exportText({ head, parts }: Exported, attachments: Pick<Attachments, 'has' | 'stream'>): AsyncGenerator<string> {
  const refs = new Map<AttachmentId, AttachmentRef>();
  const note = (part: Pick<ViewPart, 'turns' | 'items'>): void => {
    for (const ref of attachmentsOf(part)) refs.set(ref.attachmentId, ref);
  };
  // What was asked is little beside what was said, and needs no reading of its own.
  const answered: ViewPart['answered'][] = [];
  yield JSON.stringify(head).slice(0, -1);
  yield* listText('turns', parts(), (part) => {
    note({ turns: part.turns, items: [] });
    answered.push(part.answered);
    return part.turns;
  });
  yield* listText('items', parts(), ({ items }) => {
    note({ turns: [], items });
    return items;
  });
  yield* listText('answered', answered, (cards) => cards);
  yield ',"attachments":[';
  for (const [index, ref] of thoseThatFit([...refs.values()], attachments).entries()) {
    yield `${index === 0 ? '' : ','}{"attachmentId":${JSON.stringify(ref.attachmentId)},"dataBase64":"`;
    const { bytes } = await attachments.stream(ref);
    yield* base64(bytes);
    yield '"}';
  }
  yield ']}';
}

/** Those that are kept, the newest first. */
const thoseThatFit = (refs: readonly AttachmentRef[], attachments: Pick<Attachments, 'has'>): AttachmentRef[] => {
  let left = MAX_ATTACHED_BYTES;
  return refs.toReversed().filter((ref) => attachments.has(ref) && (left -= ref.sizeBytes) >= 0);
};

/** A field that is a list. */
async function* listText<T>(
  name: keyof ViewPart,
  parts: AsyncIterable<T> | Iterable<T>,
  listOf: (part: T) => readonly unknown[],
): AsyncGenerator<string> {
  yield `,${JSON.stringify(name)}:[`;
  let comma = '';
  for await (const part of parts) {
    const list = listOf(part);
    for (let from = 0; from < list.length; from += ENTRIES) {
      yield `${comma}${JSON.stringify(list.slice(from, from + ENTRIES)).slice(1, -1)}`;
      comma = ',';
    }
  }
  yield ']';
}

/** A session as a text for reading, piece by piece. */
export async function* exportMarkdown({ head, parts }: Exported): AsyncGenerator<string> {
  yield markdownHead(head.session);
  for await (const { items } of parts()) for (const item of items) yield markdownItem(item);
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
