/** The terminal UI: a client like any other, so that leaving it stops nothing. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import type { Client, StreamState } from '#companion/client/client.ts';
import type { Installer } from '#companion/client/installer.ts';
import type { Paths } from '#companion/lib/paths.ts';
import { preparingWords } from '#display/preparing.ts';
import type { Preparing } from '#protocol/health.ts';
import type { SessionId } from '#protocol/ids.ts';
import { warningsIn } from '#protocol/warnings.ts';
import { Effects } from './effects.ts';
import { drawFrame } from './frame.ts';
import { errorNotice } from './error-notice.ts';
import { readKept } from './kept.ts';
import { KeyReader } from './keys.ts';
import { languageOf, setLanguage, spokenLanguage, t } from './say.ts';
import { Screen } from './screen.ts';
import { takeOwnFiles } from './own-files.ts';
import { initialState, type TuiState } from './state.ts';
import { update, type Happening } from './update.ts';

export interface TuiOptions {
  readonly client: Client;
  readonly paths: Pick<Paths, 'daemonLog' | 'logDir' | 'tuiFile' | 'keysFile' | 'themesDir'>;
  readonly installer: Installer;
  readonly env: NodeJS.ProcessEnv;
  /** The session that is opened; without it, the one that needs the person most. */
  readonly sessionId?: SessionId;
}

/** The shortest time between two drawings: what happens after a pause is drawn at once, the tokens of a stream together. */
const FRAME_MS = 33;

/** How long a lone ESC may be the beginning of a sequence. */
const ESCAPE_MS = 25;

/** How often the output of background tasks is read. */
const TICK_MS = 2000;

/** How much of the log's end is shown at first. */
const LOG_TAIL_BYTES = 64 * 1024;

/** Runs until the person leaves; resolves with the exit code. */
export const runTui = async (options: TuiOptions): Promise<number> => {
  using ui = new TerminalUi(options);
  await ui.run();
  return 0;
};

/** The terminal UI while it has the terminal: keys and what the daemon tells make the next state, which is drawn. */
class TerminalUi {
  readonly #options: TuiOptions;
  readonly #life = new AbortController();
  readonly #left = Promise.withResolvers<void>();
  readonly #keys = new KeyReader();
  readonly #screen: Screen;
  readonly #effects: Effects;
  #state: TuiState;
  /** What in the person's own keys and themes has no effect. */
  readonly #problems: readonly string[];
  #drawTimer: NodeJS.Timeout | undefined;
  #drawnAt = 0;
  #escapeTimer: NodeJS.Timeout | undefined;
  #ticks: NodeJS.Timeout | undefined;
  /** What was said last of a daemon that is not ready. */
  #preparing = '';
  #isBringingUp = false;
  /** Whether the daemon was stopped in an orderly way and has not been back since. */
  #wasStopped = false;

