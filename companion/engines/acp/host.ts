/** What an ACP agent may ask us to do for it: files and commands, inside the project only. */
import path from 'node:path';
import * as z from 'zod';

const Place = z.looseObject({ path: z.string().optional(), cwd: z.string().nullish() });

const METHODS = new Set([
  'fs/read_text_file',
  'fs/write_text_file',
  'terminal/create',
  'terminal/output',
  'terminal/wait_for_exit',
  'terminal/kill',
  'terminal/release',
]);

/** What `initialize` says of it. */
export const hostCapabilities = (usesHost: boolean): object => ({
  fs: { readTextFile: usesHost, writeTextFile: usesHost },
  terminal: usesHost,
});

/**
 * Whether the runner may be asked for it. The runner resolves links and checks again; what is plainly outside never
 * gets that far.
 */
export const checkHostCall = (method: string, params: unknown, root: string): 'allowed' | 'unknown' | 'outside' => {
  if (!METHODS.has(method)) return 'unknown';
  const place = Place.safeParse(params);
  if (!place.success) return 'outside';
  const named = place.data.path ?? place.data.cwd ?? root;
  const relative = path.relative(root, path.resolve(root, named));
  return relative === '..' || relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative) ? 'outside' : 'allowed';
};

const Shown = z.object({ output: z.string() });
const OfTerminal = z.looseObject({ terminalId: z.string() });

/** The terminal a call is about. */
export const terminalIn = (params: unknown): string | undefined => {
  const parsed = OfTerminal.safeParse(params);
  return parsed.success ? parsed.data.terminalId : undefined;
};

/** The output among a terminal's state. */
export const outputIn = (result: unknown): string | undefined => {
  const parsed = Shown.safeParse(result);
  return parsed.success ? parsed.data.output : undefined;
};
