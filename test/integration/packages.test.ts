/** What people download, as `npm run package` makes it: looked at, and run where this machine can. All of it belongs to the whole form. */
import { execFile, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { NtExecutable, NtExecutableResource, Resource } from 'resedit';
import { describe, expect } from 'vitest';
import { signatureProblem } from '#installer/package/macos-signature.ts';
import { executableIn } from '#installer/register/update/unpack.ts';
import { browserPlaces } from '#native-manifests/browsers.ts';
import { VERSION } from '#protocol/version.ts';
import { isSigned, packages } from '#test/fixtures/packages.ts';
import { findOnPath } from '#installer/system-packages.ts';
import { test as base } from '#test/fixtures/stage.ts';
import { until } from '#test/fixtures/until.ts';
import { isWhole } from '#test/fixtures/whole.ts';

/** All packages of all systems are made first. */
const MAKING_MS = 45 * 60_000;

const SEA_FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2:1';

const test = base.extend<{ folder: string }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads the dependencies of a fixture from this pattern
  folder: async ({}, use) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'pf-packages-'));
    await use(folder);
    // What was mounted in a namespace of its own goes a moment after its last process.
    rmSync(folder, { recursive: true, force: true, maxRetries: 30 });
  },
});

const NOT_HERE = 'belongs to the whole form: npm run test:whole';

/** What a program prints; a test worker that is not free for minutes would be given up. */
const run = async (command: string, args: readonly string[], env: Record<string, string> = {}): Promise<string> => {
  const { stdout } = await promisify(execFile)(command, args, { env: { ...process.env, ...env }, maxBuffer: 2 ** 26 });
  return stdout;
};

