import { globSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { ALONE, ALONE_WHOLE, FAULTS, LONG, LONG_FAULTS, MEASURED, PROCESSES } from '#test/files.ts';

const ROOT = path.join(import.meta.dirname, '..', '..', '..');

/** `{a,b}` is two names, each of which has to be there. */
const namesIn = (pattern: string): string[] => {
  const [all, list = ''] = /\{([^}]*)\}/.exec(pattern) ?? [];
  return all === undefined ? [pattern] : list.split(',').map((name) => pattern.replace(all, name));
};

test('each test file that is named in a list is there', () => {
  const names = [...LONG, ...ALONE, ...ALONE_WHOLE, ...FAULTS, ...MEASURED, ...LONG_FAULTS, ...PROCESSES].flatMap(namesIn);

  expect(names.filter((name) => globSync(name, { cwd: ROOT }).length === 0)).toEqual([]);
});

test('what is measured or comes first among the fault tests is one of them', () => {
  const faults = globSync(FAULTS, { cwd: ROOT });

  expect([...MEASURED, ...LONG_FAULTS].filter((name) => !faults.includes(name))).toEqual([]);
});