  constructor(options: TuiOptions) {
    this.#options = options;
    const { client, installer, env, paths } = options;
    const kept = readKept(paths.tuiFile);
    setLanguage(languageOf(env, kept.language));
    this.#problems = takeOwnFiles(paths);
    this.#state = { ...initialState, isReadOnly: (env['PILOTFISH_READ_ONLY'] ?? '') !== '' };
    this.#screen = new Screen({
      env,
      theme: kept.theme ?? null,
      onInput: (text) => this.#take(text),
      onEnd: this.#quit,
      onResize: () => this.#resize(),
    });
    this.#effects = new Effects({
      client,
      installer,
      tuiFile: paths.tuiFile,
      logDir: paths.logDir,
      screen: this.#screen,
      happen: (happening) => this.#happen(happening),
      quit: this.#quit,
      signal: this.#life.signal,
    });
  }

  /** Resolves when the person leaves, or the terminal does. */
  async run(): Promise<void> {
    const { paths, installer, sessionId } = this.#options;
    process.once('SIGTERM', this.#quit);
    process.once('SIGHUP', this.#quit);
    this.#ticks = setInterval(() => this.#happen({ type: 'tick' }), TICK_MS);
    this.#resize();
    this.#screen.draw(drawFrame(this.#state));
    this.#screen.setMouse(this.#state.isMouseOn);
    this.#happen({ type: 'logs', lines: readTail(paths.daemonLog) });
    this.#happen({ type: 'setup', browserSetups: installer.browsers(), extension: installer.extension(), command: installer.command() });
    for (const problem of this.#problems.slice(0, 1))
      this.#happen({ type: 'notice', notice: { level: 'warning', text: problem, remedy: null } });
    if (sessionId !== undefined) this.#happen({ type: 'created', sessionId });
    void this.#followDaemon();
    await this.#left.promise;
  }

  [Symbol.dispose](): void {
    this.#life.abort();
    clearInterval(this.#ticks);
    clearTimeout(this.#escapeTimer);
    clearTimeout(this.#drawTimer);
    this.#screen.close();
    process.off('SIGTERM', this.#quit);
    process.off('SIGHUP', this.#quit);
  }

  readonly #quit = (): void => this.#left.resolve();

  #resize(): void {
    this.#happen({ type: 'resized', ...this.#screen.size() });
  }

  #take(text: string): void {
    clearTimeout(this.#escapeTimer);
    for (const input of this.#keys.push(text)) this.#happen({ type: 'input', input });
    if (!this.#keys.isPending) return;
    this.#escapeTimer = setTimeout(() => {
      for (const input of this.#keys.flush()) this.#happen({ type: 'input', input });
    }, ESCAPE_MS);
  }

  #happen(happening: Happening): void {
    if (this.#life.signal.aborted) return;
    const { state, effects } = update(this.#state, happening);
    const isChanged = state !== this.#state;
    this.#state = state;
    for (const effect of effects) this.#effects.run(effect);
    if (isChanged) this.#draw();
  }

  #draw(): void {
    const pauseMs = Math.max(0, this.#drawnAt + FRAME_MS - performance.now());
    this.#drawTimer ??= setTimeout(() => {
      this.#drawTimer = undefined;
      this.#screen.draw(drawFrame(this.#state));
      this.#drawnAt = performance.now();
    }, pauseMs);
  }

  /** Brings the daemon up and takes what it tells, for as long as the terminal UI lives. */
  async #followDaemon(): Promise<void> {
    const { client } = this.#options;
    const { signal } = this.#life;
    await this.#bringUp();
    let isFirst = true;
    await client.streamState(
      (event) => {
        this.#happen({ type: 'state', event });
        // A person without any session is probably new here.
        if (isFirst && event.type === 'sessions' && event.sessions.length === 0) this.#welcome();
        if (event.type === 'sessions') isFirst = false;
      },
      signal,
      (state) => this.#followLink(state),
    );
  }

  /** Who keeps everything in a folder of their own decides themselves what is registered. */
  #welcome(): void {
    const { env, installer } = this.#options;
    const isPortable = (env['PILOTFISH_HOME'] ?? '') !== '';
    this.#happen({ type: 'welcome', registers: !isPortable && installer.extension().version === null });
  }

  #followLink(state: StreamState): void {
    this.#happen({ type: 'link', link: state.state === 'live' ? 'live' : 'reconnecting' });
    if (state.state === 'live') {
      this.#wasStopped = false;
    } else if (state.wasEnded) {
      // Somebody stopped the daemon, or a newer version takes its place, so it is not started again from here.
      this.#wasStopped = true;
      this.#happen({
        type: 'notice',
        notice: { level: 'warning', text: t('The daemon was stopped.'), remedy: t('A new `pilotfish` starts it again.') },
      });
    } else if (!this.#wasStopped) {
      void this.#bringUp();
    }
  }

  /** Says why nothing is there yet, where that takes long. */
  #tellPreparing(preparing: Preparing): void {
    const text = preparingWords(preparing, spokenLanguage());
    if (text === this.#preparing) return;
    this.#preparing = text;
    this.#happen({ type: 'notice', notice: { level: 'info', text, remedy: null } });
  }

  /** Starts the daemon where none answers. */
  async #bringUp(): Promise<void> {
    if (this.#isBringingUp) return;
    this.#isBringingUp = true;
    const { client } = this.#options;
    const { signal } = this.#life;
    try {
      await client.connect({ start: true, signal, onPreparing: (preparing) => this.#tellPreparing(preparing) });
      if (this.#preparing !== '') this.#happen({ type: 'notice', notice: null });
      this.#preparing = '';
      this.#happen({ type: 'warnings', warnings: warningsIn(await client.status(signal)) });
    } catch (error) {
      if (signal.aborted) return;
      this.#happen({ type: 'notice', notice: errorNotice(error) });
    } finally {
      this.#isBringingUp = false;
    }
  }
}

/** The end of the daemon's log; nothing before a daemon has written one. */
const readTail = (file: string): string[] => {
  try {
    const fd = openSync(file, 'r');
    try {
      const start = Math.max(0, fstatSync(fd).size - LOG_TAIL_BYTES);
      const buffer = Buffer.alloc(LOG_TAIL_BYTES);
      const length = readSync(fd, buffer, 0, LOG_TAIL_BYTES, start);
      const lines = buffer
        .toString('utf8', 0, length)
        .split('\n')
        .filter((line) => line !== '');
      // The first one is probably cut.
      return start > 0 ? lines.slice(1) : lines;
    } finally {
      closeSync(fd);
    }
  } catch {
    // No daemon has written a log yet.
    return [];
  }
};
