/** Another machine or a container with a Pilotfish of its own: how a command is run there, and how a port there is reached from here. */
import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import { createServer, type Server, type Socket } from 'node:net';
import { nearest } from '#display/nearest.ts';
import { CompanionError } from '#protocol/errors.ts';
import type { Io } from './io.ts';

/** Where a person's own programs are, also for a shell that reads no profile. */
export const PILOTFISH_THERE = 'PATH="$HOME/.local/bin:$PATH" pilotfish';

export interface Ports {
  readonly localPort: number;
  readonly remotePort: number;
}

export interface Elsewhere {
  readonly name: string;
  /** What it printed; rejects when it failed. */
  run(command: string): Promise<string>;
  /** Lends this terminal to a command; resolves with its exit code. */
  lend(command: string): Promise<number | null>;
  /** Opens a way from the port here to the one there, and runs the command for as long as it is open; resolves when both have ended. */
  open(ports: Ports, command: string): Promise<number | null>;
}

const CONTAINERS = ['docker', 'podman'] as const;

const SCHEMES = ['ssh', ...CONTAINERS] as const;

/** Whether this names a place rather than a session. */
export const isElsewhere = (text: string): boolean => SCHEMES.some((scheme) => text.toLowerCase().startsWith(`${scheme}:`));

/** What is said to an address that leads nowhere. */
export const notElsewhere = (address: string): CompanionError => {
  const meant = nearest(address.split(':', 1)[0] ?? '', SCHEMES);
  return new CompanionError(
    'CLI_USAGE',
    `"${address}" is no address of a machine; write ssh://host, ssh://user@host:port, docker://container or podman://container.${meant === null ? '' : ` Did you mean ${meant}://?`}`,
  );
};

/** What is given to the program can be none of its options. */
export const findElsewhere = (io: Io, address: string): Elsewhere => {
  const [, scheme = '', rest = ''] = /^(\w+):\/\/(.*?)\/?$/u.exec(address) ?? [];
  const container = CONTAINERS.find((name) => name === scheme.toLowerCase());
  const isContainer = container !== undefined && /^[a-z0-9][\w.-]*$/i.test(rest);
  if (isContainer) return new Container(io, container, rest);
  const match = /^(?:([a-z0-9_][\w.-]*)@)?([a-z0-9][a-z0-9.-]*)(?::(\d{1,5}))?$/i.exec(rest);
  if (match === null || scheme.toLowerCase() !== 'ssh') throw notElsewhere(address);
  const [, user, host = '', port] = match;
  const name = user === undefined ? host : `${user}@${host}`;
  return new Machine(io, name, [...(port === undefined ? [] : ['-p', port]), name]);
};

/** Another machine, by ssh. */
class Machine implements Elsewhere {
  readonly name: string;
  readonly #io: Io;
  readonly #target: readonly string[];

  constructor(io: Io, name: string, target: readonly string[]) {
    this.#io = io;
    this.name = name;
    this.#target = target;
  }

  run(command: string): Promise<string> {
    return outputOf(start(this.#io, 'ssh', [...this.#target, command], ['ignore', 'pipe', 'inherit']), this.name);
  }

  lend(command: string): Promise<number | null> {
    return endOf(start(this.#io, 'ssh', ['-t', ...this.#target, command], 'inherit'));
  }

  open({ localPort, remotePort }: Ports, command: string): Promise<number | null> {
    const forward = `127.0.0.1:${localPort}:127.0.0.1:${remotePort}`;
    const lasting = ['-o', 'ExitOnForwardFailure=yes', '-o', 'ServerAliveInterval=15'];
    return endOf(start(this.#io, 'ssh', [...lasting, '-L', forward, ...this.#target, command], ['pipe', 'ignore', 'inherit']));
  }
}

/** A container of this machine. It has a loopback of its own, to which each connection is carried by a program in it. */
class Container implements Elsewhere {
  readonly name: string;
  readonly #io: Io;
  readonly #program: string;

  constructor(io: Io, program: string, name: string) {
    this.#io = io;
    this.#program = program;
    this.name = name;
  }

  run(command: string): Promise<string> {
    return outputOf(this.#exec(['-i'], command, ['ignore', 'pipe', 'inherit']), this.name);
  }

  lend(command: string): Promise<number | null> {
    return endOf(this.#exec(['-i', '-t'], command, 'inherit'));
  }

  async open({ localPort }: Ports, command: string): Promise<number | null> {
    const sockets = new Set<Socket>();
    const server = createServer((socket) => this.#carry(socket, sockets));
    await listenOn(server, localPort);
    try {
      return await endOf(this.#exec(['-i'], command, ['pipe', 'ignore', 'inherit']));
    } finally {
      for (const socket of sockets) socket.destroy();
      server.close();
    }
  }

  #carry(socket: Socket, sockets: Set<Socket>): void {
    sockets.add(socket);
    const carrier = this.#exec(['-i'], `${PILOTFISH_THERE} tunnel`, ['pipe', 'pipe', 'ignore']);
    const end = (): void => {
      sockets.delete(socket);
      socket.destroy();
      // The program in the container ends with its input, whatever becomes of the one here.
      carrier.stdin?.end();
    };
    for (const stream of [socket, carrier.stdin, carrier.stdout]) stream?.on('error', end);
    socket.on('close', end);
    carrier.on('error', end).on('close', end);
    if (carrier.stdin !== null) socket.pipe(carrier.stdin);
    carrier.stdout?.pipe(socket);
  }

  #exec(flags: readonly string[], command: string, stdio: StdioOptions): ChildProcess {
    return start(this.#io, this.#program, ['exec', ...flags, this.name, '/bin/sh', '-c', command], stdio);
  }
}

const listenOn = (server: Server, port: number): Promise<void> =>
  new Promise((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve));

const start = (io: Io, program: string, args: readonly string[], stdio: StdioOptions): ChildProcess => {
  const child = spawn(program, [...args], { stdio, env: io.env });
  io.signal.addEventListener('abort', () => child.kill(), { once: true });
  return child;
};

const outputOf = async (child: ChildProcess, name: string): Promise<string> => {
  let text = '';
  child.stdout?.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const code = await endOf(child);
  if (code !== 0) throw remoteFailed(`\`pilotfish\` could not be run on ${name} (${child.spawnfile} ended with ${code ?? 'a signal'}).`);
  return text;
};

const endOf = (child: ChildProcess): Promise<number | null> =>
  new Promise((resolve, reject) => {
    child.once('error', (cause) => reject(remoteFailed(`There is no program \`${child.spawnfile}\` here.`, cause)));
    child.once('close', resolve);
  });

/** What is said when the other end cannot be reached or is something else. */
export const remoteFailed = (detail: string, cause?: unknown): CompanionError =>
  new CompanionError('REMOTE_FAILED', detail, cause === undefined ? {} : { cause });
