/**
 * For whom a process acts that comes to the private socket: for the person, or for an agent that we have started. File
 * rights cannot tell the two apart, since both are of the same user; where a process comes from can.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';
import { RUN_MARK } from '#protocol/environment.ts';
import type { Caller, Peer } from '#companion/lib/peer.ts';

/** One process, as the system knows it. */
interface Ancestor {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
}

export interface LineageOptions {
  /** Whether a process group or a session of this number is that of a run. */
  readonly isRun: (leader: number) => boolean;
  /** The process whose descendants are all agents. */
  readonly daemon?: number;
}

/** More than this is no family of processes but a fault in reading it. */
const MAX_GENERATIONS = 1000;

/** A parent may end while we look; its children then have another one. */
const ATTEMPTS = 5;

/**
 * What is known of the process at the other end. One that has ended already can no longer be told from an agent's: a connection
 * outlives the process that opened it when another one inherits it.
 */
export const identifyCaller = (peer: Peer | null, { isRun, daemon = process.pid }: LineageOptions): Caller => {
  if (peer === null) return { pid: null, uid: null, program: null, actsFor: 'person' };
  const { pid, uid } = peer;
  const line = lineOf(pid);
  const actsFor = line === null ? 'unknown' : isOfRun(line, daemon, isRun) ? 'agent' : 'person';
  return { pid, uid, program: programOf(pid), actsFor };
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

/** The fields of /proc/PID/stat after the command's name, which may hold spaces and parentheses itself. */
const readAncestor = (pid: number): Ancestor | null => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [, parent, group, session] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { pid, parent: Number(parent), group: Number(group), session: Number(session) };
  } catch {
    return null;
  }
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
    // It is another user's, or has ended.
    return false;
  }
};

const programOf = (pid: number): string | null => {
  try {
    return readlinkSync(`/proc/${pid}/exe`);
  } catch {
    return null;
  }
};
