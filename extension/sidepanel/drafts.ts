/** Keeps the draft of each session through a change of session, and when the panel or the browser is closed. */
import * as z from 'zod';
import type { SessionId } from '#protocol/ids.ts';
import { isEmptyDraft, joinDrafts, noDraft, type Draft } from './draft.ts';
import { Attached } from './outbox.ts';
import type { Store } from './state.ts';
import type { Storage } from './storage.ts';

const StoredText = z.string().max(200_000);
const StoredFiles = z.array(Attached);
const StoredNotes = z.array(z.string().max(2_000));

export class Drafts {
  readonly #store: Store;
  readonly #local: Storage;
  /** The session of the draft on the screen. */
  #key: string | null = null;

  constructor(store: Store, local: Storage) {
    this.#store = store;
    this.#local = local;
  }

  /** The draft of this session is the one on the screen; null is the session that is still to be made. */
  async show(sessionId: SessionId | null): Promise<void> {
    const key = toKey(sessionId);
    if (this.#key === key) return;
    this.#key = key;
    this.#store.set({ draft: noDraft });
    const kept = await this.#load(key);
    if (this.#key !== key || isEmptyDraft(kept)) return;
    // What was written meanwhile is newer.
    this.change(joinDrafts([kept, this.#store.state.draft]));
  }

  /** The first prompt has made the session: what was written after it belongs there. */
  moveTo(sessionId: SessionId): void {
    const { draft } = this.#store.state;
    this.change(noDraft);
    this.#key = toKey(sessionId);
    this.change(draft);
  }

  /** Changes the draft on the screen. */
  change(change: Partial<Draft>): void {
    const before = this.#store.state.draft;
    const draft = { ...before, ...change };
    this.#store.set({ draft });
    if (this.#key === null) return;
    if (draft.text !== before.text) this.#saveText(this.#key, draft.text);
    // Files can be large, and most changes are a letter, of the text or of a note.
    if (!areSameFiles(before.attachments, draft.attachments)) this.#saveFiles(this.#key, draft.attachments);
    else if (draft.attachments !== before.attachments) this.#saveNotes(this.#key, draft.attachments);
  }

  /** Prompts that were not sent come back to be edited, before what is written already. */
  async giveBack(sessionId: SessionId | null, prompts: readonly Draft[]): Promise<void> {
    if (prompts.length === 0) return;
    const key = toKey(sessionId);
    if (key === this.#key) {
      this.change(joinDrafts([...prompts, this.#store.state.draft]));
      return;
    }
    const { text, attachments } = joinDrafts([...prompts, await this.#load(key)]);
    this.#saveText(key, text);
    this.#saveFiles(key, attachments);
  }

  forget(sessionId: SessionId): void {
    this.#saveText(sessionId, '');
    this.#saveFiles(sessionId, []);
  }

  async #load(key: string): Promise<Draft> {
    const [text, files, notes] = await Promise.all([
      this.#local.load(textOf(key), StoredText),
      this.#local.load(filesOf(key), StoredFiles),
      this.#local.load(notesOf(key), StoredNotes),
    ]);
    return { text: text ?? '', attachments: (files ?? []).map((file, index) => withNote(file, notes?.[index])) };
  }

  #saveText(key: string, text: string): void {
    if (text === '') this.#local.remove(textOf(key));
    else this.#local.save(textOf(key), text);
  }

  #saveFiles(key: string, files: readonly Attached[]): void {
    if (files.length === 0) this.#local.remove(filesOf(key));
    else
      this.#local.save(
        filesOf(key),
        files.map(({ note: _note, ...file }) => file),
      );
    this.#saveNotes(key, files);
  }

  #saveNotes(key: string, files: readonly Attached[]): void {
    if (files.every(({ note }) => note === undefined)) this.#local.remove(notesOf(key));
    else
      this.#local.save(
        notesOf(key),
        files.map(({ note = '' }) => note),
      );
  }
}

const withNote = (file: Attached, note: string | undefined): Attached => (note === undefined || note === '' ? file : { ...file, note });

/** Whether nothing but what is written beside them differs. */
const areSameFiles = (some: readonly Attached[], others: readonly Attached[]): boolean =>
  some === others || (some.length === others.length && some.every((file, index) => isSameFile(file, others[index])));

const isSameFile = (one: Attached, other: Attached | undefined): boolean =>
  one === other ||
  (other !== undefined &&
    one.kind === other.kind &&
    one.name === other.name &&
    one.mimeType === other.mimeType &&
    one.dataBase64 === other.dataBase64);

const toKey = (sessionId: SessionId | null): string => sessionId ?? 'new';
const textOf = (key: string): string => `draft:${key}`;
const filesOf = (key: string): string => `draft-files:${key}`;
const notesOf = (key: string): string => `draft-notes:${key}`;
