/** The lines of MCP clients over stdio, on which their calls come: a request of its own for each costs both ends more than all else that a quick call does in them. */
import type { Duplex } from 'node:stream';
import { McpCallInput } from '#protocol/api.ts';
import { CancelLine, type DaemonLine } from '#protocol/call-line.ts';
import { toErrorBody } from '#protocol/errors.ts';
import { CallId, type SessionId } from '#protocol/ids.ts';
import { CALL_LINE_PROTOCOL } from '#protocol/version.ts';
import type { Comer } from '#companion/admission/comer.ts';
import { isObject } from '#companion/lib/is-object.ts';
import { LineReader } from '#companion/lib/line-reader.ts';
import type { Log } from '#companion/lib/log.ts';
import type { ClientSessions } from './client-sessions.ts';
import { parse } from './http-error.ts';
import type { CallTool, ToolCall } from './tool-calls.ts';

/** A client that stops reading is let go when this much waits for it. */
const MAX_WAITING_BYTES = 128 * 1024 * 1024;

/** What takes longer is told to have begun, so that its client knows that the daemon is there. */
const BEGUN_AFTER_MS = 20;

/** Whose line it is. */
interface Client {
  readonly sessionId: SessionId;
  readonly pid: number | null;
}

interface CallLinesOptions {
  readonly clients: Pick<ClientSessions, 'checkOwner'>;
  readonly callTool: CallTool;
  readonly log: Log;
}

export class CallLines {
  readonly #options: CallLinesOptions;
  readonly #lines = new Set<Line>();

  constructor(options: CallLinesOptions) {
    this.#options = options;
  }

  /** Takes the connection, or throws SESSION_NOT_FOUND. `head` are its first bytes. */
  accept(socket: Duplex, head: Buffer, client: Client): void {
    this.#options.clients.checkOwner(client.sessionId, client.pid);
    socket.write(`HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${CALL_LINE_PROTOCOL}\r\n\r\n`);
    const line = new Line(socket, client, this.#options);
    this.#lines.add(line);
    socket.once('close', () => this.#lines.delete(line));
    line.begin(head);
  }

  /** The daemon ends. */
  close(): void {
    for (const line of this.#lines) line.close();
  }
}

/** One connection. */
class Line {
  readonly #socket: Duplex;
  readonly #client: Client;
  readonly #options: CallLinesOptions;
  /** What ends each call that is under way. */
  readonly #stops = new Map<CallId, AbortController>();

  constructor(socket: Duplex, client: Client, options: CallLinesOptions) {
    this.#socket = socket;
    this.#client = client;
    this.#options = options;
  }

  begin(head: Buffer): void {
    const socket = this.#socket;
    const reader = new LineReader({
      onLine: (line) => this.#read(line),
      onOverflow: () => socket.destroy(),
    });
    socket.on('data', (chunk: Buffer) => reader.push(chunk));
    // A client that says nothing more does not wait for what it has asked either.
    socket.on('end', () => socket.destroy());
    socket.on('close', () => {
      for (const stop of this.#stops.values()) stop.abort();
    });
    reader.push(head);
  }

  close(): void {
    this.#socket.end(() => this.#socket.destroy());
  }

  /** Only our own program speaks here. What the daemon does not understand of it ends the line: each call of it is then told as cut off. */
  #read(line: string): void {
    try {
      const said: unknown = JSON.parse(line);
      const callId = isObject(said) ? CallId.safeParse(said['callId']).data : undefined;
      if (callId !== undefined) return void this.#carryOut(callId, said);
      this.#stops.get(parse(CancelLine, said, 'line').cancel)?.abort();
    } catch (error) {
      this.#fail(error);
    }
  }

  async #carryOut(callId: CallId, said: unknown): Promise<void> {
    const { sessionId, pid } = this.#client;
    const tell = (told: DaemonLine['told']): void => this.#write({ callId, told });
    let call: { readonly comer: Comer; readonly input: ToolCall['input'] };
    try {
      call = { comer: this.#options.clients.checkOwner(sessionId, pid), input: parse(McpCallInput, said, 'body') };
    } catch (error) {
      return tell({ error: toErrorBody(error) });
    }
    const stop = new AbortController();
    this.#stops.set(callId, stop);
    const begun = setTimeout(() => tell({ begun: true }), BEGUN_AFTER_MS);
    try {
      tell({ result: await this.#options.callTool({ ...call, sessionId, signal: stop.signal, tell }) });
    } catch (error) {
      this.#fail(error);
    } finally {
      clearTimeout(begun);
      this.#stops.delete(callId);
    }
  }

  #write(line: DaemonLine): void {
    const socket = this.#socket;
    if (socket.destroyed || socket.writableEnded) return;
    socket.write(`${JSON.stringify(line)}\n`);
    if (socket.writableLength > MAX_WAITING_BYTES) socket.destroy();
  }

  #fail(error: unknown): void {
    this.#options.log.error('call_line.failed', { error });
    this.#socket.destroy();
  }
}
