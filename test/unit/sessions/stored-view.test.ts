import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { crc32 } from 'node:zlib';
import { describe, expect, test as base } from 'vitest';
import { nullLog } from '#companion/lib/log.ts';
import { createPaths } from '#companion/lib/paths.ts';
import { exportMarkdown, exportText, toExport } from '#companion/sessions/export.ts';
import { newRow, SessionLog, type ViewInParts } from '#companion/sessions/session-log.ts';
import { StoredFold } from '#companion/sessions/stored-fold.ts';
import { StoredView } from '#companion/sessions/stored-view.ts';
import { summarize } from '#companion/sessions/summary.ts';
import { Store } from '#companion/store/store.ts';
import type { SessionSummary } from '#protocol/api.ts';
import { defaultSettings, type EventBody } from '#protocol/events.ts';
import { Fold } from '#protocol/fold.ts';
import { ItemId, RequestId, TurnId } from '#protocol/ids.ts';
import { newestPage, pageBefore } from '#protocol/pages.ts';
import { exportHead } from '#protocol/session-export.ts';
import { toMarkdown } from '#protocol/session-markdown.ts';
import { emptyView, type SessionView } from '#protocol/view.ts';
import { warningText } from '#protocol/warnings.ts';
import { extremeLog } from '#test/fixtures/extreme-log.ts';
import { numbered, sessionId, someLog } from '#test/fixtures/random-log.ts';

const SMALL = { chapter: 5, newest: 10 };

interface Kept {
  readonly file: string;
  store: Store;
  reopen(): void;
}

const test = base.extend<{ kept: Kept }>({
  // eslint-disable-next-line no-empty-pattern
  kept: async ({}, use) => {
    const home = mkdtempSync(path.join(tmpdir(), 'pilotfish-stored-'));
    const paths = createPaths({ HOME: home, PILOTFISH_HOME: path.join(home, 'pilotfish') });
    const kept = {
      file: paths.dbFile,
      store: new Store(paths, nullLog),
      reopen: () => {
        kept.store.close();
        kept.store = new Store(paths, nullLog);
      },
    };
    await use(kept);
    kept.store.close();
    rmSync(home, { recursive: true, force: true });
  },
});

const partsIn = ({ file }: Kept): { part: number; seq: number }[] => {
  using db = new DatabaseSync(file, { readOnly: true });
  return db
    .prepare('SELECT part, seq FROM views ORDER BY part')
    .all()
    .map(({ part, seq }) => ({ part: Number(part), seq: Number(seq) }));
};

/** Changes what is stored behind the back of who has it open. */
const changeStore = ({ file }: Kept, sql: string): void => {
  using db = new DatabaseSync(file);
  db.exec(sql);
};

const openLog = ({ store }: Kept): SessionLog => {
  const row = store.sessions.list()[0];
  if (row === undefined) throw new Error('no session');
  return new SessionLog({ row, store, log: nullLog, now: () => 1, onEvent: () => {} });
};

const turnOf = (index: number): EventBody[] => {
  const turnId = TurnId.parse(`t${index}`);
  const itemId = ItemId.parse(`i${index}`);
  return [
    { type: 'turn.started', turnId, prompt: { text: `prompt ${index}`, attachments: [] } },
    { type: 'item.started', turnId, itemId, item: { kind: 'message', role: 'assistant', text: `answer ${index}` } },
    { type: 'item.completed', turnId, itemId, status: 'completed' },
    { type: 'turn.completed', turnId, outcome: 'completed', durationMs: 1 },
  ];
};

/** A session that has said so much that its view has chapters. */
const talk = (log: SessionLog, from: number, count: number): void => {
  for (let first = from; first < from + count; first += 100) {
    const indexes = Array.from({ length: Math.min(100, from + count - first) }, (_, index) => first + index);
    log.record(indexes.flatMap((index) => turnOf(index)));
  }
};

