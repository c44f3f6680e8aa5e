/** Starts the one daemon. Builtins only: the native messaging host does it too. */
import { spawn } from 'node:child_process';
import { homedir } from 'node:os';
import path from 'node:path';
import { RUN_MARK } from '#protocol/environment.ts';
import { selfCommand } from '#companion/lib/self.ts';

/**
 * Starts a daemon that outlives its starter; who else starts one at the same moment does no harm, the private socket admits one.
 * Its standard streams are closed: a daemon that held the browser's stderr would keep the browser from ending.
 * `onEnd` is called when it has ended: with a fault, so that nobody waits for it any longer, or because another one
 * had the place, which may be gone by now.
 */
export const startDaemon = (env: NodeJS.ProcessEnv, onEnd: (hasFailed: boolean) => void): void => {
  const self = selfCommand();
  // An agent's command may be what starts it; it does not end with the agent.
  const { [RUN_MARK]: _, ...ownEnv } = env;
  const home = env['PILOTFISH_HOME'];
  // It works in another folder, from where a relative path leads elsewhere.
  if (home !== undefined && home !== '') ownEnv['PILOTFISH_HOME'] = path.resolve(home);
  const child = spawn(self.command, [...self.args, 'daemon'], {
    cwd: homedir(),
    detached: true,
    env: ownEnv,
    stdio: 'ignore',
    windowsHide: true,
  });
  child.once('error', () => onEnd(true));
  child.once('exit', (code) => onEnd(code !== 0));
  child.unref();
};
