/** Asks an executable for its version: the first proof that it runs on this machine. */
import { spawn } from 'node:child_process';
import { CompanionError } from '#protocol/errors.ts';

/** The first start reads the whole program from the disk. */
const ANSWER_WITHIN_MS = 30_000;
const MAX_CHARS = 4_000;

/** Ends the program, and what it has started, when it does not answer in time. */
export const askVersion = async (file: string, { env, signal }: { env: NodeJS.ProcessEnv; signal: AbortSignal }): Promise<string> => {
  const child = spawn(file, ['version', '--json'], {
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
    windowsHide: true,
    detached: process.platform !== 'win32',
  });
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const fail = (reason: string): void => reject(new CompanionError('UPDATE_FAILED', `The new version ${reason}.`));
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    if (text.length < MAX_CHARS) text += piece;
  });
  child.on('error', (error) => fail(`cannot be started here (${error.message})`));
  child.on('close', (code, killedBy) => {
    const version = readVersion(text);
    if (code === 0 && version !== null) resolve(version);
    else fail(`ended with ${killedBy ?? `exit code ${code}`} when it was asked for its version`);
  });
  const limit = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_WITHIN_MS)]);
  const onLimit = (): void => fail('does not answer');
  limit.addEventListener('abort', onLimit, { once: true });
  try {
    return await promise;
  } finally {
    limit.removeEventListener('abort', onLimit);
    endGroup(child.pid);
    child.stdout.destroy();
  }
};

const readVersion = (text: string): string | null => {
  try {
    const said: unknown = JSON.parse(text);
    if (typeof said !== 'object' || said === null || !('version' in said) || typeof said.version !== 'string') return null;
    return /^\d+\.\d+\.\d+(?:[-+.\w]*)$/u.test(said.version) ? said.version : null;
  } catch {
    return null;
  }
};

const endGroup = (pid: number | undefined): void => {
  if (pid === undefined) return;
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL');
  } catch {
    // Everything has ended.
  }
};
