import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { expect, test } from 'vitest';

test.skipIf(process.platform !== 'linux')(
  'where file descriptors run out, a program is started or refused, and nothing else happens',
  () => {
    const script = path.join(import.meta.dirname, '..', '..', 'fixtures', 'without-descriptors.ts');

    const { stdout, stderr } = spawnSync('/bin/sh', ['-c', 'ulimit -n 64; exec "$0" "$1"', process.execPath, script], { encoding: 'utf8' });

    const outcomes = JSON.parse(stdout === '' ? JSON.stringify([stderr]) : stdout) as { code: number | null; isRefused: boolean }[];
    expect(outcomes).toEqual(
      Array.from({ length: 17 }, (_, left) => ({ left, hasPath: true, code: expect.toBeOneOf([0, null]), isRefused: expect.any(Boolean) })),
    );
    expect(outcomes.map(({ code, isRefused }) => (code === 0) !== isRefused)).not.toContain(false);
    expect([outcomes[0]?.isRefused, outcomes.at(-1)?.isRefused]).toEqual([true, false]);
  },
);
