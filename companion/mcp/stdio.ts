/** `pilotfish mcp`: the same server over stdin and stdout. Only the protocol goes to stdout. */
import { PassThrough, type Readable, type Writable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { INVALID_REQUEST, PARSE_ERROR, parseJSONRPCMessage } from '@modelcontextprotocol/server';
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { LineReader } from '#companion/lib/line-reader.ts';
import { Turnstile } from '#companion/lib/turnstile.ts';
import { DEFAULT_SETS, type ToolSet } from '#protocol/tool-sets.ts';
import { OfferedTools } from '#companion/toolsets/offered-tools.ts';
import { inWordsOf, serveSets } from '#companion/toolsets/serve-sets.ts';
import { PausedCalls } from './paused-calls.ts';
import { asMeant } from './meant-message.ts';
import { createBrowserServer, INSTRUCTIONS, type BrowserServerOptions } from './browser-server.ts';

export interface McpStdioOptions extends Pick<BrowserServerOptions, 'tools' | 'call'> {
  /** Those that the client asked for. */
  readonly sets?: readonly ToolSet[];
  readonly signal: AbortSignal;
  readonly onError?: (error: Error) => void;
  readonly stdin?: Readable;
  readonly stdout?: Writable;
}

/** The limit of a line; an argument may contain a file. */
const MAX_MESSAGE_BYTES = 10 * 1024 * 1024;

/** More calls wait: each that is made has a connection to the daemon, which takes no more than some hundreds at the same moment. */
const MAX_AT_ONCE = 50;

/** Serves until the client closes stdin, stops reading, or `signal` aborts. */
export const runMcpStdio = async (options: McpStdioOptions): Promise<void> => {
  const { tools, call, sets = DEFAULT_SETS, signal, onError = () => {}, stdin = process.stdin, stdout = process.stdout } = options;
  const ended = Promise.withResolvers<void>();
  // The SDK drops its open answers the moment its input ends, but a client may send everything and close at once.
  const input = new PassThrough();
  const refuse = (code: number, message: string, id: string | number | null): void =>
    void stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } })}\n`);
  // The SDK is silent about a line that is no message, and ends for one that is too long.
  const reader = new LineReader({
    maxLineBytes: MAX_MESSAGE_BYTES,
    onOverflow: (bytes) => refuse(INVALID_REQUEST, `A message may hold ${MAX_MESSAGE_BYTES} bytes; this one has ${bytes} and more.`, null),
    onLine: (line) => {
      if (line.trim() === '') return;
      for (const { message, fault } of messagesIn(line)) {
        if (fault === undefined) input.write(`${message}\n`);
        else refuse(fault.code, fault.message, fault.id);
      }
    },
  });
  stdin.on('data', (chunk: Buffer) => reader.push(chunk));
  stdin.once('end', () => {
    reader.end();
    ended.resolve();
  });
  stdin.once('close', ended.resolve);
  stdout.once('error', ended.resolve);
  signal.addEventListener('abort', () => ended.resolve(), { once: true });
  if (signal.aborted) ended.resolve();
  const offered = new OfferedTools(tools);
  const paused = new PausedCalls();
  const turnstile = new Turnstile(MAX_AT_ONCE);
  const handle = serveStdio(
    () => {
      const learning: McpStdioOptions['call'] = async (...given) => {
        const result = await turnstile.pass(() => call(...given), given[2].signal);
        if (offered.learn(result)) server.sendToolListChanged().catch(onError);
        return result;
      };
      const served = serveSets(sets, { tools: offered.list, call: learning });
      const server = createBrowserServer({ ...served, instructions: inWordsOf(sets, INSTRUCTIONS), paused });
      return server;
    },
    {
      transport: new StdioServerTransport(input, stdout, { maxBufferSize: 2 * MAX_MESSAGE_BYTES }),
      onerror: onError,
    },
  );
  await ended.promise;
  // All but tool calls is answered without waiting for anything, so within this turn.
  await nextTurn();
  paused.close();
  await handle.close();
  // An open stdin would keep the process alive, and a client that was killed may have left it open.
  stdin.destroy();
};

interface Read {
  readonly message: string;
  /** What is wrong with it, as JSON-RPC numbers it, and the id of who is to be told. */
  readonly fault?: { readonly code: number; readonly message: string; readonly id: string | number | null };
}

/** One revision of the protocol lets a client send several messages in one line; each is answered for itself. https://modelcontextprotocol.io/specification/2025-03-26/basic#batching */
const messagesIn = (line: string): Read[] => {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return [{ message: line, fault: { code: PARSE_ERROR, message: `A line must be JSON: ${why}`, id: null } }];
  }
  if (!Array.isArray(value) || value.length === 0) return [toRead(value, line)];
  return value.map((one: unknown) => toRead(one, JSON.stringify(one)));
};

const toRead = (value: unknown, message: string): Read => {
  try {
    parseJSONRPCMessage(value);
    const meant = asMeant(value);
    return { message: meant === value ? message : JSON.stringify(meant) };
  } catch {
    const id = typeof value === 'object' && value !== null && 'id' in value ? value.id : null;
    const fault = {
      code: INVALID_REQUEST,
      message: 'A line must be JSON-RPC 2.0.',
      id: typeof id === 'string' || typeof id === 'number' ? id : null,
    };
    return { message, fault };
  }
};
