/** The host's way to the daemon: the private socket, a mutual proof, and a daemon started when none answers. */
import type * as http from 'node:http';
import type { Duplex } from 'node:stream';
import { diskFaultOf } from '#protocol/disk-faults.ts';
import type { Preparing } from '#protocol/health.ts';
import { LINK_HEADERS, createNonce, isProof, prove } from '#companion/reach/link-proof.ts';
import { readLinkKey } from '#companion/reach/link-key.ts';
import { type Paths, ForeignDirectoryError, ensurePrivateDir } from '#companion/lib/paths.ts';
import { isForeign, peerOf } from '#companion/lib/peer.ts';
import { type Attempt, type FailedStart, reachDaemon } from '#companion/reach/reach-daemon.ts';
import { startDaemon } from '#companion/reach/start-daemon.ts';
import { readStartFailure } from '#companion/reach/start-failure.ts';
import { HostError, hostError } from './host-error.ts';
import { HEALTH_PATH, LINK_PATH, LINK_PROTOCOL } from '#protocol/version.ts';
import { explainLink } from '#protocol/link-faults.ts';
import { asItCame, type Said } from '#protocol/said.ts';

const HANDSHAKE_LIMIT_MS = 3_000;
const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 250;
const MAX_HEALTH_CHARS = 4096;

/** An open, proven connection to the daemon and the bytes that came with its answer. */
export interface DaemonSocket {
  readonly socket: Duplex;
  readonly head: Buffer;
}

interface Waiting {
  readonly signal: AbortSignal;
  /** Hears what a daemon does that is not ready yet, each time that it is asked. */
  readonly onPreparing: (preparing: Preparing) => void;
}

/** Connects to this user's daemon, starting it when nobody answers. */
export const connectDaemon = async (paths: Paths, env: NodeJS.ProcessEnv, { signal, onPreparing }: Waiting): Promise<DaemonSocket> => {
  const key = readKey(paths);
  return reachDaemon({
    ask: async () => {
      const attempt = await shakeHands(paths, key, signal);
      if ('answer' in attempt) return attempt;
      const preparing = await askPreparing(paths, signal);
      if (preparing === null) return attempt;
      onPreparing(preparing);
      return { ...attempt, isAbsent: false, limitMs: Infinity };
    },
    startDaemon: (onEnd) => startDaemon(env, onEnd),
    firstPauseMs: FIRST_PAUSE_MS,
    longestPauseMs: LONGEST_PAUSE_MS,
    signal,
  });
};

const readKey = (paths: Paths): Buffer => {
  try {
    ensurePrivateDir(paths.socketDir);
    return readLinkKey(paths);
  } catch (error) {
    if (error instanceof ForeignDirectoryError) throw foreign(error.what, error.remedy);
    const fault = diskFaultOf(error);
    throw startFailed(paths, fault?.cause ?? asItCame(error instanceof Error ? error.message : String(error)), fault?.remedy);
  }
};

/** Asks once. Rejects when asking again cannot help. */
const shakeHands = (paths: Paths, key: Buffer, signal: AbortSignal): Promise<Attempt<DaemonSocket>> => {
  const socketPath = paths.socket;
  const nonce = createNonce();
  // It is loaded only now, after Chrome has had its first frame.
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
      if (isOurs && isProof(key, 'daemon', nonce, response.headers[LINK_HEADERS.proof])) return resolve({ answer: { socket, head } });
      socket.destroy();
      return reject(foreign(explainLink('not_users_daemon', { socket: socketPath })));
    });
    req.on('response', (response) => {
      response.resume();
      reject(
        // The gate explains a refusal in JSON; a wrong proof is refused without an explanation.
        response.statusCode === 403 && response.headers['content-type'] === 'application/json'
          ? refused()
          : foreign(explainLink('link_refused', { socket: socketPath, status: response.statusCode ?? 0 })),
      );
    });
    req.on('error', (error: NodeJS.ErrnoException) => {
      if (signal.aborted) return reject(error);
      // A daemon that hangs is replaced by the next one that is started, which asks it first whether it works.
      const isAbsent = isSilent || error.code === 'ENOENT' || error.code === 'ECONNREFUSED';
      return resolve({
        isAbsent,
        toError: (failed) => (isAbsent ? neverCameUp(paths, failed) : startFailed(paths, asItCame(error.message))),
      });
    });
    req.end();
  });
};

/** What a daemon does that is there and lets nobody in yet, because it reads a long history; null when it is not so. */
const askPreparing = (paths: Paths, signal: AbortSignal): Promise<Preparing | null> => {
  const { get } = process.getBuiltinModule('node:http');
  return new Promise((resolve) => {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(HANDSHAKE_LIMIT_MS)]);
    const request = get({ socketPath: paths.socket, path: HEALTH_PATH, agent: false, signal: limit }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text = `${text}${chunk}`.slice(0, MAX_HEALTH_CHARS)));
      response.on('error', () => resolve(null));
      response.on('end', () => resolve(readPreparing(text)));
    });
    request.on('error', () => resolve(null));
  });
};

/** The host loads no parser of schemas; the extension has one. */
const readPreparing = (health: string): Preparing | null => {
  try {
    const { preparing }: { preparing?: Preparing } = JSON.parse(health);
    return preparing ?? null;
  } catch {
    return null;
  }
};

const foreign = (what: Said, remedy = explainLink('remove_or_set_home')): HostError => hostError('SOCKET_FOREIGN', what, remedy);

const refused = (): HostError => hostError('PERSON_ONLY', explainLink('daemon_refused_browser'), explainLink('start_browser_yourself'));

const neverCameUp = (paths: Paths, failed: FailedStart): HostError => {
  const { detail, remedy } = readStartFailure(paths, failed);
  return startFailed(paths, detail, remedy);
};

const startFailed = (paths: Paths, detail: Said, remedy = explainLink('see_file', { file: paths.daemonLog })): HostError =>
  new HostError({
    code: 'DAEMON_START_FAILED',
    message: `The pilotfish daemon could not be started. ${detail.text}`,
    remedy: remedy.text,
    says: { detail, remedy },
  });
