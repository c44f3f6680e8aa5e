/** Which session each attachment belongs to: counted and found without reading the logs. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import * as z from 'zod';
import type { SessionEvent } from '#protocol/events.ts';
import { SessionId } from '#protocol/ids.ts';
import { attachedTo, AttachmentRef } from '#protocol/items.ts';
import type { Database } from './database.ts';
import { parseJson } from './json.ts';

export interface KeptAttachment {
  readonly sessionId: SessionId;
  readonly ref: AttachmentRef;
}

const ADD = 'INSERT OR IGNORE INTO attachments (attachment_id, session_id, body) VALUES (?, ?, ?)';

/** The table of attachments. It is written together with the events that name them. */
export class AttachmentTable {
  readonly #db: Database;
  readonly #add: StatementSync | null;

  constructor(db: Database) {
    this.#db = db;
    // A history of a later version is only read, and may have another such table.
    this.#add = db.isReadOnly ? null : db.prepare(ADD);
  }

  /** Within the transaction that stores the events. */
  note(events: readonly SessionEvent[]): void {
    for (const event of events) {
      for (const ref of attachmentsIn(event)) this.#add?.run(ref.attachmentId, event.sessionId, JSON.stringify(ref));
    }
  }

  /** Before there are events that name it: the session is being filled, and removing it removes this, too. */
  add(sessionId: SessionId, ref: AttachmentRef): void {
    this.#db.write('normal', () => this.#add?.run(ref.attachmentId, sessionId, JSON.stringify(ref)));
  }

  list(): KeptAttachment[] {
    if (this.#db.isReadOnly) return [];
    return this.#db
      .prepare('SELECT session_id, body FROM attachments ORDER BY session_id')
      .all()
      .flatMap(({ session_id: sessionId, body }) => {
        const ref = AttachmentRef.safeParse(typeof body === 'string' ? parseJson(body) : null).data;
        return ref === undefined ? [] : [{ sessionId: SessionId.parse(sessionId), ref }];
      });
  }

  /** Those of one session. */
  ofSession(sessionId: SessionId): AttachmentRef[] {
    return this.#db
      .prepare('SELECT body FROM attachments WHERE session_id = ?')
      .all(sessionId)
      .flatMap(({ body }) => AttachmentRef.safeParse(typeof body === 'string' ? parseJson(body) : null).data ?? []);
  }

  remove(attachmentIds: readonly string[]): void {
    const remove = this.#db.prepare('DELETE FROM attachments WHERE attachment_id = ?');
    this.#db.write('normal', () => attachmentIds.forEach((id) => remove.run(id)));
  }
}

/** What an event attaches. */
export const attachmentsIn = (event: SessionEvent): readonly AttachmentRef[] => {
  if (event.type === 'turn.queued' || event.type === 'turn.started') return event.prompt.attachments;
  return event.type === 'item.started' ? attachedTo(event.item) : [];
};

const OldBody = z.object({
  prompt: z.object({ attachments: z.array(AttachmentRef) }).optional(),
  item: z.object({ attachments: z.array(AttachmentRef).optional() }).optional(),
});

/** For a history in which the table is new: one entry after the other. */
export function* fillAttachments(db: DatabaseSync): Generator<void> {
  const add = db.prepare(ADD);
  const rows = db.prepare(`SELECT session_id, CASE WHEN instr(body, '"attachmentId"') > 0 THEN body END AS body FROM events`);
  for (const { session_id: sessionId, body } of rows.iterate()) {
    yield;
    if (body === null) continue;
    const found = OldBody.safeParse(typeof body === 'string' ? parseJson(body) : null).data;
    const refs = [...(found?.prompt?.attachments ?? []), ...(found?.item?.attachments ?? [])];
    for (const ref of refs) add.run(ref.attachmentId, sessionId ?? null, JSON.stringify(ref));
  }
}
