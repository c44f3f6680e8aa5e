/** Which users and processes are at the other ends of the connections to one of our loopback ports. Linux tells it. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import type { Socket } from 'node:net';
import type { Peer } from './peer.ts';

/** 127.0.0.1 in the byte order of the kernel's table; a socket of IPv6 has it as ::ffff:127.0.0.1. */
const LOCALHOST = ['0100007F', '0000000000000000FFFF00000100007F'];

/** The state of a socket that waits for connections. */
const LISTENS = '0A';
const LSOF_MS = 5_000;

/** A port of a peer that belongs to another user. Root is not one: it may do anything here, and programs in containers run as root. */
export const foreignPeerPorts = (port: number): ReadonlySet<number> => {
  const own = process.getuid?.();
  if (own === undefined) return new Set();
  return new Set([...peersOf(port)].filter(([, { uid }]) => uid !== own && uid !== 0).map(([peerPort]) => peerPort));
};

/**
 * The process at the other end of a connection to one of our loopback ports; null when the system does not tell it. All processes are
 * looked at, which takes tens of milliseconds, unless it is the `likely` one.
 */
export const loopbackPeerOf = ({ localPort, remotePort }: Pick<Socket, 'localPort' | 'remotePort'>, likely: number | null): Peer | null => {
  const peer = localPort === undefined || remotePort === undefined ? undefined : peersOf(localPort).get(remotePort);
  if (peer === undefined) return null;
  const isHolder = (pid: string): boolean =>
    readNames(`/proc/${pid}/fd`).some((fd) => readLink(`/proc/${pid}/fd/${fd}`) === `socket:[${peer.inode}]`);
  const all = (): string[] => readNames('/proc').filter((name) => /^\d+$/.test(name));
  const pid = likely !== null && isHolder(String(likely)) ? String(likely) : all().find(isHolder);
  return pid === undefined ? null : { pid: Number(pid), uid: peer.uid };
};

/**
 * The working folder of the process that listens on a port of this machine; null when the system does not tell it. On Linux and macOS; the
 * tables of Windows name the process, but nothing its folder.
 */
export const folderOfListener = (port: number): string | null => {
  if (process.platform === 'darwin') return folderByLsof(port);
  const inodes = new Set(
    ['/proc/net/tcp', '/proc/net/tcp6'].flatMap(readTable).flatMap((row) => {
      const [, local = '', , state = '', , , , , , inode = ''] = row.trim().split(/\s+/);
      return state === LISTENS && Number.parseInt(local.slice(-4), 16) === port ? [`socket:[${inode}]`] : [];
    }),
  );
  if (inodes.size === 0) return null;
  const pid = readNames('/proc')
    .filter((name) => /^\d+$/.test(name))
    .find((name) => readNames(`/proc/${name}/fd`).some((fd) => inodes.has(readLink(`/proc/${name}/fd/${fd}`) ?? '')));
  return pid === undefined ? null : readLink(`/proc/${pid}/cwd`);
};

/** Its output has a line for each field, told by its first letter: https://lsof.readthedocs.io/en/latest/manpage/#output-for-other-programs */
const folderByLsof = (port: number): string | null => {
  const ask = (args: string[], field: string): string | undefined =>
    spawnSync('/usr/sbin/lsof', args, { encoding: 'utf8', timeout: LSOF_MS })
      .stdout?.split('\n')
      .find((line) => line.startsWith(field))
      ?.slice(1);
  const pid = ask(['-nP', `-iTCP:${port}`, '-sTCP:LISTEN', '-Fp'], 'p');
  return pid === undefined ? null : (ask(['-a', '-p', pid, '-d', 'cwd', '-Fn'], 'n') ?? null);
};

/** The other ends of the connections to one of our ports, by their own port. Linux only: https://man7.org/linux/man-pages/man5/proc_pid_net.5.html */
const peersOf = (port: number): Map<number, { readonly uid: number; readonly inode: string }> => {
  const peers = new Map<number, { readonly uid: number; readonly inode: string }>();
  if (process.platform !== 'linux') return peers;
  const ours = LOCALHOST.map((address) => `${address}:${port.toString(16).toUpperCase().padStart(4, '0')}`);
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6']) {
    for (const row of readTable(table)) {
      // The table has both ends of each connection; this is the end of the peer.
      const [, local = '', remote = '', , , , , uid = '', , inode = ''] = row.trim().split(/\s+/);
      if (ours.includes(remote)) peers.set(Number.parseInt(local.slice(-4), 16), { uid: Number(uid), inode });
    }
  }
  return peers;
};

/** Processes end while one looks, and those of other users are closed to us. */
const readNames = (folder: string): string[] => {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
};

const readLink = (file: string): string | null => {
  try {
    return readlinkSync(file);
  } catch {
    return null;
  }
};

const readTable = (file: string): string[] => {
  try {
    return readFileSync(file, 'latin1').split('\n').slice(1);
  } catch {
    // The kernel has no IPv6, or the system hides the table.
    return [];
  }
};
