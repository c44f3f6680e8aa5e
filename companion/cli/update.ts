import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { RUN_MARK } from '#protocol/environment.ts';
import { CompanionError } from '#protocol/errors.ts';
import { VERSION } from '#protocol/version.ts';
import type { Io } from './io.ts';
import { stopDaemon } from './stop.ts';
import { readArgs, type Subcommand } from './subcommand.ts';

/** How long the place of the daemon may be empty. One that has it and still checks a long history is waited for longer. */
const ANSWER_WITHIN_MS = 30_000;
/** After this the person is told what is waited for. */
const TELL_AFTER_MS = 5_000;
const PAUSE_MS = 100;
const MAX_TRIES = 5;

/** `pilotfish update` */
export const update: Subcommand = {
  name: 'update',
  summary: 'replace this pilotfish by a newer version from a package, and go back when that does not work',
  usage: [
    '--from FILE|URL [--key FILE] [--now] [--json]',
    '--from FILE|URL  the package; SHA256SUMS and SHA256SUMS.sig lie beside it, and an address is https or on this machine',
    '--key FILE       trust this public key (Ed25519, PEM) instead of the one that is built in',
    '--now            interrupt agents that work; otherwise nothing is updated while they do',
    '--json           print the report as JSON',
  ],
  run: async (args, io) => {
    const { values } = readArgs(args, {
      from: { type: 'string' },
      key: { type: 'string' },
      now: { type: 'boolean' },
      json: { type: 'boolean' },
    });
    if (values.from === undefined) throw new CompanionError('CLI_USAGE', '"update" needs --from FILE or --from URL.');
    // With a key of its own an agent could put any program in the place of this one.
    if (io.env[RUN_MARK] !== undefined) throw new CompanionError('PERSON_ONLY');
    const key = values.key === undefined ? null : readKey(values.key);
    const report = await updateFrom(io, values.from, key, values.now === true);
    if (values.json === true) {
      io.json({ ...report, version: { before: VERSION, now: report.isUpdated ? report.offered : VERSION } });
    } else if (!report.isUpdated) io.print(`${report.package} is this very program, version ${VERSION}; nothing was to be done.`);
    else {
      io.print(`Version ${VERSION} was replaced by ${report.offered}.`);
      io.print(`The old program is ${report.old}, the data of before are in ${report.backup}.`);
      if (report.isExtensionNew) io.print('Reload the extension at chrome://extensions: its new version is unpacked.');
    }
    return 0;
  },
};

interface Report {
  readonly package: string;
  /** The version of the package. */
  readonly offered: string;
  readonly isUpdated: boolean;
  readonly old: string | null;
  readonly backup: string | null;
  /** Whether a new extension was unpacked, which browsers take up when it is reloaded. */
  readonly isExtensionNew: boolean;
}

const updateFrom = async (io: Io, from: string, key: string | null, isNow: boolean): Promise<Report> => {
  const { installer, signal } = io;
  assertNoTrial(io);
  const release = await installer.update.read(from, { key, signal });
  const exchange = installer.update.exchange();
  const nothing = { package: release.name, offered: VERSION, isUpdated: false, old: null, backup: null, isExtensionNew: false };
  let isTaken = false;
  try {
    const offered = await exchange.prepare(release, signal);
    if (offered === null) return nothing;
    if (offered.localeCompare(VERSION, 'en', { numeric: true }) < 0) {
      throw new CompanionError('UPDATE_REFUSED', `${release.name} has version ${offered}, which is older than this one, ${VERSION}.`);
    }
    if (!isNow) await assertIdle(io);
    const trial = new Trial(io);
    const wasRunning = await stopDaemon(io);
    await withoutDaemon(io, () => exchange.keepData());
    exchange.putIn(offered);
    isTaken = true;
    if (io.isInteractive) io.note(`Trying version ${offered}; if this is cut off, go back with: ${exchange.old} doctor --fix`);
    try {
      await trial.run(offered);
      exchange.settle();
    } catch (error) {
      // Nothing interrupts the way back.
      const quiet = { client: io.client, signal: new AbortController().signal };
      await trial.end();
      // The data come first: the new program, if this ends here, can read those of before, but the old one may not read its.
      await withoutDaemon(quiet, () => exchange.restoreData());
      exchange.putBack();
      if (wasRunning) for (const note of trial.start()) io.note(note);
      throw error;
    }
    return { ...nothing, offered, isUpdated: true, old: exchange.old, backup: exchange.backup, isExtensionNew: await renewExtension(io) };
  } finally {
    if (!isTaken) exchange.drop();
  }
};

/** The data to go back to are those of before the first of two updates. */
const assertNoTrial = ({ installer }: Io): void => {
  const trial = installer.update.trial();
  if (trial === null) return;
  const { version, isCutOff } = trial;
  throw new CompanionError('UPDATE_REFUSED', `An update to version ${version} ${isCutOff ? 'was cut off' : 'goes on'}.`, {
    remedy: isCutOff ? 'Run `pilotfish doctor --fix` first.' : 'Wait for its end.',
  });
};

/** Goes back from an update that was cut off and whose version does not come up; what was done, null where there is nothing to do. */
export const goBack = async (io: Pick<Io, 'client' | 'signal' | 'installer' | 'note'>): Promise<string | null> => {
  const trial = io.installer.update.trial();
  if (trial === null || !trial.isCutOff) return null;
  const { version, exchange } = trial;
  if (!exchange.isIn()) {
    exchange.settle();
    return null;
  }
  if (version === VERSION && (await comesUp(io))) {
    exchange.settle();
    return null;
  }
  const { service } = io.installer;
  // A service would start the daemon of the new program again and again.
  const isService = service.stop();
  await withoutDaemon(io, () => exchange.restoreData());
  exchange.putBack();
  if (isService) for (const note of service.start()) io.note(note);
  return `The update to version ${version} was cut off: the program and the data of before it are back.`;
};

