/**
 * `pilotfish attach ssh://host`: a tunnel to the Pilotfish of another machine, so that agents there use the browser here. It starts
 * the daemon there, keeps it, pairs a browser when none is, and is opened again when it breaks.
 */
import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import { connect, createServer, type AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import * as z from 'zod';
import { CompanionError } from '#protocol/errors.ts';
import type { Io } from './io.ts';

const AGAIN_MS = 2_000;
const LOOK_MS = 100;

/** Where a person's own programs are, also for a shell that reads no profile. */
const REMOTE = 'PATH="$HOME/.local/bin:$PATH" pilotfish';

const Answer = z.object({ port: z.number() });
const Paired = z.object({ browsers: z.array(z.object({ origin: z.string(), state: z.string(), host: z.string().optional() })) });

/** Whether this names a machine rather than a session. */
export const isSshAddress = (text: string): boolean => /^ssh:/i.test(text);

/** Stays until the person ends it; resolves with the exit code. */
export const attachSsh = async (io: Io, address: string, options: { port: string | undefined }): Promise<number> => {
  const target = readTarget(address);
  const wanted = readPort(options.port);
  const remotePort = await startThere(io, target);
  const localPort = wanted ?? (await freePort(remotePort));
  if ((await tryPort(localPort)) === null)
    throw new CompanionError('CLI_USAGE', `Port ${localPort} is taken here; name another with --port.`);
  const place = `ws://127.0.0.1:${localPort}`;
  for (let round = 0; !io.signal.aborted; round += 1) {
    // While the network is away, nobody is there to ask.
    const port = round === 0 ? remotePort : await startThere(io, target).catch(() => null);
    if (port === null) {
      await pause(AGAIN_MS, undefined, { signal: io.signal }).catch(() => null);
      continue;
    }
    const ended = endOf(openTunnel(io, target, { localPort, remotePort: port }));
    const isUp = await Promise.race([untilOpen(localPort, io.signal), ended.then(() => false)]);
    if (round === 0 && !isUp && !io.signal.aborted)
      throw failed(`ssh could not open the tunnel to ${target.name}, or port ${localPort} is taken here.`);
    if (round === 0) {
      io.print(`${target.name}: its Pilotfish is at ${place} for the browser of this machine.`);
      if (!(await isPaired(io, target, localPort))) await pairThere(io, target, place);
    }
    await ended;
    if (io.signal.aborted) break;
    io.note(`The tunnel to ${target.name} has ended; it is opened again.`);
    await pause(AGAIN_MS, undefined, { signal: io.signal }).catch(() => null);
  }
  return 0;
};

interface Target {
  readonly name: string;
  readonly args: readonly string[];
}

/** What is given to ssh can be none of its options. */
const readTarget = (address: string): Target => {
  const match = /^ssh:\/\/(?:([a-z0-9_][\w.-]*)@)?([a-z0-9][a-z0-9.-]*)(?::(\d{1,5}))?\/?$/i.exec(address);
  if (match === null)
    throw new CompanionError('CLI_USAGE', `"${address}" is no address of a machine; write ssh://host or ssh://user@host:port.`);
  const [, user, host = '', port] = match;
  const name = user === undefined ? host : `${user}@${host}`;
  return { name, args: [...(port === undefined ? [] : ['-p', port]), name] };
};

const readPort = (text: string | undefined): number | null => {
  if (text === undefined) return null;
  const port = Number(text);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new CompanionError('CLI_USAGE', `--port ${text} is no port.`);
  return port;
};

/** The port of the Pilotfish there, which is started when it does not run. */
const startThere = async (io: Io, target: Target): Promise<number> => {
  const text = await runThere(io, target, `${REMOTE} browsers list --json >/dev/null && ${REMOTE} status --json`);
  const answer = Answer.safeParse(parse(text));
  if (!answer.success) throw failed(`What answers on ${target.name} is no Pilotfish of this version.`);
  return answer.data.port;
};

const isPaired = async (io: Io, target: Target, localPort: number): Promise<boolean> => {
  const found = Paired.safeParse(parse(await runThere(io, target, `${REMOTE} browsers list --json`)));
  return (
    found.success &&
    found.data.browsers.some(({ origin, state, host }) => origin === 'paired' && state === 'allowed' && host === `127.0.0.1:${localPort}`)
  );
};

/** The terminal is lent to the command there, which shows the code. */
const pairThere = async (io: Io, target: Target, place: string): Promise<void> => {
  if (!io.isInteractive) return io.note(`Pair the browser: run this on ${target.name}: pilotfish browsers pair --address ${place}`);
  const code = await endOf(ssh(io, ['-t', ...target.args, `${REMOTE} browsers pair --address ${place}`], 'inherit'));
  if (code !== 0) io.note(`Not paired. To try again, run this on ${target.name}: pilotfish browsers pair --address ${place}`);
};

/** A program there that waits for its input keeps the daemon, and ends with the tunnel. */
const openTunnel = (io: Io, target: Target, { localPort, remotePort }: { localPort: number; remotePort: number }): ChildProcess => {
  const forward = `127.0.0.1:${localPort}:127.0.0.1:${remotePort}`;
  const lasting = ['-o', 'ExitOnForwardFailure=yes', '-o', 'ServerAliveInterval=15'];
  return ssh(io, [...lasting, '-L', forward, ...target.args, `${REMOTE} mcp`], ['pipe', 'ignore', 'inherit']);
};

const runThere = async (io: Io, target: Target, command: string): Promise<string> => {
  const child = ssh(io, [...target.args, command], ['ignore', 'pipe', 'inherit']);
  let text = '';
  child.stdout?.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const code = await endOf(child);
  if (code !== 0) throw failed(`\`pilotfish\` could not be run on ${target.name} (ssh ended with ${code ?? 'a signal'}).`);
  return text;
};

const ssh = (io: Io, args: readonly string[], stdio: StdioOptions): ChildProcess => {
  const child = spawn('ssh', [...args], { stdio, env: io.env });
  io.signal.addEventListener('abort', () => child.kill(), { once: true });
  return child;
};

const endOf = (child: ChildProcess): Promise<number | null> =>
  new Promise((resolve, reject) => {
    child.once('error', (cause) => reject(failed('There is no program `ssh` here.', cause)));
    child.once('close', resolve);
  });

const failed = (detail: string, cause?: unknown): CompanionError =>
  new CompanionError('REMOTE_FAILED', detail, cause === undefined ? {} : { cause });

/** The same port here, so that the address is the one it has there; another one when it is taken. */
const freePort = async (preferred: number): Promise<number> => (await tryPort(preferred)) ?? (await tryPort(0)) ?? preferred;

/** Resolves with true when somebody listens at the port. */
const untilOpen = async (port: number, signal: AbortSignal): Promise<boolean> => {
  while (!signal.aborted) {
    const isOpen = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(true));
      socket.once('error', () => resolve(false));
      socket.once('connect', () => socket.destroy());
    });
    if (isOpen) return true;
    await pause(LOOK_MS, undefined, { signal }).catch(() => null);
  }
  return false;
};

const tryPort = (port: number): Promise<number | null> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(null));
    server.listen(port, '127.0.0.1', () => {
      const { port: found }: Partial<AddressInfo> = Object(server.address());
      server.close(() => resolve(found ?? null));
    });
  });

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
