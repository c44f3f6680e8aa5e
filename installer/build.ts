/** Builds dist/pilotfish, dist/extension and the list of what is in them, dist/sbom.cdx.json: `npm run build`. */
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { VERSION } from '#protocol/version.ts';
import { buildExtension, readBuiltExtension } from './build-extension.ts';
import { bundleCompanion } from './bundle.ts';
import { hashInputs, isFresh, writeStamp } from './freshness.ts';
import { withLock } from './lock.ts';
import { findNode, stripNode } from './node-binary.ts';
import { readPictures, windowsIcon } from './package/icons.ts';
import { adHocSigned } from './package/macos-signature.ts';
import { dressed } from './package/windows.ts';
import { makeSbom } from './sbom.ts';
import { signingKey } from './signing-key.ts';
import { listTools } from './tools-list.ts';

const rootDir = path.join(import.meta.dirname, '..');
/** What is made on the way, and the locks of those who make it. */
export const buildDir = path.join(rootDir, 'build');
const distDir = path.join(rootDir, 'dist');
const stampFile = path.join(buildDir, 'stamp');

/** The built program. */
export const executable = path.join(distDir, process.platform === 'win32' ? 'pilotfish.exe' : 'pilotfish');

/** The built extension, as a folder to load in a test browser. */
export const extensionDir = path.join(distDir, 'extension');

/** The best compression takes ten times as long, and saves a twentieth. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };

/** The list of other people's work in both. */
const sbomFile = path.join(distDir, 'sbom.cdx.json');

/** Builds everything unless the sources are the ones of the last build; `report` gets a line for each step. */
export const build = async (options: { force: boolean; report: (line: string) => void }): Promise<void> => {
  mkdirSync(buildDir, { recursive: true });
  await withLock(path.join(buildDir, 'lock'), async () => {
    const { publicKey } = signingKey();
    const hash = await hashInputs(rootDir, publicKey);
    const isBuilt = existsSync(executable) && existsSync(path.join(extensionDir, 'manifest.json'));
    if (!options.force && isBuilt && (await isFresh(stampFile, hash))) return;
    rmSync(stampFile, { force: true });
    writeFileSync(path.join(buildDir, 'release-key.pem'), publicKey);
    await buildAll(options.report);
    await writeStamp(stampFile, hash);
  });
};

/** As it travels inside the executable, so that a package of that is smaller: path → base64 of Brotli. */
const compressed = (files: Record<string, Buffer>): Record<string, string> =>
  Object.fromEntries(Object.entries(files).map(([file, content]) => [file, brotliCompressSync(content, BROTLI).toString('base64')]));

const buildAll = async (report: (line: string) => void): Promise<void> => {
  const startedAt = performance.now();
  const step = (text: string): void => report(`${((performance.now() - startedAt) / 1000).toFixed(1).padStart(5)} s  ${text}`);
  checkVersions();
  const node = findNode(rootDir);

  step('extension');
  const stagedExtension = path.join(buildDir, 'extension');
  const inExtension = await buildExtension(stagedExtension);
  writeFileSync(path.join(buildDir, 'extension.json'), JSON.stringify(compressed(await readBuiltExtension(stagedExtension))));
  writeFileSync(path.join(buildDir, 'tools.json'), JSON.stringify(listTools()));

  step('application');
  const inCompanion = await bundleCompanion(rootDir, buildDir);
  copyFileSync(path.join(rootDir, 'extension/icons/icon-128.png'), path.join(buildDir, 'icon.png'));
  copyFileSync(
    path.join(rootDir, `node_modules/keytar/prebuilds/${process.platform}-${process.arch}/keytar.node`),
    path.join(buildDir, 'keytar.node'),
  );

  step('Node without symbols');
  const stripped = stripNode(node, path.join(rootDir, '.cache/node'), report);
  rmSync(path.join(buildDir, 'node'), { force: true });
  copyFileSync(stripped, path.join(buildDir, 'node'));
  if (process.platform === 'win32') {
    writeFileSync(path.join(buildDir, 'node'), dressed(readFileSync(stripped), VERSION, windowsIcon(readPictures(rootDir))));
  }

  step('executable');
  execFileSync(node, ['--build-sea', 'sea-config.json'], { cwd: rootDir, stdio: ['ignore', 'ignore', 'inherit'] });
  mkdirSync(distDir, { recursive: true });
  const made = path.join(buildDir, 'pilotfish');
  if (process.platform === 'darwin') writeFileSync(made, adHocSigned(readFileSync(made), 'com.pilotfish.terminal'));
  const staged = `${executable}.new`;
  // It is copied, because a file that is written in one piece is mapped in huge pages: each process then uses 25 MB more than it needs.
  copyFileSync(made, staged);
  chmodSync(staged, 0o755);
  rmSync(made);
  // It is renamed and not overwritten, so that a daemon that still runs keeps its own file.
  renameSync(staged, executable);
  rmSync(extensionDir, { recursive: true, force: true });
  renameSync(stagedExtension, extensionDir);
  writeFileSync(
    sbomFile,
    makeSbom({
      version: VERSION,
      nodeVersion: process.versions.node,
      // The native half of the keychain package is an asset.
      folders: [...new Set([...inExtension, ...inCompanion, 'node_modules/keytar'])].toSorted(),
      lockFile: readFileSync(path.join(rootDir, 'package-lock.json'), 'utf8'),
    }),
  );
  step(`built ${path.relative(rootDir, executable)} and ${path.relative(rootDir, extensionDir)}`);
};

const checkVersions = (): void => {
  if (Number(process.versions.node.split('.')[0]) < 26) {
    throw new Error(`the build needs Node 26, this is ${process.version}: start it with \`npm run build\`, which brings its own`);
  }
  const own: unknown = JSON.parse(readFileSync(path.join(rootDir, 'package.json'), 'utf8'));
  if (typeof own !== 'object' || own === null || !('version' in own) || own.version !== VERSION) {
    throw new Error('companion/protocol/version.ts and package.json must have the same version');
  }
};

if (import.meta.main) await build({ force: true, report: (line) => console.log(line) });
