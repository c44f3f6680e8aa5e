/**
 * A terminal whose program was killed, or crashed beyond its own handlers, stays in the state that the program put it in.
 * A shell that waits for the end of the program gives the terminal back then.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';

/** Mouse, bracketed paste and the other screen off; the cursor and the usual colours back. */
const RESTORE = String.raw`\033[?1000l\033[?1006l\033[?2004l\033[?1049l\033[?25h\033[0m`;

/** A line says that the program has given the terminal back itself; the end of its input without one, that it is gone. */
const script = (settings: string): string => `read -r line || { printf '${RESTORE}'; stty ${settings} <&1; }`;

/** Watches over the terminal of this process from its making, which comes before anything is changed there, until `dismiss`. */
export class Guardian {
  readonly #shell: ChildProcess | null;

  constructor() {
    // Windows gives a console back by itself.
    const { stdout = '' } =
      process.platform === 'win32' ? {} : spawnSync('stty', ['-g'], { stdio: ['inherit', 'pipe', 'ignore'], encoding: 'utf8' });
    const settings = stdout.trim();
    if (!/^[\w:=]+$/u.test(settings)) {
      this.#shell = null;
      return;
    }
    // In a session of its own, where a terminal that has gone to another program stops nobody.
    this.#shell = spawn('/bin/sh', ['-c', script(settings)], { stdio: ['pipe', 'inherit', 'ignore'], detached: true });
    this.#shell.on('error', () => undefined).unref();
    this.#shell.stdin?.on('error', () => undefined);
    if (this.#shell.stdin !== null && 'unref' in this.#shell.stdin && typeof this.#shell.stdin.unref === 'function')
      this.#shell.stdin.unref();
  }

  /** The terminal has been given back. */
  dismiss(): void {
    this.#shell?.stdin?.end('done\n');
  }
}
