/** Which calls have begun and how they ended, by call id: a call that changes something never runs twice, whatever dies around it. */
import * as z from 'zod';
import { ToolResult } from '#protocol/browser.ts';
import type { CallId } from '#protocol/ids.ts';

/** More than can be asked about again: a call is repeated within seconds or not at all. */
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

export type Known = 'new' | 'begun' | ToolResult;

export interface Journal {
  /** New whenever the entries were lost: with the browser, or when the extension was reloaded. */
  id(): Promise<string>;
  find(callId: CallId): Promise<Known>;
  /** Resolves when it is stored; only then may the call begin. */
  begin(callId: CallId): Promise<void>;
  finish(callId: CallId, result: ToolResult): Promise<void>;
}

export const createJournal = (): Journal => {
  // The worker is the only writer, so it reads once.
  let loaded: ReturnType<typeof load> | null = null;
  const open = (): ReturnType<typeof load> => (loaded ??= load());
  return {
    id: async () => (await open()).journalId,
    find: async (callId) => {
      const entry = (await open()).entries.get(callId);
      return entry === undefined ? 'new' : (entry.result ?? 'begun');
    },
    begin: async (callId) => {
      const { entries, next } = await open();
      const entry = { number: next(), result: null };
      entries.set(callId, entry);
      const [oldest] = entries.keys();
      if (entries.size > KEPT && oldest !== undefined) {
        entries.delete(oldest);
        void chrome.storage.session.remove(CALL_KEY + oldest);
      }
      await save(callId, entry);
    },
    finish: async (callId, result) => {
      const { entries } = await open();
      const begun = entries.get(callId);
      // It never began, or so many began since that nobody asks for it any more.
      if (begun === undefined) return;
      const entry = { number: begun.number, result };
      entries.set(callId, entry);
      await save(callId, entry);
    },
  };
};

const load = async (): Promise<{ journalId: string; entries: Map<string, Entry>; next: () => number }> => {
  const stored = await chrome.storage.session.get(null);
  const known = stored[ID_KEY];
  const journalId = typeof known === 'string' ? known : crypto.randomUUID();
  if (journalId !== known) await chrome.storage.session.set({ [ID_KEY]: journalId });
  const entries = Object.entries(stored).flatMap(([key, value]) => {
    const entry = Entry.safeParse(value);
    return key.startsWith(CALL_KEY) && entry.success ? [[key.slice(CALL_KEY.length), entry.data] as const] : [];
  });
  entries.sort(([, a], [, b]) => a.number - b.number);
  let last = entries.at(-1)?.[1].number ?? 0;
  return { journalId, entries: new Map(entries), next: () => (last += 1) };
};

const save = (callId: string, entry: Entry): Promise<void> => chrome.storage.session.set({ [CALL_KEY + callId]: entry });
