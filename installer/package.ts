/**
 * `npm run package`: what a person downloads, in dist/packages. On Linux it makes that for all systems: a Debian package and an archive,
 * a setup program and a portable one for Windows, the application for both processors of Apple's. Elsewhere it makes that for its own
 * system; `npm run package -- SYSTEM…` makes it for those. The extension, the bill of materials, and the checksums of everything with a
 * signature are always there.
 */
import { createHash, sign } from 'node:crypto';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { VERSION } from '#protocol/version.ts';
import { build, buildDir, executable, extensionDir } from './build.ts';
import { crossBuild, type System } from './cross-build.ts';
import { withLock } from './lock.ts';
import { tar, zip, type Entry } from './package/archives.ts';
import { gzip, xz } from './package/compress.ts';
import { debArchitecture, makeDeb, type Program } from './package/deb.ts';
import { macIcon, readPictures, windowsIcon } from './package/icons.ts';
import { appFiles } from './package/macos.ts';
import { signedForSystem } from './package/system-signature.ts';
import { makeSetup, portableScript, setupScript } from './package/windows.ts';
import { CHECKSUMS, SIGNATURE } from './register/update/release.ts';
import { signingKey } from './signing-key.ts';
import { installSystemPackages, type Need } from './system-packages.ts';

const rootDir = path.join(import.meta.dirname, '..');
const outDir = path.join(rootDir, 'dist/packages');

/** Nobody should have to wait longer for a download. */
const MAX_MB = 45;

const SYSTEMS: ReadonlyMap<string, System> = new Map([
  ['linux-x64', { platform: 'linux', arch: 'x64' }],
  ['linux-arm64', { platform: 'linux', arch: 'arm64' }],
  ['windows-x64', { platform: 'win32', arch: 'x64' }],
  ['macos-x64', { platform: 'darwin', arch: 'x64' }],
  ['macos-arm64', { platform: 'darwin', arch: 'arm64' }],
]);

/** What is made on Linux for people of other systems. */
const FROM_LINUX = ['windows-x64', 'macos-arm64', 'macos-x64'];

const NEEDS: readonly Need[] = [
  { package: 'xz-utils', commands: ['xz'] },
  { package: 'libdeflate-tools', commands: ['libdeflate-gzip'] },
  { package: 'nsis', commands: ['makensis'] },
];

/** One file to make. */
interface Job {
  readonly file: string;
  make(): Buffer | Promise<Buffer>;
}

const packageAll = async (wanted: readonly string[], report: (line: string) => void): Promise<void> => {
  const systems = wanted.map(toSystem);
  if (process.platform === 'linux') await installSystemPackages(NEEDS, [], report);
  await build({ force: false, report });
  const program = readProgram();
  const seconds = sourceTime();
  rmSync(outDir, { recursive: true, force: true });
  mkdirSync(outDir, { recursive: true });
  const jobs: Job[] = [
    { file: `pilotfish-extension-${VERSION}.zip`, make: () => zip(filesIn(extensionDir), seconds) },
    { file: `pilotfish-${VERSION}.sbom.cdx.json`, make: () => Buffer.from(program.sbom) },
  ];
  for (const [name, system] of systems) {
    report(`         ${name}`);
    jobs.push(...packagesFor(name, system, programFor(system, program), seconds));
  }
  await doAll(jobs, (file, content) => {
    const megabytes = content.length / 1e6;
    if (megabytes > MAX_MB) throw new Error(`${file} has ${megabytes.toFixed(1)} MB, the limit is ${MAX_MB}`);
    writeFileSync(path.join(outDir, file), content);
    report(`${megabytes.toFixed(1).padStart(5)} MB  ${file}`);
  });
  const sums = checksums();
  writeFileSync(path.join(outDir, CHECKSUMS), sums);
  writeFileSync(path.join(outDir, SIGNATURE), `${sign(null, Buffer.from(sums), signingKey().privateKey).toString('base64')}\n`);
  report(`         ${CHECKSUMS}, ${SIGNATURE}`);
};

const toSystem = (name: string): [string, System] => {
  const system = SYSTEMS.get(name);
  if (system === undefined) throw new Error(`${name} is none of ${[...SYSTEMS.keys()].join(', ')}`);
  return [name, system];
};

const isOwn = ({ platform, arch }: System): boolean => platform === process.platform && arch === process.arch;

const ownSystem = (): string[] => [...SYSTEMS].flatMap(([name, system]) => (isOwn(system) ? [name] : []));

