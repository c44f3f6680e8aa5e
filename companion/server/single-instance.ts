/**
 * The private socket is the lock: the process that owns its path is the daemon. Every contender listens on a socket
 * of its own name and links it to the path, which only one can do. What lies at the path already is asked first; a
 * dead socket is moved away and asked again under its new name, so that a live one taken by mistake is put back.
 * Before it owns anything, a new owner asks every other socket in the folder whether it does.
 */
import { linkSync, lstatSync, readdirSync, renameSync, rmSync, watch, type FSWatcher } from 'node:fs';
import path from 'node:path';
import { diskFaultOf } from '#protocol/disk-faults.ts';
import { CompanionError } from '#protocol/errors.ts';
import type { Preparing } from '#protocol/health.ts';
import { explainLink } from '#protocol/link-faults.ts';
import { explain } from '#protocol/faults.ts';
import type { Log } from '#companion/lib/log.ts';
import { ensurePrivateDir, ForeignDirectoryError } from '#companion/lib/paths.ts';
import { Contender, identityOf, SPARE_NAME, spareName } from './contender.ts';
import type { Identify } from './callers.ts';
import type { DoorListeners } from './doors.ts';
import { askHealth } from './health.ts';

export interface SocketLock {
  readonly socket: string;
  /** Tells those who ask what the daemon does before it is ready. */
  tell(preparing: Preparing): void;
  /** Lets in those who wait at the door and all who come. */
  open(listeners: DoorListeners): void;
  /** Whether another daemon has the place by now, which one that was suspended may not have heard yet. */
  readonly isLost: boolean;
  /** Called when another daemon has the place, because this one was silent for too long (a suspended process). */
  onLost(listener: () => void): void;
  release(): Promise<void>;
}

/** A listener that is silent may be busy; a machine under load must not get two daemons. */
const SILENT_ATTEMPTS = 5;
/** One that is seen to be at work, or waits for the disk, has this many: it comes up, and calls may be under way in it. */
const BUSY_ATTEMPTS = 30;

/** Takes the place of the one daemon; gives null when another one has it and answers. Nothing may be opened before this resolves. */
export const lockSocket = async (options: LockOptions): Promise<SocketLock | null> =>
  process.platform === 'win32' ? lockPipe(options) : lockFile(options);

interface LockOptions {
  readonly socket: string;
  readonly log: Log;
  readonly signal?: AbortSignal;
  /** Looks at each connection as it comes; without it nothing is known of callers. */
  readonly identify?: Identify;
}

const lockFile = async ({ socket, log, signal, identify }: LockOptions): Promise<SocketLock | null> => {
  const folder = path.dirname(socket);
  prepareFolder(folder);
  let contender: Contender | null = null;
  let silences = 0;
  let busy = 0;
  try {
    for (;;) {
      signal?.throwIfAborted();
      const identity = checkSocket(socket);
      if (identity === null) {
        contender ??= await listenOn(spareName(folder), identify);
        const outcome = await claim(contender, socket);
        if (outcome === 'won') {
          const won = contender;
          contender = null;
          return new FileLock(won, socket, log);
        }
        if (outcome === 'lost') return null;
        if (outcome === 'vanished') {
          await contender.close();
          contender = null;
        }
        continue;
      }
      const found = await askHealth(socket);
      const { state } = found;
      if (state === 'alive') return null;
      if (found.state === 'silent') {
        const { isBusy, pid } = found;
        if (isBusy) busy += 1;
        else silences += 1;
        if (busy === SILENT_ATTEMPTS && isBusy) log.info('socket.busy', { socket, pid });
        if (silences < SILENT_ATTEMPTS && busy < BUSY_ATTEMPTS) continue;
      }
      if (state !== 'gone') {
        log.warn('socket.replaced', { socket, state });
        await bury(socket, identity);
      }
    }
  } finally {
    await contender?.close();
  }
};

const prepareFolder = (folder: string): void => {
  try {
    ensurePrivateDir(folder);
  } catch (error) {
    if (error instanceof ForeignDirectoryError)
      throw new CompanionError('SOCKET_FOREIGN', error.what, { cause: error, remedy: error.remedy });
    const reason = error instanceof Error ? error.message : String(error);
    const fault = diskFaultOf(error);
    const why = fault === null ? `(${reason})` : explainLink('with_words', { what: fault.cause, words: reason });
    throw new CompanionError('DAEMON_START_FAILED', explain('folder_not_made_because', { folder, why }), {
      cause: error,
      ...(fault === null ? {} : { remedy: fault.remedy }),
    });
  }
};

/** The identity of this user's socket at the path, or null when the path is free; anything else is not removed, because it is not Pilotfish's. */
const checkSocket = (socket: string): string | null => {
  const stat = lstatSync(socket, { throwIfNoEntry: false });
  if (stat === undefined) return null;
  if (stat.isSymbolicLink()) throw new CompanionError('SOCKET_FOREIGN', explain('socket_is_link', { socket }));
  if (stat.uid !== process.getuid?.()) throw new CompanionError('SOCKET_FOREIGN', explain('socket_of_other', { socket }));
  if (!stat.isSocket()) {
    throw new CompanionError('DAEMON_START_FAILED', explain(stat.isDirectory() ? 'place_is_folder' : 'place_is_file', { place: socket }), {
      remedy: explain('move_socket', { socket }),
    });
  }
  return `${stat.dev}:${stat.ino}`;
};

