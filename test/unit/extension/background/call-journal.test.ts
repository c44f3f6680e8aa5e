import { describe, expect, test as base, vi } from 'vitest';
import { CallId } from '#protocol/ids.ts';
import { CallJournal } from '#extension/background/call-journal.ts';

const KEPT = 200;
const done = { content: [{ type: 'text', text: 'done' }] };
const callId = (number: number): CallId => CallId.parse(`call_${number}`);

/** Chrome's storage of one browser run; it outlives the worker, and with it the journal object. */
const test = base.extend<{ storage: Map<string, unknown> }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads the pattern to know what a fixture needs
  storage: async ({}, use) => {
    const storage = new Map<string, unknown>();
    vi.stubGlobal('chrome', {
      storage: {
        session: {
          get: () => Promise.resolve(structuredClone(Object.fromEntries(storage))),
          set: (values: Record<string, unknown>) => {
            for (const [key, value] of Object.entries(values)) storage.set(key, structuredClone(value));
            return Promise.resolve();
          },
          remove: (key: string) => Promise.resolve(void storage.delete(key)),
        },
      },
    });
    await use(storage);
    vi.unstubAllGlobals();
  },
});

describe('the journal of calls', () => {
  test('knows after a restart of the worker what had begun and what had ended', async ({ storage }) => {
    const before = new CallJournal();
    const journalId = await before.id();
    await before.begin(callId(1));
    await before.begin(callId(2));
    await before.finish(callId(2), done);

    const after = new CallJournal();

    expect(await after.id()).toBe(journalId);
    expect(await after.find(callId(1))).toBe('begun');
    expect(await after.find(callId(2))).toEqual(done);
    expect(await after.find(callId(3))).toBe('new');
    expect(storage.size).toBe(3);
  });

  test('knows at once how a call has ended, and stores it after the answer', async ({ storage }) => {
    const journal = new CallJournal();
    await journal.begin(callId(1));

    const stored = journal.finish(callId(1), done);

    expect(await journal.find(callId(1))).toEqual(done);
    expect(storage.get(`call ${callId(1)}`)).toMatchObject({ result: null });
    await stored;
    expect(storage.get(`call ${callId(1)}`)).toMatchObject({ result: done });
  });

  test('has another id once its entries are lost', async ({ storage }) => {
    const journalId = await new CallJournal().id();
    storage.clear();

    expect(await new CallJournal().id()).not.toBe(journalId);
  });

  test('forgets the oldest first, also across restarts, and writes one entry per call', async ({ storage }) => {
    for (let number = 1; number <= KEPT; number += 1) await new CallJournal().begin(callId(number));
    const journal = new CallJournal();
    await journal.id();
    await journal.begin(callId(KEPT + 1));
    await journal.finish(callId(1), done);

    expect(await journal.find(callId(1))).toBe('new');
    expect(await journal.find(callId(2))).toBe('begun');
    expect(await new CallJournal().find(callId(KEPT + 1))).toBe('begun');
    expect(storage.size).toBe(KEPT + 1);
  });
});