describe('a view that is stored', () => {
  test.for([1, 2, 3, 4, 5, 6])('is the one that was folded, whole and in parts, whenever it was stored (%i)', (seed, { kept }) => {
    const events = someLog(seed, 3000, seed === 6 ? 'client' : 'agent');
    const fold = new Fold(emptyView(sessionId));
    const stored = new StoredView(kept.store.views, sessionId, SMALL);
    let longest = 0;
    let pages = 0;

    for (const event of events) {
      fold.take(event);
      if (event.seq % 100 !== 0) continue;
      const view = fold.view();
      const prompts = view.turns.map(({ turnId }) => turnId);
      stored.save(view, prompts);
      longest = Math.max(longest, partsIn(kept).length);
      const other = new StoredView(kept.store.views, sessionId, SMALL);
      expect(other.read(event.seq)?.view).toEqual(view);
      expect(other.page(event.seq, null, 7)).toEqual(newestPage(view, 7));
      for (let at = 0; at < view.items.length; at += 11) {
        const { itemId = null } = view.items[at] ?? {};
        if (itemId === null) continue;
        expect(other.page(event.seq, itemId, 7)).toEqual(pageBefore(view, itemId, 7));
        pages += 1;
      }
    }

    expect(pages).toBeGreaterThan(20);
    expect(longest).toBeGreaterThan(3);
  });

  test('has a form that is raised when the same events are folded to something else', () => {
    const fold = new Fold(emptyView(sessionId));
    for (const event of someLog(1, 3000, 'agent')) fold.take(event);

    // Where this differs because `project` does, FORM in stored-view.ts must be raised: views that were stored are not right any more.
    expect(crc32(JSON.stringify(fold.view()))).toBe(4_114_559_763);
  });

  test('is stored by the log, chapter by chapter, and what is there already is not written again', ({ kept }) => {
    kept.store.sessions.save(newRow(sessionId, null, 1));
    const log = openLog(kept);
    talk(log, 0, 1200);
    log.unload();
    const before = partsIn(kept);
    const seq = log.lastSeq();
    talk(log, 1200, 600);
    log.unload();

    const after = partsIn(kept);

    expect(before.map(({ part }) => part)).toEqual([0, 1, 2, 3]);
    expect(after.map(({ part }) => part)).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(after.slice(1, 4)).toEqual(before.slice(1));
    expect(after[0]?.seq).toBe(log.lastSeq());
    expect(after[4]?.seq).toBeGreaterThan(seq);
  });

  test('is not written again when it was only read', ({ kept }) => {
    kept.store.sessions.save(newRow(sessionId, null, 1));
    const first = openLog(kept);
    talk(first, 0, 300);
    first.unload();
    kept.reopen();
    using changes = new DatabaseSync(kept.file, { readOnly: true });
    const version = () => changes.prepare('PRAGMA data_version').get();
    const log = openLog(kept);
    const before = version();

    log.view();
    log.unload();

    expect(log.isLoaded).toBe(false);
    expect(version()).toEqual(before);
  });

  test('is stored at the end of a turn now and then, for the case that the daemon dies', ({ kept }) => {
    kept.store.sessions.save(newRow(sessionId, null, 1));

    talk(openLog(kept), 0, 300);

    expect(partsIn(kept)[0]?.seq).toBe(1200);
  });

  test('opens a long session without its events, and knows each prompt', ({ kept }) => {
    kept.store.sessions.save(newRow(sessionId, null, 1));
    const first = openLog(kept);
    talk(first, 0, 1200);
    const view = first.view();
    first.unload();
    kept.reopen();
    const read: number[] = [];
    const original = kept.store.events.read.bind(kept.store.events);
    Object.assign(kept.store.events, {
      read: (...args: Parameters<typeof original>) => {
        const events = original(...args);
        read.push(events.length);
        return events;
      },
    });
    const log = openLog(kept);

    const newest = log.page(null, 100);
    const earlier = log.page(newest.first, 100);

    expect(newest).toEqual(newestPage(view, 100));
    expect(earlier).toEqual(pageBefore(view, newest.first ?? ItemId.parse('none'), 100));
    expect(log.isLoaded).toBe(false);
    expect(log.hadPrompt(TurnId.parse('t7'))).toBe(true);
    expect(log.hadPrompt(TurnId.parse('t1200'))).toBe(false);
    expect(log.view()).toEqual(view);
    expect(read.reduce((sum, count) => sum + count, 0)).toBe(0);
  });

  test('counts for nothing when it was damaged, or is of another moment', ({ kept }) => {
    kept.store.sessions.save(newRow(sessionId, null, 1));
    const first = openLog(kept);
    talk(first, 0, 1200);
    first.unload();
    talk(first, 1200, 1);
    const view = first.view();
    kept.reopen();

    expect(openLog(kept).page(null, 10)).toEqual(newestPage(view, 10));

    for (const sql of [
      `UPDATE views SET body = replace(body, 'answer 7"', 'answer 8"') WHERE part = 1`,
      `UPDATE views SET form = 'other' WHERE part = 0`,
      'UPDATE views SET seq = seq + 100000',
      'DELETE FROM views WHERE part = 1',
    ]) {
      changeStore(kept, sql);
      const log = openLog(kept);
      expect(log.view()).toEqual(view);
      log.unload();
      expect(openLog(kept).page(null, 10)).toEqual(newestPage(view, 10));
    }
  });

  test.for([1, 2, 3, 4, 5, 6, 7, 8])('is the same made anew from a log that is never held whole (%i)', (seed, { kept }) => {
    const events = [
      ...numbered(Array.from({ length: 60 }, (_, index) => turnOf(-index)).flat()),
      ...someLog(seed, 3000, 'agent').slice(1),
    ].map((event, index) => ({ ...event, seq: index + 1 }));
    const stored = new StoredFold(kept.store.views, sessionId, { sizes: SMALL, itemsAtATime: 20 });
    const fold = new Fold(emptyView(sessionId));

    // It may be refused when it is about what was written long ago; until then all is well.
    for (const event of events) {
      if (!stored.take(event)) break;
      fold.take(event);
    }
    stored.finish();

    const view = fold.view();
    const other = new StoredView(kept.store.views, sessionId, SMALL);
    expect(other.read(view.seq)?.view).toEqual(view);
    expect(other.page(view.seq, null, 7)).toEqual(newestPage(view, 7));
    for (const { itemId } of view.items) expect(other.page(view.seq, itemId, 7)).toEqual(pageBefore(view, itemId, 7));
    expect(partsIn(kept).length).toBeGreaterThan(6);
  });

  test('is made anew in slices when its form is another now: the log is not in memory for that, and others work meanwhile', async ({
    kept,
  }) => {
    kept.store.sessions.save(newRow(sessionId, null, 1));
    const first = openLog(kept);
    talk(first, 0, 1500);
    const view = first.view();
    first.unload();
    const summary = first.summary();
    kept.reopen();
    changeStore(kept, `UPDATE views SET form = 'other'; UPDATE sessions SET summary_seq = 0`);
    const log = openLog(kept);
    const seen: number[] = [];
    let turns = 0;
    const count = (): void => {
      turns += 1;
      if (seen.at(-1) !== view.seq) setImmediate(count);
    };
    count();

    await Promise.all([log.catchUp({ onRead: (seq) => seen.push(seq) }), log.catchUp()]);

    expect(seen).toEqual([1000, 2000, 3000, 4000, 5000, 6000]);
    expect(turns).toBeGreaterThan(5);
    expect(log.isLoaded).toBe(false);
    expect(log.page(null, 100)).toEqual(newestPage(view, 100));
    expect(log.summary()).toEqual(summary);
    expect(kept.store.sessions.list()).toMatchObject([{ summary, summarySeq: view.seq }]);
    expect(log.hadPrompt(TurnId.parse('t7'))).toBe(true);
    expect(log.view()).toEqual(view);
  });

  test('is folded to the end of a log with damaged entries, which goes on after them', ({ kept }) => {
    kept.store.sessions.save(newRow(sessionId, null, 1));
    const first = openLog(kept);
    talk(first, 0, 1500);
    const { seq } = first.view();
    changeStore(
      kept,
      `DELETE FROM views; UPDATE events SET body = replace(body, 'answer 0', 'answer x') WHERE seq = 2; UPDATE events SET crc = 1 WHERE seq = ${seq}`,
    );
    const log = openLog(kept);

    expect(log.view()).toMatchObject({ seq, turns: { length: 1500 }, items: { length: 1499 } });
    talk(log, 1500, 1);
    expect(openLog(kept).view()).toMatchObject({ seq: seq + 4, turns: { length: 1501 } });
    expect(kept.store.warnings.map(warningText).join()).toContain('was damaged on disk');
  });

  test('goes with its session', ({ kept }) => {
    kept.store.sessions.save(newRow(sessionId, null, 1));
    const log = openLog(kept);
    talk(log, 0, 1);
    log.unload();
    expect(partsIn(kept)).toHaveLength(1);

    kept.store.sessions.remove(sessionId);

    expect(partsIn(kept)).toEqual([]);
  });
});