describe('the packages', () => {
  test(
    'are there for every system, none larger than 45 MB, with checksums that hold and are signed',
    { timeout: MAKING_MS },
    async ({ skip }) => {
      skip(!isWhole, NOT_HERE);
      const { folder, names, ...made } = await packages();

      expect(names.toSorted()).toEqual(
        [
          'SHA256SUMS',
          'SHA256SUMS.sig',
          `pilotfish-${VERSION}-linux-x64.tar.gz`,
          `pilotfish-${VERSION}-macos-arm64.tar.xz`,
          `pilotfish-${VERSION}-macos-x64.tar.xz`,
          `pilotfish-${VERSION}-windows-x64-portable.exe`,
          `pilotfish-${VERSION}-windows-x64-setup.exe`,
          `pilotfish-${VERSION}-windows-x64.zip`,
          `pilotfish-${VERSION}.sbom.cdx.json`,
          `pilotfish-extension-${VERSION}.zip`,
          `pilotfish_${VERSION}_amd64.deb`,
        ].toSorted(),
      );
      for (const name of names) expect(statSync(path.join(folder, name)).size, name).toBeLessThan(45e6);
      expect(spawnSync('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: folder }).status).toBe(0);
      expect(isSigned({ folder, names, ...made })).toBe(true);
    },
  );

  test(
    'for Windows hold a program with our version, icon and application, and are what NSIS makes',
    { timeout: MAKING_MS },
    async ({ skip }) => {
      skip(!isWhole, NOT_HERE);
      const { find } = await packages();
      const zip = find('-windows-x64.zip');
      const program = executableIn({ name: zip, content: readFileSync(zip) });

      for (const content of [program, readFileSync(find('-setup.exe')), readFileSync(find('-portable.exe'))]) {
        const { entries } = NtExecutableResource.from(NtExecutable.from(content));
        const [info] = Resource.VersionInfo.fromEntries(entries);
        const [language] = info?.getAvailableLanguages() ?? [];
        if (info === undefined || language === undefined) throw new Error('there is no version');
        expect(info.getStringValues(language)).toMatchObject({ ProductName: 'Pilotfish', FileVersion: expect.stringContaining(VERSION) });
        expect(Resource.IconGroupEntry.fromEntries(entries).map(({ icons }) => icons.length)).toContain(4);
      }
      const executable = NtExecutable.from(program);
      expect(executable.newHeader.fileHeader.machine).toBe(0x8664);
      // A console program: a double click opens a console.
      expect(executable.newHeader.optionalHeader.subsystem).toBe(3);
      expect(NtExecutableResource.from(executable).entries.map(({ id }) => id)).toContain('NODE_SEA_BLOB');
      expect(program.includes(SEA_FUSE)).toBe(true);
      for (const end of ['-setup.exe', '-portable.exe']) expect(readFileSync(find(end)).includes(Buffer.from('NullsoftInst'))).toBe(true);
    },
  );

  test('for macOS hold a bundle with a signed program for the one processor', { timeout: MAKING_MS }, async ({ skip, folder }) => {
    skip(!isWhole, NOT_HERE);
    const { find } = await packages();
    for (const [arch, processor] of [
      ['arm64', 0x0100000c],
      ['x64', 0x01000007],
    ] as const) {
      const place = path.join(folder, arch);
      mkdirSync(place);
      await run('tar', ['-xf', find(`-macos-${arch}.tar.xz`), '-C', place, '--no-same-owner']);
      const contents = path.join(place, 'Pilotfish.app/Contents');
      const program = readFileSync(path.join(contents, 'Resources/pilotfish'));
      const plist = readFileSync(path.join(contents, 'Info.plist'), 'utf8');

      expect(program.readUInt32LE(4)).toBe(processor);
      expect(signatureProblem(program)).toBeNull();
      expect(program.includes(SEA_FUSE)).toBe(true);
      expect(program.subarray(0, 4096).includes('NODE_SEA')).toBe(true);
      for (const [key, value] of Object.entries({
        CFBundleExecutable: 'pilotfish',
        CFBundleIconFile: 'Pilotfish',
        CFBundleShortVersionString: VERSION,
      })) {
        expect(plist).toContain(`<key>${key}</key><string>${value}</string>`);
      }
      expect(readFileSync(path.join(contents, 'Resources/Pilotfish.icns')).toString('latin1', 0, 4)).toBe('icns');
      for (const file of ['MacOS/pilotfish', 'Resources/pilotfish.command', 'Resources/pilotfish']) {
        expect(statSync(path.join(contents, file)).mode & 0o111, file).toBe(0o111);
      }
    }
  });
});

/** Debian calls its 64-bit Wine by this path. */
const wine = [findOnPath('wine64'), '/usr/lib/wine/wine64'].find((file) => file !== undefined && existsSync(file));

describe('on Windows, as Wine shows it', () => {
  test(
    'setup puts the program, its shortcut and the keys of the browsers in place, and takes them away',
    { timeout: MAKING_MS },
    async ({ skip, folder }) => {
      skip(!isWhole, NOT_HERE);
      skip(wine === undefined, 'there is no Wine: apt-get install wine64');
      const { find } = await packages();
      const env = { WINEPREFIX: path.join(folder, 'wine'), WINEDEBUG: '-all', DISPLAY: '', HOME: folder };
      const start = (...args: string[]): Promise<string> => run(wine ?? '', args, env);
      const drive = path.join(env.WINEPREFIX, 'drive_c');
      // Wine links the person's home into the drive, and with it everything else; find follows no link.
      const ours = async (): Promise<string[]> =>
        (await run('find', [drive, '-iname', '*pilotfish*'])).split('\n').filter((file) => file !== '');
      const keys = [...new Set(browserPlaces.flatMap(({ win32 }) => win32?.registryKey ?? []))];
      const manifests = (): string[] =>
        keys.flatMap((key) => {
          const { stdout, status } = spawnSync(wine ?? '', ['reg', 'query', `HKCU\\${key}\\com.pilotfish.host`, '/ve'], {
            env: { ...process.env, ...env },
            encoding: 'utf8',
          });
          return status === 0 ? [/REG_SZ\s+(.+?)\s*$/mu.exec(stdout)?.[1] ?? ''] : [];
        });
      await start('wineboot', '-i');
      expect(await ours()).toEqual([]);

      await start(find('-setup.exe'), '/S');

      const installed = (await ours()).find((file) => file.endsWith('/pilotfish.exe')) ?? '';
      expect((await ours()).map((file) => path.basename(file))).toEqual(
        expect.arrayContaining(['pilotfish.exe', 'Pilotfish.lnk', 'com.pilotfish.host.json']),
      );
      const zip = find('-windows-x64.zip');
      expect(readFileSync(installed).equals(executableIn({ name: zip, content: readFileSync(zip) }))).toBe(true);
      expect(manifests()).toEqual(keys.map(() => expect.stringMatching(/^C:\\.*\\Pilotfish\\com\.pilotfish\.host\.json$/u)));
      const manifest = path.join(drive, (manifests()[0] ?? '').slice(3).replaceAll('\\', '/'));
      expect(existsSync(path.join(path.dirname(manifest), (JSON.parse(readFileSync(manifest, 'utf8')) as { path: string }).path))).toBe(
        true,
      );
      // Wine 8 prints the version of Node 26 and no more: every script dies in it for want of a kind of memory.
      const place = path.dirname(installed);
      await start(path.join(place, 'uninstall.exe'), '/S', `_?=Z:${place.replaceAll('/', '\\')}`);

      expect(manifests()).toEqual([]);
      // The uninstaller cannot remove itself while it runs from where it is.
      expect((await ours()).filter((file) => statSync(file).isFile())).toEqual([]);
      expect(readdirSync(place)).toEqual(['uninstall.exe']);
    },
  );

  test('the portable program unpacks itself whole beside itself', { timeout: MAKING_MS }, async ({ skip, folder }) => {
    skip(!isWhole, NOT_HERE);
    skip(wine === undefined, 'there is no Wine: apt-get install wine64');
    const { find } = await packages();
    const file = path.join(folder, 'pilotfish.exe');
    cpSync(find('-portable.exe'), file);

    await run(wine ?? '', [file, '--version'], { WINEPREFIX: path.join(folder, 'wine'), WINEDEBUG: '-all', DISPLAY: '', HOME: folder });

    const zip = find('-windows-x64.zip');
    const unpacked = path.join(folder, `Pilotfish-${VERSION}`);
    expect(readFileSync(path.join(unpacked, 'pilotfish.exe')).equals(executableIn({ name: zip, content: readFileSync(zip) }))).toBe(true);
    expect(readdirSync(unpacked).toSorted()).toEqual(['LICENSE.txt', 'pilotfish.exe']);
  });
});

/** What a package leaves that is its system's own: lists, logs, and the copies that useradd keeps. */
const NOT_LOOKED_AT = ['/proc', '/tmp', '/root', '/home', '/var/lib/dpkg', '/var/lib/apt', '/var/cache', '/var/log'];

const IN_ROOT = String.raw`
set -e
export DEBIAN_FRONTEND=noninteractive PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 HOME=/root
unset NODE_EXTRA_CA_CERTS NODE_COMPILE_CACHE
look() { find / -xdev ${NOT_LOOKED_AT.map((place) => `-path ${place} -prune -o`).join(' ')} ! -type d -print | sort; }
useradd --create-home tester
look > /tmp/before
apt-get install -qq -y --no-install-recommends /root/pilotfish.deb > /tmp/apt.log 2>&1
dpkg --verify pilotfish
su tester -c 'pilotfish --version > /tmp/version
  pilotfish doctor --json > /tmp/doctor.json || true
  pilotfish install --json > /tmp/install.json
  pilotfish uninstall --purge --json > /tmp/uninstall.json
  find /home/tester -type f -o -type l > /tmp/left'
test -f /usr/share/man/man1/pilotfish.1.gz && test -f /usr/share/icons/hicolor/128x128/apps/pilotfish.png
cat /etc/chromium/native-messaging-hosts/com.pilotfish.host.json > /tmp/manifest.json
cat /usr/share/applications/pilotfish.desktop > /tmp/entry
mkdir -p /usr/local/lib/pilotfish && cp /usr/lib/pilotfish/pilotfish /usr/local/lib/pilotfish/pilotfish
apt-get purge -qq -y pilotfish > /tmp/purge.log 2>&1
own=/usr/local/lib/pilotfish/pilotfish
su tester -c "$own install --system --json" > /tmp/refused.json || true
$own install --system --json > /tmp/system.json
cat /etc/opt/chrome/native-messaging-hosts/com.pilotfish.host.json > /tmp/system-manifest.json
$own uninstall --system --json > /tmp/system-left.json
rm -r /usr/local/lib/pilotfish
apt-get autoremove -qq -y --purge >> /tmp/purge.log 2>&1
look > /tmp/after
`;

/** A root of the suite that this machine has, with the smallest set of packages and these; what went wrong, or null. */
const makeRoot = async (root: string, more: readonly string[] = []): Promise<string | null> => {
  const [target = ''] = (await run('apt-get', ['indextargets', '--format', '$(CODENAME) $(REPO_URI)', 'Created-By: Packages'])).split('\n');
  const [suite = '', mirror = ''] = target.split(' ');
  const included = more.length === 0 ? [] : [`--include=${more.join(',')}`];
  const problem = await run('debootstrap', ['--variant=minbase', ...included, suite, root, mirror]).then(
    () => null,
    (error: unknown) => String(error),
  );
  return problem === null ? null : `debootstrap cannot make a root here: ${problem.trim().split('\n').at(-1) ?? ''}`;
};

/** How a command is run in a root, in a namespace of processes that ends with it. */
const inRoot = (root: string, ...command: string[]): string[] => [
  '--mount',
  '--pid',
  '--fork',
  '--kill-child',
  `--mount-proc=${root}/proc`,
  'chroot',
  root,
  ...command,
];

const NO_ROOT = 'this needs root and debootstrap: apt-get install debootstrap';
const canMakeRoots = process.getuid?.() === 0 && findOnPath('debootstrap') !== undefined;

/** All that a process has said until now. */
const linesOf = (child: ChildProcess): (() => string) => {
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (text += String(chunk)));
  return () => text;
};

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });

