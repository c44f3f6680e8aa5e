/** Signals to a whole process group, so that what an agent started goes with it. */
import { spawn } from 'node:child_process';

const isWindows = process.platform === 'win32';

/** Sends a signal to the group led by `pid`; false when nothing of it is left. On Windows any signal ends the tree. */
export const signalGroup = (pid: number, signal: 'SIGTERM' | 'SIGKILL'): boolean => {
  if (isWindows) {
    // No process groups there: taskkill walks the tree by parent id.
    spawn('taskkill', ['/PID', String(pid), '/T', '/F'], { stdio: 'ignore', windowsHide: true }).on('error', () => {});
    return true;
  }
  return send(-pid, signal);
};

/** Sends a signal to one process; false when no process has this id. */
export const signalProcess = (pid: number, signal: 'SIGKILL'): boolean => send(pid, signal);

/** Whether any process of the group led by `pid` is left. */
export const isGroupAlive = (pid: number): boolean => send(isWindows ? pid : -pid, 0);

const send = (target: number, signal: NodeJS.Signals | 0): boolean => {
  try {
    process.kill(target, signal);
    return true;
  } catch {
    // ESRCH: nobody left. EPERM: the id belongs to somebody else by now. Neither is ours to signal.
    return false;
  }
};
