/** The host's way to the daemon: the private socket, a mutual proof, and a daemon started when none answers. */
import type * as http from 'node:http';
import type { Duplex } from 'node:stream';
import { LINK_PATH, LINK_PROTOCOL, LINK_HEADERS, createNonce, isProof, prove } from '#companion/reach/link-proof.ts';
import { readLinkKey } from '#companion/reach/link-key.ts';
import { type Paths, ForeignDirectoryError, ensurePrivateDir } from '#companion/lib/paths.ts';
import { isForeign, peerOf } from '#companion/lib/peer.ts';
import { startDaemon } from '#companion/reach/start-daemon.ts';
import { readStartFailure } from '#companion/reach/start-failure.ts';
import { HostError } from './host-error.ts';

/** A daemon needs about 0.2 s to answer; a machine under load gets this long. */
const START_LIMIT_MS = 15_000;
const HANDSHAKE_LIMIT_MS = 3_000;
const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 250;

/** An open, proven connection to the daemon and the bytes that came with its answer. */
export interface DaemonSocket {
  readonly socket: Duplex;
  readonly head: Buffer;
}

/** Connects to this user's daemon, starting it when nobody answers. */
export const connectDaemon = async (paths: Paths, env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<DaemonSocket> => {
  const key = readKey(paths);
  const since = Date.now();
  let hasStarted = false;
  let hasFailed = false;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    // When the daemon that was started has failed, one more question is asked: another daemon may have come up.
    const isLast = hasFailed || Date.now() - since > START_LIMIT_MS;
    const attempt = await shakeHands(paths.socket, key, signal);
    if ('socket' in attempt) return attempt;
    if (isLast) throw attempt.isAbsent ? neverCameUp(paths, since) : startFailed(paths, attempt.reason);
    if (attempt.isAbsent && !hasStarted) {
      hasStarted = true;
      startDaemon(env, (failed) => {
        if (failed) hasFailed = true;
        else hasStarted = false;
      });
    }
    await pause(pauseMs, signal);
  }
};

const readKey = (paths: Paths): Buffer => {
  try {
    ensurePrivateDir(paths.socketDir);
    return readLinkKey(paths);
  } catch (error) {
    if (error instanceof ForeignDirectoryError) throw foreign(error.message, error.remedy);
    throw startFailed(paths, error instanceof Error ? error.message : String(error));
  }
};

type Attempt = DaemonSocket | { readonly isAbsent: boolean; readonly reason: string };

/** Asks once. Resolves with a reason when trying again may help, rejects when it cannot. */
const shakeHands = (socketPath: string, key: Buffer, signal: AbortSignal): Promise<Attempt> => {
  const nonce = createNonce();
  // Loaded only now: Chrome has had its first frame by then.
  const { request } = process.getBuiltinModule('node:http');
  return new Promise((resolve, reject) => {
    const req = request({
      socketPath,
      path: LINK_PATH,
      headers: {
        connection: 'Upgrade',
        upgrade: LINK_PROTOCOL,
        [LINK_HEADERS.nonce]: nonce,
        [LINK_HEADERS.proof]: prove(key, 'host', nonce),
      },
      agent: false,
      signal,
    });
    let isSilent = false;
    const limit = setTimeout(() => {
      isSilent = true;
      req.destroy(new Error('nobody answered in time'));
    }, HANDSHAKE_LIMIT_MS);
    req.on('close', () => clearTimeout(limit));
    req.on('upgrade', (response: http.IncomingMessage, socket: Duplex, head: Buffer) => {
      clearTimeout(limit);
      const isOurs = !isForeign(peerOf(socket));
      if (isOurs && isProof(key, 'daemon', nonce, response.headers[LINK_HEADERS.proof])) return resolve({ socket, head });
      socket.destroy();
      return reject(foreign(`What answers on ${socketPath} is not this user's daemon.`));
    });
    req.on('response', (response) => {
      response.resume();
      reject(
        // The gate says why in JSON; a wrong proof is answered without a word.
        response.statusCode === 403 && response.headers['content-type'] === 'application/json'
          ? refused()
          : foreign(`The daemon on ${socketPath} refused the link with status ${response.statusCode ?? 0}.`),
      );
    });
    req.on('error', (error: NodeJS.ErrnoException) => {
      if (signal.aborted) return reject(error);
      // A daemon that hangs is replaced by the one that is started next, which asks it first whether it is well.
      return resolve({ isAbsent: isSilent || error.code === 'ENOENT' || error.code === 'ECONNREFUSED', reason: error.message });
    });
    req.end();
  });
};

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  process.getBuiltinModule('node:timers/promises').setTimeout(ms, undefined, { signal });

const foreign = (message: string, remedy = 'Remove it, or set PILOTFISH_HOME to a folder of your own.'): HostError =>
  new HostError({ code: 'SOCKET_FOREIGN', message, remedy });

const refused = (): HostError =>
  new HostError({
    code: 'PERSON_ONLY',
    message: 'The daemon refused this browser: an agent has started it, or it belongs to another user.',
    remedy: 'Start the browser yourself, from the desktop or a terminal that no agent has opened.',
  });

const neverCameUp = (paths: Paths, since: number): HostError => {
  const { detail, remedy } = readStartFailure(paths, since);
  return new HostError({ code: 'DAEMON_START_FAILED', message: `The pilotfish daemon could not be started. ${detail}`, remedy });
};

const startFailed = (paths: Paths, reason: string): HostError =>
  new HostError({
    code: 'DAEMON_START_FAILED',
    message: `The pilotfish daemon could not be started. ${reason}`,
    remedy: `See ${paths.daemonLog}, then run \`pilotfish doctor\`.`,
  });
