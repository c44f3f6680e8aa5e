/** Where the code of a picked element stands, as its project names the file. */

/** Whose page it is: the address of its server, the folder in which that works, and the project's folder around it. */
export interface ServedFrom {
  readonly origin: string;
  readonly folder: string;
  readonly root: string;
  /** The project's, by their paths from its folder on; empty where not all of them are known. */
  readonly files: readonly string[];
}

/** The line of an element's text that tells its source; what stands before it is on one line each. */
const SOURCE = /^source: (.*)$/m;

/** The text of an element, with its source told from the folder of the project on where that is around it. */
export const withOwnSource = (text: string, from: ServedFrom): string =>
  text.replace(SOURCE, (_, source: string) => `source: ${withinProject(source, from)}`);

/** A file of the machine's, or an address of the development server; what is neither stays as it is. */
const withinProject = (source: string, from: ServedFrom): string => {
  const [, place = '', rest = ''] = /^(.*?)((?::\d+){0,2}(?: \(.*)?)$/.exec(source) ?? [];
  const file = place.startsWith(`${from.origin}/`) ? servedFile(place.slice(from.origin.length), from) : namedFile(place, from);
  return file === null ? source : `${file}${rest}`;
};

/**
 * Development servers number their answers by a query, and serve files from elsewhere below `/@fs/`. They may serve a folder inside the one they work
 * in, and below a path that is none of a folder.
 */
const servedFile = (address: string, from: ServedFrom): string | null => {
  const [pathname = ''] = address.split('?');
  const decoded = toPath(pathname);
  if (decoded.startsWith('/@fs/')) return belowRoot(decoded.slice('/@fs'.length).replace(/^\/(?=[a-z]:)/i, ''), from);
  return knownFile(decoded.slice(1), from) ?? belowRoot(`${from.folder}${decoded}`, from);
};

/** By its whole path, or by that from the folder on in which its server works. */
const namedFile = (place: string, from: ServedFrom): string | null =>
  RELATIVE.test(place) ? knownFile(place, from) : belowRoot(place.replace(/^file:\/\/(?=\/)/, ''), from);

const RELATIVE = /^[^/\\(:][^:]*\.\w+$/;

const belowRoot = (file: string, { root }: Pick<ServedFrom, 'root'>): string | null => {
  const base = /[\\/]$/.test(root) ? root : `${root}${root.includes('\\') ? '\\' : '/'}`;
  return file.startsWith(base) ? file.slice(base.length).replaceAll('\\', '/') : null;
};

/** The one file of the project that is meant by the end of a path, or by as much of that as there is; null where none is, or more than one. */
const knownFile = (place: string, { folder, root, files }: ServedFrom): string | null => {
  const around = belowRoot(folder, { root }) ?? '';
  const within = around === '' ? '' : `${around}/`;
  const steps = place.split('/');
  if (steps.includes('node_modules')) return null;
  for (const [dropped] of steps.entries()) {
    const end = steps.slice(dropped).join('/');
    // A name alone is that of many files.
    if (dropped > 1 && !end.includes('/')) return null;
    if (files.includes(`${within}${end}`)) return `${within}${end}`;
    const found = end.includes('/') ? files.filter((file) => file === end || (file.startsWith(within) && file.endsWith(`/${end}`))) : [];
    if (found.length > 0) return found.length === 1 ? (found[0] ?? null) : null;
  }
  return null;
};

const toPath = (pathname: string): string => {
  try {
    return decodeURIComponent(pathname);
  } catch {
    return pathname;
  }
};
