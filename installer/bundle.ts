/**
 * Bundles the executable's two tiers: main.cjs, which Chrome waits for, and the parts of the second, one for the daemon and one for all else. What a part
 * imports with `import()` is a script of its own: V8 keeps the source of a script and all that its cache holds for as long as the process lives.
 */
import { build, transform, type BuildOptions, type Metafile, type Plugin, type TransformOptions } from 'esbuild';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import vm from 'node:vm';
import { blessedPlugin } from './blessed-plugin.ts';
import { pack } from './pack.ts';
import { packageFolders } from './sbom.ts';

const common = {
  platform: 'node',
  target: 'node26',
  // Function names are not kept: that would need a call for each function that is made, 4 MB, and a tenth of each tool call.
  minifyWhitespace: true,
  minifySyntax: true,
  legalComments: 'none',
  // ASCII only: V8 then keeps the source in one byte per character.
  charset: 'ascii',
  // In the application there is no import.meta; what needs it runs from source only.
  logOverride: { 'empty-import-meta': 'silent' },
  logLevel: 'warning',
} as const satisfies BuildOptions & TransformOptions;

/** The executable has no loader for modules and import(): `require` does the same there, and as lazily. */
const commonJs = { ...common, format: 'cjs', supported: { 'dynamic-import': false } } as const satisfies BuildOptions & TransformOptions;

/** The parts of the second tier, each with the file that it begins with. */
const PARTS = { daemon: 'companion/app/daemon-part.ts', app: 'companion/app.ts' } as const;

/** Writes main.cjs, and of the second tier scripts.pack and caches.pack into `outDir`; the folders of the packages that are in them. */
export const bundleCompanion = async (rootDir: string, outDir: string): Promise<string[]> => {
  const mainFile = path.join(outDir, 'main.cjs');
  const main = await build({
    ...commonJs,
    bundle: true,
    metafile: true,
    absWorkingDir: rootDir,
    entryPoints: [path.join(rootDir, 'companion/main.ts')],
    outfile: mainFile,
    // This is used only when the sources run without a build; in the executable the application is an asset.
    external: ['./app.ts', './app/daemon-part.ts'],
  });
  writeFileSync(mainFile, toAscii(readFileSync(mainFile, 'utf8')));

  const scripts = new Map<string, Buffer>();
  const caches = new Map<string, Buffer>();
  const parts = [];
  for (const [name, entry] of Object.entries(PARTS)) {
    const { codes, metafile } = await bundlePart(rootDir, name, entry);
    for (const [file, code] of codes) scripts.set(file, Buffer.from(code));
    // V8 checks a cache only by the length of its source, not by its text, so the two are always made in one step.
    for (const [file, cache] of makeCaches(codes, rootDir)) caches.set(file, cache);
    parts.push(metafile);
  }
  writeFileSync(path.join(outDir, 'scripts.pack'), pack(scripts));
  writeFileSync(path.join(outDir, 'caches.pack'), pack(caches));
  return packageFolders([main.metafile, ...parts]);
};

/** The code of a part's scripts, by their names, and what is in them. */
const bundlePart = async (
  rootDir: string,
  name: string,
  entry: string,
): Promise<{ codes: ReadonlyMap<string, string>; metafile: Metafile }> => {
  const outdir = path.join(rootDir, 'build');
  const bundled = await build({
    ...common,
    bundle: true,
    metafile: true,
    write: false,
    // Only modules can be split.
    format: 'esm',
    splitting: true,
    absWorkingDir: rootDir,
    entryPoints: { [name]: path.join(rootDir, entry) },
    outdir,
    outExtension: { '.js': '.cjs' },
    plugins: [blessedPlugin(), leaveOut],
    // Its main file is UMD, whose `require` a bundler does not recognise: https://github.com/microsoft/node-jsonc-parser/issues/57
    alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
  });
  const outputs = reachedFrom(`build/${name}.cjs`, bundled.metafile);
  const codes = new Map<string, string>();
  for (const { path: file, text } of bundled.outputFiles) {
    const output = outputs[path.relative(rootDir, file).replaceAll(path.sep, '/')];
    if (output === undefined) continue;
    const { code } = await transform(text, commonJs);
    // A module is strict by itself.
    const own = `"use strict";${code}${isCommonJs(output) ? 'module.exports=module.exports.default;' : ''}`;
    codes.set(path.basename(file), toAscii(`(function (exports, require, module, __filename, __dirname) {${own}\n})`));
  }
  return { codes, metafile: { ...bundled.metafile, outputs } };
};

/** The bundler makes a package that is CommonJS a module with a default export; with Node, `import()` of it gives the names in that as well. */
const isCommonJs = ({ exports }: Metafile['outputs'][string]): boolean => exports.length === 1 && exports[0] === 'default';

/** The bundler also makes a script of what is imported by code that it has left out. */
const reachedFrom = (start: string, { outputs }: Metafile): Metafile['outputs'] => {
  const reached: Metafile['outputs'] = {};
  const reach = (file: string): void => {
    const output = outputs[file];
    if (output === undefined || Object.hasOwn(reached, file)) return;
    reached[file] = output;
    for (const { path: imported } of output.imports) reach(imported);
  };
  reach(start);
  return reached;
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

/**
 * V8's caches of these scripts, name → cache. Each is loaded first, so that the cache also contains the functions that every start calls: a start then
 * takes 60 ms less.
 */
const makeCaches = (codes: ReadonlyMap<string, string>, rootDir: string): Map<string, Buffer> => {
  const requireInstalled = createRequire(path.join(rootDir, 'package.json'));
  const scripts = new Map<string, vm.Script>();
  const loaded = new Map<string, { exports: unknown }>();
  const load = (filename: string, code: string): unknown => {
    const known = loaded.get(filename);
    if (known !== undefined) return known.exports;
    const module: { exports: unknown } = { exports: {} };
    loaded.set(filename, module);
    const script = new vm.Script(code, { filename });
    scripts.set(filename, script);
    const start: unknown = script.runInThisContext();
    if (typeof start !== 'function') throw new Error(`${filename} is not a function`);
    start(module.exports, requireAny, module, process.execPath, '/');
    return module.exports;
  };
  const requireAny = (name: string): unknown => {
    const code = codes.get(path.posix.basename(name));
    return name.startsWith('./') && code !== undefined ? load(path.posix.basename(name), code) : requireInstalled(name);
  };
  for (const [filename, code] of codes) load(filename, code);
  return new Map([...scripts].map(([filename, script]) => [filename, script.createCachedData()]));
};
