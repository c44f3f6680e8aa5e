/** Files and terminals that an agent asks of us instead of using its own: inside the project's folder only. */
import { constants } from 'node:fs';
import { mkdir, open, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { randomId } from '#companion/lib/random-id.ts';
import { isInside } from '#companion/policy/roots.ts';
import { type Child, type Exit, startChild } from '#companion/process/child.ts';
import { CompanionError } from '#protocol/errors.ts';
import type { HostServices } from './process-run.ts';

const MAX_FILE_BYTES = 10 * 1024 * 1024;
const DEFAULT_OUTPUT_BYTES = 1024 * 1024;
const MAX_OUTPUT_BYTES = 8 * 1024 * 1024;
const MAX_TERMINALS = 16;

const ReadFile = z.looseObject({ path: z.string(), line: z.number().int().positive().nullish(), limit: z.number().int().min(0).nullish() });
const WriteFile = z.looseObject({ path: z.string(), content: z.string() });
const CreateTerminal = z.looseObject({
  command: z.string().min(1),
  args: z.array(z.string()).nullish(),
  env: z.array(z.looseObject({ name: z.string(), value: z.string() })).nullish(),
  cwd: z.string().nullish(),
  outputByteLimit: z.number().int().min(0).nullish(),
});
const TerminalId = z.looseObject({ terminalId: z.string() });

interface Terminal {
  readonly child: Child;
  output: Buffer;
  isTruncated: boolean;
  exit: Exit | null;
}

/** Services for one run whose project lies in `root`, a real path. Terminals get `env`. */
export const createHostServices = (root: string, env: Readonly<Record<string, string>>): HostServices => {
  const terminals = new Map<string, Terminal>();
  const terminal = (params: unknown): Terminal => {
    const { terminalId } = parse(TerminalId, params);
    const found = terminals.get(terminalId);
    if (found === undefined) throw new CompanionError('INPUT_INVALID', `There is no terminal ${terminalId}.`);
    return found;
  };
  const methods: Readonly<Record<string, (params: unknown) => Promise<unknown>>> = {
    'fs/read_text_file': async (params) => ({ content: await readText(root, parse(ReadFile, params)) }),
    'fs/write_text_file': async (params) => {
      await writeText(root, parse(WriteFile, params));
      return null;
    },
    'terminal/create': async (params) => {
      if (terminals.size >= MAX_TERMINALS) throw new CompanionError('INPUT_TOO_LARGE', `At most ${MAX_TERMINALS} terminals at a time.`);
      const terminalId = randomId('terminal');
      terminals.set(terminalId, await startTerminal(root, env, parse(CreateTerminal, params)));
      return { terminalId };
    },
    'terminal/output': async (params) => {
      const { output, isTruncated, exit } = terminal(params);
      return { output: output.toString('utf8'), truncated: isTruncated, exitStatus: exit === null ? null : toStatus(exit) };
    },
    'terminal/wait_for_exit': async (params) => toStatus(await terminal(params).child.exited),
    'terminal/kill': async (params) => {
      await terminal(params).child.stop(0);
      return null;
    },
    'terminal/release': async (params) => {
      const { child } = terminal(params);
      terminals.delete(parse(TerminalId, params).terminalId);
      await child.stop(0);
      return null;
    },
  };
  return {
    call: async (method, params) => {
      const serve = Object.hasOwn(methods, method) ? methods[method] : undefined;
      if (serve === undefined) throw new CompanionError('ENGINE_UNSUPPORTED', method);
      return serve(params);
    },
    close: () => {
      for (const { child } of terminals.values()) void child.stop(0);
      terminals.clear();
    },
  };
};

const parse = <T>(schema: z.ZodType<T>, params: unknown): T => {
  const found = schema.safeParse(params);
  if (!found.success) throw new CompanionError('INPUT_INVALID', z.prettifyError(found.error));
  return found.data;
};

const readText = async (root: string, { path: file, line, limit }: z.infer<typeof ReadFile>): Promise<string> => {
  const real = await inside(root, await realOr(file, 'there is no such file'));
  const { size } = await stat(real);
  if (size > MAX_FILE_BYTES) throw new CompanionError('INPUT_TOO_LARGE', `${file} has ${size} bytes.`);
  const handle = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const text = await handle.readFile('utf8');
    const from = (line ?? 1) - 1;
    return text
      .split('\n')
      .slice(from, limit === null || limit === undefined ? undefined : from + limit)
      .join('\n');
  } finally {
    await handle.close();
  }
};

