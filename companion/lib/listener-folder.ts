/** In which folder the process works that listens on a port of this machine: by it a development server is known. */
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { holderOf, holdsSocket, readLink, readTcpSockets, userOf } from './proc.ts';

const run = promisify(execFile);

const ASK_MS = 5_000;

/** In the kernel's table, where each word of an address has the byte order of the machine. */
const ANY_IPV4 = '0'.repeat(8);
const ANY_IPV6 = '0'.repeat(32);
const LOOPBACK_IPV6 = '0'.repeat(24) + '01000000';
const MAPPED = '0'.repeat(16) + 'FFFF0000';

/** So many listeners are remembered. */
const MAX_KNOWN = 50;

/** Asked again and again for the same ports, it looks through all processes once for each listener. */
export class PortListeners {
  readonly #proc: string;
  /** Which process held a socket when it was last looked for. */
  readonly #holders = new Map<string, string>();

  constructor(proc = '/proc') {
    this.#proc = proc;
  }

  /**
   * Null when nobody listens there, it is another user's process, or the system does not tell. `host` stands in the address of the page: two servers
   * may have the same port, one by IPv4 and one by IPv6, which only Linux tells apart here. Tested there only.
   */
  async folderOf(port: number, host = 'localhost'): Promise<string | null> {
    try {
      if (process.platform === 'linux') return await this.#folderByProc(port, host);
      if (process.platform === 'darwin') return await folderByLsof(port);
      return process.platform === 'win32' ? await folderByPowerShell(port) : null;
    } catch {
      // There is no such program, or it found nothing, which it tells by its exit code.
      return null;
    }
  }

  async #folderByProc(port: number, host: string): Promise<string | null> {
    const listening = (await readTcpSockets(this.#proc)).filter((socket) => socket.isListening && socket.port === port);
    const reached = addressesOf(host).find((address) => listening.some((socket) => socket.address === address));
    const own = process.getuid?.();
    const inodes = listening.filter(({ address, uid }) => address === reached && uid === own).map(({ inode }) => inode);
    const pid = inodes.length === 0 ? null : await this.#holderOf(new Set(inodes));
    return pid === null ? null : readLink(`${this.#proc}/${pid}/cwd`);
  }

  /** The newest process of this user that holds one of these sockets; it is looked at first whether the one that held it still does. */
  async #holderOf(inodes: ReadonlySet<string>): Promise<string | null> {
    const isOwn = (pid: string): boolean => userOf(pid, this.#proc) === process.getuid?.();
    const known = [...inodes].flatMap((inode) => this.#holders.get(inode) ?? []);
    const still = known.find((pid) => isOwn(pid) && holdsSocket(pid, inodes, this.#proc));
    if (still !== undefined) return still;
    const holder = await holderOf(inodes, isOwn, this.#proc);
    if (holder !== null) this.#remember(inodes, holder);
    return holder;
  }

  #remember(inodes: ReadonlySet<string>, pid: string): void {
    for (const inode of inodes) this.#holders.set(inode, pid);
    for (const inode of [...this.#holders.keys()].slice(0, -MAX_KNOWN)) this.#holders.delete(inode);
  }
}

/** At which of this machine's addresses a page of this host is asked for, the one that counts first: of `localhost` browsers try IPv6 first. */
const addressesOf = (host: string): string[] => {
  const byIpv6 = [LOOPBACK_IPV6, ANY_IPV6];
  const name = host.toLowerCase().replace(/\.$/, '');
  if (/(?:^|\.)localhost$/.test(name)) return [...byIpv6, ...byIpv4('127.0.0.1')];
  if (/^\[(?!::ffff:)/.test(name)) return byIpv6;
  return byIpv4(/^127(?:\.\d+){3}$/.test(name) ? name : '127.0.0.1');
};

const byIpv4 = (address: string): string[] => {
  const bytes = address.split('.').map((byte) => Number(byte).toString(16).padStart(2, '0'));
  const word = bytes.toReversed().join('').toUpperCase();
  return [word, MAPPED + word, ANY_IPV4, ANY_IPV6];
};

/** Its output has a line for each field, told by its first letter: https://lsof.readthedocs.io/en/latest/manpage/#output-for-other-programs */
const folderByLsof = async (port: number): Promise<string | null> => {
  const ask = async (args: string[], field: string): Promise<string | undefined> =>
    (await run('/usr/sbin/lsof', args, { timeout: ASK_MS })).stdout
      .split('\n')
      .find((line) => line.startsWith(field))
      ?.slice(1);
  const pid = await ask(['-nP', '-a', '-u', String(process.getuid?.()), `-iTCP:${port}`, '-sTCP:LISTEN', '-Fp'], 'p');
  return pid === undefined ? null : ((await ask(['-a', '-p', pid, '-d', 'cwd', '-Fn'], 'n')) ?? null);
};

/**
 * Windows tells no working folder of a process, but what it was started with, to its own user: a server from a project's packages names a
 * file below the project. https://learn.microsoft.com/powershell/module/nettcpip/get-nettcpconnection
 */
const folderByPowerShell = async (port: number): Promise<string | null> => {
  const owner = `(Get-NetTCPConnection -State Listen -LocalPort ${port} -ErrorAction Stop | Select-Object -First 1).OwningProcess`;
  const script = `(Get-CimInstance Win32_Process -Filter "ProcessId=$(${owner})").CommandLine`;
  const { stdout } = await run('powershell', ['-NoProfile', '-NonInteractive', '-Command', script], { timeout: ASK_MS });
  return folderInCommandLine(stdout);
};

/** The folder of the first file that a command line of Windows names after its program; null when it names none by its whole path. */
export const folderInCommandLine = (line: string): string | null => {
  const [, ...args] = [...line.trim().matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '');
  const file = args.find((arg) => /^[a-z]:[\\/]/i.test(arg));
  return file === undefined ? null : path.win32.dirname(path.win32.normalize(file));
};
