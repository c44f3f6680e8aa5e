/**
 * Linux's tables of processes and sockets, read while they change. https://man7.org/linux/man-pages/man5/proc_pid_net.5.html
 * Tests give a folder of their own for them.
 */
import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';

/** Processes end while one looks, and those of other users are closed to us. */
export const readNames = (folder: string): string[] => {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
};

export const readLink = (file: string): string | null => {
  try {
    return readlinkSync(file);
  } catch {
    return null;
  }
};

export const processes = (proc = '/proc'): string[] => readNames(proc).filter((name) => /^\d+$/.test(name));

/** The user of a process; null when it has ended. */
export const userOf = (pid: string, proc = '/proc'): number | null => {
  try {
    return statSync(`${proc}/${pid}`).uid;
  } catch {
    return null;
  }
};

/**
 * What the system tells of a process, its state first; null where it has ended or the system does not tell. The name of its program, which stands
 * before these in brackets and may hold spaces and brackets itself, is left out. https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
 */
export const statOf = (pid: number, proc = '/proc'): readonly string[] | null => {
  try {
    const stat = readFileSync(`${proc}/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return null;
  }
};

/** Whether another process is computing, or waits for a disk; false where the system does not tell. One that is stopped, or waits for others, is not. */
export const isAtWork = (pid: number, proc = '/proc'): boolean => pid !== process.pid && /^[RD]$/.test(statOf(pid, proc)?.[0] ?? '');

/** Whether a process holds one of these sockets, which are known by their inodes. */
export const holdsSocket = (pid: string, inodes: ReadonlySet<string>, proc = '/proc'): boolean =>
  readNames(`${proc}/${pid}/fd`).some((fd) => {
    const [, inode] = /^socket:\[(\d+)\]$/.exec(readLink(`${proc}/${pid}/fd/${fd}`) ?? '') ?? [];
    return inode !== undefined && inodes.has(inode);
  });

/** The newest process that holds one of these sockets, and is `isMeant`; null when there is none. */
export const holderOf = async (
  inodes: ReadonlySet<string>,
  isMeant: (pid: string) => boolean = () => true,
  proc = '/proc',
): Promise<string | null> => {
  for (const pid of processes(proc).toSorted((one, other) => Number(other) - Number(one))) {
    // A machine has hundreds of processes with hundreds of files, and others wait for this one.
    await setImmediate();
    if (isMeant(pid) && holdsSocket(pid, inodes, proc)) return pid;
  }
  return null;
};

/** A socket of TCP. An address is in the byte order of the kernel's table. */
export interface TcpSocket {
  readonly address: string;
  readonly port: number;
  /** Its other end, as `address:port` of the table. */
  readonly remote: string;
  readonly isListening: boolean;
  readonly uid: number;
  readonly inode: string;
}

/** The state of a socket that waits for connections. */
const LISTENS = '0A';

const tablesIn = (proc: string): string[] => [`${proc}/net/tcp`, `${proc}/net/tcp6`];

/** Nothing is held up meanwhile: the kernel may take a tenth of a second to write its tables. */
export const readTcpSockets = async (proc = '/proc'): Promise<TcpSocket[]> =>
  (await Promise.all(tablesIn(proc).map((file) => readFile(file, 'latin1').then(toSockets, () => NOT_TOLD)))).flat();

/** The kernel has no IPv6, or the system hides the table. */
const NOT_TOLD: TcpSocket[] = [];

const toSockets = (table: string): TcpSocket[] =>
  table
    .split('\n')
    .slice(1)
    .map((row) => {
      const [, local = '', remote = '', state = '', , , , uid = '', , inode = ''] = row.trim().split(/\s+/);
      const [address = '', port = ''] = local.split(':');
      return { address, port: Number.parseInt(port, 16), remote, isListening: state === LISTENS, uid: Number(uid), inode };
    });
