/**
 * Ends what an agent leaves behind when it, or the daemon itself, is killed. The agent's own commands are in groups of
 * their own and their parent is gone by then, so they carry a mark in their environment; and since a killed daemon can do
 * nothing any more, a shell that outlives it waits for its end.
 */
import { spawn } from 'node:child_process';
import { RUN_MARK } from '#protocol/environment.ts';

export interface Sweeper {
  /**
   * Says that the agent has ended. After a clean end what it left running was meant to stay, otherwise it is ended. Resolves
   * when nothing is left to end.
   */
  release(isClean: boolean): Promise<void>;
}

const NO_SWEEPER: Sweeper = { release: () => Promise.resolve() };

/**
 * $1 is the group, $2 the mark. A word on stdin says how the agent ended; the end of stdin without one, that the daemon
 * did. Without /proc (macOS) only the group is known.
 */
const SCRIPT = `
read -r word
[ "$word" = clean ] && exit
group=$1 mark=$2
marked() { grep -lsz "^${RUN_MARK}=$mark\\$" /proc/[0-9]*/environ 2>/dev/null | cut -d / -f 3; }
signal() { kill -s "$1" -- "-$group" $(marked) 2>/dev/null; }
signal TERM
for tenth in 1 2 3 4 5 6 7 8 9 10; do
  kill -s 0 -- "-$group" 2>/dev/null || [ -n "$(marked)" ] || exit
  sleep 0.1 || sleep 1
done
signal KILL
signal KILL
`;

/** Watches over the group led by `pid`, all of whose processes were started with `${RUN_MARK}=${mark}`. */
export const startSweeper = (pid: number, mark: string): Sweeper => {
  // Windows has neither this shell nor process groups; taskkill ends the tree while the agent lives.
  if (process.platform === 'win32') return NO_SWEEPER;
  const shell = spawn('/bin/sh', ['-c', SCRIPT, 'pilotfish-sweeper', String(pid), mark], {
    cwd: '/',
    // The sweeper itself does not carry the mark, or it would end itself.
    env: { PATH: '/usr/bin:/bin' },
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  const gone = Promise.withResolvers<void>();
  shell.once('close', () => gone.resolve());
  // On a machine without this shell there is no sweeper, and the agent works without it.
  shell.once('error', () => gone.resolve());
  // Where no file descriptor is left, Node does not even make the pipe.
  if (shell.pid === undefined) return NO_SWEEPER;
  shell.stdin.on('error', () => {});
  return {
    release: (isClean) => {
      shell.stdin.end(isClean ? 'clean\n' : 'unclean\n');
      return gone.promise;
    },
  };
};
