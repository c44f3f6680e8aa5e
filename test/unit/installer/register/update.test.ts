/** What is read, checked and unpacked before an update changes anything. */
import { execFileSync } from 'node:child_process';
import { createPublicKey } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { appendFileSync, chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test as base } from 'vitest';
import { tar, zip } from '#installer/package/archives.ts';
import { oldProgram, readTrial, settleTrial } from '#companion/lib/update-trial.ts';
import { createPaths } from '#companion/lib/paths.ts';
import { askVersion } from '#installer/register/update/ask-version.ts';
import { Exchange } from '#installer/register/update/exchange.ts';
import { CHECKSUMS, readRelease, SIGNATURE } from '#installer/register/update/release.ts';
import { executableIn } from '#installer/register/update/unpack.ts';
import { CompanionError } from '#protocol/errors.ts';
import { faultSeed, NO_LOSS, tellFigure } from '#test/fixtures/figures.ts';
import { createRandom } from '#test/fixtures/random.ts';
import { strangersKey, writeRelease } from '#test/fixtures/release.ts';

const NAME = 'pilotfish-9.9.9-linux-x64.tar.gz';
const privateKey = strangersKey();
const key = createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }).toString();
const { signal } = new AbortController();

interface Site {
  readonly url: string;
  /** What stands at an address instead of the file. */
  readonly redirects: Map<string, string>;
}

const test = base.extend<{ folder: string; site: Site }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads the fixtures a fixture needs from this pattern
  folder: async ({}, use) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'pf-update-'));
    await use(folder);
    rmSync(folder, { recursive: true, force: true });
  },
  site: async ({ folder }, use) => {
    const redirects = new Map<string, string>();
    const server = createServer(({ url = '/' }, response) => {
      const target = redirects.get(url);
      if (target !== undefined) return response.writeHead(302, { location: target }).end();
      try {
        return response.end(readFileSync(path.join(folder, path.basename(url))));
      } catch {
        return response.writeHead(404).end();
      }
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    await use({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, redirects });
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  },
});

const codeOf = async (from: string, publicKey = key): Promise<unknown> =>
  readRelease(from, { key: publicKey, signal }).then(
    () => 'read',
    (error: unknown) => (error instanceof CompanionError ? error.code : error),
  );

describe('a package to update from', () => {
  test('is read from a file, and from an address of this machine', async ({ folder, site }) => {
    const file = writeRelease(folder, NAME, Buffer.from('content'), { key: privateKey });
    site.redirects.set(`/latest/${NAME}`, `/${NAME}`);

    const expected = { name: NAME, content: Buffer.from('content') };
    expect(await readRelease(file, { key, signal })).toEqual(expected);
    expect(await readRelease(`${site.url}/${NAME}`, { key, signal })).toEqual(expected);
    expect(await readRelease(`${site.url}/latest/${NAME}`, { key, signal })).toEqual(expected);
  });

  test('is refused when it is damaged, cut off, signed by somebody else, or not named by its maker', async ({ folder }) => {
    const content = Buffer.from('content');
    const file = writeRelease(folder, NAME, content, { key: privateKey, isDamaged: true });
    expect(await codeOf(file)).toBe('UPDATE_NOT_VERIFIED');
    writeFileSync(file, 'c0ntent');
    expect(await codeOf(file)).toBe('UPDATE_NOT_VERIFIED');

    writeRelease(folder, NAME, content, { key: strangersKey() });
    expect(await codeOf(file)).toBe('UPDATE_NOT_VERIFIED');

    writeRelease(folder, NAME, content, { key: privateKey });
    appendFileSync(path.join(folder, CHECKSUMS), `${'0'.repeat(64)}  another\n`);
    expect(await codeOf(file)).toBe('UPDATE_NOT_VERIFIED');

    writeRelease(folder, 'another', content, { key: privateKey });
    expect(await codeOf(file)).toBe('UPDATE_NOT_VERIFIED');
    expect(await codeOf(path.join(folder, 'another'), 'no key')).toBe('UPDATE_NOT_VERIFIED');
  });

  test('is refused wherever a bit of it, of its checksums or of their signature is another, or its end is missing', async ({ folder }) => {
    const startedAt = performance.now();
    const random = createRandom(faultSeed);
    writeRelease(folder, NAME, Buffer.from('content '.repeat(500)), { key: privateKey });
    const names = [NAME, CHECKSUMS, SIGNATURE].map((name) => path.join(folder, name));
    const package_ = path.join(folder, NAME);
    const codes: unknown[] = [];

    const changes = 100;
    for (let change = 0; change < changes; change += 1) {
      const file = names[change % names.length] ?? package_;
      const good = readFileSync(file);
      // The same signature can be written in several ways: with other bits in its last letter, and without its end of line.
      const at = random(good.length - (file.endsWith(SIGNATURE) ? 5 : 0));
      writeFileSync(file, change % 2 === 0 ? good.with(at, (good[at] ?? 0) ^ (1 << random(8))) : good.subarray(0, at));
      codes.push(await codeOf(package_));
      writeFileSync(file, good);
    }

    tellFigure({
      fault: 'A package to update from is changed or cut at random, or its checksums, or their signature',
      count: `${changes} times`,
      ...NO_LOSS,
      measured: `${codes.filter((code) => code !== 'read').length} were refused, and nothing was changed`,
      ms: performance.now() - startedAt,
    });
    expect(new Set(codes)).toEqual(new Set(['UPDATE_NOT_VERIFIED']));
    expect(await codeOf(package_)).toBe('read');
  });

  test('is refused without its checksums or their signature', async ({ folder, site }) => {
    for (const name of [SIGNATURE, CHECKSUMS, NAME]) {
      const file = writeRelease(folder, NAME, Buffer.from('content'), { key: privateKey });
      rmSync(path.join(folder, name));
      expect(await codeOf(file)).toBe('UPDATE_UNREADABLE');
      expect(await codeOf(`${site.url}/${NAME}`)).toBe('UPDATE_UNREADABLE');
    }
    rmSync(path.join(folder, CHECKSUMS));
    await expect(readRelease(path.join(folder, NAME), { key, signal })).rejects.toThrow(`There is no file ${path.join(folder, NAME)}.`);
  });

  test('comes over https or from this machine alone, also when an address leads elsewhere', async ({ folder, site }) => {
    writeRelease(folder, NAME, Buffer.from('content'), { key: privateKey });
    site.redirects.set(`/${CHECKSUMS}`, `http://example.invalid/${CHECKSUMS}`);

    for (const from of [
      `${site.url}/${NAME}`,
      `http://example.invalid/${NAME}`,
      `ftp://127.0.0.1/${NAME}`,
      `file://${folder}/${NAME}`,
      `https://me:secret@127.0.0.1/${NAME}`,
      'http://127.0.0.1/',
    ]) {
      expect(await codeOf(from), from).toBe('UPDATE_UNREADABLE');
    }
  });

  test('that is too large is not read to its end', async ({ folder }) => {
    const file = writeRelease(folder, NAME, Buffer.from('content'), { key: privateKey });
    writeFileSync(path.join(folder, SIGNATURE), Buffer.alloc(5000, 65));

    await expect(readRelease(file, { key, signal })).rejects.toThrow('larger than 4096 bytes');
  });
});