const writeText = async (root: string, { path: file, content }: z.infer<typeof WriteFile>): Promise<void> => {
  if (Buffer.byteLength(content) > MAX_FILE_BYTES)
    throw new CompanionError('INPUT_TOO_LARGE', `${file} would have more than ${MAX_FILE_BYTES} bytes.`);
  if (!path.isAbsolute(file)) throw new CompanionError('INPUT_INVALID', `${file} is not an absolute path.`);
  // The nearest folder that exists decides, before any is made.
  const folder = path.dirname(path.resolve(file));
  await inside(root, await nearestReal(folder));
  await mkdir(folder, { recursive: true });
  const real = path.join(await inside(root, await realOr(folder, 'the folder is gone')), path.basename(file));
  // A link as the last part would lead out of the folder that was checked.
  const handle = await open(real, constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW, 0o644);
  try {
    await handle.writeFile(content, 'utf8');
  } finally {
    await handle.close();
  }
};

const inside = async (root: string, real: string): Promise<string> => {
  if (!isInside(root, real)) throw new CompanionError('WORKSPACE_OUTSIDE_ROOTS', real);
  return real;
};

const realOr = async (file: string, otherwise: string): Promise<string> => {
  if (!path.isAbsolute(file)) throw new CompanionError('INPUT_INVALID', `${file} is not an absolute path.`);
  try {
    return await realpath(file);
  } catch (error) {
    throw new CompanionError('INPUT_INVALID', `${file}: ${otherwise}.`, { cause: error });
  }
};

const nearestReal = async (folder: string): Promise<string> => {
  try {
    return await realpath(folder);
  } catch (error) {
    const parent = path.dirname(folder);
    if (parent === folder) throw new CompanionError('INPUT_INVALID', folder, { cause: error });
    return nearestReal(parent);
  }
};

const startTerminal = async (
  root: string,
  env: Readonly<Record<string, string>>,
  wanted: z.infer<typeof CreateTerminal>,
): Promise<Terminal> => {
  const cwd = await inside(root, await realOr(wanted.cwd ?? root, 'there is no such folder'));
  const limit = Math.min(wanted.outputByteLimit ?? DEFAULT_OUTPUT_BYTES, MAX_OUTPUT_BYTES);
  const extra = Object.fromEntries((wanted.env ?? []).map(({ name, value }) => [name, value]));
  const args = wanted.args ?? [];
  const add = (line: string): void => {
    const next = Buffer.concat([found.output, Buffer.from(`${line}\n`)]);
    // What an agent needs of a long output is its end.
    found.isTruncated ||= next.length > limit;
    found.output = next.length > limit ? next.subarray(next.length - limit) : next;
  };
  const child = startChild({
    ...(process.platform === 'win32' ? { command: wanted.command, args } : inShell(wanted.command, args)),
    cwd,
    env: { ...env, ...extra },
    onLine: add,
    onOverflow: (bytes) => add(`… a line of ${bytes} bytes was cut`),
    onExit: (exit) => {
      found.exit = exit;
    },
  });
  const found: Terminal = { child, output: Buffer.alloc(0), isTruncated: false, exit: null };
  return found;
};

/** A shell brings both streams into one. A command with arguments is passed as words and never parsed; one without is a command line. */
const inShell = (command: string, args: readonly string[]): { command: string; args: string[] } =>
  args.length === 0
    ? { command: '/bin/sh', args: ['-c', `exec 2>&1\n${command}`] }
    : { command: '/bin/sh', args: ['-c', 'exec "$0" "$@" 2>&1', command, ...args] };

const toStatus = (exit: Exit): { exitCode: number | null; signal: string | null } => ({ exitCode: exit.code, signal: exit.signal });
