/** `pilotfish mcp`: the same server over stdin and stdout. Only the protocol goes to stdout. */
import type { Readable, Writable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { INVALID_REQUEST, PARSE_ERROR, parseJSONRPCMessage, type JSONRPCMessage } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { LineReader } from '#companion/lib/line-reader.ts';
import { Turnstile } from '#companion/lib/turnstile.ts';
import { DEFAULT_SETS, type ToolSet } from '#protocol/tool-sets.ts';
import { OfferedTools } from '#companion/toolsets/offered-tools.ts';
import { inWordsOf, serveSets } from '#companion/toolsets/serve-sets.ts';
import { PausedCalls } from './paused-calls.ts';
import { asMeant } from './meant-message.ts';
import { StdioTransport } from './stdio-transport.ts';
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

/** More calls wait, so that no client has the daemon to itself. */
const MAX_AT_ONCE = 50;

/** Serves until the client closes stdin, stops reading, or `signal` aborts. */
export const runMcpStdio = async (options: McpStdioOptions): Promise<void> => {
  const { tools, call, sets = DEFAULT_SETS, signal, onError = () => {}, stdin = process.stdin, stdout = process.stdout } = options;
  const ended = Promise.withResolvers<void>();
  const transport = new StdioTransport(stdout);
  const refuse = (code: number, message: string, id: string | number | null): void =>
    void stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } })}\n`);
  // The SDK is silent about a line that is no message, and ends for one that is too long.
  const reader = new LineReader({
    maxLineBytes: MAX_MESSAGE_BYTES,
    onOverflow: (bytes) => refuse(INVALID_REQUEST, `A message may hold ${MAX_MESSAGE_BYTES} bytes; this one has ${bytes} and more.`, null),
    onLine: (line) => {
      if (line.trim() === '') return;
      for (const read of messagesIn(line)) {
        if ('message' in read) transport.take(read.message);
        else refuse(read.code, read.words, read.id);
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
    { transport, onerror: onError },
  );
  await ended.promise;
  // All but tool calls is answered without waiting for anything, so within this turn.
  await nextTurn();
  paused.close();
  await handle.close();
  // An open stdin would keep the process alive, and a client that was killed may have left it open.
  stdin.destroy();
};

/** A message, or what is wrong with what was sent: as JSON-RPC numbers it, and the id of who is to be told. */
type Read = { readonly message: JSONRPCMessage } | { readonly code: number; readonly words: string; readonly id: string | number | null };

/** One revision of the protocol lets a client send several messages in one line; each is answered for itself. https://modelcontextprotocol.io/specification/2025-03-26/basic#batching */
const messagesIn = (line: string): Read[] => {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return [{ code: PARSE_ERROR, words: `A line must be JSON: ${why}`, id: null }];
  }
  return Array.isArray(value) && value.length > 0 ? value.map(toRead) : [toRead(value)];
};

const toRead = (value: unknown): Read => {
  try {
    return { message: parseJSONRPCMessage(asMeant(value)) };
  } catch {
    const id = typeof value === 'object' && value !== null && 'id' in value ? value.id : null;
    return {
      code: INVALID_REQUEST,
      words: 'A line must be JSON-RPC 2.0.',
      id: typeof id === 'string' || typeof id === 'number' ? id : null,
    };
  }
};
