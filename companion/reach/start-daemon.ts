/** Starts the one daemon. Only built-in modules are imported, because the native messaging host starts it too. */
import { spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { RUN_MARK } from '#protocol/environment.ts';
import { selfCommand } from '#companion/lib/self.ts';
import type { OnDaemonEnd } from './reach-daemon.ts';

/**
 * Starts a daemon that outlives its starter. Several processes may do so at the same moment: the private socket admits one daemon.
 * Its standard streams are closed: a daemon that held the browser's stderr would keep the browser from ending.
 * `onEnd` is called when it has ended: with a fault, so that nobody waits for it any longer, or because another one
 * had the place, which may be gone by now.
 */
export const startDaemon = (env: NodeJS.ProcessEnv, onEnd: OnDaemonEnd): void => {
  const self = selfCommand();
  // A command of an agent may start the daemon, which must not count as a part of that agent's run.
  const { [RUN_MARK]: _, ...ownEnv } = env;
  const home = env['PILOTFISH_HOME'];
  // The daemon works in another folder, where a relative path would lead elsewhere.
  if (home !== undefined && home !== '') ownEnv['PILOTFISH_HOME'] = path.resolve(home);
  const child = spawn(self.command, [...self.args, 'daemon'], {
    // Where there is no home folder, the daemon itself says so.
    cwd: statSync(homedir(), { throwIfNoEntry: false })?.isDirectory() === true ? homedir() : path.parse(self.command).root,
    detached: true,
    env: ownEnv,
    stdio: 'ignore',
    windowsHide: true,
  });
  child.once('error', () => onEnd(true, null));
  child.once('exit', (code, signal) => onEnd(code !== 0, signal));
  child.unref();
};