const comesUp = ({ client, signal }: Pick<Io, 'client' | 'signal'>): Promise<boolean> =>
  client.connect({ start: true, signal }).then(
    ({ version }) => version === VERSION,
    () => false,
  );

/** A browser may start a daemon at any moment: what was done while one came is done again without it. */
const withoutDaemon = async (io: Pick<Io, 'client' | 'signal'>, work: () => void): Promise<void> => {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    // One that hangs does not answer, and gives its place to the next.
    await stopDaemon(io).catch(() => io.signal.throwIfAborted());
    work();
    if ((await askDaemon(io)) === null) return;
  }
  throw new CompanionError('UPDATE_FAILED', 'Daemons are started again and again by something else.');
};

/** The version of the daemon that answers. */
const askDaemon = async ({ client, signal }: Pick<Io, 'client' | 'signal'>): Promise<string | null> => {
  try {
    return (await client.connect({ start: false, signal })).version;
  } catch {
    signal.throwIfAborted();
    return null;
  }
};

const readKey = (file: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new CompanionError('CLI_USAGE', `The key ${file} cannot be read.`, { cause });
  }
};

/** What works now would be interrupted. */
const assertIdle = async ({ client, signal }: Io): Promise<void> => {
  const sessions = await client.connect({ start: false, signal }).then(
    async () => (await client.status(signal)).sessions,
    // Where no daemon runs, or one of another age, nothing can be asked.
    () => [],
  );
  const working = sessions.filter(({ status }) => status !== 'idle').length;
  if (working === 0) return;
  throw new CompanionError('UPDATE_REFUSED', `${working === 1 ? 'A session is' : `${working} sessions are`} at work.`, {
    remedy: 'Wait for the end, or add --now to interrupt; nothing was changed.',
  });
};

/** The daemon of the executable that stands in the place now: the service of the login where it is one, a process of its own otherwise. */
class Trial {
  readonly #io: Io;
  readonly #isService: boolean;
  #child: ChildProcess | null = null;

  constructor(io: Io) {
    this.#io = io;
    this.#isService = io.installer.service.status().isRunning;
  }

  /** Starts it, and resolves when it answers with this version. */
  async run(version: string): Promise<void> {
    const { signal } = this.#io;
    const problems = this.start();
    if (problems.length > 0) throw new CompanionError('UPDATE_FAILED', problems.join('; '));
    const begun = performance.now();
    const notice = setTimeout(() => this.#io.note(stillWaiting(version)), TELL_AFTER_MS);
    try {
      for (;;) {
        const found = await askDaemon(this.#io);
        if (found === version) return;
        // The program of before was started by something else in the last moment.
        if (found !== null) await stopDaemon(this.#io);
        else if (performance.now() - begun > ANSWER_WITHIN_MS)
          throw new CompanionError('UPDATE_FAILED', `The daemon of version ${version} does not answer.`);
        else if (this.#hasFailed()) throw new CompanionError('UPDATE_FAILED', `The daemon of version ${version} ended at once.`);
        else if (this.#hasEnded()) this.start();
        await delay(PAUSE_MS, undefined, { signal });
      }
    } finally {
      clearTimeout(notice);
    }
  }

  /** Ends what did not answer, and what it has started. */
  async end(): Promise<void> {
    if (this.#isService) this.#io.installer.service.stop();
    const child = this.#child;
    if (child?.pid === undefined || this.#hasEnded()) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    // Nothing else may be left that keeps this process until then.
    child.ref();
    try {
      process.kill(process.platform === 'win32' ? child.pid : -child.pid, 'SIGKILL');
    } catch {
      // It has ended by itself meanwhile.
    }
    await ended;
  }

  /** Starts the executable that stands in the place now; what the system says against it, or nothing. */
  start(): string[] {
    if (this.#isService) return this.#io.installer.service.start();
    const { self, env, paths } = this.#io;
    const { [RUN_MARK]: _, ...ownEnv } = env;
    this.#child = spawn(self.command, [...self.args, 'daemon'], {
      cwd: homedir(),
      detached: true,
      // It works in another folder, where a relative path would lead elsewhere.
      env: paths.isPortable ? { ...ownEnv, PILOTFISH_HOME: paths.root } : ownEnv,
      stdio: 'ignore',
      windowsHide: true,
    });
    this.#child.on('error', () => undefined);
    this.#child.unref();
    return [];
  }

  #hasEnded(): boolean {
    const child = this.#child;
    return child !== null && (child.exitCode !== null || child.signalCode !== null || child.pid === undefined);
  }

  /** One that only found the place taken ends with 0. */
  #hasFailed(): boolean {
    return this.#hasEnded() && this.#child?.exitCode !== 0;
  }
}

const stillWaiting = (version: string): string =>
  `The daemon of version ${version} does not answer yet; after ${ANSWER_WITHIN_MS / 1000} s the one of before is back.`;

/** The new program unpacks its extension where the old one had unpacked its own. */
const renewExtension = async ({ installer, self, env, note }: Io): Promise<boolean> => {
  if (installer.extension().version === null) return false;
  const child = spawn(self.command, [...self.args, 'install', '--json'], { env, stdio: 'ignore', windowsHide: true });
  const code = await new Promise<number | null>((resolve) => child.on('error', () => resolve(null)).on('exit', resolve));
  if (code === 0) return true;
  note('The extension could not be unpacked anew: run `pilotfish install`.');
  return false;
};
