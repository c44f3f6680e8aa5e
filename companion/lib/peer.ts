/** Which process is at the other end of a Unix socket. The system says it, not the process itself. */
import type { Duplex } from 'node:stream';
import { libc } from './libc.ts';

export interface Peer {
  readonly pid: number;
  readonly uid: number;
}

/** A process, with null for what the system does not tell. */
export interface ProcessFacts {
  readonly pid: number | null;
  /** The path of its program. */
  readonly program: string | null;
  /** Its working folder. */
  readonly folder: string | null;
}

/** What is known of the process that calls over the private socket. */
export interface Caller extends ProcessFacts {
  readonly uid: number | null;
  /** The process that started it. */
  readonly parent: ProcessFacts | null;
  /** For whom it acts: an agent that Pilotfish started, or anything that such an agent started, must not act for the person. */
  readonly actsFor: 'person' | 'agent' | 'unknown';
}

/** A process of which nothing is known. */
export const UNKNOWN_PROCESS = { pid: null, uid: null, program: null, folder: null, parent: null } as const;

/** SOL_SOCKET, SO_PEERCRED: https://man7.org/linux/man-pages/man7/unix.7.html */
const LINUX = { level: 1, credentials: 17 } as const;

/** SOL_LOCAL, LOCAL_PEERCRED, LOCAL_PEERPID: sys/un.h of macOS. */
const MACOS = { level: 0, credentials: 1, pid: 2 } as const;

/** `struct xucred`: version, uid, count and list of groups. */
const XUCRED_BYTES = 76;

/** The process that opened the connection; null where the system cannot tell (Windows) and on a connection that has ended. */
export const peerOf = (socket: Duplex): Peer | null => {
  const fd = descriptorOf(socket);
  const system = libc();
  if (fd === null || system === null) return null;
  if (process.platform === 'linux') {
    const credentials = Buffer.alloc(12);
    if (!system.getsockopt(fd, LINUX.level, LINUX.credentials, credentials)) return null;
    return { pid: credentials.readInt32LE(0), uid: credentials.readUInt32LE(4) };
  }
  if (process.platform !== 'darwin') return null;
  const credentials = Buffer.alloc(XUCRED_BYTES);
  const pid = Buffer.alloc(4);
  if (!system.getsockopt(fd, MACOS.level, MACOS.credentials, credentials)) return null;
  if (!system.getsockopt(fd, MACOS.level, MACOS.pid, pid)) return null;
  return { pid: pid.readInt32LE(0), uid: credentials.readUInt32LE(4) };
};

/** Whether the other end is known to belong to another user. */
export const isForeign = (peer: Pick<Caller, 'uid'> | null): boolean =>
  process.getuid !== undefined && typeof peer?.uid === 'number' && peer.uid !== process.getuid();

/** Node shows the descriptor of a connection only in its handle. */
const descriptorOf = (socket: Duplex): number | null => {
  const handle: unknown = '_handle' in socket ? socket._handle : null;
  if (typeof handle !== 'object' || handle === null || !('fd' in handle)) return null;
  return typeof handle.fd === 'number' && handle.fd >= 0 ? handle.fd : null;
};
