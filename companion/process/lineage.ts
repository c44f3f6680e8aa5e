/**
 * For whom a process acts that comes to the private socket: for the person, or for an agent that we have started. File
 * rights cannot tell the two apart, since both are of the same user; where a process comes from can.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';
import { RUN_MARK } from '#protocol/environment.ts';
import { UNKNOWN_PROCESS, type Caller, type Peer, type ProcessFacts } from '#companion/lib/peer.ts';
import { statOf } from '#companion/lib/proc.ts';

/** One process, as the system knows it. */
interface Ancestor {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
}

export interface LineageOptions {
  /** Whether a process group or session with this number belongs to a run. */
  readonly isRun: (leader: number) => boolean;
  /** The process all of whose descendants are agents. */
  readonly daemon?: number;
}

/** A longer line of ancestors means that it was read wrongly. */
const MAX_GENERATIONS = 1000;

/** How often it is read again when a parent ends meanwhile, whose children then have another parent. */
const ATTEMPTS = 5;

/**
 * What is known of the process at the other end. One that has ended already can no longer be told from an agent's: a connection
 * outlives the process that opened it when another one inherits it.
 */
export const identifyCaller = (peer: Peer | null, { isRun, daemon = process.pid }: LineageOptions): Caller => {
  if (peer === null) return { ...UNKNOWN_PROCESS, actsFor: 'person' };
  const { pid, uid } = peer;
  const line = lineOf(pid);
  const actsFor = line === null ? 'unknown' : isOfRun(line, daemon, isRun) ? 'agent' : 'person';
  const parent = line?.[1];
  return { ...factsOf(pid), uid, parent: parent === undefined ? null : factsOf(parent.pid), actsFor };
};

const isOfRun = (line: readonly Ancestor[], daemon: number, isRun: LineageOptions['isRun']): boolean =>
  line.slice(1).some(({ pid }) => pid === daemon) ||
  line.some(({ pid, group, session }) => pid !== daemon && (isRun(group) || isRun(session) || hasMark(pid)));

/** The process and its ancestors, the youngest first; null when it has ended. */
const lineOf = (pid: number): Ancestor[] | null => {
  const find = process.platform === 'linux' ? readAncestor : listAncestors();
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const line: Ancestor[] = [];
    let next = pid;
    while (next > 0 && line.length < MAX_GENERATIONS) {
      const found = find(next);
      if (found === null) break;
      line.push(found);
      next = found.parent;
    }
    if (line.length === 0) return null;
    if (next === 0) return line;
  }
  return null;
};

const readAncestor = (pid: number): Ancestor | null => {
  const stat = statOf(pid);
  if (stat === null) return null;
  const [, parent, group, session] = stat;
  return { pid, parent: Number(parent), group: Number(group), session: Number(session) };
};

/** Without /proc (macOS) all processes are listed once. The session's number is not told there. */
const listAncestors = (): ((pid: number) => Ancestor | null) => {
  const { stdout } = spawnSync('/bin/ps', ['-A', '-o', 'pid=,ppid=,pgid='], { encoding: 'utf8' });
  const all = new Map<number, Ancestor>();
  for (const row of stdout.split('\n')) {
    const [pid = 0, parent = 0, group = 0] = row.trim().split(/\s+/).map(Number);
    all.set(pid, { pid, parent, group, session: group });
  }
  return (pid) => all.get(pid) ?? null;
};

/** Only Linux tells what is in another process's environment. */
const hasMark = (pid: number): boolean => {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1')
      .split('\0')
      .some((entry) => entry.startsWith(`${RUN_MARK}=`));
  } catch {
    // The process belongs to another user or has ended.
    return false;
  }
};

const factsOf = (pid: number): ProcessFacts => ({ pid, program: programOf(pid), folder: linkOf(pid, 'cwd') });

/** The file of a process's program, by the name that stays when the program is updated. */
export const programOf = (pid: number | 'self'): string | null =>
  linkOf(pid, 'exe')
    // The ending of a file that was replaced while its program runs: https://man7.org/linux/man-pages/man5/proc_pid_exe.5.html
    ?.replace(/ \(deleted\)$/, '')
    // Each revision of a snap lies in a folder of its own.
    .replace(/^\/snap\/([^/]+)\/x?\d+\//, '/snap/$1/current/') ?? null;

/** Works on Linux only. */
const linkOf = (pid: number | 'self', name: 'exe' | 'cwd'): string | null => {
  try {
    return readlinkSync(`/proc/${pid}/${name}`);
  } catch {
    // It has ended, belongs to another user, or the system is not Linux.
    return null;
  }
};
