/** The structure of what a person downloads, with a small program in the place of the real one. Debian's own tools judge where they are there. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readlinkSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gunzipSync, gzipSync, inflateRawSync } from 'node:zlib';
import { describe, expect, test as base } from 'vitest';
import { ar, tar, zip } from '#installer/package/archives.ts';
import { INSTALLED, makeDeb, type Program } from '#installer/package/deb.ts';
import { appFiles } from '#installer/package/macos.ts';
import { manifestProblem } from '#installer/register/manifest-check.ts';

const SECONDS = 1_700_000_000;

const test = base.extend<{ folder: string }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads the fixtures a fixture needs from this pattern
  folder: async ({}, use) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'pf-package-'));
    await use(folder);
    rmSync(folder, { recursive: true, force: true });
  },
});

const program: Program = {
  version: '1.2.3',
  executable: Buffer.from('#!/bin/sh\necho it runs\n'),
  icon: Buffer.from('icon'),
  manual: '.TH PILOTFISH 1\n',
  completions: { bash: 'bash', zsh: 'zsh', fish: 'fish' },
  license: 'MIT',
  sbom: '{}',
};

const deb = await makeDeb(program, 'x64', SECONDS, { name: 'gz', compress: async (bytes) => gzipSync(bytes) });

const has = (tool: string): boolean => spawnSync(tool, ['--version']).status === 0;

const run = (file: string, ...args: string[]): string => {
  const { stdout, stderr, status } = spawnSync(file, args, { encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return stdout;
};

/** The members of an ar archive, as they stand in it. */
const membersOf = (archive: Buffer): Map<string, Buffer> => {
  const members = new Map<string, Buffer>();
  for (let at = 8; at < archive.length;) {
    const head = archive.toString('latin1', at, at + 60);
    const size = Number(head.slice(48, 58));
    members.set(head.slice(0, 16).trim(), archive.subarray(at + 60, at + 60 + size));
    at += 60 + size + (size % 2);
  }
  return members;
};

describe('the Debian package', () => {
  test('has its three members in the order that dpkg wants, and the same bytes each time', async () => {
    expect([...membersOf(deb).keys()]).toEqual(['debian-binary', 'control.tar.gz', 'data.tar.gz']);
    expect(membersOf(deb).get('debian-binary')?.toString()).toBe('2.0\n');
    const again = await makeDeb(program, 'x64', SECONDS, { name: 'gz', compress: async (bytes) => gzipSync(bytes) });
    expect(deb.equals(again)).toBe(true);
  });

  test('is unpacked by tar into what runs, is found in the menu and is known to browsers', ({ folder }) => {
    writeFileSync(path.join(folder, 'data.tar'), gunzipSync(membersOf(deb).get('data.tar.gz') ?? Buffer.alloc(0)));
    run('tar', '-xf', path.join(folder, 'data.tar'), '-C', folder, '--no-same-owner');
    const at = (place: string): string => path.join(folder, place);

    expect(run(at('usr/bin/pilotfish'))).toBe('it runs\n');
    expect(readlinkSync(at('usr/bin/pilotfish'))).toBe('../lib/pilotfish/pilotfish');
    expect(statSync(at('usr')).mode & 0o777).toBe(0o755);
    const entry = readFileSync(at('usr/share/applications/pilotfish.desktop'), 'utf8');
    expect(entry).toContain('Exec=pilotfish\n');
    expect(entry).toContain('Icon=pilotfish\n');
    expect(entry).toContain('Terminal=true\n');
    expect(readFileSync(at('usr/share/icons/hicolor/128x128/apps/pilotfish.png'), 'utf8')).toBe('icon');
    expect(gunzipSync(readFileSync(at('usr/share/man/man1/pilotfish.1.gz'))).toString()).toBe(program.manual);
    expect(readFileSync(at('usr/share/zsh/vendor-completions/_pilotfish'), 'utf8')).toBe('zsh');
    for (const browser of ['chromium', 'opt/chrome', 'opt/edge']) {
      const manifest = at(`etc/${browser}/native-messaging-hosts/com.pilotfish.host.json`);
      expect(manifestProblem(manifest, INSTALLED)).toBeNull();
    }
  });

  test('says in its control file what it needs', ({ folder }) => {
    writeFileSync(path.join(folder, 'control.tar'), gunzipSync(membersOf(deb).get('control.tar.gz') ?? Buffer.alloc(0)));
    run('tar', '-xf', path.join(folder, 'control.tar'), '-C', folder, '--no-same-owner');
    const read = (name: string): string => readFileSync(path.join(folder, name), 'utf8');

    expect(read('control')).toContain('Package: pilotfish\nVersion: 1.2.3\nArchitecture: amd64\n');
    expect(read('control')).toContain('Depends: libc6 (>= 2.28), libstdc++6, libgcc-s1, libatomic1\n');
    expect(read('control')).toMatch(/^Maintainer: .+ <.+>$/mu);
    expect(read('conffiles').split('\n')).toContain('/etc/chromium/native-messaging-hosts/com.pilotfish.host.json');
    expect(read('md5sums')).toMatch(/^[0-9a-f]{32} {2}usr\/lib\/pilotfish\/pilotfish$/mu);
  });

  test('is taken by dpkg-deb', ({ folder, skip }) => {
    skip(!has('dpkg-deb'), 'dpkg is not here');
    const file = path.join(folder, 'pilotfish.deb');
    writeFileSync(file, deb);

    expect(run('dpkg-deb', '--field', file, 'Package', 'Recommends')).toBe('Package: pilotfish\nRecommends: libsecret-1-0\n');
    const listed = run('dpkg-deb', '--contents', file);
    expect(listed).toMatch(/^-rwxr-xr-x root\/root .* \.\/usr\/lib\/pilotfish\/pilotfish$/mu);
    expect(listed).toMatch(/^lrwxrwxrwx root\/root .* \.\/usr\/bin\/pilotfish -> \.\.\/lib\/pilotfish\/pilotfish$/mu);
    run('dpkg-deb', '--extract', file, path.join(folder, 'root'));
    expect(run(path.join(folder, 'root/usr/bin/pilotfish'))).toBe('it runs\n');
  });
});

