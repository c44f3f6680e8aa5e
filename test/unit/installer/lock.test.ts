import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, test as base } from 'vitest';
import { withLock } from '#installer/lock.ts';

const test = base.extend<{ file: string }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads the dependencies of a fixture from this pattern
  file: async ({}, use) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'pf-lock-'));
    await use(path.join(folder, 'lock'));
    rmSync(folder, { recursive: true });
  },
});

describe('the build lock', () => {
  test('lets one in at a time', async ({ file }) => {
    let inside = 0;
    let most = 0;
    const work = async (): Promise<void> => {
      inside += 1;
      most = Math.max(most, inside);
      await new Promise((resolve) => setImmediate(resolve));
      inside -= 1;
    };

    await Promise.all([withLock(file, work), withLock(file, work), withLock(file, work)]);

    expect(most).toBe(1);
    expect(existsSync(file)).toBe(false);
  });

  test('is free again when the work fails', async ({ file }) => {
    await expect(withLock(file, () => Promise.reject(new Error('no')))).rejects.toThrow('no');

    expect(existsSync(file)).toBe(false);
  });

  test('a lock whose process has died counts as free', async ({ file }) => {
    const { pid } = spawnSync(process.execPath, ['--version']);
    writeFileSync(file, String(pid));

    expect(await withLock(file, () => Promise.resolve('done'))).toBe('done');
  });
});
