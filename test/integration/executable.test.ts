/** The built executable as a program: its size, its silence, and what does not get into it. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { buildExtension } from '#installer/build-extension.ts';
import { extensionDir } from '#installer/build.ts';
import { EXTENSION_ID, VERSION } from '#protocol/version.ts';
import { upload } from '#companion/client/uploads.ts';
import { Transport } from '#companion/client/transport.ts';
import { attachmentLimits } from '#protocol/attachment-limits.ts';
import { forgetPeak, peakMb } from '#test/fixtures/memory.ts';
import { until } from '#test/fixtures/until.ts';
import { test } from '#test/fixtures/stage.ts';

const buildDir = path.join(import.meta.dirname, '..', '..', 'build');

describe('the executable', () => {
  test('`--version` and `--help` answer on stdout and say nothing on stderr', async ({ companion, home }) => {
    expect(await companion.run(['--version'])).toEqual({ code: 0, stdout: `${VERSION}\n`, stderr: '' });
    const help = await companion.run(['--help']);
    expect(help).toMatchObject({ code: 0, stderr: '' });
    for (const name of ['daemon', 'mcp', 'install', 'uninstall', 'doctor', 'status']) expect(help.stdout).toContain(name);
    await home.waitForProcesses((list) => list.length === 0);
  });

  test('an unknown subcommand is named, with a way out, and the exit code is not 0', async ({ companion }) => {
    const { code, stderr } = await companion.run(['frobnicate']);

    expect(code).not.toBe(0);
    expect(stderr).toContain('frobnicate');
    expect(stderr).toContain('pilotfish --help');
  });

  test("neither NODE_OPTIONS nor Node's own flags reach Node", async ({ companion, home }) => {
    const canary = path.join(home.dir, 'canary.cjs');
    writeFileSync(canary, `require('node:fs').writeFileSync(${JSON.stringify(`${canary}.ran`)}, '')`);

    await companion.run(['--version'], { env: { NODE_OPTIONS: `--require ${canary}` } });
    await companion.run(['--require', canary]);
    await companion.run(['-e', `require(${JSON.stringify(canary)})`]);
    await companion.run(['--inspect']);

    expect(readdirSync(home.dir)).not.toContain('canary.cjs.ran');
  });

  test('no package of the home folder is run, whatever a library inside asks for', async ({ companion, home }) => {
    const ran = path.join(home.dir, 'ran');
    for (const name of ['bufferutil', 'utf-8-validate']) {
      const folder = path.join(home.dir, '.node_modules', name);
      mkdirSync(folder, { recursive: true });
      writeFileSync(path.join(folder, 'index.js'), `require('node:fs').writeFileSync(${JSON.stringify(ran)}, ''); module.exports = {};`);
    }

    await companion.startDaemon();
    expect((await companion.run(['status'])).code).toBe(0);

    expect(readdirSync(home.dir)).not.toContain('ran');
  });

  test('an empty or relative HOME leads to no folder below the one it was started in', { tags: 'whole' }, async ({ companion, home }) => {
    for (const HOME of ['', 'relative']) {
      const { stdout } = await companion.run(['status', '--json'], { env: { HOME, PILOTFISH_HOME: '', XDG_DATA_HOME: '' } });
      const { socket, extensionPath } = JSON.parse(stdout);
      for (const place of [socket, extensionPath]) expect(path.isAbsolute(place), place).toBe(true);
    }
    await home.waitForProcesses((list) => list.length === 0);
  });

  test('a home that is no folder is named when the daemon is wanted', { tags: 'whole' }, async ({ companion, home }) => {
    const file = path.join(home.dir, 'file');
    writeFileSync(file, '');

    const { code, stdout } = await companion.run(['projects', '--json'], { env: { HOME: file, PILOTFISH_HOME: '', XDG_DATA_HOME: '' } });

    expect({ code, error: JSON.parse(stdout).error }).toMatchObject({
      code: 1,
      error: { code: 'DAEMON_START_FAILED', message: expect.stringContaining(file) },
    });
  });

  test('a log that is followed ends with its reader', { tags: 'whole' }, async ({ companion, home, skip }) => {
    skip(process.platform !== 'linux', 'asks /proc');
    const log = path.join(home.dir, 'pilotfish', 'logs', 'daemon.log');
    mkdirSync(path.dirname(log), { recursive: true, mode: 0o700 });
    writeFileSync(log, '{"one":1}\n{"two":2}\n');
    const shell = spawn('sh', ['-c', '"$0" logs --follow | head -1', companion.executable], {
      env: companion.env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let printed = '';
    shell.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));

    expect(await new Promise((resolve) => shell.on('exit', resolve))).toBe(0);
    expect(printed).toBe('{"one":1}\n');
    await home.waitForProcesses((list) => list.length === 0);
  });

  test('as a host it serves our extension and nobody else', async ({ companion }) => {
    const { code, stdout } = await companion.run(['chrome-extension://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/']);

    expect(code).not.toBe(0);
    expect(stdout).toBe('');
  });

  test('without a terminal it prints how far everything is set up, and exits 0', async ({ companion }) => {
    const { code, stdout, stderr } = await companion.run([]);

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    for (const title of ['Browsers', 'Extension', 'Agents', 'Sessions']) expect(stdout).toContain(title);
  });

  test('a double click opens a terminal with it', async ({ companion, home }) => {
    const bin = path.join(home.dir, 'bin');
    mkdirSync(bin);
    writeFileSync(
      path.join(bin, 'xterm'),
      `#!/bin/sh\necho "$@" > "${home.dir}/opened.tmp" && /bin/mv "${home.dir}/opened.tmp" "${home.dir}/opened"\n`,
      {
        mode: 0o755,
      },
    );
    const env = { ...companion.env, PATH: bin, DISPLAY: ':0' };

    const code = await new Promise((resolve) =>
      spawn(companion.executable, [], { env, cwd: home.dir, stdio: 'ignore' }).on('exit', resolve),
    );
    const opened = await until(() => readFileSync(path.join(home.dir, 'opened'), 'utf8'), { what: 'the terminal' });

    expect(code).toBe(0);
    expect(opened.trim()).toBe(`-e ${companion.executable}`);
  });

  test('the tier that Chrome waits for stays small', () => {
    expect(statSync(path.join(buildDir, 'main.cjs')).size).toBeLessThan(42_000);
  });

  test('a role loads at its start what it needs then, and each other thing is a script of its own', () => {
    const scripts = builtScripts();
    const named = (name: string): string => [...scripts.keys()].find((file) => file.startsWith(`${name}-`)) ?? name;
    const loadedWith = (file: string, seen = new Set<string>()): string => {
      if (seen.has(file)) return '';
      seen.add(file);
      const code = scripts.get(file) ?? '';
      return [code, ...Array.from(code.matchAll(/\w=require\("\.\/([^"]+)"\)/g), ([, required = '']) => loadedWith(required, seen))].join(
        '',
      );
    };
    const [daemon, mcp, frontEnd] = [loadedWith('daemon.cjs'), loadedWith(named('mcp')), loadedWith(named('front-end'))];

    // Names are not shortened, so that stacks can be read.
    expect(daemon.length).toBeLessThan(2_400_000);
    expect(mcp.length).toBeLessThan(1_000_000);
    expect(frontEnd.length).toBeLessThan(1_700_000);
    // A word of the terminal UI, of a command, of the installer, of the HTTP client, of what serves MCP, and of its client.
    const words = [
      'NCURSES_NO_UTF8_ACS',
      'ctrl+c leaves it',
      'allowed_origins',
      'UND_ERR_',
      'isInitializeRequest',
      'StreamableHTTPClientTransport',
    ];
    const wordsIn = (code: string): string[] => words.filter((word) => code.includes(word));
    expect(wordsIn(daemon)).toEqual([]);
    expect(wordsIn(frontEnd)).toEqual(words.slice(0, 3));
    expect(wordsIn(['undici', 'http', 'session-client'].map((name) => scripts.get(named(name))).join(''))).toEqual(words.slice(3));
  });

  test('the source in it is ASCII, which takes half of the memory', () => {
    for (const code of [readFileSync(path.join(buildDir, 'main.cjs'), 'latin1'), ...builtScripts().values()])
      expect(code).toMatch(/^[\0-\x7f]*$/);
  });
});

/** The scripts of the second tier, name → code, see installer/pack.ts. */
const builtScripts = (): ReadonlyMap<string, string> => {
  const packed = readFileSync(path.join(buildDir, 'scripts.pack'));
  let start = 4 + packed.readUInt32LE();
  const lines = packed.toString('latin1', 4, start).split('\n');
  return new Map(
    lines.map((line): [string, string] => {
      const [name = '', length] = line.split(' ');
      start += Number(length);
      return [name, packed.toString('latin1', start - Number(length), start)];
    }),
  );
};

