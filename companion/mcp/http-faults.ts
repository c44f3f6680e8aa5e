/** What is wrong with a request itself, as a client of MCP over HTTP reads it. */
import type { ServerResponse } from 'node:http';

/** The code of the SDK for what is wrong with method, headers or order. */
export const INVALID_HTTP = -32_000;
/** The code of the SDK for a session that is not there: the client begins a new one. */
export const NO_SESSION = -32_001;

export const answerFault = (response: ServerResponse, status: number, code: number, message: string): void => {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ jsonrpc: '2.0', error: { code, message }, id: null }));
};
