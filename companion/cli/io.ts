/** What a subcommand can use. Everything it prints goes through here, so that foreign text never controls a terminal. */
import type { Readable, Writable } from 'node:stream';
import type { Client } from '#companion/client/client.ts';
import type { Installer } from '#companion/client/installer.ts';
import type { Paths } from '#companion/lib/paths.ts';
import type { SessionId } from '#protocol/ids.ts';
import { spelled } from '#protocol/foreign-name.ts';
import { withCommand } from '#display/command-name.ts';
import { plainText, printableJson } from '#display/plain-text.ts';

export interface Surroundings {
  readonly env: NodeJS.ProcessEnv;
  readonly paths: Paths;
  /** The daemon's client, not connected yet. */
  readonly client: Client;
  readonly installer: Installer;
  /** How this very program is started again. */
  readonly self: { readonly command: string; readonly args: readonly string[] };
  /** Aborted when the user presses ctrl+c, or the process is told to end. */
  readonly signal: AbortSignal;
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
  /** Whether a person sits at stdin and reads stderr. */
  readonly isInteractive: boolean;
  /** Opens the terminal UI on a session; null without a terminal. */
  readonly openTerminalUi: ((sessionId: SessionId) => Promise<number>) | null;
}

export interface Io extends Surroundings {
  /** Prints one or more lines, for a person or a pipe. */
  print(text: string): void;
  /** Prints one line, also where the text has line ends: an entry of a list cannot pass for two. */
  line(text: string): void;
  /** Prints a piece of a line. */
  write(text: string): void;
  /** Prints a line beside the result: progress, warnings, errors. */
  note(text: string): void;
  /** Prints the result for a program: one JSON value, indented or on one line. */
  json(value: unknown, isCompact?: boolean): void;
  /** When all is written: why some of it could not be. A reader that has seen enough (`pilotfish logs | head`) is no fault. */
  written(): Promise<Error | null>;
}

/** Binds the printing to the streams. */
export const createIo = (surroundings: Surroundings): Io => {
  const { stdout, stderr, installer } = surroundings;
  const command = installer.command();
  const readable = (text: string): string => plainText(withCommand(text, command));
  let fault: Error | null = null;
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (!CLOSED.has(error.code ?? '')) fault ??= error;
  });
  // Nobody can be told any more.
  stderr.on('error', () => undefined);
  return {
    ...surroundings,
    print: (text) => void stdout.write(`${readable(text)}\n`),
    line: (text) => void stdout.write(`${readable(text.replaceAll(LINE_END, spelled))}\n`),
    write: (text) => void stdout.write(plainText(text)),
    note: (text) => void stderr.write(`${readable(text)}\n`),
    json: (value, isCompact = false) => void stdout.write(`${printableJson(value, isCompact ? 0 : 2)}\n`),
    written: async () => {
      // A stream that has failed calls back at once.
      await new Promise((resolve) => stdout.write('', resolve));
      return fault;
    },
  };
};

const LINE_END = /[\n\r\u0085\u2028\u2029]/g;

/** How a system says that nobody reads any more. */
const CLOSED: ReadonlySet<string> = new Set(['EPIPE', 'ECONNRESET', 'EOF', 'ERR_STREAM_DESTROYED']);
