/** The handshake on a socket: is a pilotfish daemon behind it, and does it own the place? */
import { get } from 'node:http';
import { type Greeting, Health, type Preparing } from '#protocol/health.ts';
import { HEALTH_PATH, PROTOCOL, VERSION } from '#protocol/version.ts';
import { peerOf } from '#companion/lib/peer.ts';
import { isAtWork } from '#companion/lib/proc.ts';

export const toGreeting = (): Greeting => ({
  name: 'pilotfish',
  version: VERSION,
  protocol: PROTOCOL.current,
  oldest: PROTOCOL.oldest,
});

export const toHealth = (isOwner: boolean, port: number | null, preparing: Preparing | null = null): Health => ({
  ...toGreeting(),
  pid: process.pid,
  isOwner,
  port,
  ...(preparing === null ? {} : { preparing }),
});

/** Somebody listens but does not answer like a daemon. */
interface Silence {
  readonly state: 'silent';
  /** The process, if the system tells which. */
  readonly pid: number | null;
  /** Whether it was computing, or waited for a disk, when it was given up. */
  readonly isBusy: boolean;
}

/** `gone`: there is nothing; `dead`: nobody listens. */
export type Handshake = { state: 'gone' | 'dead' } | Silence | { state: 'alive'; health: Health };

/** An answer is waited for as often as this, and between two times all is read that has come. */
const WAITS = 20;
const WAIT_MS = 50;

/** Asks once; never rejects. Who asks may be the one that got no time from a busy machine: an interval does not catch up on it. */
export const askHealth = (socketPath: string): Promise<Handshake> =>
  new Promise((resolve) => {
    const silence = new AbortController();
    let waits = 0;
    let pid: number | null = null;
    let isBusy = false;
    const timer = setInterval(() => {
      waits += 1;
      if (waits !== WAITS) return;
      // Before the connection ends, which its other end has to do something about.
      isBusy = pid !== null && isAtWork(pid);
      silence.abort();
    }, WAIT_MS);
    const request = get({ socketPath, path: HEALTH_PATH, agent: false, signal: silence.signal }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', () => resolve({ state: 'silent', pid, isBusy }));
      response.on('end', () => {
        const health = Health.safeParse(parseJson(Buffer.concat(chunks).toString()));
        resolve(health.success ? { state: 'alive', health: health.data } : { state: 'silent', pid, isBusy });
      });
    });
    request.on('socket', (socket) => socket.once('connect', () => void (pid = peerOf(socket)?.pid ?? null)));
    request.on('error', (error) => {
      const state = stateOf('code' in error ? error.code : undefined);
      resolve(state === 'silent' ? { state, pid, isBusy } : { state });
    });
    request.on('close', () => clearInterval(timer));
  });

const stateOf = (code: unknown): 'gone' | 'dead' | 'silent' => {
  if (code === 'ENOENT') return 'gone';
  return code === 'ECONNREFUSED' || code === 'ENOTSOCK' ? 'dead' : 'silent';
};

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};
