/**
 * Which calls have begun and how they ended, by call id, so that a call that changes something never runs twice, whichever
 * process dies.
 */
import * as z from 'zod';
import { ToolResult } from '#protocol/browser.ts';
import type { CallId } from '#protocol/ids.ts';
import { answered } from './answered.ts';

/** More calls than can be asked about again: a call is repeated within seconds or not at all. */
const KEPT = 200;

const ID_KEY = 'journal';
/** One key per call: what is written for a call does not grow with the calls before it. */
const CALL_KEY = 'call ';

const Entry = z.object({
  /** Counts the calls, so that the oldest are forgotten first. */
  number: z.number(),
  result: ToolResult.nullable(),
});
type Entry = z.infer<typeof Entry>;

interface Contents {
  readonly journalId: string;
  readonly entries: Map<string, Entry>;
}

export class CallJournal {
  /** The worker is the only writer, so it reads once. */
  #contents: Promise<Contents> | null = null;
  #last = 0;

  /** An id that is new whenever the entries were lost: with the browser, or when the extension was reloaded. */
  async id(): Promise<string> {
    return (await this.#open()).journalId;
  }

  async find(callId: CallId): Promise<'new' | 'begun' | ToolResult> {
    const entry = (await this.#open()).entries.get(callId);
    return entry === undefined ? 'new' : (entry.result ?? 'begun');
  }

  /** Resolves when it is stored; only then may the call begin. */
  async begin(callId: CallId): Promise<void> {
    const { entries } = await this.#open();
    const entry = { number: (this.#last += 1), result: null };
    entries.set(callId, entry);
    const [oldest] = entries.keys();
    if (entries.size > KEPT && oldest !== undefined) {
      entries.delete(oldest);
      void chrome.storage.session.remove(CALL_KEY + oldest);
    }
    await save(callId, entry);
  }

  async finish(callId: CallId, result: ToolResult): Promise<void> {
    const { entries } = await this.#open();
    const begun = entries.get(callId);
    // It never began, or so many calls began since that nobody asks for it any more.
    if (begun === undefined) return;
    const entry = { number: begun.number, result };
    entries.set(callId, entry);
    await answered();
    // Meanwhile it may have been forgotten.
    if (entries.get(callId) === entry) await save(callId, entry);
  }

  #open(): Promise<Contents> {
    return (this.#contents ??= this.#load());
  }

  async #load(): Promise<Contents> {
    const stored = await chrome.storage.session.get(null);
    const known = stored[ID_KEY];
    const journalId = typeof known === 'string' ? known : crypto.randomUUID();
    if (journalId !== known) await chrome.storage.session.set({ [ID_KEY]: journalId });
    const entries = Object.entries(stored).flatMap(([key, value]) => {
      const entry = Entry.safeParse(value);
      return key.startsWith(CALL_KEY) && entry.success ? [[key.slice(CALL_KEY.length), entry.data] as const] : [];
    });
    entries.sort(([, a], [, b]) => a.number - b.number);
    this.#last = entries.at(-1)?.[1].number ?? 0;
    return { journalId, entries: new Map(entries) };
  }
}

const save = (callId: string, entry: Entry): Promise<void> => chrome.storage.session.set({ [CALL_KEY + callId]: entry });
