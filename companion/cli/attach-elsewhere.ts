/**
 * `pilotfish attach ssh://host` or `docker://container`: a tunnel to the Pilotfish elsewhere, so that agents there use the browser here.
 * It starts the daemon there, keeps it, pairs a browser when none is, and is opened again when it breaks.
 */
import { connect, createServer, type AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import * as z from 'zod';
import { CompanionError } from '#protocol/errors.ts';
import { findElsewhere, PILOTFISH_THERE, remoteFailed, type Elsewhere } from './elsewhere.ts';
import type { Io } from './io.ts';

const AGAIN_MS = 2_000;
const LOOK_MS = 100;

const Answer = z.object({ port: z.number() });
const Paired = z.object({ browsers: z.array(z.object({ origin: z.string(), state: z.string(), host: z.string().optional() })) });

/** Stays until the person ends it; resolves with the exit code. */
export const attachElsewhere = async (io: Io, address: string, options: { port: string | undefined }): Promise<number> => {
  const there = findElsewhere(io, address);
  const wanted = readPort(options.port);
  const remotePort = await startThere(there);
  const localPort = wanted ?? (await freePort(remotePort));
  if ((await tryPort(localPort)) === null)
    throw new CompanionError('CLI_USAGE', `Port ${localPort} is taken here; name another with --port.`);
  const place = `ws://127.0.0.1:${localPort}`;
  for (let round = 0; !io.signal.aborted; round += 1) {
    // While the network is away, nobody is there to ask.
    const port = round === 0 ? remotePort : await startThere(there).catch(() => null);
    if (port === null) {
      await pause(AGAIN_MS, undefined, { signal: io.signal }).catch(() => null);
      continue;
    }
    // A program there that waits for its input keeps the daemon, and ends with the tunnel.
    const ended = there.open({ localPort, remotePort: port }, `${PILOTFISH_THERE} mcp`);
    const isUp = await Promise.race([untilOpen(localPort, io.signal), ended.then(() => false)]);
    if (round === 0 && !isUp && !io.signal.aborted)
      throw remoteFailed(`The tunnel to ${there.name} could not be opened, or port ${localPort} is taken here.`);
    if (round === 0) {
      io.print(`${there.name}: its Pilotfish is at ${place} for the browser of this machine.`);
      if (!(await isPaired(there, localPort))) await pairThere(io, there, place);
    }
    await ended;
    if (io.signal.aborted) break;
    io.note(`The tunnel to ${there.name} has ended; it is opened again.`);
    await pause(AGAIN_MS, undefined, { signal: io.signal }).catch(() => null);
  }
  return 0;
};

const readPort = (text: string | undefined): number | null => {
  if (text === undefined) return null;
  const port = Number(text);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new CompanionError('CLI_USAGE', `--port ${text} is no port.`);
  return port;
};

/** The port of the Pilotfish there, which is started when it does not run. */
const startThere = async (there: Elsewhere): Promise<number> => {
  const text = await there.run(`${PILOTFISH_THERE} browsers list --json >/dev/null && ${PILOTFISH_THERE} status --json`);
  const answer = Answer.safeParse(parse(text));
  if (!answer.success) throw remoteFailed(`What answers on ${there.name} is no Pilotfish of this version.`);
  return answer.data.port;
};

const isPaired = async (there: Elsewhere, localPort: number): Promise<boolean> => {
  const found = Paired.safeParse(parse(await there.run(`${PILOTFISH_THERE} browsers list --json`)));
  return (
    found.success &&
    found.data.browsers.some(({ origin, state, host }) => origin === 'paired' && state === 'allowed' && host === `127.0.0.1:${localPort}`)
  );
};

/** The terminal is lent to the command there, which shows the code. */
const pairThere = async (io: Io, there: Elsewhere, place: string): Promise<void> => {
  const command = `pilotfish browsers pair --address ${place}`;
  if (!io.isInteractive) return io.note(`Pair the browser: run this on ${there.name}: ${command}`);
  const code = await there.lend(`${PILOTFISH_THERE} browsers pair --address ${place}`);
  if (code !== 0) io.note(`Not paired. To try again, run this on ${there.name}: ${command}`);
};

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