/** What was asked and answered in that turn. */
const cardOf = (index: number): EventBody[] => {
  const [turnId, itemId, requestId] = [TurnId.parse(`t${index}`), ItemId.parse(`i${index}`), RequestId.parse(`r${index}`)];
  return [
    { type: 'request.opened', turnId, requestId, itemId, request: { kind: 'question', title: 'Really?', options: [] } },
    { type: 'request.resolved', requestId, outcome: 'answered', by: 'panel' },
  ];
};

/** What is seen of it without its lists. */
const summaryOf = ({ head }: Pick<ViewInParts, 'head'>): SessionSummary => summarize({ ...head, turns: [], items: [], answered: [] }, 1);

/** What is exported of a view in parts: as JSON and as text for reading. */
const fileOf = async (view: ViewInParts): Promise<string[]> => {
  const exported = toExport(view, summaryOf(view), 1);
  return [await text(exportText(exported, noAttachments)), await text(exportMarkdown(exported))];
};

/** The same of a view that is in memory, in one piece. */
const wholeFileOf = (view: SessionView): string[] => {
  const { settings, usage, turns, items, answered } = view;
  const session = summaryOf({ head: view });
  const head = { ...exportHead, exportedAt: new Date(1).toISOString(), session, settings, usage };
  return [JSON.stringify({ ...head, turns, items, answered, attachments: [] }), toMarkdown(session, items)];
};

