import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test as base } from 'vitest';
import { isOlder, readVersion } from '#companion/process/version.ts';
import { HANG_MS } from '#test/fixtures/limits.ts';

const test = base.extend<{ home: string; program: (body: string) => string }>({
  // oxlint-disable-next-line no-empty-pattern
  home: async ({}, use) => {
    const home = mkdtempSync(join(tmpdir(), 'pilotfish-version-'));
    await use(home);
    rmSync(home, { recursive: true });
  },
  program: async ({ home }, use) => {
    let count = 0;
    await use((body) => {
      const path = join(home, `agent-${(count += 1)}`);
      writeFileSync(path, `#!/bin/sh\n${body}\n`);
      chmodSync(path, 0o755);
      return path;
    });
  },
});

const env = { PATH: '/usr/bin:/bin' };
const signal = (): AbortSignal => AbortSignal.timeout(HANG_MS);

test('a version is read from what the program says, and none is none', async ({ home, program }) => {
  expect(await readVersion(program('echo "1.2.3 (Some Agent)"'), ['--version'], env, signal(), home)).toBe('1.2.3');
  expect(await readVersion(program('echo Hello; echo "agent v2.0.1-beta.3"; exit 1'), [], env, signal(), home)).toBe('2.0.1-beta.3');
  expect(await readVersion(program('echo hello'), [], env, signal(), home)).toBeNull();
  expect(await readVersion('/none', [], {}, signal(), home)).toBeNull();
});

test.for([
  ['1.2.3', '1.2.4', true],
  ['1.2.10', '1.2.9', false],
  ['2.0.0-beta.3', '2.0.0', false],
  ['1.9.9+build.1', '2.0.0', true],
] as const)('%s is older than %s: %s', ([version, than, expected]) => {
  expect(isOlder(version, than)).toBe(expected);
});

test('a program that waits for input gets none, and one that writes without end is not read to it', async ({ home, program }) => {
  expect(await readVersion(program('read line; echo "1.0.$line"1'), [], env, signal(), home)).toBe('1.0.1');
  expect(await readVersion(program('echo 1.0.0; exec yes'), [], env, AbortSignal.timeout(300), home)).toBeNull();
});

test.skipIf(process.platform !== 'linux')('one that hangs is ended with all it started', async ({ home, program }) => {
  const path = program(`trap '' TERM; sleep 600 & echo $! > ${home}/pid; wait; wait`);
  const limit = new AbortController();
  const asked = readVersion(path, [], env, limit.signal, home);
  await expect.poll(() => existsSync(join(home, 'pid')) && readFileSync(join(home, 'pid'), 'utf8') !== '').toBe(true);

  limit.abort();

  expect(await asked).toBeNull();
  const pid = readFileSync(join(home, 'pid'), 'utf8').trim();
  await expect.poll(() => existsSync(`/proc/${pid}/stat`) && !/\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))).toBe(false);
});