const SERVE_SSH = String.raw`
set -e
export DEBIAN_FRONTEND=noninteractive PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 HOME=/root
unset NODE_EXTRA_CA_CERTS NODE_COMPILE_CACHE
apt-get install -qq -y --no-install-recommends /root/pilotfish.deb > /tmp/apt.log 2>&1
useradd --create-home --shell /bin/bash --password "*" tester
install -d -m 700 -o tester /home/tester/.ssh
install -m 600 -o tester /root/key.pub /home/tester/.ssh/authorized_keys
mkdir -p /run/sshd
exec /usr/sbin/sshd -D -e -p "$1" -o ListenAddress=127.0.0.1 -o PasswordAuthentication=no -o UsePAM=no
`;

describe('on a bare Debian', () => {
  test(
    'a machine that is reached by its own sshd leads the browser here to its Pilotfish',
    { timeout: MAKING_MS },
    async ({ skip, folder, companion, home }) => {
      skip(!isWhole, NOT_HERE);
      skip(!canMakeRoots, NO_ROOT);
      const root = path.join(folder, 'root');
      const problem = await makeRoot(root, ['openssh-server']);
      skip(problem !== null, problem ?? '');
      const { find } = await packages();
      const key = path.join(home.dir, 'key');
      await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key]);
      cpSync(find('.deb'), path.join(root, 'root/pilotfish.deb'));
      cpSync(`${key}.pub`, path.join(root, 'root/key.pub'));
      writeFileSync(path.join(root, 'root/serve.sh'), SERVE_SSH);
      const port = await freePort();
      // Everything else of ssh is the person's own: here it may know the machine at once.
      const bin = path.join(home.dir, 'bin');
      mkdirSync(bin);
      const options = `-i '${key}' -o BatchMode=yes -o StrictHostKeyChecking=accept-new -o UserKnownHostsFile='${path.join(home.dir, 'known')}'`;
      writeFileSync(path.join(bin, 'ssh'), `#!/bin/sh\nexec ${findOnPath('ssh') ?? 'ssh'} -F none ${options} "$@"\n`, { mode: 0o755 });
      const sshd = spawn(findOnPath('unshare') ?? 'unshare', inRoot(root, '/bin/sh', '/root/serve.sh', String(port)), {
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      const heard = linesOf(sshd);
      try {
        await until(() => heard().includes('Server listening'), { timeoutMs: MAKING_MS, what: 'sshd' });
        const attach = companion.start(['attach', `ssh://tester@127.0.0.1:${port}`], { PATH: `${bin}:${companion.env['PATH'] ?? ''}` });
        const ended = new Promise((resolve) => attach.on('exit', resolve));
        const said = linesOf(attach);
        const near = await until(() => /its Pilotfish is at ws:\/\/127\.0\.0\.1:(\d+)/u.exec(said())?.[1] ?? null).catch(
          (cause: unknown) => {
            throw new Error(`attach said: ${said()}\nsshd said: ${heard()}`, { cause });
          },
        );
        await until(() => said().includes('Pair the browser: run this on tester@127.0.0.1'));

        // It is the one there, whose own port may be another: that is told, too.
        expect(await (await fetch(`http://127.0.0.1:${near}/health`)).text()).toMatch(
          /"pilotfish"|The Host header does not name this server/u,
        );
        expect(companion.daemons()).toEqual([]);

        attach.kill('SIGINT');
        await ended;
      } finally {
        const closed = new Promise((resolve) => sshd.once('close', resolve));
        // It heeds no other signal while it waits for its child, and takes along all that was started there.
        sshd.kill('SIGKILL');
        await closed;
        spawnSync('umount', ['--lazy', path.join(root, 'proc')]);
      }
    },
  );

  test(
    'the package brings what the program needs, the program works, and nothing is left of it',
    { timeout: MAKING_MS },
    async ({ skip, folder }) => {
      skip(!isWhole, NOT_HERE);
      skip(!canMakeRoots, NO_ROOT);
      const { find } = await packages();
      const root = path.join(folder, 'root');
      const problem = await makeRoot(root);
      skip(problem !== null, problem ?? '');
      cpSync(find('.deb'), path.join(root, 'root/pilotfish.deb'));
      writeFileSync(path.join(root, 'root/try.sh'), IN_ROOT);

      try {
        await run('unshare', inRoot(root, '/bin/sh', '/root/try.sh'));
      } finally {
        spawnSync('umount', ['--lazy', path.join(root, 'proc')]);
      }

      const read = (name: string): string => readFileSync(path.join(root, 'tmp', name), 'utf8');
      expect(read('version').trim()).toBe(VERSION);
      const { checks } = JSON.parse(read('doctor.json')) as { checks: { id: string; status: string }[] };
      expect(checks.length).toBeGreaterThan(5);
      expect((JSON.parse(read('install.json')) as { isComplete: boolean }).isComplete).toBe(true);
      expect((JSON.parse(read('uninstall.json')) as { isComplete: boolean }).isComplete).toBe(true);
      expect(
        read('left')
          .trim()
          .split('\n')
          .filter((file) => !/\/\.(?:bashrc|bash_logout|profile)$/u.test(file)),
      ).toEqual([]);
      expect(JSON.parse(read('manifest.json'))).toMatchObject({ path: '/usr/lib/pilotfish/pilotfish' });
      expect(read('entry')).toContain('Exec=pilotfish\n');
      expect(JSON.parse(read('refused.json'))).toMatchObject({ isComplete: false });
      expect(JSON.parse(read('system.json'))).toMatchObject({ isComplete: true });
      expect(JSON.parse(read('system-manifest.json'))).toMatchObject({ path: '/usr/local/lib/pilotfish/pilotfish' });
      expect((JSON.parse(read('system-left.json')) as { removed: string[] }).removed).toHaveLength(3);
      expect(read('after')).toBe(read('before'));
    },
  );
});
