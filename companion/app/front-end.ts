/** What a person starts: the terminal UI and the subcommands. Both are clients of the daemon, with the installer beside it. */
import { fstatSync } from 'node:fs';
import path from 'node:path';
import { isSea } from 'node:sea';
import { runCli } from '#companion/cli/index.ts';
import { createIo, type Io } from '#companion/cli/io.ts';
import { runReport } from '#companion/cli/report.ts';
import { createClient } from '#companion/client/client.ts';
import { createPaths } from '#companion/lib/paths.ts';
import { selfCommand } from '#companion/lib/self.ts';
import { openTerminal } from '#companion/tui/open-terminal.ts';
import { runTui } from '#companion/tui/tui.ts';
import { preparingWords } from '#display/preparing.ts';
import type { ExtensionFiles } from '#installer/register/extension.ts';
import { createInstaller } from '#installer/register/installer.ts';
import type { Preparing } from '#protocol/health.ts';
import { readExtensionFiles, readIcon, readReleaseKey } from './assets.ts';

/** The terminal UI. Without a terminal, a new one is opened with it, or its report is printed. */
export const runTerminal = async (env: NodeJS.ProcessEnv): Promise<number> => {
  if (hasTerminal()) {
    return withIo(env, ({ client, paths, installer }) => runTui({ client, paths, installer, env }));
  }
  const { command, args } = selfCommand();
  if (isDoubleClick() && (await openTerminal({ command, args, env, platform: process.platform }))) return 0;
  return withIo(env, runReport);
};

/** One subcommand with its arguments. */
export const runCommand = (args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> =>
  withIo(env, (io) => runCli(args, io), tellAtTimes(process.stderr));

/** What a command waits for is said now and then, where it does not disturb its output. */
const tellAtTimes = (stderr: NodeJS.WritableStream): ((preparing: Preparing) => void) => {
  let said = '';
  return (preparing) => {
    const { step, done, total } = preparing;
    const quarter = `${step} ${Math.floor((done / Math.max(1, total)) * 4)}`;
    if (said === quarter) return;
    said = quarter;
    stderr.write(`${preparingWords(preparing, 'en')}\n`);
  };
};

const hasTerminal = (): boolean => process.stdin.isTTY && process.stdout.isTTY;

/** Whether a desktop started the program and nobody waits for its output: standard output is then nothing, or the system's own log. */
const isDoubleClick = (): boolean => {
  if (process.stdin.isTTY || process.stdout.isTTY) return false;
  try {
    const output = fstatSync(1);
    return !output.isFIFO() && !output.isFile();
  } catch {
    // There is no standard output at all.
    return true;
  }
};

const withIo = async (
  env: NodeJS.ProcessEnv,
  work: (io: Io) => Promise<number>,
  onPreparing?: (preparing: Preparing) => void,
): Promise<number> => {
  const paths = createPaths(env);
  const client = createClient({ paths, ...(onPreparing === undefined ? {} : { onPreparing }) });
  const interrupted = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => interrupted.abort());
  const { stdin, stdout, stderr } = process;
  let files: ExtensionFiles | null = null;
  const installer = createInstaller({
    executable: isSea() ? process.execPath : path.join(import.meta.dirname, '..', '..', 'dist', 'pilotfish'),
    // They are 2 MB, and most commands need none of them.
    get extensionFiles() {
      return (files ??= readExtensionFiles());
    },
    icon: readIcon(),
    releaseKey: readReleaseKey(),
    paths,
    env,
    platform: process.platform,
  });
  try {
    return await work(
      createIo({
        env,
        paths,
        client,
        installer,
        self: selfCommand(),
        signal: interrupted.signal,
        stdin,
        stdout,
        stderr,
        isInteractive: stdin.isTTY && stderr.isTTY,
        openTerminalUi: hasTerminal() ? (sessionId) => runTui({ client, paths, installer, env, sessionId }) : null,
      }),
    );
  } finally {
    await client.close();
  }
};
