/** Where the code of a picked element stands, as its project names the file. */

/** Whose page it is: the address of its server, the folder in which that works, and the project's folder around it. */
export interface ServedFrom {
  readonly origin: string;
  readonly folder: string;
  readonly root: string;
}

/** The line of an element's text that tells its source; what stands before it is on one line each. */
const SOURCE = /^source: (.*)$/m;

/** The text of an element, with its source told from the folder of the project on where that is around it. */
export const withOwnSource = (text: string, from: ServedFrom): string =>
  text.replace(SOURCE, (_, source: string) => `source: ${withinProject(source, from)}`);

/** A file of the machine's, or an address of the development server; what is neither stays as it is. */
const withinProject = (source: string, { origin, folder, root }: ServedFrom): string => {
  const [, path = '', rest = ''] = /^(.*?)((?::\d+){0,2}(?: \(.*)?)$/.exec(source) ?? [];
  const file = path.startsWith(`${origin}/`) ? servedFile(path.slice(origin.length), folder) : path.replace(/^file:\/\/(?=\/)/, '');
  const base = /[\\/]$/.test(root) ? root : `${root}${root.includes('\\') ? '\\' : '/'}`;
  return file.startsWith(base) ? `${file.slice(base.length).replaceAll('\\', '/')}${rest}` : source;
};

/** Development servers number their answers by a query, and serve files from elsewhere below `/@fs/`. */
const servedFile = (address: string, folder: string): string => {
  const [pathname = ''] = address.split('?');
  const decoded = toPath(pathname);
  return decoded.startsWith('/@fs/') ? decoded.slice('/@fs'.length).replace(/^\/(?=[a-z]:)/i, '') : `${folder}${decoded}`;
};

const toPath = (pathname: string): string => {
  try {
    return decodeURIComponent(pathname);
  } catch {
    return pathname;
  }
};
