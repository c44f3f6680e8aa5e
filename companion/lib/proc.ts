/** Linux's tables of processes and sockets, read while they change. https://man7.org/linux/man-pages/man5/proc_pid_net.5.html */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

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

export const processes = (): string[] => readNames('/proc').filter((name) => /^\d+$/.test(name));

/** Whether a process holds one of these sockets, which are known by their inodes. */
export const holdsSocket = (pid: string, inodes: ReadonlySet<string>): boolean =>
  readNames(`/proc/${pid}/fd`).some((fd) => {
    const [, inode] = /^socket:\[(\d+)\]$/.exec(readLink(`/proc/${pid}/fd/${fd}`) ?? '') ?? [];
    return inode !== undefined && inodes.has(inode);
  });

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

export const tcpSockets = (): TcpSocket[] =>
  ['/proc/net/tcp', '/proc/net/tcp6'].flatMap(readTable).map((row) => {
    const [, local = '', remote = '', state = '', , , , uid = '', , inode = ''] = row.trim().split(/\s+/);
    const [address = '', port = ''] = local.split(':');
    return { address, port: Number.parseInt(port, 16), remote, isListening: state === LISTENS, uid: Number(uid), inode };
  });

const readTable = (file: string): string[] => {
  try {
    return readFileSync(file, 'latin1').split('\n').slice(1);
  } catch {
    // The kernel has no IPv6, or the system hides the table.
    return [];
  }
};
