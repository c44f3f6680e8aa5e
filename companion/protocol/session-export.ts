/** A session as a file: what `export` writes and `import` reads. */
import * as z from 'zod';
import { SessionDetail, SessionSummary } from './api.ts';
import { CompanionError } from './errors.ts';
import { SessionSettings, Usage } from './events.ts';
import { AttachmentId, type ItemId, ProjectId, type RequestId, type TurnId } from './ids.ts';
import { explain } from './faults.ts';
import type { Said } from './said.ts';

const FORMAT = 'pilotfish-session';
const VERSION = 1;

/** What such a file says beside its lists. */
export const ExportHead = z.object({
  format: z.literal(FORMAT),
  version: z.literal(VERSION),
  exportedAt: z.string(),
  session: SessionSummary,
  settings: SessionSettings,
  usage: Usage,
});
export type ExportHead = z.infer<typeof ExportHead>;

/** The bytes of something that was attached. */
export const ExportedAttachment = z.object({ attachmentId: AttachmentId, dataBase64: z.base64() });
export type ExportedAttachment = z.infer<typeof ExportedAttachment>;

/** Its turns, items and answers, each in full. */
export const ExportLists = SessionDetail.pick({ turns: true, items: true, answered: true });
export type ExportLists = z.infer<typeof ExportLists>;

/** The turns and items in full; the bytes of attachments as far as they are kept and fit in. Files of earlier versions do not say what was asked. */
export const SessionExport = ExportHead.extend({ ...ExportLists.shape, attachments: z.array(ExportedAttachment) });
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
  checkFormat(json);
  const parsed = SessionExport.safeParse(json);
  if (!parsed.success) throw refusedExport(z.prettifyError(parsed.error));
  const ids = new ExportedIds();
  ids.take(parsed.data);
  ids.finish();
  return parsed.data;
};

/** Refuses what is no such file, or one of a later version; the first says so better than what is missing in it. */
export const checkFormat = (json: unknown): void => {
  const head = z.object({ format: z.literal(FORMAT), version: z.number() }).safeParse(json).data;
  if (head === undefined) throw refusedExport(explain('not_exported'));
  if (head.version > VERSION) {
    throw new CompanionError('INPUT_INVALID', explain('exported_later'), {
      remedy: explain('update_then_import'),
    });
  }
};

/** Sees to it that the entries of a file belong together, however many parts it is read in. */
export class ExportedIds {
  /** Each with its place. */
  readonly #turns = new Map<TurnId, number>();
  /** Each with its turn. */
  readonly #items = new Map<ItemId, TurnId>();
  /** Items that belong to one of another turn, with that. */
  readonly #across = new Map<ItemId, ItemId>();
  readonly #cards = new Set<RequestId>();
  /** Turns of which only items came so far, with the first of those. */
  readonly #missing = new Map<TurnId, ItemId>();

  take({ turns, items, answered }: Readonly<ExportLists>): void {
    for (const { turnId } of turns) {
      if (this.#turns.has(turnId)) throw refusedExport('Two turns have one id.');
      this.#turns.set(turnId, this.#turns.size);
      this.#missing.delete(turnId);
    }
    for (const { itemId, turnId, parentItemId } of items) {
      if (this.#items.has(itemId)) throw refusedExport('Two items have one id.');
      // What an item belongs to stands before it: items in a ring could not be shown.
      const parentTurn = parentItemId === null ? turnId : this.#items.get(parentItemId);
      if (parentTurn === undefined) throw belongsToNothing(itemId);
      if (parentItemId !== null && parentTurn !== turnId) this.#across.set(itemId, parentItemId);
      this.#items.set(itemId, turnId);
      if (!this.#turns.has(turnId) && !this.#missing.has(turnId)) this.#missing.set(turnId, itemId);
    }
    for (const { requestId } of answered) {
      if (this.#cards.has(requestId)) throw refusedExport('Two requests have one id.');
      this.#cards.add(requestId);
    }
  }

  finish(): void {
    for (const itemId of this.#missing.values()) throw belongsToNothing(itemId);
    // A session has its items turn by turn: what stands in a later one would come after what belongs to it.
    for (const [itemId, parentItemId] of this.#across)
      if (this.#placeOf(parentItemId) > this.#placeOf(itemId)) throw belongsToNothing(itemId);
  }

  #placeOf(itemId: ItemId): number {
    const turnId = this.#items.get(itemId);
    return turnId === undefined ? -1 : (this.#turns.get(turnId) ?? -1);
  }
}

const belongsToNothing = (itemId: ItemId): CompanionError => refusedExport(`The item ${itemId} belongs to nothing in it.`);

/** The error of a file that cannot be imported. */
export const refusedExport = (detail: string | Said): CompanionError =>
  new CompanionError('INPUT_INVALID', detail, {
    remedy: explain('export_again', { command: 'pilotfish export SESSION --json --output FILE' }),
  });