describe('the program in a package', () => {
  const program = Buffer.from('program '.repeat(200));
  const entries = [
    { name: 'pilotfish-9/completions/pilotfish.bash', content: Buffer.from('words') },
    { name: 'pilotfish-9/pilotfish', content: program, isExecutable: true },
  ];

  test('is found in each archive that we make, and is the file itself otherwise', () => {
    const archive = tar(entries, '', 0);
    expect(executableIn({ name: 'p.tar.gz', content: gzipSync(archive) }).equals(program)).toBe(true);
    expect(executableIn({ name: 'p.tar.xz', content: execFileSync('xz', ['-c'], { input: archive }) }).equals(program)).toBe(true);
    const zipped = zip(
      [
        { name: 'LICENSE.txt', content: Buffer.from('MIT') },
        { name: 'p/pilotfish.exe', content: program },
      ],
      0,
    );
    expect(executableIn({ name: 'p.zip', content: zipped }).equals(program)).toBe(true);
    expect(executableIn({ name: 'pilotfish-9.9.9-windows-x64.exe', content: program }).equals(program)).toBe(true);
  });

  test('is not looked for in what a system installs, nor found where it is not', () => {
    const refusal = (name: string, content: Buffer): string => {
      try {
        executableIn({ name, content });
        return '';
      } catch (error) {
        return error instanceof CompanionError ? `${error.code} ${error.remedy}` : String(error);
      }
    };

    expect(refusal('pilotfish_9_amd64.deb', program)).toContain('sudo apt install ./pilotfish_9_amd64.deb');
    expect(refusal('pilotfish-9-setup.exe', program)).toContain('UPDATE_REFUSED');
    expect(refusal('pilotfish-9-portable.exe', program)).toContain('UPDATE_REFUSED');
    expect(refusal('p.tar.gz', gzipSync(tar([], '', 0)))).toContain('UPDATE_REFUSED');
    expect(refusal('p.tar.gz', gzipSync(Buffer.alloc(700, 65)))).toContain('UPDATE_REFUSED');
    expect(refusal('p.zip', program)).toContain('UPDATE_REFUSED');
  });
});

