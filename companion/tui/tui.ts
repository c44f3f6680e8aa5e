/** The terminal UI: a client like any other, so that leaving it stops nothing. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { toErrorBody } from '#protocol/errors.ts';
import type { Client } from '#companion/client/client.ts';
import type { Installer } from '#companion/client/installer.ts';
import type { Paths } from '#companion/lib/paths.ts';
import { createEffects } from './effects.ts';
import { drawFrame } from './frame.ts';
import { createKeyReader } from './keys.ts';
import { openScreen } from './screen.ts';
import { initialState } from './state.ts';
import { update, type Happening } from './update.ts';

export interface TuiOptions {
  readonly client: Client;
  readonly paths: Pick<Paths, 'daemonLog'>;
  readonly installer: Installer;
  readonly env: NodeJS.ProcessEnv;
}

/** Shortest time between two drawings: faster than the eye, slower than a stream of tokens. */
const FRAME_MS = 16;

/** How long a lone ESC may be the beginning of a sequence. */
const ESCAPE_MS = 25;

/** How often the output of what runs in the background is looked at. */
const TICK_MS = 2000;

/** How much of the log's end is shown at first. */
const LOG_TAIL_BYTES = 64 * 1024;

/** Runs until the user leaves; resolves with the exit code. */
export const runTui = async ({ client, paths, installer, env }: TuiOptions): Promise<number> => {
  const life = new AbortController();
  const left = Promise.withResolvers<void>();
  const quit = (): void => left.resolve();
  let state = initialState;
  let drawTimer: NodeJS.Timeout | null = null;
  let escapeTimer: NodeJS.Timeout | undefined;

  const keys = createKeyReader();
  const screen = openScreen({
    hasColor: env['NO_COLOR'] === undefined || env['NO_COLOR'] === '',
    onInput: (text) => {
      clearTimeout(escapeTimer);
      for (const input of keys.push(text)) happen({ type: 'input', input });
      if (keys.isPending) {
        escapeTimer = setTimeout(() => {
          for (const input of keys.flush()) happen({ type: 'input', input });
        }, ESCAPE_MS);
      }
    },
    onEnd: quit,
    onResize: () => happen({ type: 'resized', ...screen.size() }),
  });

  const draw = (): void => {
    drawTimer ??= setTimeout(() => {
      drawTimer = null;
      if (!life.signal.aborted) screen.draw(drawFrame(state));
    }, FRAME_MS);
  };
  function happen(happening: Happening): void {
    if (life.signal.aborted) return;
    const { state: next, effects } = update(state, happening);
    const isChanged = next !== state;
    state = next;
    effects.forEach(act);
    if (isChanged) draw();
  }
  const act = createEffects({ client, installer, screen, happen, quit, signal: life.signal });

  const ticks = setInterval(() => happen({ type: 'tick' }), TICK_MS);
  process.once('SIGTERM', quit);
  process.once('SIGHUP', quit);
  try {
    happen({ type: 'resized', ...screen.size() });
    screen.draw(drawFrame(state));
    screen.setMouse(state.isMouseOn);
    happen({ type: 'logs', lines: readTail(paths.daemonLog) });
    happen({ type: 'setup', browserSetups: installer.browsers(), extension: installer.extension() });
    void followDaemon(client, happen, life.signal);
    await left.promise;
    return 0;
  } finally {
    life.abort();
    clearInterval(ticks);
    clearTimeout(escapeTimer);
    if (drawTimer !== null) clearTimeout(drawTimer);
    screen.close();
    process.off('SIGTERM', quit);
    process.off('SIGHUP', quit);
  }
};

/** Brings the daemon up and takes what it tells, for as long as the terminal UI lives. */
const followDaemon = async (client: Client, happen: (happening: Happening) => void, signal: AbortSignal): Promise<void> => {
  try {
    await client.connect({ start: true, signal });
    happen({ type: 'warnings', warnings: (await client.status(signal)).warnings });
  } catch (error) {
    if (signal.aborted) return;
    const { message, remedy } = toErrorBody(error);
    happen({ type: 'notice', notice: { level: 'error', text: message, remedy } });
  }
  let isFirst = true;
  await client.streamState(
    (event) => {
      happen({ type: 'state', event });
      // Who has no session yet is probably here for the first time.
      if (isFirst && event.type === 'sessions' && event.sessions.length === 0) happen({ type: 'welcome' });
      if (event.type === 'sessions') isFirst = false;
    },
    signal,
    ({ state }) => happen({ type: 'link', link: state === 'live' ? 'live' : 'reconnecting' }),
  );
};

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