describe('the application for macOS', () => {
  test('has what a bundle needs, and starts the program beside it wherever it is', ({ folder }) => {
    const file = path.join(folder, 'app.tar');
    writeFileSync(file, tar(appFiles(program), '', SECONDS));
    run('tar', '-xf', file, '-C', folder, '--no-same-owner');
    const contents = path.join(folder, 'Pilotfish.app/Contents');

    expect(readFileSync(path.join(contents, 'Info.plist'), 'utf8')).toContain('<key>CFBundleExecutable</key><string>pilotfish</string>');
    expect(readFileSync(path.join(contents, 'MacOS/pilotfish'), 'utf8')).toContain('open -a Terminal');
    // What Terminal does with it.
    expect(run(path.join(contents, 'Resources/pilotfish.command'))).toBe('it runs\n');
    expect(existsSync(path.join(contents, 'Resources/LICENSE.txt'))).toBe(true);
  });
});

describe('archives', () => {
  const files = [
    { name: 'a/one.txt', content: Buffer.from('one '.repeat(50)) },
    { name: '二.txt', content: Buffer.alloc(0) },
    { name: 'run', content: Buffer.from([1, 2, 3]), isExecutable: true },
  ];

  test('a zip holds its files whole, with their rights and one time', () => {
    const bytes = zip(files, SECONDS);
    const found = new Map<string, Buffer>();
    const rights = new Map<string, number>();
    const end = bytes.length - 22;
    expect(bytes.readUInt32LE(end)).toBe(0x06054b50);
    let at = bytes.readUInt32LE(end + 16);
    for (let index = 0; index < bytes.readUInt16LE(end + 10); index += 1) {
      const [packedSize, nameSize, local] = [bytes.readUInt32LE(at + 20), bytes.readUInt16LE(at + 28), bytes.readUInt32LE(at + 42)];
      const name = bytes.toString('utf8', at + 46, at + 46 + nameSize);
      const start = local + 30 + bytes.readUInt16LE(local + 26);
      found.set(name, inflateRawSync(bytes.subarray(start, start + packedSize)));
      rights.set(name, (bytes.readUInt32LE(at + 38) >>> 16) & 0o777);
      at += 46 + nameSize;
    }

    expect([...found]).toEqual(files.map(({ name, content }) => [name, content]));
    expect([...rights.values()]).toEqual([0o644, 0o644, 0o755]);
    expect(zip(files, SECONDS).equals(bytes)).toBe(true);
  });

  test('a zip is whole for other programs too', ({ folder, skip }) => {
    skip(!has('unzip') && !has('zip'), 'neither unzip nor zip is here');
    const file = path.join(folder, 'x.zip');
    writeFileSync(file, zip(files, SECONDS));

    expect(spawnSync(has('unzip') ? 'unzip' : 'zip', [has('unzip') ? '-t' : '-T', file]).status).toBe(0);
  });

  test('a tar has the time, the folders, and nothing that is too long for it', ({ folder }) => {
    const file = path.join(folder, 'x.tar');
    writeFileSync(file, tar(files, './', SECONDS));
    run('tar', '-xf', file, '-C', folder, '--no-same-owner');

    expect(readFileSync(path.join(folder, 'a/one.txt'), 'utf8')).toBe('one '.repeat(50));
    expect(statSync(path.join(folder, 'run')).mode & 0o777).toBe(0o755);
    expect(statSync(path.join(folder, 'a/one.txt')).mtimeMs).toBe(SECONDS * 1000);
    expect(() => tar([{ name: 'x'.repeat(101), content: Buffer.alloc(0) }], '', 0)).toThrow('too long');
    expect(ar([{ name: 'odd', content: Buffer.from('x') }], 0).length % 2).toBe(0);
  });
});
