/** What of other people's work is in the program, what may run when it is installed, and how large the extension is. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildExtension, readBuiltExtension } from '#installer/build-extension.ts';
import { bundleCompanion } from '#installer/bundle.ts';
import { loadedLazily, loadedWith, zippedBytes } from '#installer/extension-sizes.ts';
import { makeSbom, packageFolders } from '#installer/sbom.ts';

const ROOT = path.join(import.meta.dirname, '..', '..', '..');
const lockFile = readFileSync(path.join(ROOT, 'package-lock.json'), 'utf8');

interface Locked {
  readonly name?: string;
  readonly version?: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly hasInstallScript?: boolean;
}
const locked = Object.entries((JSON.parse(lockFile) as { packages: Record<string, Locked> }).packages).filter(([folder]) => folder !== '');

/** Each lets a program be given away whose own licence is MIT, and asks for no more than to be named. */
const LICENCES = new Set([
  'MIT',
  'ISC',
  '0BSD',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'Apache-2.0',
  '(MPL-2.0 OR Apache-2.0)',
  '(MIT OR CC0-1.0)',
]);

/** The rows of docs/packages.md: why a package is in the program. */
const reasons = new Map(
  [...readFileSync(path.join(ROOT, 'docs', 'packages.md'), 'utf8').matchAll(/^\| `(?<name>[^`]+)` \| (?<reason>.*) \| .+ \|$/gm)].map(
    ({ groups }): [string, string] => [groups?.['name'] ?? '', groups?.['reason'] ?? ''],
  ),
);

/** What the panel loads when it is first needed, or once it is drawn. */
const LAZY = ['temml', 'draw-sheet', 'fuzzy', 'activity-sheet', 'audit-sheet'];

describe('the packages', () => {
  test('need nothing run when they are installed, and are installed so; two would: esbuild looks for its program, and keytar copies its own', () => {
    expect(locked.filter(([, { hasInstallScript }]) => hasInstallScript === true).map(([folder]) => folder)).toEqual([
      'node_modules/esbuild',
      'node_modules/keytar',
    ]);
    for (const file of ['README.md', 'CONTRIBUTING.md', '.ci/run']) {
      const commands = readFileSync(path.join(ROOT, file), 'utf8').match(/npm ci .*/g);
      expect(commands?.every((command) => command.startsWith('npm ci --ignore-scripts '))).toBe(true);
    }
  });
});

describe('the program and the extension', () => {
  let outDir = '';
  let folders: string[] = [];
  beforeAll(async () => {
    outDir = mkdtempSync(path.join(tmpdir(), 'pilotfish-bundle-'));
    const inside = [...(await buildExtension(path.join(outDir, 'extension'))), ...(await bundleCompanion(ROOT, outDir))];
    folders = [...new Set([...inside, 'node_modules/keytar'])].toSorted();
  });
  afterAll(() => rmSync(outDir, { recursive: true }));

  test('hold no package that docs/packages.md does not name with its reason, and all that it names', () => {
    const named = new Set(folders.map(packageName));

    expect(named).toContain('fastify');
    expect([...reasons.keys()]).toEqual([...named].toSorted());
    expect([...reasons].filter(([, reason]) => reason.length < 10)).toEqual([]);
  });

  test('have a bill that names each package with version, hash and a licence that allows it, the same from the same sources', () => {
    const options = { version: '1.2.3', nodeVersion: '26.0.0', folders, lockFile };
    const text = makeSbom(options);
    const { bomFormat, components } = JSON.parse(text) as { bomFormat: string; components: Record<string, unknown>[] };

    expect(bomFormat).toBe('CycloneDX');
    expect(components).toHaveLength(folders.length + 1);
    expect(components[0]).toMatchObject({ name: 'node', version: '26.0.0' });
    expect(
      components.slice(1).filter(({ name, version, licenses, hashes, purl }) => !name || !version || !licenses || !hashes || !purl),
    ).toEqual([]);
    // What is installed beside them and is in no file of the program (elkjs) is under licences of its own.
    const licences = components
      .slice(1)
      .map(({ name, licenses }) => ({ name, licence: (licenses as { expression: string }[])[0]?.expression ?? '' }));
    expect(licences.filter(({ licence }) => !LICENCES.has(licence))).toEqual([]);
    expect(components.find(({ name }) => name === '@farjs/blessed')).toBeDefined();
    expect(makeSbom(options)).toBe(text);
  });

  test('are small: the extension 620 kB as it is downloaded but for what is loaded lazily, 1.7 MB whole, and the script of the panel 255 kB as it is sent', async () => {
    const extension = await readBuiltExtension(path.join(outDir, 'extension'));
    const lazily = loadedLazily(extension);
    const panel = [...loadedWith(extension, 'sidepanel.js')];

    expect(zippedBytes(extension, (name) => !lazily.has(name))).toBeLessThanOrEqual(620_000);
    expect(zippedBytes(extension)).toBeLessThanOrEqual(1_700_000);
    expect(panel.length).toBeGreaterThan(1);
    expect(panel.reduce((sum, name) => sum + gzipSync(extension[name] ?? '').length, 0)).toBeLessThanOrEqual(255_000);
    for (const name of LAZY)
      expect(
        [...lazily].filter((file) => file.startsWith(`parts/${name}-`)),
        name,
      ).toHaveLength(1);
    expect(lazily).toContain('diagram.js');
  });

  test('hold no package whose folder is not there', () => {
    expect(folders.filter((folder) => !existsSync(path.join(ROOT, folder)))).toEqual([]);
  });
});

/** The name under which a package was published; a folder may have another (`npm:` in package.json). */
const packageName = (folder: string): string =>
  locked.find(([one]) => one === folder)?.[1].name ?? folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length);

describe('a package folder', () => {
  test('is found from a file in it, in a scope and below another package too, when bytes of it are in the output', () => {
    const input = (bytesInOutput: number) => ({ bytesInOutput });
    const outputs = {
      'out.js': {
        bytes: 1,
        imports: [],
        exports: [],
        inputs: {
          'companion/main.ts': input(5),
          'node_modules/a/index.js': input(5),
          'node_modules/a/lib/x.js': input(5),
          'node_modules/@s/b/node_modules/c/x.js': input(5),
          'node_modules/@s/d/x.js': input(5),
          'node_modules/unused/x.js': input(0),
        },
      },
    };

    expect(packageFolders([{ inputs: {}, outputs }])).toEqual(['node_modules/@s/b/node_modules/c', 'node_modules/@s/d', 'node_modules/a']);
  });
});
