/**
 * Chrome's stdio door: answers at once, proves itself to the daemon, then copies frames in both directions. It has no state and
 * decides nothing.
 */
import type { FSWatcher } from 'node:fs';
import path from 'node:path';
import type { Duplex } from 'node:stream';
import type { ErrorBody } from '#protocol/errors.ts';
import type { DownFrame } from '#protocol/link.ts';
import { EXTENSION_ORIGIN, MAX_HOST_FRAME_BYTES, MAX_MESSAGE_BYTES, VERSION } from '#protocol/version.ts';
import { explainLink } from '#protocol/link-faults.ts';
import { encodeFrame } from '#companion/lib/framing.ts';
import { FrameGuard } from './framing.ts';
import type { DaemonSocket } from './connect.ts';
import { HostError, hostError } from './host-error.ts';

/** The limit for bytes that come before the daemon is there: the extension only says hello until then. */
const MAX_EARLY_BYTES = 1_048_576;

/**
 * Runs until Chrome or the daemon closes its end; resolves with the exit code. `args` come from Chrome, the origin of the
 * extension first.
 */
export const runHost = async (args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> => {
  if (args[0] !== `${EXTENSION_ORIGIN}/`) return 1;
  const chrome = new Chrome();
  chrome.send({ type: 'host', version: VERSION, pid: process.pid });
  try {
    // It is loaded only now, after Chrome has had its first frame.
    const [{ connectDaemon }, { createPaths }, { noteResting }] = await Promise.all([
      import('./connect.ts'),
      import('#companion/lib/paths.ts'),
      import('#companion/lib/resting.ts'),
    ]);
    const paths = createPaths(env);
    for (;;) {
      const daemon = await connectDaemon(paths, env, {
        signal: chrome.signal,
        onPreparing: (preparing) => chrome.send({ type: 'preparing', preparing }),
      });
      const taken = placeOf(paths.socket);
      const { isResting } = await relay(chrome, daemon, paths.socket);
      if (!isResting || chrome.signal.aborted) return 0;
      {
        using _ = noteResting(paths.restingDir);
        await untilNeeded(chrome, paths.socket, taken);
      }
      chrome.send({ type: 'host', version: VERSION, pid: process.pid });
    }
  } catch (error) {
    // Chrome closed its end while the host was still connecting, so nobody can be told.
    if (chrome.signal.aborted) return 0;
    chrome.send({ type: 'host_failed', error: error instanceof HostError ? error.body : unexpected(error) });
    return 1;
  } finally {
    chrome.close();
  }
};

/** Chrome's end: our standard input and output. */
class Chrome {
  /** Bytes that came before somebody reads them. */
  readonly #early: Buffer[] = [];
  readonly #gone = new AbortController();
  #earlyBytes = 0;
  #receive = (bytes: Buffer): void => this.#keep(bytes);

  constructor() {
    const { stdin, stdout } = process;
    const leave = (): void => this.#gone.abort();
    stdin.on('data', (bytes: Buffer) => this.#receive(bytes));
    stdin.on('end', leave);
    stdin.on('error', leave);
    stdout.on('error', leave);
  }

  /** Aborted when Chrome has closed its end. */
  get signal(): AbortSignal {
    return this.#gone.signal;
  }

  send(frame: DownFrame): void {
    process.stdout.write(encodeFrame(JSON.stringify(frame)));
  }

  /** Sends bytes; returns false when Chrome should be given time to read. */
  write(bytes: Buffer): boolean {
    return process.stdout.write(bytes);
  }

  onDrain(listener: () => void): void {
    process.stdout.on('drain', listener);
  }

  offDrain(listener: () => void): void {
    process.stdout.off('drain', listener);
  }

  /** Hands over what has come until now, and then everything as it comes. */
  read(listener: (bytes: Buffer) => void): void {
    this.#receive = listener;
    for (const bytes of this.#early.splice(0)) listener(bytes);
    this.#earlyBytes = 0;
    process.stdin.resume();
  }

  pause(): void {
    process.stdin.pause();
  }

  resume(): void {
    process.stdin.resume();
  }

  /** Keeps what comes until somebody reads again; `onFirst` is called when something has come. */
  hold(onFirst: () => void): void {
    this.#receive = (bytes) => {
      this.#keep(bytes);
      onFirst();
    };
    process.stdin.resume();
  }

  close(): void {
    process.stdin.destroy();
  }

  #keep(bytes: Buffer): void {
    this.#early.push(bytes);
    this.#earlyBytes += bytes.length;
    if (this.#earlyBytes > MAX_EARLY_BYTES) process.stdin.pause();
  }
}

/** Until the daemon closes its end, or another one has its place: one that was suspended closes nothing. The extension connects again. */
const relay = async (chrome: Chrome, { socket, head }: DaemonSocket, place: string): Promise<{ readonly isResting: boolean }> => {
  const link = new Relay(chrome, socket);
  const own = fileOf(place);
  const watcher = own === null ? null : watchSocket(place, () => fileOf(place) !== own && link.leave());
  // Without the watch only the end of the connection counts.
  watcher?.on('error', () => watcher.close());
  try {
    return await link.run(head);
  } finally {
    watcher?.close();
  }
};

/** Copies frames between Chrome and the daemon until one end closes. */
class Relay {
  readonly #chrome: Chrome;
  readonly #daemon: Duplex;
  readonly #guardDown = new FrameGuard(MAX_HOST_FRAME_BYTES);
  readonly #guardUp = new FrameGuard(MAX_MESSAGE_BYTES);
  readonly #ended = Promise.withResolvers<{ readonly isResting: boolean }>();

  constructor(chrome: Chrome, daemon: Duplex) {
    this.#chrome = chrome;
    this.#daemon = daemon;
  }

  /** `head` are the first bytes of the daemon. Tells whether the daemon has taken its leave; rejects when an end sends what the other must not get. */
  run(head: Buffer): Promise<{ readonly isResting: boolean }> {
    const finish = (): void => this.#finish();
    this.#daemon.on('data', (bytes: Buffer) => this.#down(bytes));
    this.#daemon.on('drain', () => this.#chrome.resume());
    this.#daemon.on('error', finish);
    this.#daemon.on('close', finish);
    this.#chrome.onDrain(this.#resume);
    this.#chrome.signal.addEventListener('abort', this.leave);
    this.#down(head);
    this.#chrome.read((bytes) => this.#up(bytes));
    if (this.#chrome.signal.aborted) finish();
    return this.#ended.promise;
  }

  readonly #resume = (): void => void this.#daemon.resume();

  /** Closes both ends. */
  readonly leave = (): void => this.#finish();

  #down(bytes: Buffer): void {
    const { pass, tooLarge } = this.#guardDown.check(bytes);
    if (pass.length > 0 && !this.#chrome.write(pass)) this.#daemon.pause();
    if (tooLarge !== null) this.#finish(frameTooLarge(tooLarge));
    // The extension may ask for the next daemon before this one has closed its end, and would be heard by nobody.
    else if (this.#guardDown.isFarewell) this.#finish();
  }

  #up(bytes: Buffer): void {
    const { pass, tooLarge } = this.#guardUp.check(bytes);
    if (pass.length > 0 && !this.#daemon.write(pass)) this.#chrome.pause();
    if (tooLarge !== null) this.#finish(frameTooLarge(tooLarge));
  }

  #finish(error?: HostError): void {
    this.#daemon.destroy();
    this.#chrome.offDrain(this.#resume);
    this.#chrome.signal.removeEventListener('abort', this.leave);
    if (error === undefined) this.#ended.resolve({ isResting: this.#guardDown.isFarewell });
    else this.#ended.reject(error);
  }
}

/** Which file the private socket is now; null when there is none. The number alone may be that of a file which has gone. */
const placeOf = (socket: string): string | null => {
  // A named pipe is no file, and looking at it as one fails. No daemon of Windows rests while a host is connected.
  if (process.platform === 'win32') return null;
  const stat = process.getBuiltinModule('node:fs').lstatSync(socket, { throwIfNoEntry: false });
  return stat === undefined ? null : `${stat.dev}:${stat.ino}:${stat.ctimeMs}`;
};

/** The file itself: as long as a daemon listens on it, no other has its number. */
const fileOf = (socket: string): string | null => placeOf(socket)?.split(':').slice(0, 2).join(':') ?? null;

/** Calls back when a socket of that name was made. */
const watchSocket = (socket: string, onMade: () => void): FSWatcher =>
  process.getBuiltinModule('node:fs').watch(path.dirname(socket), (event, name) => {
    if (event === 'rename' && name === path.basename(socket) && placeOf(socket) !== null) onMade();
  });

/** The daemon rests. Resolves when the extension has something to say, when another daemon is there, or when Chrome has gone. */
const untilNeeded = async (chrome: Chrome, socket: string, old: string | null): Promise<void> => {
  const needed = Promise.withResolvers<void>();
  const watcher = watchSocket(socket, needed.resolve);
  try {
    watcher.on('error', needed.reject);
    chrome.signal.addEventListener('abort', () => needed.resolve());
    chrome.hold(needed.resolve);
    const place = placeOf(socket);
    if (place !== null && place !== old) needed.resolve();
    await needed.promise;
  } finally {
    watcher.close();
  }
};

const frameTooLarge = (bytes: number): HostError =>
  hostError('FRAME_TOO_LARGE', explainLink('frame_too_large', { bytes }), explainLink('update_both'));

const unexpected = (error: unknown): ErrorBody =>
  hostError(
    'INTERNAL',
    explainLink('host_failed', { words: error instanceof Error ? error.message : String(error) }),
    explainLink('run_doctor'),
  ).body;
