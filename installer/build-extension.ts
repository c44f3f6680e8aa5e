/** Builds the extension into a folder Chrome can load: minified, and byte for byte the same from the same sources. */
import { build, type BuildOptions, type Plugin } from 'esbuild';
import { cp, mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { packageFolders } from './sbom.ts';

const EXTENSION_DIR = path.join(import.meta.dirname, '..', 'extension');

/** Files that are handed to `chrome.scripting` or to the manifest by their built name. */
const INJECTED = /content-([a-z0-9-]+)\.js/g;

const common = {
  absWorkingDir: path.join(EXTENSION_DIR, '..'),
  bundle: true,
  metafile: true,
  platform: 'browser',
  target: 'chrome120',
  minify: true,
  legalComments: 'none',
  charset: 'utf8',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  define: { 'process.env.NODE_ENV': '"production"' },
  logLevel: 'warning',
} as const satisfies BuildOptions;

/** Chrome takes a function into a page by its text alone, so this one is made to hold what its file imports. */
const whole: Plugin = {
  name: 'whole',
  setup: ({ onLoad }) =>
    onLoad({ filter: /[/\\]watch-pending\.ts$/ }, async ({ path: file }) => {
      const { outputFiles } = await build({ ...common, format: 'iife', globalName: 'whole', entryPoints: [file], write: false });
      return { contents: `export const watchPending = (key, isInner) => { ${outputFiles[0]?.text} whole.watchPending(key, isInner); };` };
    }),
};

/** Two parts of Mermaid that weigh as much as half of the rest: a further way to lay out graphs, and formulas. What needs them stays code. */
const withoutLargest: Plugin = {
  name: 'without-largest',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^(?:elkjs\/.*|katex)$/ }, ({ path: absent }) => ({ path: absent, namespace: 'absent' }));
    onLoad({ filter: /.*/, namespace: 'absent' }, () => ({ contents: 'export default {};' }));
  },
};

/** The script of the page that draws diagrams. */
export const bundleDiagrams = () =>
  build({ ...common, format: 'iife', plugins: [withoutLargest], entryPoints: [source('sidepanel/diagram-page.ts')], write: false });

/** Writes the whole extension into `outDir`, which is emptied before; the folders of the packages that are in it. */
export const buildExtension = async (outDir: string): Promise<string[]> => {
  await rm(outDir, { recursive: true, force: true });
  await mkdir(outDir, { recursive: true });

  const [scripts, injected, modules, diagrams] = await Promise.all([
    build({
      ...common,
      format: 'iife',
      plugins: [whole],
      entryPoints: [{ in: source('background/main.ts'), out: 'background' }, ...(await findStyles())],
      outdir: outDir,
    }),
    // What a script that is handed to Chrome ends with is its answer: here, by what its document is known.
    build({
      ...common,
      format: 'iife',
      entryPoints: await findInjected(),
      footer: { js: 'globalThis.pilotfishPage?.mark();' },
      outdir: outDir,
    }),
    // What pages have in common is one file, and what they import() is a file that is loaded when it is first needed.
    build({
      ...common,
      format: 'esm',
      splitting: true,
      chunkNames: 'parts/[name]-[hash]',
      entryPoints: pages.map((page) => ({ in: source(page.script), out: page.name })),
      outdir: outDir,
    }),
    bundleDiagrams(),
  ]);

  for (const { contents } of diagrams.outputFiles) await writeFile(path.join(outDir, 'diagram.js'), contents);
  await cp(source('sidepanel/diagram.html'), path.join(outDir, 'diagram.html'));

  for (const page of pages) await cp(source(`${page.name}/${page.name}.html`), path.join(outDir, `${page.name}.html`));
  await cp(source('icons'), path.join(outDir, 'icons'), { recursive: true, filter: (file) => !file.endsWith('.svg') });
  await cp(source('_locales'), path.join(outDir, '_locales'), { recursive: true });
  // Chrome has no word for Chinese as such: people who read the other writing are given this one rather than English, as in the panel.
  await cp(source('_locales/zh_CN'), path.join(outDir, '_locales/zh_TW'), { recursive: true });
  await writeFile(path.join(outDir, 'manifest.json'), await makeManifest());
  return packageFolders([scripts.metafile, injected.metafile, modules.metafile, diagrams.metafile]);
};

/** The files of a built extension, path → content, in a fixed order. */
export const readBuiltExtension = async (builtDir: string): Promise<Record<string, Buffer>> => {
  const entries = await readdir(builtDir, { recursive: true, withFileTypes: true });
  const names = entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(builtDir, path.join(entry.parentPath, entry.name)))
    .sort();
  const files: Record<string, Buffer> = {};
  for (const name of names) files[name.split(path.sep).join('/')] = await readFile(path.join(builtDir, name));
  return files;
};

const pages = [
  { name: 'sidepanel', script: 'sidepanel/main.tsx' },
  { name: 'options', script: 'options/main.tsx' },
  { name: 'keeper', script: 'keeper/main.ts' },
];

const source = (file: string): string => path.join(EXTENSION_DIR, file);

const findStyles = async (): Promise<{ in: string; out: string }[]> => {
  const found = await Promise.all(
    pages.map(async (page) => {
      const files = await readdir(source(page.name));
      return files.includes(`${page.name}.css`) ? [{ in: source(`${page.name}/${page.name}.css`), out: page.name }] : [];
    }),
  );
  return found.flat();
};

/** Whatever the sources call `content-NAME.js` is built from content/NAME.ts. */
const findInjected = async (): Promise<{ in: string; out: string }[]> => {
  const entries = await readdir(EXTENSION_DIR, { recursive: true, withFileTypes: true });
  const names = new Set<string>();
  for (const entry of entries) {
    if (!entry.isFile() || !/\.(?:ts|tsx|json|html)$/.test(entry.name)) continue;
    const text = await readFile(path.join(entry.parentPath, entry.name), 'utf8');
    for (const match of text.matchAll(INJECTED)) if (match[1] !== undefined) names.add(match[1]);
  }
  return [...names].sort().map((name) => ({ in: source(`content/${name}.ts`), out: `content-${name}` }));
};

/** The manifest without its indentation; its version is the package's, so that the two halves never disagree. */
const makeManifest = async (): Promise<string> => {
  const manifest: unknown = JSON.parse(await readFile(source('manifest.json'), 'utf8'));
  const own: unknown = JSON.parse(await readFile(source('../package.json'), 'utf8'));
  if (!hasVersion(manifest) || !hasVersion(own) || manifest.version !== own.version) {
    throw new Error('extension/manifest.json and package.json must have the same "version"');
  }
  return JSON.stringify(manifest);
};

const hasVersion = (value: unknown): value is { version: string } =>
  typeof value === 'object' && value !== null && 'version' in value && typeof value.version === 'string';
