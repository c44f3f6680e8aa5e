import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { crc32 } from 'node:zlib';
import { describe, expect, test as base, vi } from 'vitest';
import { nullLog } from '#companion/lib/log.ts';
import { createPaths, type Paths } from '#companion/lib/paths.ts';
import { crcOf, createSchema, SCHEMA_VERSION } from '#companion/store/schema.ts';
import { toStoreError } from '#companion/store/store-error.ts';
import { readAhead } from '#companion/store/database.ts';
import { migrateAhead } from '#companion/store/migrate-ahead.ts';
import { Store } from '#companion/store/store.ts';
import type { SessionSummary } from '#protocol/api.ts';
import { CompanionError } from '#protocol/errors.ts';
import { defaultSettings, type SessionEvent } from '#protocol/events.ts';
import { ItemId, ProjectId, SessionId, TurnId } from '#protocol/ids.ts';
import { warningText } from '#protocol/warnings.ts';
import { NO_LOSS, tellFigure } from '#test/fixtures/figures.ts';
import { isWhole } from '#test/fixtures/whole.ts';
import { codeOf } from '#test/fixtures/code-of.ts';

const sessionId = SessionId.parse('session_a');
const turnId = TurnId.parse('turn_a');
const delta = (seq: number, text = `text ${seq}`): SessionEvent => ({
  type: 'item.delta',
  sessionId,
  seq,
  at: seq,
  turnId,
  itemId: ItemId.parse('item_a'),
  text,
});

/** Whether it is one of these; a damaged one is none any more. */
const isDelta = ({ type }: SessionEvent): boolean => type === 'item.delta';
const row = { sessionId, projectId: null, epoch: 'e', createdAt: 1, summary: null, summarySeq: 0 };

