import { chmodSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, test as base } from 'vitest';
import { makeDir } from '#companion/lib/make-dir.ts';

const test = base.extend<{ home: string }>({
  // eslint-disable-next-line no-empty-pattern
  home: async ({}, use) => {
    const home = mkdtempSync(path.join(tmpdir(), 'pilotfish-'));
    await use(home);
    rmSync(home, { recursive: true, force: true });
  },
});

describe('a folder', () => {
  test('is made with those above it, closed to other users', ({ home }) => {
    makeDir(path.join(home, 'a', 'b', 'c'));

    for (const name of ['a', 'a/b', 'a/b/c']) expect(statSync(path.join(home, name)).mode & 0o777).toBe(0o700);
  });

  test('that is there keeps its rights, also behind a link', ({ home }) => {
    chmodSync(home, 0o755);
    symlinkSync(home, path.join(home, 'link'));

    makeDir(home);
    makeDir(path.join(home, 'link'));
    makeDir(path.join(home, 'link', 'inside'));

    expect(statSync(home).mode & 0o777).toBe(0o755);
    expect(statSync(path.join(home, 'inside')).isDirectory()).toBe(true);
  });

  test('is refused below a file', ({ home }) => {
    writeFileSync(path.join(home, 'file'), '');

    expect(() => makeDir(path.join(home, 'file'))).toThrow(/EEXIST/);
    expect(() => makeDir(path.join(home, 'file', 'inside'))).toThrow(/ENOTDIR/);
  });

  test.runIf(process.platform === 'linux')('is refused where the system makes none, instead of being tried for ever', () => {
    expect(() => makeDir('/proc/nosuch')).toThrow(/ENOENT/);
    expect(() => makeDir('/proc/nosuch/a/b')).toThrow(/ENOENT/);
  });
});
