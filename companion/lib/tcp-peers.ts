/** Which users and processes are at the other ends of the connections to one of our loopback ports. Linux tells it. */
import type { Socket } from 'node:net';
import type { Peer } from './peer.ts';
import { holderOf, holdsSocket, readTcpSockets } from './proc.ts';

/** 127.0.0.1 in the byte order of the kernel's table; a socket of IPv6 has it as ::ffff:127.0.0.1. */
const LOCALHOST = ['0100007F', '0000000000000000FFFF00000100007F'];

/** A port of a peer that belongs to another user. Root is not one: it may do anything here, and programs in containers run as root. */
export const foreignPeerPorts = async (port: number): Promise<ReadonlySet<number>> => {
  const own = process.getuid?.();
  if (own === undefined) return new Set();
  return new Set([...(await peersOf(port))].filter(([, { uid }]) => uid !== own && uid !== 0).map(([peerPort]) => peerPort));
};

/**
 * The process at the other end of a connection to one of our loopback ports; null when the system does not tell it, or the connection has
 * ended. All processes are looked at, which takes tens of milliseconds, unless it is the `likely` one.
 */
export const loopbackPeerOf = async (
  socket: Pick<Socket, 'localPort' | 'remotePort' | 'destroyed'>,
  likely: number | null,
): Promise<Peer | null> => {
  const { localPort, remotePort } = socket;
  const peer = localPort === undefined || remotePort === undefined ? undefined : (await peersOf(localPort)).get(remotePort);
  if (peer === undefined) return null;
  const inodes = new Set([peer.inode]);
  const pid = likely !== null && holdsSocket(String(likely), inodes) ? String(likely) : await holderOf(inodes);
  // As long as our end is open nobody else can have the peer's port; afterwards what was found may be somebody else's.
  return pid === null || socket.destroyed ? null : { pid: Number(pid), uid: peer.uid };
};

/** The other ends of the connections to one of our ports, by their own port. Linux only: https://man7.org/linux/man-pages/man5/proc_pid_net.5.html */
const peersOf = async (port: number): Promise<Map<number, { readonly uid: number; readonly inode: string }>> => {
  const peers = new Map<number, { readonly uid: number; readonly inode: string }>();
  if (process.platform !== 'linux') return peers;
  const ours = LOCALHOST.map((address) => `${address}:${port.toString(16).toUpperCase().padStart(4, '0')}`);
  // The table has both ends of each connection; this is the end of the peer.
  for (const { remote, port: peerPort, uid, inode } of await readTcpSockets())
    if (ours.includes(remote)) peers.set(peerPort, { uid, inode });
  return peers;
};
