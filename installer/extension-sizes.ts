/** How large a built extension is, as a download and as what its pages load. */
import * as z from 'zod';
import { zip } from './package/archives.ts';

type Files = Readonly<Record<string, Buffer>>;

const Manifest = z.object({ sandbox: z.object({ pages: z.array(z.string()) }) });

/** A script of a page, and all that it imports before it runs. */
export const loadedWith = (files: Files, script: string, loaded = new Set<string>()): ReadonlySet<string> => {
  const content = files[script];
  if (content === undefined || loaded.has(script)) return loaded;
  loaded.add(script);
  const folder = new URL(script, 'file:///');
  for (const [, from = ''] of content.toString().matchAll(/\b(?:from|import)\s*"(\.[^"]+\.js)"/g))
    loadedWith(files, new URL(from, folder).pathname.slice(1), loaded);
  return loaded;
};

/**
 * What no page loads before it needs it: the parts that are reached by `import()` only, and the pages without rights that another page shows, with
 * their scripts.
 */
export const loadedLazily = (files: Files): ReadonlySet<string> => {
  const { sandbox } = Manifest.parse(JSON.parse(String(files['manifest.json'])));
  const pages = Object.keys(files).filter((name) => name.endsWith('.html'));
  const first = new Set(
    pages
      .filter((page) => !sandbox.pages.includes(page))
      .flatMap((page) => scriptsOf(files, page).flatMap((script) => [...loadedWith(files, script)])),
  );
  const parts = Object.keys(files).filter((name) => name.startsWith('parts/') && !first.has(name));
  return new Set([...parts, ...sandbox.pages.flatMap((page) => [page, ...scriptsOf(files, page)])]);
};

/** The bytes of these files as they are downloaded. */
export const zippedBytes = (files: Files, isCounted: (name: string) => boolean = () => true): number =>
  zip(
    Object.entries(files)
      .filter(([name]) => isCounted(name))
      .map(([name, content]) => ({ name, content })),
    0,
  ).length;

const scriptsOf = (files: Files, page: string): string[] =>
  Array.from(String(files[page]).matchAll(/<script[^>]*\ssrc="([^"]+)"/g), ([, script = '']) => script);
