import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, test as base } from 'vitest';
import { readProjectDescription } from '#companion/projects/manifest.ts';

const test = base.extend<{ root: string }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads the pattern to know what a fixture needs
  root: async ({}, use) => {
    const root = mkdtempSync(path.join(tmpdir(), 'pilotfish-manifest-'));
    await use(root);
    rmSync(root, { recursive: true });
  },
});

describe("a project's manifest", () => {
  test('gives the project its description', async ({ root }) => {
    writeFileSync(path.join(root, 'package.json'), JSON.stringify({ description: ' Tide tables for sailors ' }));

    expect(await readProjectDescription(root)).toBe('Tide tables for sailors');
  });

  test("of a parent folder is not the project's", async ({ root }) => {
    writeFileSync(path.join(root, 'package.json'), JSON.stringify({ description: 'the parent' }));
    mkdirSync(path.join(root, 'child'));

    expect(await readProjectDescription(path.join(root, 'child'))).toBeUndefined();
  });

  test('that is broken or huge is as good as none', async ({ root }) => {
    writeFileSync(path.join(root, 'package.json'), '{ "description": ');
    expect(await readProjectDescription(root)).toBeUndefined();

    writeFileSync(path.join(root, 'package.json'), JSON.stringify({ description: 'x'.repeat(300_000) }));
    expect(await readProjectDescription(root)).toBeUndefined();
  });

  test('of any hostile form is as good as none', async ({ root }) => {
    for (const text of [
      'null',
      '[]',
      '7',
      '"x"',
      '{"description":{"a":1}}',
      '{"__proto__":{"description":"x"}}',
      '\u0000',
      '['.repeat(100_000),
    ]) {
      writeFileSync(path.join(root, 'package.json'), text);

      expect(await readProjectDescription(root), text.slice(0, 40)).toBeUndefined();
    }
    mkdirSync(path.join(root, 'child', 'package.json'), { recursive: true });
    expect(await readProjectDescription(path.join(root, 'child'))).toBeUndefined();
  });
});
