import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, test as base } from 'vitest';
import { crossingLimits } from '#protocol/crossing.ts';
import { SessionId } from '#protocol/ids.ts';
import { nullLog } from '#companion/lib/log.ts';
import { CrossedFiles, type CrossingFile, toSafeName } from '#companion/projects/crossed-files.ts';

const sessionId = SessionId.parse('s-1');

interface Stage {
  readonly directory: string;
  readonly files: CrossedFiles;
  readonly arrived: string[];
  /** Offers a file whose browser sends `sent` for it, and returns what the browser was told. */
  take(more?: Partial<CrossingFile>, content?: Buffer, sent?: Buffer): Promise<{ path: string | null; problem: string | null }>;
}

const open = (directory: string): Stage => {
  const arrived: string[] = [];
  const files = new CrossedFiles({
    directory,
    hasSession: (id) => id === sessionId,
    onArrived: ({ path: place }) => void arrived.push(place),
    log: nullLog,
  });
  return {
    directory,
    files,
    arrived,
    take: async (more = {}, content = Buffer.from('a,b\n1,2\n'), sent = content) => {
      let told: { path: string | null; problem: string | null } = { path: null, problem: 'nothing was told' };
      await files.take({
        fileId: 'f',
        sessionId,
        name: 'numbers.csv',
        sizeBytes: content.length,
        sha256: createHash('sha256').update(content).digest('hex'),
        from: 'Chromium',
        read: (offset) => Promise.resolve(sent.subarray(offset, offset + crossingLimits.partBytes)),
        tell: (outcome) => {
          told = outcome;
          return Promise.resolve();
        },
        ...more,
      });
      return told;
    },
  };
};

const test = base.extend<{ stage: Stage }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads the pattern to know what a fixture needs
  stage: async ({}, use) => {
    const directory = mkdtempSync(path.join(tmpdir(), 'pilotfish-'));
    await use(open(directory));
    rmSync(directory, { recursive: true, force: true });
  },
});

describe('a file that comes from a browser elsewhere', () => {
  test('is there whole, in the folder of its session, for its user alone', async ({ stage }) => {
    const content = Buffer.alloc(crossingLimits.partBytes * 2 + 5, 'x');

    const told = await stage.take({}, content);

    expect(told).toEqual({ path: path.join(stage.directory, 's-1', 'numbers.csv'), problem: null });
    expect(readFileSync(told.path ?? '').equals(content)).toBe(true);
    expect(statSync(told.path ?? '').mode & 0o777).toBe(0o600);
    expect(stage.arrived).toEqual([told.path]);
  });

  test('of no bytes is a file, too', async ({ stage }) => {
    const { path: place } = await stage.take({}, Buffer.alloc(0));

    expect(statSync(place ?? '').size).toBe(0);
  });

  test.for([
    ['of which one byte is another', Buffer.from('a,b\n1,3\n'), 'its checksum is another'],
    ['of which the end is missing', Buffer.from('a,b\n'), 'The browser sent 0 bytes at 4 of 8.'],
    ['that is longer than was said', Buffer.from('a,b\n1,2\nand more'), 'The browser sent 16 bytes at 0 of 8.'],
  ] as const)('%s is not kept, and that is told', async ([, sent, problem], { stage }) => {
    const told = await stage.take({}, undefined, sent);

    expect(told).toEqual({ path: null, problem: expect.stringContaining(problem) });
    expect(readdirSync(path.join(stage.directory, 's-1'))).toEqual([]);
    expect(stage.arrived).toEqual([]);
  });

  test('whose browser goes in the midst of it leaves nothing', async ({ stage }) => {
    const told = await stage.take({ read: () => Promise.reject(new Error('it has gone')) });

    expect(told.problem).toContain('it has gone');
    expect(readdirSync(path.join(stage.directory, 's-1'))).toEqual([]);
  });

  test('takes the place of none that is there', async ({ stage }) => {
    const both = await Promise.all([stage.take({}, Buffer.from('one')), stage.take({}, Buffer.from('two'))]);

    expect(both.map(({ path: place }) => path.basename(place ?? ''))).toEqual(['numbers.csv', 'numbers (1).csv']);
    expect(both.map(({ path: place }) => readFileSync(place ?? '', 'utf8'))).toEqual(['one', 'two']);
  });

  test('of a session that is not there, or whose id leads elsewhere, is refused', async ({ stage }) => {
    for (const id of ['s-2', '../s-1']) expect(await stage.take({ sessionId: SessionId.parse(id) })).toMatchObject({ path: null });

    expect(readdirSync(stage.directory)).toEqual([]);
  });

  test('is refused when the session has all that it may have', async ({ stage }) => {
    const told = await stage.take({ sizeBytes: crossingLimits.sessionBytes + 1 });

    expect(told.problem).toContain('holds all that one session may have downloaded');
  });

  test('goes with its session, and half a one with the daemon that had it', async ({ stage }) => {
    const { path: kept } = await stage.take();
    const half = path.join(stage.directory, 's-1', 'file_1.part');
    writeFileSync(half, 'half');
    mkdirSync(path.join(stage.directory, 's-gone'));
    writeFileSync(path.join(stage.directory, 's-gone', 'numbers.csv'), '1');

    open(stage.directory);

    expect(readdirSync(stage.directory)).toEqual(['s-1']);
    expect(readdirSync(path.join(stage.directory, 's-1'))).toEqual([path.basename(kept ?? '')]);
  });

  test.for([
    ['../../.ssh/authorized_keys', 'authorized_keys'],
    ['C:\\Users\\me\\report.pdf', 'report.pdf'],
    ['.bashrc', 'bashrc'],
    ['-rf', 'rf'],
    ['a\u202Efdp.exe', 'a fdp.exe'],
    ['two\nlines.txt', 'two lines.txt'],
    ['报告 2026.pdf', '报告 2026.pdf'],
    ['half.part', 'half.part_'],
    ['...', 'download'],
    ['', 'download'],
    [`${'长'.repeat(200)}.csv`, `${'长'.repeat(58)}.csv`],
  ] as const)('%j is named %j', ([given, name]) => {
    expect(toSafeName(given)).toBe(name);
  });
});