describe.skipIf(process.platform !== 'linux')('a daemon', () => {
  test('does not keep the bundle that it was started from mapped beside what V8 has made of it', async ({ companion }) => {
    const pid = await companion.startDaemon();

    // The last part of the file is the one with the assets.
    const residentBytes = (): number => {
      const parts = readFileSync(`/proc/${pid}/smaps`, 'utf8')
        .split(/(?=^[0-9a-f]+-[0-9a-f]+ )/mu)
        .filter((part) => part.includes(companion.executable))
        .toSorted((one, other) => offsetOf(one) - offsetOf(other));
      return Number(/^Rss: +(\d+)/mu.exec(parts.at(-1) ?? '')?.[1]) * 1024;
    };
    await expect.poll(residentBytes).toBeLessThan(1_000_000);
  });

  test('does not hold what is attached: the largest file takes a few megabytes of it on its way', async ({ companion }) => {
    const pid = await companion.startDaemon();
    const client = new Transport(companion.paths.socket);
    const file = path.join(companion.home.dir, 'large.bin');
    writeFileSync(file, Buffer.alloc(attachmentLimits.fileBytes, 7));
    try {
      // The first one also loads what uploads need.
      for (const _ of [1, 2]) {
        forgetPeak(pid);
        const before = peakMb(pid);
        await upload(client, [file]);
        expect(peakMb(pid) - before).toBeLessThan(40);
      }
    } finally {
      await client.close();
    }
  });
});

