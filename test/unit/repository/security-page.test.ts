import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

const ROOT = path.join(import.meta.dirname, '..', '..', '..');
const page = readFileSync(path.join(ROOT, 'docs', 'security.md'), 'utf8');

/** Rows of the tables: a promise, and what proves it. */
const rows = page
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| promise '))
  .map((line) => line.split('|').map((cell) => cell.trim()));

describe('docs/security.md', () => {
  test('names tests that exist', () => {
    const named = [...page.matchAll(/`(?<file>test\/[^`]+)`/g)].map(({ groups }) => groups?.['file'] ?? '');

    expect(named.length).toBeGreaterThan(rows.length);
    expect(named.filter((file) => !existsSync(path.join(ROOT, file)))).toEqual([]);
  });

  test('has a test for each promise it makes', () => {
    expect(rows.filter(([, promise, proof]) => promise === '' || !proof?.startsWith('`test/'))).toEqual([]);
  });
});