const packagesFor = (name: string, { platform, arch }: System, program: Program, seconds: number): Job[] => {
  const base = `pilotfish-${VERSION}`;
  if (platform === 'linux') {
    return [
      { file: `${base}-${name}.tar.gz`, make: () => gzip(tar(plainFiles(base, program), '', seconds)) },
      {
        file: `pilotfish_${VERSION}_${debArchitecture(arch)}.deb`,
        make: () => makeDeb(program, arch, seconds, { name: 'xz', compress: xz }),
      },
    ];
  }
  if (platform === 'darwin') {
    const icon = macIcon(readPictures(rootDir));
    return [{ file: `${base}-${name}.tar.xz`, make: () => xz(tar(appFiles({ ...program, icon }), '', seconds)) }];
  }
  const parts = { ...program, icon: windowsIcon(readPictures(rootDir)) };
  const setup = async (script: string): Promise<Buffer> => signedForSystem(await makeSetup(script, parts), '.exe');
  return [
    { file: `${base}-${name}-setup.exe`, make: () => setup(setupScript(VERSION)) },
    { file: `${base}-${name}-portable.exe`, make: () => setup(portableScript(VERSION)) },
    { file: `${base}-${name}.zip`, make: () => zip(windowsFiles(base, program), seconds) },
  ];
};

/** As many at once as there are processors: most of the time goes into programs that compress. */
const doAll = async (jobs: readonly Job[], done: (file: string, content: Buffer) => void): Promise<void> => {
  const left = [...jobs];
  const work = async (): Promise<void> => {
    for (let job = left.shift(); job !== undefined; job = left.shift()) done(job.file, await job.make());
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
};

const programFor = (system: System, program: Program): Program => {
  const content = isOwn(system) ? program.executable : crossBuild(system, rootDir);
  return { ...program, executable: signedForSystem(content, system.platform === 'win32' ? '.exe' : '') };
};

const readProgram = (): Program => {
  const env = { ...process.env, SOURCE_DATE_EPOCH: String(sourceTime()) };
  const say = (...args: string[]): string => execFileSync(executable, args, { encoding: 'utf8', env });
  return {
    version: VERSION,
    executable: readFileSync(executable),
    icon: readFileSync(path.join(rootDir, 'extension/icons/icon-128.png')),
    manual: say('help', '--man'),
    completions: { bash: say('completion', 'bash'), zsh: say('completion', 'zsh'), fish: say('completion', 'fish') },
    license: readFileSync(path.join(rootDir, 'LICENSE'), 'utf8'),
    sbom: readFileSync(path.join(rootDir, 'dist/sbom.cdx.json'), 'utf8'),
  };
};

/** The time of the last commit, so that the same sources give the same bytes: https://reproducible-builds.org/specs/source-date-epoch/ */
const sourceTime = (): number => {
  const given = process.env['SOURCE_DATE_EPOCH'];
  if (given !== undefined) return Number(given);
  const { stdout, status } = spawnSync('git', ['log', '-1', '--format=%ct'], { cwd: rootDir, encoding: 'utf8' });
  return status === 0 ? Number(stdout) : 0;
};

/** A folder to unpack anywhere: the program, and what a shell and man(1) can use of it. */
const plainFiles = (folder: string, { executable: content, manual, completions, license, sbom }: Program): Entry[] => [
  { name: `${folder}/pilotfish`, content, isExecutable: true },
  { name: `${folder}/pilotfish.1`, content: Buffer.from(manual) },
  ...Object.entries(completions).map(([shell, text]) => ({ name: `${folder}/completions/pilotfish.${shell}`, content: Buffer.from(text) })),
  { name: `${folder}/LICENSE`, content: Buffer.from(license) },
  { name: `${folder}/sbom.cdx.json`, content: Buffer.from(sbom) },
];

const windowsFiles = (folder: string, { executable: content, license, sbom }: Program) => [
  { name: `${folder}/pilotfish.exe`, content },
  { name: `${folder}/LICENSE.txt`, content: Buffer.from(license) },
  { name: `${folder}/sbom.cdx.json`, content: Buffer.from(sbom) },
];

const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .toSorted()
    .map((file) => ({ name: path.relative(folder, file).split(path.sep).join('/'), content: readFileSync(file) }));

/** As sha256sum(1) writes and checks it. */
const checksums = (): string =>
  readdirSync(outDir)
    .toSorted()
    .map(
      (file) =>
        `${createHash('sha256')
          .update(readFileSync(path.join(outDir, file)))
          .digest('hex')}  ${file}\n`,
    )
    .join('');

const named = process.argv.slice(2);
const wanted = named.length > 0 ? named : [...ownSystem(), ...(process.platform === 'linux' ? FROM_LINUX : [])];
mkdirSync(buildDir, { recursive: true });
// Two at once would take each other's files away, and sign what is left of them.
await withLock(path.join(buildDir, 'packages-lock'), () => packageAll(wanted, (line) => console.log(line)));
