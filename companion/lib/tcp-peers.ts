/** Which users are at the other ends of the connections to a loopback port of ours, where the system tells it (Linux). */
import { readFileSync } from 'node:fs';

/** 127.0.0.1 in the byte order of the kernel's table; a socket of IPv6 has it as ::ffff:127.0.0.1. */
const LOCALHOST = ['0100007F', '0000000000000000FFFF00000100007F'];

/** A port of a peer that belongs to another user. Root is not one: it may do anything here, and programs in containers run as root. */
export const foreignPeerPorts = (port: number): ReadonlySet<number> => {
  const own = process.getuid?.();
  const foreign = new Set<number>();
  if (process.platform !== 'linux' || own === undefined) return foreign;
  const ours = LOCALHOST.map((address) => `${address}:${port.toString(16).toUpperCase().padStart(4, '0')}`);
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6']) {
    for (const row of readTable(table)) {
      // Of each connection both ends stand in the table: this is the peer's own.
      const [, local = '', remote = '', , , , , uid = ''] = row.trim().split(/\s+/);
      if (ours.includes(remote) && Number(uid) !== own && Number(uid) !== 0) foreign.add(Number.parseInt(local.slice(-4), 16));
    }
  }
  return foreign;
};

const readTable = (file: string): string[] => {
  try {
    return readFileSync(file, 'latin1').split('\n').slice(1);
  } catch {
    // A kernel without IPv6, or a system that hides it.
    return [];
  }
};
