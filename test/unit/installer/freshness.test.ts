import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, test as base } from 'vitest';
import { hashInputs, isFresh, writeStamp } from '#installer/freshness.ts';

const test = base.extend<{ folder: string }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads the dependencies of a fixture from this pattern
  folder: async ({}, use) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'pf-fresh-'));
    mkdirSync(path.join(folder, 'companion', 'lib'), { recursive: true });
    writeFileSync(path.join(folder, 'companion', 'lib', 'a.ts'), 'export const a = 1;');
    await use(folder);
    rmSync(folder, { recursive: true });
  },
});

describe('freshness', () => {
  test('the same sources have the same hash', async ({ folder }) => {
    expect(await hashInputs(folder)).toBe(await hashInputs(folder));
  });

  test('a changed line, a new file and a moved file each make another hash', async ({ folder }) => {
    const hashes = [await hashInputs(folder)];
    writeFileSync(path.join(folder, 'companion', 'lib', 'a.ts'), 'export const a = 2;');
    hashes.push(await hashInputs(folder));
    writeFileSync(path.join(folder, 'companion', 'b.ts'), '');
    hashes.push(await hashInputs(folder));
    rmSync(path.join(folder, 'companion', 'b.ts'));
    writeFileSync(path.join(folder, 'companion', 'c.ts'), '');
    hashes.push(await hashInputs(folder));

    expect(new Set(hashes).size).toBe(4);
  });

  test('what is not a source changes nothing', async ({ folder }) => {
    const before = await hashInputs(folder);
    writeFileSync(path.join(folder, 'README.md'), 'words');

    expect(await hashInputs(folder)).toBe(before);
  });

  test('only the stamp of the same hash is fresh', async ({ folder }) => {
    const stamp = path.join(folder, 'stamp');
    expect(await isFresh(stamp, 'one')).toBe(false);

    await writeStamp(stamp, 'one');

    expect(await isFresh(stamp, 'one')).toBe(true);
    expect(await isFresh(stamp, 'two')).toBe(false);
  });
});
