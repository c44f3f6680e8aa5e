/** `pilotfish mcp`: the same server over stdin and stdout. Nothing but the protocol goes to stdout. */
import { PassThrough, type Readable, type Writable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { createBrowserServer, INSTRUCTIONS, type BrowserServerOptions } from './browser-server.ts';

export interface McpStdioOptions extends Pick<BrowserServerOptions, 'tools' | 'call'> {
  readonly signal: AbortSignal;
  readonly onError?: (error: Error) => void;
  readonly stdin?: Readable;
  readonly stdout?: Writable;
}

/** An argument may hold a file. */
const MAX_MESSAGE_BYTES = 10 * 1024 * 1024;

/** Serves until the client closes stdin or `signal` aborts. */
export const runMcpStdio = async (options: McpStdioOptions): Promise<void> => {
  const { tools, call, signal, onError = () => {}, stdin = process.stdin, stdout = process.stdout } = options;
  const ended = Promise.withResolvers<void>();
  // The SDK drops what it is answering the moment its input ends; a client may say all it has to say and close at once.
  const input = new PassThrough();
  stdin.pipe(input, { end: false });
  stdin.once('end', ended.resolve);
  stdin.once('close', ended.resolve);
  stdout.once('error', ended.resolve);
  signal.addEventListener('abort', () => ended.resolve(), { once: true });
  if (signal.aborted) ended.resolve();
  const handle = serveStdio(() => createBrowserServer({ tools, call, instructions: INSTRUCTIONS }), {
    transport: new StdioServerTransport(input, stdout, { maxBufferSize: MAX_MESSAGE_BYTES }),
    onerror: onError,
  });
  await ended.promise;
  // All but tool calls is answered without waiting for anything, so within this turn.
  await nextTurn();
  await handle.close();
};
