/**
 * `npm run package`: what a person downloads, in dist/packages, made for the system on which it runs: a Debian package and an archive
 * on Linux, an archive on macOS and Windows; everywhere the extension, the bill of materials, and the checksums of all of them with a signature.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash, sign } from 'node:crypto';
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { VERSION } from '#protocol/version.ts';
import { build, executable, extensionDir } from './build.ts';
import { tar, zip, type Entry } from './package/archives.ts';
import { debArchitecture, makeDeb, type Compression, type Program } from './package/deb.ts';
import { appFiles } from './package/macos.ts';
import { CHECKSUMS, SIGNATURE } from './register/update/release.ts';
import { signingKey } from './signing-key.ts';

const rootDir = path.join(import.meta.dirname, '..');
const outDir = path.join(rootDir, 'dist/packages');

/** Nobody should have to wait longer for a download. */
const MAX_MB = 45;

const packageAll = async (report: (line: string) => void): Promise<void> => {
  await build({ force: false, report });
  const program = readProgram();
  const seconds = sourceTime();
  const { platform, arch } = process;
  const name = `pilotfish-${VERSION}`;
  const best = bestCompression();
  rmSync(outDir, { recursive: true, force: true });
  mkdirSync(outDir, { recursive: true });
  const write = (file: string, content: Buffer): void => {
    const megabytes = content.length / 1e6;
    if (megabytes > MAX_MB) throw new Error(`${file} has ${megabytes.toFixed(1)} MB, the limit is ${MAX_MB}`);
    writeFileSync(path.join(outDir, file), content);
    report(`${megabytes.toFixed(1).padStart(5)} MB  ${file}`);
  };

  write(`pilotfish-extension-${VERSION}.zip`, zip(filesIn(extensionDir), seconds));
  write(`${name}.sbom.cdx.json`, Buffer.from(program.sbom));
  if (platform === 'win32') write(`${name}-windows-${arch}.zip`, zip(windowsFiles(name, program), seconds));
  else if (platform === 'darwin') write(`${name}-macos-${arch}.tar.${best.name}`, best.compress(tar(appFiles(program), '', seconds)));
  else {
    write(`${name}-linux-${arch}.tar.${best.name}`, best.compress(tar(plainFiles(name, program), '', seconds)));
    write(`pilotfish_${VERSION}_${debArchitecture(arch)}.deb`, makeDeb(program, arch, seconds, best));
  }
  const sums = checksums();
  writeFileSync(path.join(outDir, CHECKSUMS), sums);
  writeFileSync(path.join(outDir, SIGNATURE), `${sign(null, Buffer.from(sums), signingKey().privateKey).toString('base64')}\n`);
  report(`         ${CHECKSUMS}, ${SIGNATURE}`);
};

const readProgram = (): Program => {
  const say = (...args: string[]): string => execFileSync(executable, args, { encoding: 'utf8' });
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

/** xz makes 29 MB of it and gzip 46; gzip is in Node, and enough where the program is smaller. */
const bestCompression = (): Compression => {
  const hasXz = spawnSync('xz', ['--version']).status === 0;
  if (!hasXz) return { name: 'gz', compress: (bytes) => gzipSync(bytes, { level: 9 }) };
  return { name: 'xz', compress: (bytes) => execFileSync('xz', ['-6', '-T0', '-c'], { input: bytes, maxBuffer: 1 << 30 }) };
};

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

await packageAll((line) => console.log(line));
