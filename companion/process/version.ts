/** Asks a program for its version. */
import { homedir } from 'node:os';
import { compareVersions } from 'compare-versions';
import { startChild } from './child.ts';

const MAX_LINES = 100;
const MAX_LINE_BYTES = 64 * 1024;

/** Whether a version that `readVersion` returned is older than another; a preview counts as the version that it precedes. */
export const isOlder = (version: string, than: string): boolean => compareVersions(version.replace(/[+-].*/, ''), than) < 0;

/**
 * The version a program tells when asked, such as `2.1.329`; null when it tells none before the signal. `cwd` is a folder in which
 * it finds nothing. Whatever it started is ended with it.
 */
export const readVersion = async (
  path: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  signal: AbortSignal,
  cwd: string = homedir(),
): Promise<string | null> => {
  if (signal.aborted) return null;
  const lines: string[] = [];
  const child = startChild({
    command: path,
    args,
    cwd,
    env,
    maxLineBytes: MAX_LINE_BYTES,
    onLine: (line) => {
      if (lines.length < MAX_LINES) lines.push(line);
    },
    onOverflow: () => void child.stop({ graceMs: 0 }),
  });
  const abort = (): void => void child.stop({ graceMs: 0 });
  signal.addEventListener('abort', abort, { once: true });
  child.closeStdin();
  await child.exited;
  signal.removeEventListener('abort', abort);
  await child.stop({ graceMs: 0 });
  return signal.aborted ? null : (/\d+\.\d+\.\d+(?:[-+][0-9A-Za-z.-]+)?/.exec(lines.join('\n'))?.[0] ?? null);
};
