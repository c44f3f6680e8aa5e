import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';

const ROOT = path.join(import.meta.dirname, '..', '..', '..');

const LockFile = z.object({
  packages: z.record(
    z.string(),
    z.object({ integrity: z.string().optional(), resolved: z.string().optional(), optional: z.boolean().optional() }),
  ),
});

const installed = Object.entries(LockFile.parse(JSON.parse(readFileSync(path.join(ROOT, 'package-lock.json'), 'utf8'))).packages).filter(
  ([folder]) => folder !== '',
);

/** CONTRIBUTING.md names them with the reason, as `name-*`. */
const excused = [...readFileSync(path.join(ROOT, 'CONTRIBUTING.md'), 'utf8').matchAll(/`(?<start>@[a-z/-]+)\*`/g)].map(
  ({ groups }) => groups?.['start'] ?? '',
);

describe('package-lock.json', () => {
  test('has the hash of every package, but for optional ones that CONTRIBUTING.md names', () => {
    const bare = installed.filter(([, { integrity }]) => integrity?.startsWith('sha512-') !== true);
    const unexcused = bare.filter(
      ([folder, { optional }]) => optional !== true || !excused.some((start) => folder.startsWith(`node_modules/${start}`)),
    );

    expect(unexcused.map(([folder]) => folder)).toEqual([]);
    expect(excused.filter((start) => !bare.some(([folder]) => folder.startsWith(`node_modules/${start}`)))).toEqual([]);
  });

  test('names no host, so that packages come from the registry that npm is set to', () => {
    expect(installed.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
  });
});
