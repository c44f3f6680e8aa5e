/** Signals to a whole process group, so that what an agent started goes with it. */
import { spawn } from 'node:child_process';

const isWindows = process.platform === 'win32';

/** Sends a signal to the group led by `pid`; returns false when nothing of it is left. On Windows any signal ends the whole tree. */
export const signalGroup = (pid: number, signal: 'SIGTERM' | 'SIGKILL'): boolean => {
  if (isWindows) {
    // Windows has no process groups; taskkill follows the tree by parent ids.
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
    // ESRCH means that nobody is left, EPERM that the id belongs to somebody else by now. Neither may be signalled.
    return false;
  }
};
