/**
 * Reads the batch files that npm, pnpm, yarn and Volta put on a Windows PATH, so that what they start runs without cmd.exe. Not
 * cross-spawn, nor execa, which uses it: they escape the arguments and let cmd.exe run the file, and no escaping is safe with every
 * batch file: https://nodejs.org/en/blog/vulnerability/april-2024-security-releases-2
 */
import { win32 } from 'node:path';

/** What a shim starts. `program` is an absolute path, or a bare name to be looked for. */
export interface Shim {
  readonly program: string;
  readonly args: readonly string[];
}

/** What the batch file `file` would start, or null when it does more than pass its arguments on. */
export const parseCmdShim = (text: string, file: string): Shim | null => {
  const lines = text.split(/\r?\n/).filter((line) => line.trimEnd().endsWith('%*'));
  // The last match counts: the ones before it are for a node.exe beside the shim.
  const line = lines.at(-1) ?? '';
  const words = line.match(/(?:"[^"]*"|[^\s"])+/g) ?? [];
  if (line.split('"').length % 2 === 0) return null;
  const from = words.findLastIndex((word) => /^(?:&&?|\|\|?|\()$/.test(word)) + 1;
  const values = variables(text, file);
  const command = words.slice(from, -1).map((word) => substitute(word.replace(/^@/, '').replaceAll('"', ''), values));
  const [program, ...args] = command.filter((word) => word !== null);
  if (program === undefined || args.length !== command.length - 1) return null;
  if (/(?:^|\\)node(?:\.exe)?$/i.test(program)) return args.length === 0 ? null : { program: 'node', args: args.map(asPath) };
  if (program === 'volta') return { program, args };
  return isFull(program) && /\.(?:exe|com|cmd|bat)$/i.test(program) ? { program: asPath(program), args } : null;
};

const variables = (text: string, file: string): ReadonlyMap<string, string> => {
  const dir = `${win32.dirname(file)}\\`;
  const values = new Map([
    ['%~dp0', dir],
    ['%dp0%', dir],
    ['%~n0', win32.basename(file, win32.extname(file))],
  ]);
  for (const [, name = '', value = ''] of text.matchAll(/\bSET\s+"?(\w+)=([^"\r\n]*)"?/gi)) {
    const known = substitute(value, values);
    if (known !== null) values.set(`%${name.toLowerCase()}%`, known);
  }
  return values;
};

/** Null when it contains something that only cmd.exe can resolve. */
const substitute = (word: string, values: ReadonlyMap<string, string>): string | null => {
  const known = word.replaceAll(/%~dp0|%~n0|%\w+%/gi, (name) => values.get(name.toLowerCase()) ?? name);
  return known.includes('%') ? null : known;
};

const isFull = (path: string): boolean => /^(?:[a-z]:[\\/]|\\\\)/i.test(path);

const asPath = (word: string): string => (isFull(word) ? win32.normalize(word) : word);
