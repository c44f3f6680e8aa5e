/**
 * The SDK's side of stdio, for messages that were read already: its own transport would write each of them into a stream once more, and parse it
 * again. https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#stdio
 */
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';

export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #stdout: Writable;
  #drained: Promise<unknown> | null = null;
  #isClosed = false;

  constructor(stdout: Writable) {
    this.#stdout = stdout;
  }

  start(): Promise<void> {
    return Promise.resolve();
  }

  /** The client has said this. */
  take(message: JSONRPCMessage): void {
    if (!this.#isClosed) this.onmessage?.(message);
  }

  /** Resolves when the client has been given time to read. */
  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#isClosed) throw new Error('the connection is closed');
    if (!this.#stdout.write(`${JSON.stringify(message)}\n`)) await this.#drain();
  }

  close(): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    this.#isClosed = true;
    this.onclose?.();
    return Promise.resolve();
  }

  #drain(): Promise<unknown> {
    return (this.#drained ??= once(this.#stdout, 'drain').finally(() => (this.#drained = null)));
  }
}