/** Moves a socket out of the way. Between the look and the move another daemon may have put its own there: that one goes back. */
const bury = async (socket: string, expected: string): Promise<void> => {
  const grave = spareName(path.dirname(socket));
  try {
    renameSync(socket, grave);
  } catch {
    return;
  }
  const { state } = await askHealth(grave);
  if (state === 'alive' || identityOf(grave) !== expected) tryLink(grave, socket);
  rmSync(grave, { force: true });
};

/** `taken`: another process linked first; `vanished`: our own socket was taken for a dead one in the instant before it listened. */
const claim = async (contender: Contender, socket: string): Promise<'won' | 'lost' | 'taken' | 'vanished'> => {
  const linked = tryLink(contender.file, socket);
  if (linked !== 'linked') return linked;
  const owner = await findOwner(contender, path.dirname(socket));
  if (owner !== null) {
    restore(owner, socket, contender);
    return 'lost';
  }
  if (identityOf(socket) !== identityOf(contender.file)) return 'taken';
  // Nothing may come between the check above and this line: those who ask later are told.
  contender.isOwner = true;
  return 'won';
};

/** Asks all other sockets of the folder at once, and removes those on which nobody listens. */
const findOwner = async (contender: Contender, folder: string): Promise<string | null> => {
  const own = identityOf(contender.file);
  const others = readdirSync(folder)
    .filter((name) => SPARE_NAME.test(name))
    .map((name) => path.join(folder, name))
    .filter((file) => identityOf(file) !== own);
  const owners = await Promise.all(
    others.map(async (file) => {
      const handshake = await askHealth(file);
      if (handshake.state === 'dead') rmSync(file, { force: true });
      return handshake.state === 'alive' && handshake.health.isOwner ? file : null;
    }),
  );
  return owners.find((file) => file !== null) ?? null;
};

/** Lets the path lead to its owner again, without a moment in which it leads nowhere. */
const restore = (owner: string, socket: string, contender: Contender): void => {
  if (identityOf(socket) !== identityOf(contender.file)) return;
  const name = spareName(path.dirname(socket));
  if (tryLink(owner, name) === 'linked') renameSync(name, socket);
};

const tryLink = (file: string, name: string): 'linked' | 'taken' | 'vanished' => {
  try {
    linkSync(file, name);
    return 'linked';
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EEXIST') return 'taken';
    if (code === 'ENOENT') return 'vanished';
    throw new CompanionError('DAEMON_START_FAILED', explain('socket_not_linked', { socket: name }), { cause: error });
  }
};

const listenOn = async (file: string, identify: Identify | undefined): Promise<Contender> => {
  const contender = new Contender(file, identify);
  await contender.listen();
  return contender;
};

/** The place that was won. It is looked at when something in its folder changes: a cleaner of temporary files may have removed it. */
class FileLock implements SocketLock {
  readonly socket: string;
  readonly #contender: Contender;
  readonly #log: Log;
  readonly #own: string | null;
  readonly #watcher: FSWatcher;
  readonly #listeners = new Set<() => void>();
  #isLost = false;

  constructor(contender: Contender, socket: string, log: Log) {
    this.socket = socket;
    this.#contender = contender;
    this.#log = log;
    this.#own = identityOf(socket);
    this.#watcher = watch(path.dirname(socket), { persistent: false }, () => this.#look());
    this.#watcher.on('error', (error) => log.warn('socket.unwatched', { error }));
  }

  get isLost(): boolean {
    if (!this.#isLost) this.#look();
    return this.#isLost;
  }

  tell(preparing: Preparing): void {
    this.#contender.preparing = preparing;
  }

  open(listeners: DoorListeners): void {
    this.#contender.open(listeners);
  }

  onLost(listener: () => void): void {
    this.#listeners.add(listener);
  }

  async release(): Promise<void> {
    this.#watcher.close();
    this.#contender.isOwner = false;
    if (identityOf(this.socket) === this.#own) rmSync(this.socket, { force: true });
    await this.#contender.close();
  }

  #look(): void {
    if (this.#isLost) return;
    const found = identityOf(this.socket);
    if (found === this.#own) return;
    if (found === null) {
      this.#log.warn('socket.relinked', { socket: this.socket });
      tryLink(this.#contender.file, this.socket);
      return;
    }
    this.#isLost = true;
    this.#watcher.close();
    this.#log.error('socket.lost', { socket: this.socket });
    for (const listener of this.#listeners) listener();
  }
}

/** Windows: the first instance of a pipe's name is the lock, and it goes with its process. */
const lockPipe = async ({ socket, identify }: LockOptions): Promise<SocketLock | null> => {
  try {
    const contender = await listenOn(socket, identify);
    contender.isOwner = true;
    return {
      socket,
      isLost: false,
      tell: (preparing) => void (contender.preparing = preparing),
      open: (listeners) => contender.open(listeners),
      onLost: () => {},
      release: () => contender.close(),
    };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EADDRINUSE' || code === 'EACCES') return null;
    throw new CompanionError('DAEMON_START_FAILED', explain('pipe_not_made', { socket }), { cause: error });
  }
};