/** Where a mapping begins in its file, by the line that the kernel tells of it. */
const offsetOf = (part: string): number => Number.parseInt(part.split(' ')[2] ?? '', 16);

describe('the built extension', () => {
  test('is the same from the same sources, byte for byte', { tags: 'whole' }, async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'pf-again-'));
    await buildExtension(folder);

    expect(hashesOf(folder)).toEqual(hashesOf(extensionDir));
    rmSync(folder, { recursive: true });
  });

  test('has the id that the host manifest names, and keeps its doors closed', () => {
    const manifest = JSON.parse(readFileSync(path.join(extensionDir, 'manifest.json'), 'utf8')) as Record<string, unknown>;
    const hash = createHash('sha256')
      .update(Buffer.from(String(manifest['key']), 'base64'))
      .digest('hex');
    // Chrome writes the first half of the hash in letters.
    const id = Array.from(hash.slice(0, 32), (digit) => String.fromCharCode(97 + Number.parseInt(digit, 16))).join('');

    expect(id).toBe(EXTENSION_ID);
    expect(manifest['externally_connectable']).toBeUndefined();
    expect(manifest['web_accessible_resources']).toBeUndefined();
    expect(manifest['content_scripts']).toBeUndefined();
  });

  test('is named and described in English and Chinese, in the words of its manifest', () => {
    const words = new Set(readFileSync(path.join(extensionDir, 'manifest.json'), 'utf8').match(/(?<=__MSG_)\w+(?=__)/g));

    expect([...words].toSorted()).toEqual(['action', 'description', 'name']);
    for (const language of ['en', 'zh_CN', 'zh_TW']) {
      const said = JSON.parse(readFileSync(path.join(extensionDir, '_locales', language, 'messages.json'), 'utf8')) as Record<
        string,
        { message: string }
      >;
      expect(Object.keys(said).toSorted()).toEqual([...words].toSorted());
      expect(said['description']?.message ?? '').toMatch(language === 'en' ? /^[ -~]{20,132}$/ : /^\p{Script=Han}[^A-Za-z]{10,132}$/u);
    }
  });

  test('lets its pages and its worker load nothing from elsewhere, and speak to no address in the clear but this machine', () => {
    const manifest = JSON.parse(readFileSync(path.join(extensionDir, 'manifest.json'), 'utf8')) as Record<string, object>;
    const policy = Object.values(manifest['content_security_policy'] ?? {}) as string[];
    const directives = Object.fromEntries((policy[0] ?? '').split('; ').map((one) => [one.split(' ')[0], one.split(' ').slice(1)]));

    // The page that draws diagrams has no rights, asks nobody, and is shown by our own pages only.
    expect(policy.slice(1)).toEqual([
      "sandbox allow-scripts; default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'self'",
    ]);
    expect(directives).toEqual({
      'default-src': ["'none'"],
      'script-src': ["'self'"],
      'style-src': ["'self'"],
      'img-src': ["'self'", 'data:', 'blob:'],
      'font-src': ["'self'"],
      // A browser may be paired with a companion at any address; the side panel takes all others away once it knows which.
      'connect-src': ['http://127.0.0.1:*', 'ws://127.0.0.1:*', 'https:', 'wss:'],
      'object-src': ["'none'"],
      'base-uri': ["'none'"],
      'form-action': ["'none'"],
      'frame-ancestors': ["'none'"],
      'frame-src': ["'self'"],
    });
    const pages = files(extensionDir).filter((file) => file.endsWith('.html'));
    expect(pages).toEqual(['diagram.html', 'keeper.html', 'options.html', 'sidepanel.html']);
    for (const page of pages) {
      const html = readFileSync(path.join(extensionDir, page), 'utf8');
      expect([...html.matchAll(/(?:src|href)="(?<from>[^"]*)"/g)].map(({ groups }) => groups?.['from'])).not.toContainEqual(
        expect.stringMatching(/[:/]/),
      );
      expect(html, page).not.toMatch(/<script(?![^>]*src=)|<style|\son\w+=|style=/);
    }
    expect(readFileSync(path.join(extensionDir, 'keeper.html'), 'utf8')).toContain("connect-src 'none'");
  });

  test('brings the tools that docs/tools.md lists, and the executable has the same list', () => {
    const worker = readFileSync(path.join(extensionDir, 'background.js'), 'utf8');
    const embedded = JSON.parse(readFileSync(path.join(buildDir, 'tools.json'), 'utf8')) as { name: string }[];
    const page = readFileSync(path.join(import.meta.dirname, '..', '..', 'docs', 'tools.md'), 'utf8');

    const headings = [...page.matchAll(/^## (?<name>\w+)$/gm)].map(({ groups }) => groups?.['name'] ?? '');
    // The other sets are served from the same tools.
    const listed = headings.filter((name) => name.startsWith('browser_'));
    const brought = [...worker.matchAll(/name:"(?<name>browser_\w+)"/g)].map(({ groups }) => groups?.['name'] ?? '');

    // Tools that are alike for two places have names that are put together.
    const isAlike = (name: string): boolean => /^browser_(?:local|session)storage_/.test(name);
    expect(brought.toSorted()).toEqual(listed.filter((name) => !isAlike(name)).toSorted());
    const names = embedded.map(({ name }) => name);
    expect(names.filter((name) => name.startsWith('browser_'))).toEqual(listed);
    expect(headings).toEqual(expect.arrayContaining(names));
  });
});

const files = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .sort();

const hashesOf = (folder: string): Record<string, string> =>
  Object.fromEntries(
    files(folder).map((file) => [
      file,
      createHash('sha256')
        .update(readFileSync(path.join(folder, file)))
        .digest('hex'),
    ]),
  );
