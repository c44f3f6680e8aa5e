/** Which calls have begun and how they ended, by call id: a call that changes something never runs twice, whatever dies around it. */
import * as z from 'zod';
import { ToolResult } from '#protocol/browser.ts';
import type { CallId } from '#protocol/ids.ts';
import { createStored } from './stored.ts';

/** More than can be asked about again: a call is repeated within seconds or not at all. */
const KEPT = 200;

const Entry = z.object({ callId: z.string(), result: ToolResult.nullable() });
const Entries = z.object({ journalId: z.string(), entries: z.array(Entry) });

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
  const stored = createStored('session', 'journal', Entries, () => ({ journalId: crypto.randomUUID(), entries: [] }));
  return {
    id: async () => {
      const journal = await stored.load();
      await stored.save(journal);
      return journal.journalId;
    },
    find: async (callId) => {
      const entry = (await stored.load()).entries.find((candidate) => candidate.callId === callId);
      return entry === undefined ? 'new' : (entry.result ?? 'begun');
    },
    begin: async (callId) => {
      const { journalId, entries } = await stored.load();
      await stored.save({ journalId, entries: [...entries.slice(1 - KEPT), { callId, result: null }] });
    },
    finish: async (callId, result) => {
      const { journalId, entries } = await stored.load();
      await stored.save({ journalId, entries: entries.map((entry) => (entry.callId === callId ? { callId, result } : entry)) });
    },
  };
};
