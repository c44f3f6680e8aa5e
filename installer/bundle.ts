/** Bundles the executable's two tiers: main.cjs, which Chrome waits for, and the parts of the second, one for the daemon and one for all else. */
import { build, type BuildOptions, type Plugin } from 'esbuild';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import vm from 'node:vm';
import { blessedPlugin } from './blessed-plugin.ts';
import { packageFolders } from './sbom.ts';

const common = {
  bundle: true,
  metafile: true,
  platform: 'node',
  target: 'node26',
  // Function names are not kept: that would need a call for each function that is made, 4 MB, and a tenth of each tool call.
  minifyWhitespace: true,
  minifySyntax: true,
  legalComments: 'none',
  // ASCII only: V8 then keeps the source in one byte per character.
  charset: 'ascii',
  // The executable has no loader for import(); require does the same there, and as lazily.
  supported: { 'dynamic-import': false },
  // In the application there is no import.meta; what needs it runs from source only.
  logOverride: { 'empty-import-meta': 'silent' },
  logLevel: 'warning',
} as const satisfies BuildOptions;

/** The parts of the second tier, each with the file that it begins with. */
const PARTS = { daemon: 'companion/app/daemon-part.ts', app: 'companion/app.ts' } as const;

/** Writes main.cjs and of each part its code and V8's cache of it into `outDir`; the folders of the packages that are in them. */
export const bundleCompanion = async (rootDir: string, outDir: string): Promise<string[]> => {
  const mainFile = path.join(outDir, 'main.cjs');
  const main = await build({
    ...common,
    absWorkingDir: rootDir,
    entryPoints: [path.join(rootDir, 'companion/main.ts')],
    format: 'cjs',
    outfile: mainFile,
    // This is used only when the sources run without a build; in the executable the application is an asset.
    external: ['./app.ts', './app/daemon-part.ts'],
  });

  writeFileSync(mainFile, toAscii(readFileSync(mainFile, 'utf8')));

  const parts = [];
  for (const [name, entry] of Object.entries(PARTS)) {
    const file = path.join(outDir, `${name}.cjs`);
    const part = await build({
      ...common,
      absWorkingDir: rootDir,
      entryPoints: [path.join(rootDir, entry)],
      format: 'cjs',
      outfile: file,
      plugins: [blessedPlugin(), leaveOut],
      // Its main file is UMD, whose `require` a bundler does not recognise: https://github.com/microsoft/node-jsonc-parser/issues/57
      alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
    });
    parts.push(part.metafile);
    const code = toAscii(readFileSync(file, 'utf8'));
    writeFileSync(file, code);
    // V8 checks a cache only by the length of its source, not by its text, so the two are always made in one step.
    writeFileSync(path.join(outDir, `${name}.cache`), await makeCache(code, path.basename(file), rootDir));
  }
  return packageFolders([main.metafile, ...parts]);
};

/**
 * What the bundler leaves as it is, which are regular expressions, is written with escapes too: a single character that needs two bytes
 * makes V8 keep all of the source in two bytes per character, and a daemon 5 MB larger.
 */
const toAscii = (code: string): string =>
  code.replaceAll(/[^\0-\x7f]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Fastify uses these for a logger, made-up requests (`inject`), JSON schemas and trusted proxies. The program has none of them, and with them come 24 packages. */
const LEFT_OUT = /^(?:pino|light-my-request|@fastify\/(?:ajv-compiler|fast-json-stringify-compiler|proxy-addr))$/;

const leaveOut: Plugin = {
  name: 'leave out',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: LEFT_OUT }, ({ path: name }) => ({ path: name, namespace: 'left out' }));
    onLoad({ filter: /./, namespace: 'left out' }, ({ path: name }) => ({
      contents: `module.exports = () => { throw new Error(${JSON.stringify(`${name} is not in the program, see installer/bundle.ts`)}); };`,
    }));
  },
};

/** The wrapper must be the one in companion/main.ts, to the letter. */
const makeCache = async (code: string, filename: string, rootDir: string): Promise<Buffer> => {
  const script = new vm.Script(`(function (exports, require, module, __filename, __dirname) {${code}\n})`, { filename });
  const start: unknown = script.runInThisContext();
  if (typeof start !== 'function') throw new Error('the bundled application is not a function');
  const module: { exports: unknown } = { exports: {} };
  start(module.exports, createRequire(path.join(rootDir, 'package.json')), module, process.execPath, '/');
  // It is loaded once first, so that the cache also contains the functions that every start calls: a start then takes 60 ms less.
  if (!canLoadAll(module.exports)) throw new Error('the bundled application has no loadAll');
  await module.exports.loadAll();
  return script.createCachedData();
};

const canLoadAll = (exports: unknown): exports is { loadAll(): Promise<void> } =>
  typeof exports === 'object' && exports !== null && 'loadAll' in exports && typeof exports.loadAll === 'function';