const isThere = (command: string): boolean => {
  try {
    execFileSync(command, ['-V'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

interface Fixture {
  paths: Paths;
  /** Opens a store that the test's end closes. */
  open: () => Store;
}
const test = base.extend<Fixture>({
  // eslint-disable-next-line no-empty-pattern
  paths: async ({}, use) => {
    const home = mkdtempSync(path.join(tmpdir(), 'pilotfish-'));
    await use(createPaths({ PILOTFISH_HOME: home }));
    rmSync(home, { recursive: true, force: true });
  },
  open: async ({ paths }, use) => {
    const opened: Store[] = [];
    await use(() => {
      const store = new Store(paths, nullLog);
      opened.push(store);
      return store;
    });
    for (const store of opened) {
      try {
        store.close();
      } catch {
        // The test closed it itself.
      }
    }
  },
});
const errorOf = (work: () => unknown): CompanionError | null => {
  try {
    work();
    return null;
  } catch (error) {
    return error instanceof CompanionError ? error : null;
  }
};
const seed = (store: Store, count: number): void => {
  store.sessions.save(row);
  store.events.append(
    Array.from({ length: count }, (_, index) => delta(index + 1, `${index} `.repeat(40))),
    'full',
  );
};

const grant = {
  id: 'g',
  origin: 'https://a.example',
  toolClass: 'write' as const,
  tool: null,
  sessionId: null,
  client: { id: 'agent claude', name: 'claude' },
  createdAt: 1,
  expiresAt: null,
};

describe('the event log', () => {
  test('gives back what was appended, in pages, after reopening', ({ open }) => {
    const first = open();
    seed(first, 10);
    first.close();

    const store = open();

    expect(store.sessions.list()).toEqual([{ ...row, lastSeq: 10 }]);
    expect(store.events.read(sessionId, 4, 3).map((event) => event.seq)).toEqual([5, 6, 7]);
    expect(store.events.read(sessionId, 0, 1)[0]).toEqual(delta(1, '0 '.repeat(40)));
  });

  test('takes a batch whole or not at all', ({ open }) => {
    const store = open();
    seed(store, 3);

    expect(codeOf(() => store.events.append([delta(4), delta(2)], 'normal'))).toBe('STORE_FAILED');
    expect(store.events.read(sessionId, 0, 10)).toHaveLength(3);
  });

  test('loses no acknowledged event when the process is killed', async ({ paths }) => {
    const script = `
      import { Store } from ${JSON.stringify(path.resolve('companion/store/store.ts'))};
      import { createPaths } from ${JSON.stringify(path.resolve('companion/lib/paths.ts'))};
      import { nullLog } from ${JSON.stringify(path.resolve('companion/lib/log.ts'))};
      const store = new Store(createPaths({ PILOTFISH_HOME: ${JSON.stringify(paths.root)} }), nullLog);
      store.sessions.save({ sessionId: 'session_a', projectId: null, epoch: 'e', createdAt: 1, summary: null, summarySeq: 0 });
      for (let seq = store.events.read('session_a', 0, 1e6).length + 1; ; seq += 1) {
        store.events.append([{ type: 'item.delta', sessionId: 'session_a', seq, at: 1, turnId: 't', itemId: 'i', text: 'x' }], seq % 2 ? 'full' : 'normal');
        process.stdout.write(seq + '\\n');
      }`;
    for (let round = 0; round < (isWhole ? 5 : 2); round += 1) {
      const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
      let output = '';
      child.stdout.on('data', (chunk: Buffer) => {
        output += chunk.toString();
        if (output.split('\n').length > 50 + round * 37) child.kill('SIGKILL');
      });
      await once(child, 'close');

      const acked = Number(output.trim().split('\n').at(-1));
      const store = new Store(paths, nullLog);
      const kept = store.events.read(sessionId, 0, 1_000_000);
      store.close();
      expect(kept.length).toBeGreaterThanOrEqual(acked);
      expect(kept.map((event) => event.seq)).toEqual(kept.map((_, index) => index + 1));
      expect(store.warnings).toEqual([]);
    }
  });

  test('syncs what a user was promised before it returns, and only that', ({ paths, skip }) => {
    skip(!isThere('strace'), 'strace is not installed');
    const script = path.join(paths.root, 'append.ts');
    const trace = path.join(paths.root, 'strace');
    writeFileSync(
      script,
      `import { writeSync } from 'node:fs';
       import { Store } from ${JSON.stringify(path.resolve('companion/store/store.ts'))};
       import { createPaths } from ${JSON.stringify(path.resolve('companion/lib/paths.ts'))};
       import { nullLog } from ${JSON.stringify(path.resolve('companion/lib/log.ts'))};
       const store = new Store(createPaths({ PILOTFISH_HOME: ${JSON.stringify(paths.root)} }), nullLog);
       for (const [seq, durability] of [[1, 'normal'], [2, 'full'], [3, 'normal'], [4, 'full']]) {
         writeSync(1, 'MARK ' + durability);
         store.events.append([{ type: 'item.delta', sessionId: 's', seq, at: 1, turnId: 't', itemId: 'i', text: 'x' }], durability);
       }
       writeSync(1, 'MARK end');`,
    );

    execFileSync('strace', ['-f', '-e', 'trace=fdatasync,fsync,write', '-o', trace, process.execPath, script], { stdio: 'ignore' });
    const pieces = readFileSync(trace, 'utf8').split('"MARK ').slice(1);
    const syncs = pieces.map((piece) => [/^[a-z]+/.exec(piece)?.[0], /sync\(/.test(piece)]);

    // The first append of all makes the file's log, which is synced in any case.
    expect(syncs.slice(1, 4)).toEqual([
      ['full', true],
      ['normal', false],
      ['full', true],
    ]);
  });
});

/** In how many places, evenly spread, a file is damaged. */
const PLACES = isWhole ? { few: 100, many: 300 } : { few: 10, many: 40 };

describe('damage', () => {
  const damaged = (paths: Paths): string[] => readdirSync(paths.root).filter((name) => name.includes('.damaged-'));

  test('of the file’s head is found, the file kept and told of', ({ paths, open }) => {
    const first = open();
    seed(first, 50);
    first.close();
    const fd = openSync(paths.dbFile, 'r+');
    writeSync(fd, Buffer.alloc(100, 0xff), 0, 100, 0);
    closeSync(fd);

    const store = open();

    expect(damaged(paths)).toHaveLength(1);
    expect(store.warnings.map(warningText)[0]).toContain('is kept as');
    // The head says where things are; the pages themselves are whole.
    expect(store.sessions.list()).toHaveLength(1);
    expect(store.events.read(sessionId, 0, 100)).toHaveLength(50);
  });

  test.for([
    ['the size of a page', 16, 0x20],
    ['the same, smaller', 16, 0x08],
    ['the version for writing', 18, 3],
    ['the version for reading', 19, 3],
    ['what is kept free in each page', 20, 1],
  ] as const)('of one byte of the head, %s, leaves all that the pages hold', ([, at, byte], { paths, open }) => {
    const first = open();
    seed(first, 300);
    first.close();
    const fd = openSync(paths.dbFile, 'r+');
    writeSync(fd, Buffer.of(byte), 0, 1, at);
    closeSync(fd);

    const store = open();

    expect(damaged(paths)).toHaveLength(1);
    expect(store.events.read(sessionId, 0, 1_000)).toHaveLength(300);
  });

  test('is looked for in all of the file once a day, and whenever something may have happened to it', ({ paths }) => {
    const whole: string[] = [];
    const store = (): Store => new Store(paths, { ...nullLog, info: (event) => void whole.push(event) });
    const timesRead = (work: () => void): number => {
      whole.length = 0;
      work();
      store().close();
      return whole.filter((event) => event === 'store.read_whole').length;
    };
    const first = store();
    seed(first, 50);
    first.close();

    expect(timesRead(() => {})).toBe(0);
    expect(timesRead(() => writeFileSync(paths.dbFile, readFileSync(paths.dbFile)))).toBe(1);
    expect(timesRead(() => {})).toBe(0);
    // A daemon that was killed.
    const killed = store();
    expect(timesRead(() => killed.events.append([delta(51)], 'full'))).toBe(1);
    killed.close();
    // Another file in its place, however old it claims to be.
    expect(
      timesRead(() => {
        const { mtime } = statSync(paths.dbFile);
        writeFileSync(`${paths.dbFile}.other`, readFileSync(paths.dbFile), { mode: 0o600 });
        renameSync(`${paths.dbFile}.other`, paths.dbFile);
        utimesSync(paths.dbFile, mtime, mtime);
      }),
    ).toBe(1);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 25 * 60 * 60_000 });
    expect(timesRead(() => {})).toBe(1);
    expect(timesRead(() => {})).toBe(0);
    vi.useRealTimers();
    const kept = store();
    expect(kept.events.read(sessionId, 0, 100)).toHaveLength(51);
    expect(kept.warnings).toEqual([]);
    kept.close();
  });

  test('of a page leaves what can be read', ({ paths, open }) => {
    const first = open();
    first.projects.save({ id: ProjectId.parse('p'), name: 'Mine', rootPath: '/tmp', createdAt: 'c', updatedAt: 'u' });
    seed(first, 2000);
    first.close();
    const fd = openSync(paths.dbFile, 'r+');
    writeSync(fd, Buffer.alloc(4096, 0xa5), 0, 4096, 40 * 4096);
    closeSync(fd);

    const store = open();
    const kept = store.events.read(sessionId, 0, 10_000).length;

    expect(store.warnings.map(warningText)[0]).toContain('was damaged');
    expect(store.projects.list()).toMatchObject([{ name: 'Mine' }]);
    expect(kept).toBeGreaterThan(1500);
    expect(kept).toBeLessThan(2000);
  });

  test('of a single bit in a text is noticed too', ({ paths, open }) => {
    const first = open();
    first.sessions.save(row);
    first.events.append([delta(1, 'the needle'), delta(2, 'other')], 'full');
    first.close();
    const bytes = readFileSync(paths.dbFile);
    const at = bytes.indexOf('the needle');
    bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
    writeFileSync(paths.dbFile, bytes);

    const store = open();
    const events = store.events.read(sessionId, 0, 10);

    // It changes nothing any more, and the numbers have no gap.
    expect(events).toEqual([{ type: 'session.updated', sessionId, seq: 1, at: 1 }, delta(2, 'other')]);
    expect(store.warnings.map(warningText).join()).toContain('was damaged on disk');
  });

  test('of random places is found or does no harm', ({ paths, open }) => {
    const first = open();
    seed(first, 500);
    first.close();
    const good = readFileSync(paths.dbFile);
    const expected = Array.from({ length: 500 }, (_, index) => delta(index + 1, `${index} `.repeat(40)));

    for (let place = 0; place < PLACES.few; place += 1) {
      const bytes = Buffer.from(good);
      const at = Math.floor((good.length / PLACES.few) * place + ((place * 7919) % 97));
      bytes.writeUInt8(bytes.readUInt8(at) ^ 0x10, at);
      writeFileSync(paths.dbFile, bytes);
      const store = new Store(paths, nullLog);
      const events = store.sessions.list().length === 1 ? store.events.read(sessionId, 0, 1000).filter(isDelta) : [];
      const isIntact = events.length === 500;
      // Either all is as it was written, or the user is told.
      expect(isIntact || store.warnings.length > 0, `place ${at}`).toBe(true);
      for (const event of events) expect(event).toEqual(expected[event.seq - 1]);
      store.close();
      for (const name of readdirSync(paths.root)) if (name.startsWith('pilotfish.db')) rmSync(path.join(paths.root, name));
    }
  });

  test('of any bit is found or does no harm in the lists of sessions, projects and permissions too', ({ paths, open }) => {
    const first = open();
    const project = { id: ProjectId.parse('p'), name: 'Mine', rootPath: '/tmp', createdAt: 'c', updatedAt: 'u' };
    first.sessions.save(row);
    first.events.append([delta(1)], 'full');
    first.projects.save(project);
    first.grants.add(grant);
    first.close();
    const good = readFileSync(paths.dbFile);
    const used = [...good.keys()].filter((at) => good[at] !== 0);

    for (let place = 0; place < PLACES.many; place += 1) {
      const bytes = Buffer.from(good);
      const at = used[Math.floor((used.length / PLACES.many) * place)] ?? 0;
      bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << (place % 8)), at);
      writeFileSync(paths.dbFile, bytes);
      const store = new Store(paths, nullLog);
      const found = [store.sessions.list(), store.projects.list(), store.grants.list(), store.events.read(sessionId, 0, 10)];
      const isIntact = isDeepStrictEqual(found, [[{ ...row, lastSeq: 1 }], [project], [grant], [delta(1)]]);
      expect(isIntact || store.warnings.length > 0, `place ${at}`).toBe(true);
      store.close();
      for (const name of readdirSync(paths.root)) if (name.startsWith('pilotfish.db')) rmSync(path.join(paths.root, name));
    }
  });

  test('by a cut file is found', ({ paths, open }) => {
    const first = open();
    seed(first, 500);
    first.close();
    truncateSync(paths.dbFile, 20_000);

    expect(open().warnings.map(warningText)[0]).toContain('was damaged');
  });

  const makeLater = (paths: Paths, sql: string): void => {
    const db = new DatabaseSync(paths.dbFile);
    db.exec(`${sql}; PRAGMA user_version = 99`);
    db.close();
  };

  test('is not what a later version’s file is: it is read, told of and not changed', ({ paths, open }) => {
    const startedAt = performance.now();
    const first = open();
    seed(first, 5);
    first.processes.add({ pid: 1, startTime: 's', sessionId });
    first.close();
    makeLater(paths, 'CREATE TABLE later (x)');
    const before = readFileSync(paths.dbFile);

    const store = open();

    expect(store.warnings.map(warningText)[0]).toContain('was written by a later pilotfish');
    expect(store.events.read(sessionId, 0, 10)).toHaveLength(5);
    expect(codeOf(() => store.events.append([delta(6)], 'full'))).toBe('STORE_FAILED');
    expect(codeOf(() => store.sessions.remove(sessionId))).toBe('STORE_FAILED');
    expect(store.processes.list()).toEqual([]);
    store.close();
    expect(readFileSync(paths.dbFile).equals(before)).toBe(true);
    expect(damaged(paths)).toEqual([]);
    tellFigure({
      fault: 'A later version has written the database: it is read, and not a byte of it is changed',
      count: '1 file',
      ...NO_LOSS,
      ms: performance.now() - startedAt,
    });
  });

  test('is not what a later version’s file is whose tables are others: it is refused and left alone', ({ paths, open }) => {
    open().close();
    makeLater(paths, 'ALTER TABLE events RENAME COLUMN body TO content');

    expect(codeOf(open)).toBe('STORE_FAILED');
    expect(damaged(paths)).toEqual([]);
  });

  test('is not what a locked file is', ({ paths, open }) => {
    open().close();
    const other = new DatabaseSync(paths.dbFile);
    other.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');

    expect(codeOf(open)).toBe('STORE_FAILED');
    other.close();
    expect(damaged(paths)).toEqual([]);
  });
});

describe('history that is missing', () => {
  const told = (store: Store): string => store.warnings.map(warningText).join('\n');
  const summaryOf = (id: SessionId): SessionSummary => ({
    id,
    projectId: null,
    kind: 'agent',
    engineName: 'claude',
    name: 'A session',
    model: null,
    mode: 'plan',
    status: 'idle',
    lastOutcome: null,
    engineSessionId: null,
    openRequests: 0,
    preview: '',
    createdAt: '2026-01-01T00:00:00.000Z',
    updatedAt: '2026-01-01T00:00:00.000Z',
  });
  const makeHistory = (open: () => Store): void => {
    const store = open();
    for (let session = 0; session < 6; session += 1) {
      const id = SessionId.parse(`session_${session}`);
      store.sessions.save({ ...row, sessionId: id, summary: summaryOf(id), summarySeq: 40 });
      store.events.append(
        Array.from({ length: 40 }, (_, index) => ({ ...delta(index + 1, `${session} ${index} `.repeat(20)), sessionId: id })),
        'full',
      );
    }
    store.close();
  };

  test('is told when the file was deleted or emptied, and only once', ({ paths, open }) => {
    for (const lose of [() => rmSync(paths.dbFile), () => truncateSync(paths.dbFile, 0)]) {
      makeHistory(open);

      lose();

      const store = open();
      expect(told(store)).toContain('The history is gone');
      expect(told(store)).toContain('6 sessions');
      store.close();
      const next = open();
      expect(told(next)).toBe('');
      next.close();
      rmSync(paths.dbFile);
      rmSync(path.join(paths.root, 'history.json'));
    }
  });

  test('is told when an older copy was put in its place', ({ paths, open }) => {
    makeHistory(open);
    const older = readFileSync(paths.dbFile);
    const store = open();
    store.events.append([{ ...delta(41), sessionId: SessionId.parse('session_0') }], 'full');
    store.close();

    writeFileSync(paths.dbFile, older);

    expect(told(open())).toContain('1 entries');
  });

  test('is told when the log beside the file was deleted or cut', ({ paths, open }) => {
    for (const lose of [() => rmSync(`${paths.dbFile}-wal`), () => truncateSync(`${paths.dbFile}-wal`, 10_000)]) {
      makeHistory(open);
      const running = open();
      running.events.append([{ ...delta(41), sessionId: SessionId.parse('session_0') }], 'full');
      running.events.append([{ ...delta(42), sessionId: SessionId.parse('session_0') }], 'full');
      // What a killed process leaves behind: its files as they are now.
      const left = ['', '-wal'].map((suffix) => [`${paths.dbFile}${suffix}`, readFileSync(`${paths.dbFile}${suffix}`)] as const);
      const count = readFileSync(path.join(paths.root, 'history.json'));
      running.close();
      for (const [file, bytes] of left) writeFileSync(file, bytes);
      writeFileSync(path.join(paths.root, 'history.json'), count);

      lose();

      const store = open();
      expect(told(store)).toContain('The history is shorter than it was');
      store.close();
      for (const name of readdirSync(paths.root)) rmSync(path.join(paths.root, name), { recursive: true });
    }
  });

  test('is not told when sessions were removed, nor after a kill', ({ paths, open }) => {
    makeHistory(open);
    const store = open();
    store.sessions.remove(SessionId.parse('session_3'));
    store.sessions.save({ ...row, sessionId: SessionId.parse('session_9') });
    const left = ['pilotfish.db', 'pilotfish.db-wal', 'history.json'].map(
      (name) => [name, readFileSync(path.join(paths.root, name))] as const,
    );
    store.close();
    for (const [name, bytes] of left) writeFileSync(path.join(paths.root, name), bytes);

    const next = open();

    expect(told(next)).toBe('');
    expect(next.sessions.list()).toHaveLength(6);
  });

  test('is brought back from all pages that are whole, whichever one is cut off or overwritten', ({ paths, open }) => {
    makeHistory(open);
    const good = readFileSync(paths.dbFile);
    const count = readFileSync(path.join(paths.root, 'history.json'));
    const pages = good.length / 4096;
    const damages = [
      good.subarray(0, good.length - 4096),
      good.subarray(0, good.length - 100),
      ...Array.from({ length: pages }, (_, page) => page).flatMap((page) =>
        // Each page in one of two ways or, in the whole form, in both.
        [0xa5, 0]
          .filter((_, way) => isWhole || way === page % 2)
          .map((byte) => Buffer.from(good).fill(byte, page * 4096, (page + 1) * 4096)),
      ),
    ];
    for (const [index, bytes] of damages.entries()) {
      for (const name of readdirSync(paths.root)) rmSync(path.join(paths.root, name), { recursive: true });
      writeFileSync(paths.dbFile, bytes);
      writeFileSync(path.join(paths.root, 'history.json'), count);

      const store = open();
      const kept = store.sessions.list();
      const entries = kept.flatMap(({ sessionId: id }) => store.events.read(id, 0, 1000)).filter(isDelta);
      store.close();

      expect(kept.length, `damage ${index}`).toBe(6);
      // A page has room for no more than this many of these entries.
      expect(entries.length, `damage ${index}`).toBeGreaterThanOrEqual(240 - 24);
      if (entries.length < 240) expect(told(store), `damage ${index}`).toMatch(/damaged|shorter/);
    }
  });

  test('comes not back when the person removed it: free pages do not count', ({ paths, open }) => {
    makeHistory(open);
    const store = open();
    for (let session = 0; session < 3; session += 1) store.sessions.remove(SessionId.parse(`session_${session}`));
    store.close();
    const bytes = readFileSync(paths.dbFile);
    // The root page of the events is lost, so that nothing can be read along its tree.
    const db = new DatabaseSync(paths.dbFile);
    const root = Number(db.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'events'").get()?.['rootpage']);
    db.close();
    writeFileSync(paths.dbFile, bytes.fill(0, (root - 1) * 4096, root * 4096));

    const next = open();

    expect(
      next.sessions
        .list()
        .map(({ sessionId: id }) => id)
        .toSorted(),
    ).toEqual(['session_3', 'session_4', 'session_5']);
  });
});

describe('a writer that was replaced', () => {
  test('writes nothing more and is told so; the newer one goes on', ({ open }) => {
    const older = open();
    seed(older, 3);
    let replacements = 0;
    older.onReplaced(() => (replacements += 1));
    const newer = open();

    newer.events.append([delta(4)], 'full');

    expect(codeOf(() => older.events.append([delta(4, 'late')], 'full'))).toBe('DAEMON_REPLACED');
    expect(codeOf(() => older.events.append([delta(5, 'later')], 'normal'))).toBe('DAEMON_REPLACED');
    expect(codeOf(() => older.sessions.save(row))).toBe('DAEMON_REPLACED');
    expect(codeOf(() => older.rawLines.append(sessionId, turnId, ['late']))).toBe('DAEMON_REPLACED');
    expect(codeOf(() => older.processes.remove(1))).toBe('DAEMON_REPLACED');
    expect(codeOf(() => older.grants.remove('g'))).toBe('DAEMON_REPLACED');
    expect(replacements).toBe(1);
    older.close();
    newer.events.append([delta(5)], 'full');
    expect(newer.events.read(sessionId, 0, 10).map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5]);
    expect(newer.warnings).toEqual([]);
  });
});

describe('a large history that is read before it is opened', () => {
  test('does not hold up the others meanwhile, and what was found counts', async ({ paths, open }) => {
    const first = open();
    first.sessions.save(row);
    for (let index = 0; index < 5; index += 1) first.events.append([delta(index + 1, 'x'.repeat(4_000_000))], 'full');
    first.close();
    const sizes: number[] = [];
    const ahead = () => readAhead(paths.dbFile, nullLog, (sizeBytes) => sizes.push(sizeBytes));

    expect(await ahead()).toMatchObject({ left: { unsettled: null }, integrity: null });
    expect(sizes).toEqual([]);
    // The note was taken away, so that all has to be read.
    const found = await ahead();
    expect(found).toEqual({ left: null, integrity: 'ok' });
    expect(sizes).toEqual([statSync(paths.dbFile).size]);
    const sound = new Store(paths, nullLog, undefined, found);
    expect(sound.warnings).toEqual([]);
    sound.close();

    const bytes = readFileSync(paths.dbFile);
    bytes.fill(7, 4096, 3 * 4096);
    writeFileSync(paths.dbFile, bytes);
    const damaged = await ahead();
    expect(damaged).not.toMatchObject({ integrity: 'ok' });
    const store = new Store(paths, nullLog, undefined, damaged);
    expect(store.warnings.map(warningText).join()).toContain('The history was damaged');
    store.close();
  });

  test('is a fault of the history where the disk does not let it be looked at', async ({ paths }) => {
    symlinkSync(paths.dbFile, paths.dbFile);
    await expect(readAhead(paths.dbFile, nullLog, () => {})).rejects.toMatchObject({ code: 'STORE_FAILED' });
  });
});

describe('a history of the first schema', () => {
  test('is taken over whole, with checksums of every row', ({ paths, open }) => {
    const db = new DatabaseSync(paths.dbFile);
    const project = { id: ProjectId.parse('p'), name: 'Mine', rootPath: '/tmp', createdAt: 'c', updatedAt: 'u' };
    createFirstSchema(db);
    db.prepare('INSERT INTO projects VALUES (?, ?)').run('p', JSON.stringify(project));
    db.prepare('INSERT INTO sessions VALUES (?, NULL, ?, 1, NULL, 0)').run(sessionId, 'e');
    const { sessionId: _, seq, at, ...body } = delta(1);
    for (const crc of [crc32(JSON.stringify(body)), 7]) {
      db.prepare('INSERT INTO events VALUES (?, ?, ?, ?, ?)').run(sessionId, crc === 7 ? 2 : seq, at, crc, JSON.stringify(body));
    }
    db.close();

    const store = open();

    expect(store.sessions.list()).toEqual([{ ...row, lastSeq: 2 }]);
    expect(store.projects.list()).toEqual([project]);
    // The second entry was damaged before, and stays so.
    expect(store.events.read(sessionId, 0, 10).filter(isDelta)).toEqual([delta(1)]);
    expect(store.warnings.map(warningText).join()).toContain('was damaged on disk');
  });

  test('of earlier versions knows what was used by the totals in its logs', ({ paths, open }) => {
    const db = new DatabaseSync(paths.dbFile);
    const earlier = createSchema(4);
    for (const { sql } of earlier.prepare('SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL').all()) db.exec(String(sql));
    db.exec('PRAGMA user_version = 4; INSERT INTO writer (one, epoch) VALUES (1, 0)');
    earlier.close();
    const used = (inputTokens: number, costUsd: number) => ({ type: 'usage.updated', turnId, usage: { inputTokens, costUsd } });
    const created = { type: 'session.created', projectId: 'p', engine: 'claude', name: '', kind: 'agent', settings: defaultSettings };
    const completed = { type: 'turn.completed', turnId, outcome: 'completed', durationMs: 40 };
    const at = new Date('2026-01-31T12:00:00').getTime();
    const logged = [created, used(100, 0.5), used(150, 0.75), used(20, 0.25), completed];
    for (const [index, body] of logged.entries()) {
      const [seq, text] = [index + 1, JSON.stringify(body)];
      db.prepare('INSERT INTO events VALUES (?, ?, ?, ?, ?)').run(sessionId, seq, at, crcOf([sessionId, seq, at, text]), text);
    }
    db.close();

    // The third count began anew.
    expect(open().usage.rows({ by: 'turn', limit: 10 })).toMatchObject([
      { sessionId, turnId, projectId: 'p', engineName: 'claude', inputTokens: 170, costUsd: 1, durationMs: 40, turns: 1 },
    ]);
  });

  test('that is large is taken over in pieces, and left as it was where the daemon is told to end', async ({ paths, open }) => {
    const db = new DatabaseSync(paths.dbFile);
    createFirstSchema(db);
    db.prepare('INSERT INTO sessions VALUES (?, NULL, ?, 1, NULL, 0)').run(sessionId, 'e');
    const { sessionId: _, seq: _seq, at, ...body } = delta(1, 'x'.repeat(6_000));
    const text = JSON.stringify(body);
    db.exec('BEGIN');
    const add = db.prepare('INSERT INTO events VALUES (?, ?, ?, ?, ?)');
    for (let seq = 1; seq <= 3000; seq += 1) add.run(sessionId, seq, at, crc32(text), text);
    db.exec('COMMIT');
    db.close();
    const found = await readAhead(paths.dbFile, nullLog, () => {});
    const versionNow = (): unknown => new DatabaseSync(paths.dbFile, { readOnly: true }).prepare('PRAGMA user_version').get();
    const ending = new AbortController();
    let turnsOfOthers = 0;
    const others = setInterval(() => (turnsOfOthers += 1), 0);
    const seen: number[][] = [];

    const onProgress = (done: number, total: number): void => {
      if (done > 4000) ending.abort();
      seen.push([done, total, turnsOfOthers]);
    };
    await migrateAhead(paths.dbFile, found, { log: nullLog, signal: ending.signal, onProgress });
    expect(seen.at(-1)).toEqual([4100, 9000, expect.any(Number)]);
    expect(versionNow()).toEqual({ user_version: 1 });

    await migrateAhead(paths.dbFile, found, {
      log: nullLog,
      signal: new AbortController().signal,
      onProgress: (...told) => seen.push(told),
    });
    clearInterval(others);
    expect(turnsOfOthers).toBeGreaterThan(0);
    expect(seen.at(-1)).toEqual([8900, 9000]);
    expect(versionNow()).toEqual({ user_version: SCHEMA_VERSION });
    expect(statSync(`${paths.dbFile}-wal`, { throwIfNoEntry: false })?.size ?? 0).toBe(0);
    const store = open();
    expect(store.events.read(sessionId, 2999, 10)).toEqual([{ ...delta(1, 'x'.repeat(6_000)), seq: 3000, at }]);
    expect(store.warnings).toEqual([]);
  });

  const createFirstSchema = (db: DatabaseSync): void => {
    const first = createSchema(1);
    for (const { sql } of first.prepare('SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL').all()) db.exec(String(sql));
    db.exec('PRAGMA user_version = 1');
    first.close();
  };
});

describe('the data folder', () => {
  test('and all in it is the user’s alone', ({ paths, open }) => {
    const store = open();
    seed(store, 1);
    store.attachments.saveAll([{ kind: 'file', name: 'a.txt', mimeType: 'text/plain', dataBase64: 'YQ==' }]);

    const modes = readdirSync(paths.root, { recursive: true }).map((name) => statSync(path.join(paths.root, String(name))).mode & 0o077);

    expect(statSync(paths.root).mode & 0o777).toBe(0o700);
    expect(modes.every((mode) => mode === 0)).toBe(true);
  });

  test('is refused when it is a link', ({ paths }) => {
    const link = `${paths.root}-link`;
    symlinkSync(paths.root, link);

    const refused = errorOf(() => new Store(createPaths({ PILOTFISH_HOME: link }), nullLog));
    rmSync(link);

    expect(refused).toMatchObject({ code: 'STORE_FAILED', message: expect.stringContaining('is a symbolic link') });
    expect(refused?.remedy).toContain(paths.root);
    expect(refused?.remedy).not.toContain('disk space');
  });
});

describe('a fault of the disk', () => {
  test('is told by its true cause, each with its own way out', () => {
    const of = (fault: object): CompanionError => toStoreError(Object.assign(new Error('it failed'), fault), '/data/pilotfish.db');

    expect(of({ errcode: 13 })).toMatchObject({
      message: expect.stringContaining('The disk is full'),
      remedy: expect.stringContaining('Free disk space'),
    });
    expect(of({ code: 'ENOSPC' }).message).toContain('The disk is full');
    expect(of({ errcode: 5 }).message).toContain('Another program holds /data/pilotfish.db');
    expect(of({ errcode: 8 }).remedy).toContain('Check the rights of /data');
    expect(of({ code: 'EACCES' }).remedy).toContain('Check the rights of /data');
    expect(of({ code: 'EMFILE' }).message).toContain('Too many files are open');
    expect(of({ errcode: 778 }).message).toContain('The disk reports a fault');
    expect(of({ code: 'constructor' })).toMatchObject({ code: 'STORE_FAILED', message: expect.stringContaining('it failed') });
  });
});

describe('raw lines', () => {
  test('are kept by turn and within bounds', ({ open }) => {
    const store = open();
    const noise = (): string => Array.from({ length: 6000 }, () => Math.random().toString(36)).join('');

    store.rawLines.append(sessionId, turnId, ['{"a":1}', '{"b":2}']);
    store.rawLines.append(sessionId, turnId, ['{"c":3}']);
    const lines = store.rawLines.read(sessionId, turnId);
    for (let index = 0; index < 200; index += 1) store.rawLines.append(sessionId, TurnId.parse('t2'), [noise()]);

    expect(lines).toEqual(['{"a":1}', '{"b":2}', '{"c":3}']);
    expect(store.rawLines.read(sessionId, turnId)).toEqual([]);
    expect(store.rawLines.read(sessionId, TurnId.parse('t2')).length).toBeGreaterThan(10);
  });
});

describe('grants and processes', () => {
  test('come and go', ({ open }) => {
    const store = open();

    store.grants.add(grant);
    store.processes.add({ pid: 1, startTime: 's', sessionId });

    expect([store.grants.list(), store.processes.list()]).toEqual([[grant], [{ pid: 1, startTime: 's', sessionId }]]);
    store.grants.remove('g');
    store.processes.remove(1);
    expect([store.grants.list(), store.processes.list()]).toEqual([[], []]);
  });
});

describe('a home that cannot be written', () => {
  test('is refused with a typed error', ({ paths, skip }) => {
    skip(process.getuid?.() === 0, 'nothing is closed to root');
    chmodSync(paths.root, 0o500);

    expect(codeOf(() => new Store(paths, nullLog))).toBe('STORE_FAILED');
    chmodSync(paths.root, 0o700);
    expect(existsSync(paths.dbFile)).toBe(false);
  });
});