const noAttachments = { has: () => false, stream: () => Promise.reject(new Error('none is kept')) };

const EXTREME: EventBody[] = [
  { type: 'session.created', projectId: null, engine: 'e', name: 'n', kind: 'agent', settings: defaultSettings },
];

const LOGS = [
  ...[1, 2, 3, 4, 5].map((seed) => ['random', seed, someLog(seed, 3000, 'agent')] as const),
  ...[1, 2, 3, 4, 5].map((seed) => ['extreme', seed, numbered([...EXTREME, ...extremeLog(seed, 200)])] as const),
];

describe('a view that is exported', () => {
  test.for(LOGS)('in the parts in which it is stored is the same file to the last byte (%s log %i)', async ([kind, , events], { kept }) => {
    const fold = new Fold(emptyView(sessionId));
    const stored = new StoredView(kept.store.views, sessionId, kind === 'random' ? SMALL : { chapter: 1, newest: 1 });
    let compared = 0;
    let parts = 0;
    for (const event of events) {
      fold.take(event);
      if (event.seq % 100 !== 0) continue;
      stored.save(fold.view(), []);
      const view = stored.read(event.seq)?.view;
      const inParts = stored.inParts(event.seq);
      if (view === undefined || inParts === null) continue;
      const file = await fileOf({
        head: inParts.newest,
        async *parts() {
          for (const part of inParts.parts()) {
            parts += 1;
            if (part !== null) yield await Promise.resolve(part);
          }
        },
      });
      expect(file).toEqual(wholeFileOf(view));
      compared += 1;
    }

    expect(compared).toBeGreaterThan(kind === 'random' ? 25 : 0);
    if (kind === 'random') expect(parts).toBeGreaterThan(8 * compared);
  });

  test('and long is never in memory whole: one part is read after the other was given out', async ({ kept }) => {
    kept.store.sessions.save(newRow(sessionId, null, 1));
    const first = openLog(kept);
    for (let from = 0; from < 1200; from += 100) {
      first.record(Array.from({ length: 100 }, (_, index) => [...turnOf(from + index), ...cardOf(from + index)]).flat());
    }
    const whole = wholeFileOf(first.view());
    first.unload();
    kept.reopen();
    let read = 0;
    const original = kept.store.views.read.bind(kept.store.views);
    Object.assign(kept.store.views, {
      read: (...args: Parameters<typeof original>) => {
        if (args[1] > 0) read += 1;
        return original(...args);
      },
    });
    const log = openLog(kept);
    const view = log.inParts();
    const exported = toExport(view, summaryOf(view), 1);

    for (const [index, pieces] of [exportText(exported, noAttachments), exportMarkdown(exported)].entries()) {
      let file = '';
      let most = 0;
      let total = 0;
      for await (const piece of pieces) {
        file += piece;
        most = Math.max(most, read);
        total += read;
        read = 0;
      }
      expect(file).toBe(whole[index]);
      // JSON goes through all chapters twice: for its turns and for its items.
      expect({ most, total }).toEqual({ most: 1, total: index === 0 ? 6 : 3 });
    }
    expect(log.isLoaded).toBe(false);
  });

  test('goes on from the events where a part cannot be read, and ends where the session is another by then', async ({ kept }) => {
    kept.store.sessions.save(newRow(sessionId, null, 1));
    const first = openLog(kept);
    talk(first, 0, 1200);
    const whole = wholeFileOf(first.view());
    first.unload();
    kept.reopen();
    const log = openLog(kept);
    expect(await fileOf(log.inParts())).toEqual(whole);

    const db = new DatabaseSync(kept.file);
    db.exec(`UPDATE views SET body = replace(body, 'answer 300"', 'answer 301"') WHERE part = 2`);
    db.close();
    expect(await fileOf(log.inParts())).toEqual(whole);
    expect(log.isLoaded).toBe(false);

    const begun = log.inParts();
    talk(log, 1200, 1);
    expect(await fileOf(begun)).toEqual(whole);

    log.unload();
    const emptied = log.inParts();
    log.commit([{ type: 'session.reset' }]);
    talk(log, 1201, 300);
    await expect(fileOf(emptied)).rejects.toMatchObject({ code: 'SESSION_BUSY' });
  });
});
