import { runInNewContext } from 'node:vm';
import { describe, expect, test as base, vi } from 'vitest';
import { Pending } from '#extension/background/pending.ts';

const shown = { frameId: 0, documentId: 'shown', url: 'https://example.org/' };
const other = { frameId: 3, documentId: 'other', url: 'https://example.org/frame' };

/** What was run in the documents of a tab, in order. */
const test = base.extend<{ ran: string[] }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads the pattern to know what a fixture needs
  ran: async ({}, use) => {
    const ran: string[] = [];
    const executeScript = ({ target, func }: { target: { documentIds: string[] }; func: { name: string } }): Promise<[]> => {
      ran.push(`${func.name} ${target.documentIds.join()}`);
      return Promise.resolve([]);
    };
    vi.stubGlobal('chrome', { scripting: { executeScript } });
    await use(ran);
    vi.unstubAllGlobals();
  },
});

describe('what watches a page while it comes to rest', () => {
  test('gives the page its own functions back after the answer', async ({ ran }) => {
    const pending = new Pending(1, [shown]);
    await pending.begin();

    const ended = pending.end();
    await Promise.resolve();

    expect(ran).toEqual(['watchPending shown']);
    await ended;
    expect(ran).toEqual(['watchPending shown', 'endPending shown']);
  });

  test('goes on where the next call has begun to watch the same document', async ({ ran }) => {
    const first = new Pending(1, [shown, other]);
    await first.begin();

    const ended = first.end();
    const second = new Pending(1, [shown]);
    await second.begin();
    await ended;

    expect(ran.slice(2)).toEqual(['watchPending shown', 'endPending other']);
    await second.end();
    expect(ran.at(-1)).toBe('endPending shown');
  });

  test('has what is in a page already begin anew, and puts it into other content of the same document', async ({ ran }) => {
    const { executeScript } = chrome.scripting;
    const isThere = { result: true };
    vi.stubGlobal('chrome', {
      scripting: {
        executeScript: async (asked: Parameters<typeof executeScript>[0]) => {
          await executeScript(asked);
          return [isThere];
        },
      },
    });
    const watch = async (mark: string): Promise<void> => {
      const pending = new Pending(1, [{ ...shown, documentId: 'kept', mark }]);
      await pending.begin();
      await pending.end();
    };

    await watch('one');
    await watch('one');
    await watch('two');
    isThere.result = false;
    await watch('two');

    expect(ran.filter((name) => !name.startsWith('end'))).toEqual([
      'watchPending kept',
      'watchAgain kept',
      'watchPending kept',
      'watchAgain kept',
      'watchPending kept',
    ]);
  });

  test('asks nothing of a page that was watched before and in which code is run, for that has it watched', async ({ ran }) => {
    const page = { ...shown, documentId: 'asked before', mark: 'one' };
    const before = new Pending(1, [page]);
    await before.begin();
    await before.end();
    ran.length = 0;

    const pending = new Pending(1, [page, { ...other, mark: 'one' }]);
    await pending.begin(true);

    expect(ran).toEqual(['watchPending other']);
    expect(pending.watchIn('other')).toBeNull();
    const watch = pending.watchIn('asked before');
    expect(runInNewContext(watch?.code ?? '', { document: { dispatchEvent: () => true }, CustomEvent: class {} })).toBe(false);
    await watch?.put();
    expect(ran.slice(1)).toEqual(['watchAgain asked before', 'watchPending asked before']);
  });

  test('counts what the page’s own document told with its state, and asks it where that told nothing it may say', async ({ ran }) => {
    const pending = new Pending(1, [shown, other]);
    await pending.begin();
    ran.length = 0;

    const asks = [['print', 'refused'], 'nothing'];
    expect(pending.watched('shown', false)).not.toBeNull();
    expect(pending.watched('other', false)).toBeNull();
    expect(await pending.count(false, Promise.resolve({ count: 2, errors: 1, asks: asks.slice(0, 1) }))).toBe(2);
    expect(pending.errors).toBe(1);
    expect(pending.asks).toEqual([{ what: 'print', state: 'refused' }]);
    expect(ran).toEqual(['countPending other']);

    await pending.count(false, Promise.resolve({ count: 'many', errors: 0, asks }));
    expect(ran.slice(1).toSorted()).toEqual(['countPending other', 'countPending shown']);
  });

  test('watches frames, too, and is not held up by one that hangs', async ({ ran }) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const hung = { ...other, frameId: 4, documentId: 'hung' };
    const { executeScript } = chrome.scripting;
    vi.stubGlobal('chrome', {
      scripting: {
        executeScript: (asked: Parameters<typeof executeScript>[0]) =>
          asked.target.documentIds?.includes('hung') === true ? new Promise(() => {}) : executeScript(asked),
      },
    });
    const pending = new Pending(1, [shown], [shown, other, hung]);
    await pending.begin();

    const counted = pending.count(false);
    await vi.advanceTimersByTimeAsync(100);
    await counted;
    await pending.count(false);
    vi.useRealTimers();

    expect(ran.slice(0, 2).toSorted()).toEqual(['watchPending other', 'watchPending shown']);
    expect(ran.slice(2).toSorted()).toEqual(['other', 'other', 'shown', 'shown'].map((id) => `countPending ${id}`));
  });
});
