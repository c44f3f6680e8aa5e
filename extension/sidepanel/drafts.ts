/**
 * Keeps the draft of each session through a change of session, and when the panel or the browser is closed. It is one draft in all windows: what is
 * written in one stands in the others, and what is sent in one is gone there.
 */
import * as z from 'zod';
import { TurnId, type SessionId } from '#protocol/ids.ts';
import { isEmptyDraft, joinDrafts, noDraft, type Draft, type Written } from './draft.ts';
import { Attached } from './outbox.ts';
import type { Store } from './state.ts';
import type { Storage } from './storage.ts';

const StoredFiles = z.array(Attached);
const StoredNotes = z.array(z.string().max(2_000));
const StoredAside = z.object({ text: z.string(), attachments: StoredFiles });

export class Drafts {
  readonly #store: Store;
  readonly #local: Storage;
  /** The session of the draft on the screen. */
  #key: string | null = null;
  /** What other windows have written of it since it is being read; null once it has been. */
  #news: Change[] | null = null;

  constructor(store: Store, local: Storage) {
    this.#store = store;
    this.#local = local;
    local.hear((key, value) => this.#hear(key, value));
  }

  /** The draft of this session is the one on the screen; null is the session that is still to be made. */
  async show(sessionId: SessionId | null): Promise<void> {
    const key = toKey(sessionId);
    if (this.#key === key) return;
    this.#key = key;
    this.#store.set({ draft: noDraft });
    const news: Change[] = [];
    this.#news = news;
    const read = await this.#load(key);
    // Another draft, or this one anew, is on the screen by now.
    if (this.#news !== news) return;
    this.#news = null;
    const kept = news.reduce((draft, change) => change(draft), read);
    const { draft } = this.#store.state;
    if (isEmptyDraft(kept)) return;
    if (isEmptyDraft(draft)) this.#store.set({ draft: kept });
    // What was written meanwhile is newer.
    else this.change({ ...joinDrafts([kept, draft]), insteadOf: draft.insteadOf ?? kept.insteadOf, aside: draft.aside ?? kept.aside });
  }

  /** The first prompt has made the session: what was written after it belongs there. */
  moveTo(sessionId: SessionId): void {
    const { draft } = this.#store.state;
    this.change({ ...noDraft, aside: undefined });
    this.#key = toKey(sessionId);
    this.#news = null;
    this.change(draft);
  }

  /** Changes the draft on the screen. */
  change(change: Partial<Draft>): void {
    const before = this.#store.state.draft;
    const draft = ended({ ...before, ...change });
    this.#store.set({ draft });
    if (this.#key === null) return;
    if (draft.insteadOf !== before.insteadOf) this.#saveInstead(this.#key, draft.insteadOf);
    if (draft.aside !== before.aside) this.#saveAside(this.#key, draft.aside);
    if (draft.text !== before.text) this.#saveText(this.#key, draft.text);
    // Files can be large, and most changes are a letter, of the text or of a note.
    if (!areSameFiles(before.attachments, draft.attachments)) this.#saveFiles(this.#key, draft.attachments);
    else if (draft.attachments !== before.attachments) this.#saveNotes(this.#key, draft.attachments);
  }

  /** Prompts that were not sent come back to be edited, before what is written already. */
  async giveBack(sessionId: SessionId | null, prompts: readonly Draft[]): Promise<void> {
    if (prompts.length === 0) return;
    const key = toKey(sessionId);
    const kept = key === this.#key ? null : await this.#load(key);
    // The person may have come to it meanwhile.
    if (kept === null || key === this.#key) {
      this.change(withBefore(prompts, this.#store.state.draft));
      return;
    }
    const { text, attachments, aside } = withBefore(prompts, kept);
    this.#saveText(key, text);
    this.#saveFiles(key, attachments);
    this.#saveAside(key, aside);
  }

  forget(sessionId: SessionId): void {
    this.#saveText(sessionId, '');
    this.#saveFiles(sessionId, []);
    this.#saveInstead(sessionId, undefined);
    this.#saveAside(sessionId, undefined);
  }

  /** Another window has saved something. */
  #hear(name: string, value: unknown): void {
    const change = this.#key === null ? null : toChange(this.#key, name, value);
    if (change === null) return;
    if (this.#news === null) this.#store.set({ draft: change(this.#store.state.draft) });
    else this.#news.push(change);
  }

  async #load(key: string): Promise<Draft> {
    const [text, files, notes, insteadOf, aside] = await Promise.all([
      this.#local.load(textOf(key), z.string()),
      this.#local.load(filesOf(key), StoredFiles),
      this.#local.load(notesOf(key), StoredNotes),
      this.#local.load(insteadKey(key), TurnId),
      this.#local.load(asideKey(key), StoredAside),
    ]);
    return ended({
      text: text ?? '',
      attachments: withNotes(files ?? [], notes ?? []),
      insteadOf: insteadOf ?? undefined,
      aside: aside ?? undefined,
    });
  }

  #saveInstead(key: string, insteadOf: TurnId | undefined): void {
    if (insteadOf === undefined) this.#local.remove(insteadKey(key));
    else this.#local.save(insteadKey(key), insteadOf);
  }

  #saveAside(key: string, aside: Written | undefined): void {
    if (aside === undefined) this.#local.remove(asideKey(key));
    else this.#local.save(asideKey(key), aside);
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

/** What a draft becomes by what another window wrote of it. */
type Change = (draft: Draft) => Draft;

/** Null where that was of another draft, or is nothing that this version knows. */
const toChange = (key: string, name: string, value: unknown): Change | null => {
  switch (name) {
    case textOf(key): {
      const text = z.string().safeParse(value ?? '');
      return text.success ? (draft) => ({ ...draft, text: text.data }) : null;
    }
    case filesOf(key): {
      const files = StoredFiles.safeParse(value ?? []);
      return files.success ? (draft) => ({ ...draft, attachments: files.data }) : null;
    }
    case notesOf(key): {
      const notes = StoredNotes.safeParse(value ?? []);
      return notes.success ? (draft) => ({ ...draft, attachments: withNotes(draft.attachments, notes.data) }) : null;
    }
    case insteadKey(key): {
      const insteadOf = TurnId.optional().safeParse(value ?? undefined);
      return insteadOf.success ? (draft) => ({ ...draft, insteadOf: insteadOf.data }) : null;
    }
    case asideKey(key): {
      const aside = StoredAside.optional().safeParse(value ?? undefined);
      return aside.success ? (draft) => ({ ...draft, aside: aside.data }) : null;
    }
    default:
      return null;
  }
};

/** Who has sent or emptied what is in the composer says nothing in other words any more, and goes on with what stood aside. */
const ended = (draft: Draft): Draft => {
  const { insteadOf, aside } = draft;
  if ((insteadOf === undefined && aside === undefined) || !isEmptyDraft(draft)) return draft;
  return { ...(aside ?? draft), insteadOf: undefined, aside: undefined };
};

/** A sent prompt in other words goes to another session, so that nothing comes into it: it is written when that is sent. */
const withBefore = (prompts: readonly Draft[], draft: Draft): Draft =>
  draft.insteadOf === undefined
    ? { ...draft, ...joinDrafts([...prompts, draft]) }
    : { ...draft, aside: joinDrafts([...prompts, draft.aside ?? noDraft]) };

const withNotes = (files: readonly Attached[], notes: readonly string[]): Attached[] =>
  files.map(({ note: _note, ...file }, index) => withNote(file, notes[index]));

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
const asideKey = (key: string): string => `draft-aside:${key}`;
const insteadKey = (key: string): string => `draft-instead:${key}`;
