/** The terminal. The only file that knows blessed, which takes the terminal and gives it back: it paints the lines that differ from those on the screen. */
import blessed from 'blessed';
import { Guardian } from './guardian.ts';
import { paletteFor, toCodes, type Palette } from './palettes.ts';

export interface Frame {
  readonly lines: readonly string[];
  /** The position of the cursor; null hides it. */
  readonly cursor: { readonly row: number; readonly column: number } | null;
}

/** The width of one code point in columns; below 1 when it has no place of its own. */
export const charWidth = (codePoint: number): number => blessed.unicode.charWidth(codePoint);

/** Bracketed paste, so that a pasted newline does not send. */
const PASTE_MODE = '?2004';
/** Reports buttons, the wheel, and coordinates beyond column 223. */
const MOUSE_MODES = ['?1000', '?1006'];

const HIDE_CURSOR = '\u001b[?25l';
const SHOW_CURSOR = '\u001b[?25h';
const RESET = '\u001b[0m';

export interface ScreenOptions {
  /** The environment says what the terminal can show, and which theme the person wants. */
  readonly env: NodeJS.ProcessEnv;
  /** What the user types, as it comes. */
  readonly onInput: (text: string) => void;
  readonly onResize: () => void;
  /** The colours that were chosen before. */
  readonly theme: string | null;
  /** The terminal is gone. */
  readonly onEnd: () => void;
}

/** Holds the terminal from its making until `close`. */
export class Screen {
  readonly #options: ScreenOptions;
  readonly #screen: ReturnType<typeof blessed.screen>;
  #palette: Palette;
  readonly #guardian = new Guardian();
  readonly #decoder = new TextDecoder();
  #isMouseOn = false;
  /** What stands on the screen; empty when that is not known. */
  #shown: readonly string[] = [];
  #cursor: Frame['cursor'] = null;

  constructor(options: ScreenOptions) {
    this.#options = options;
    // Without it blessed draws borders as letters where the terminal's description asks for the alternate character set.
    process.env['NCURSES_NO_UTF8_ACS'] = '1';
    const term = process.env['TERM'] ?? '';
    this.#screen = blessed.screen({
      smartCSR: true,
      fullUnicode: true,
      forceUnicode: true,
      ignoreLocked: ['C-c'],
      // What calls itself dumb or nothing (a container, a CI job with a terminal) nearly always understands xterm, and
      // every xterm of this century has 256 colours though its plain description says 8.
      terminal: ['', 'dumb', 'unknown', 'xterm'].includes(term) ? 'xterm-256color' : term,
      title: 'Pilotfish',
    });
    this.#palette = paletteFor(options.env, options.theme);
    // When a terminal is closed its input ends, and writing to it fails; nobody can be told any more.
    process.stdin.on('data', this.#read).once('end', options.onEnd).on('error', options.onEnd);
    process.stdout.on('error', options.onEnd);
    this.#screen.on('resize', () => {
      // blessed has cleared it.
      this.#shown = [];
      options.onResize();
    });
    // blessed gives the screen back at any exit; these modes have to be switched off here.
    process.on('exit', this.#leave);
    this.#enter();
  }

  size(): { columns: number; rows: number } {
    return { columns: this.#screen.width, rows: this.#screen.height };
  }

  draw({ lines, cursor }: Frame): void {
    const rows = changedRows(this.#shown, lines, this.#palette);
    const isMoved = cursor?.row !== this.#cursor?.row || cursor?.column !== this.#cursor?.column;
    this.#shown = lines;
    this.#cursor = cursor;
    if (rows === '' && !isMoved) return;
    this.#screen.program.flush();
    process.stdout.write(`${HIDE_CURSOR}${rows}${cursor === null ? '' : `${goTo(cursor.row, cursor.column)}${SHOW_CURSOR}`}`);
  }

  /** Puts a text on the clipboard of the person's terminal, through SSH and tmux too, where the terminal allows it (OSC 52). */
  copy(text: string): void {
    process.stdout.write(`\u001b]52;c;${Buffer.from(text).toString('base64')}\u0007`);
  }

  /** Rings the terminal's bell, which marks its window or tab, too. */
  ring(): void {
    process.stdout.write('\u0007');
  }

  /** Everything is drawn in it from the next frame on. */
  setPalette(palette: Palette): void {
    this.#palette = palette;
    this.#shown = [];
  }

  setMouse(isOn: boolean): void {
    const { program } = this.#screen;
    this.#isMouseOn = isOn;
    for (const mode of MOUSE_MODES) {
      if (isOn) program.setMode(mode);
      else program.resetMode(mode);
    }
    program.flush();
  }

  /** Hands the terminal back to the shell (ctrl+z) until the shell returns it. */
  suspend(): void {
    this.#giveBack();
    process.once('SIGCONT', () => this.#takeAgain());
    process.kill(process.pid, 'SIGTSTP');
  }

  /** Hands the terminal to what `run` runs, which has ended when it returns. */
  lend(run: () => void): void {
    // The keys that end that program do not end this one.
    const ignore = (): void => {};
    process.on('SIGINT', ignore);
    this.#giveBack();
    try {
      run();
    } finally {
      this.#takeAgain();
      // A signal that came meanwhile is told only now.
      setImmediate(() => process.off('SIGINT', ignore));
    }
  }

  close(): void {
    process.stdin.off('data', this.#read).off('end', this.#options.onEnd);
    process.off('exit', this.#leave);
    this.#leave();
    this.#screen.destroy();
    this.#guardian.dismiss();
  }

  readonly #read = (chunk: Buffer): void => this.#options.onInput(this.#decoder.decode(chunk, { stream: true }));

  #giveBack(): void {
    const { program } = this.#screen;
    // blessed's own way buffers the codes that restore the terminal, and then stops the process before they are written.
    this.#leave();
    program.normalBuffer();
    program.showCursor();
    program.flush();
    process.stdin.setRawMode(false);
  }

  #takeAgain(): void {
    this.#screen.program.alternateBuffer();
    this.#enter();
    this.#screen.alloc();
    this.#shown = [];
    this.#options.onResize();
  }

  #enter(): void {
    const { program } = this.#screen;
    process.stdin.setRawMode(true);
    program.setMode(PASTE_MODE);
    if (this.#isMouseOn) for (const mode of MOUSE_MODES) program.setMode(mode);
    program.flush();
  }

  readonly #leave = (): void => {
    const { program } = this.#screen;
    program.resetMode(PASTE_MODE);
    for (const mode of MOUSE_MODES) program.resetMode(mode);
    program.flush();
  };
}

/** The codes that turn the screen with the lines `shown` into one with `lines`; each line is as wide as the screen. */
export const changedRows = (shown: readonly string[], lines: readonly string[], palette: Palette): string =>
  lines.map((line, row) => (line === shown[row] ? '' : `${goTo(row, 0)}${RESET}${toCodes(line, palette)}`)).join('');

const goTo = (row: number, column: number): string => `\u001b[${row + 1};${column + 1}H`;