describe('a new executable that is asked for its version', () => {
  const script = (folder: string, text: string): string => {
    const file = path.join(folder, 'new');
    writeFileSync(file, `#!/bin/sh\n${text}\n`);
    chmodSync(file, 0o755);
    return file;
  };

  test('tells it', async ({ folder }) => {
    const file = script(folder, `echo '{ "version": "9.9.9" }'`);
    expect(await askVersion(file, { env: process.env, signal })).toBe('9.9.9');
  });

  test('has failed when it hangs, ends, or says something else, and nothing of it goes on', async ({ folder }) => {
    const failure = (text: string, limit = signal): Promise<string> =>
      askVersion(script(folder, text), { env: process.env, signal: limit }).then(
        () => 'told',
        (error: unknown) => (error instanceof CompanionError ? error.message : String(error)),
      );

    const mark = path.join(folder, 'pid');
    const limit = new AbortController();
    // The shell waits for a child of its own, which has its output.
    const hangs = failure(`sleep 600 & echo $! > '${mark}.new'; mv '${mark}.new' '${mark}'; wait`, limit.signal);
    await expect.poll(() => existsSync(mark), { timeout: 60_000 }).toBe(true);
    limit.abort();
    expect(await hangs).toContain('does not answer');
    await expect.poll(() => isAlive(Number(readFileSync(mark, 'utf8'))), { timeout: 60_000 }).toBe(false);
    expect(await failure('exit 3')).toContain('exit code 3');
    expect(await failure('echo hello')).toContain('exit code 0');
    await expect(askVersion(path.join(folder, 'absent'), { env: process.env, signal })).rejects.toThrow('cannot be started here');
  });
});

const isAlive = (pid: number): boolean => {
  try {
    // A process that ended and was not waited for yet has no memory any more.
    return readFileSync(`/proc/${pid}/statm`, 'utf8').startsWith('0 ') === false;
  } catch {
    return false;
  }
};

describe('the program of before', () => {
  test.for([
    ['/opt/pilotfish', '/opt/pilotfish.old'],
    // Windows starts nothing by another extension.
    ['C:\\Pilotfish\\pilotfish.exe', 'C:\\Pilotfish\\pilotfish.old.exe'],
  ] as const)('is started by a name beside the one of %s', ([executable, old]) => {
    expect(oldProgram(executable)).toBe(old);
  });
});

describe('an update that is killed', () => {
  /** A program with its data, and the newer one beside it. */
  const openExchange = async (folder: string) => {
    const paths = createPaths({ PILOTFISH_HOME: folder });
    const executable = path.join(folder, 'pilotfish');
    const release = { name: 'pilotfish', content: Buffer.from(`#!/bin/sh\necho '{"version":"9.9.9"}'\n`) };
    writeFileSync(executable, 'old');
    writeFileSync(paths.dbFile, 'old');
    const exchange = new Exchange({ executable, paths, env: {}, platform: 'linux' });
    expect(await exchange.prepare(release, signal)).toBe('9.9.9');
    exchange.keepData();
    return { paths, executable, exchange, again: () => new Exchange({ executable, paths, env: {}, platform: 'linux' }) };
  };

  test('is noted from the exchange on until the new version answers', async ({ folder }) => {
    const { paths, executable, exchange } = await openExchange(folder);
    expect(readTrial(paths)).toBeNull();

    exchange.putIn('9.9.9');

    expect(readTrial(paths)).toEqual({ version: '9.9.9', executable, pid: process.pid, isCutOff: false });
    settleTrial(paths, '1.0.0');
    expect(readTrial(paths)).not.toBeNull();
    settleTrial(paths, '9.9.9');
    expect(readTrial(paths)).toBeNull();
  });

  test('is gone back from by another process, data and program', async ({ folder }) => {
    const { paths, executable, exchange, again } = await openExchange(folder);
    exchange.putIn('9.9.9');
    writeFileSync(paths.dbFile, 'new');
    // Nobody has this process id.
    writeFileSync(paths.updateTrialFile, JSON.stringify({ version: '9.9.9', executable, pid: 2 ** 30 }));
    expect(readTrial(paths)?.isCutOff).toBe(true);
    const later = again();
    expect(later.isIn()).toBe(true);

    later.restoreData();
    later.putBack();

    expect([executable, paths.dbFile].map((file) => readFileSync(file, 'utf8'))).toEqual(['old', 'old']);
    expect(readTrial(paths)).toBeNull();
    expect(later.isIn()).toBe(false);
  });

  test('has changed nothing while the new program still lies beside the old one', async ({ folder }) => {
    const { executable, again } = await openExchange(folder);
    writeFileSync(oldProgram(executable), 'old');

    expect(again().isIn()).toBe(false);
  });

  test('loses no data where the copy of before is gone', async ({ folder }) => {
    const { paths, exchange } = await openExchange(folder);
    rmSync(exchange.backup, { recursive: true });

    exchange.restoreData();

    expect(readFileSync(paths.dbFile, 'utf8')).toBe('old');
  });
});
