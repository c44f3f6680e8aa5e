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
  /** What each request asks that has no answer yet, by its id. */
  readonly #asked = new Map<unknown, string>();
  #drained: Promise<unknown> | null = null;
  #isClosed = false;

  constructor(stdout: Writable) {
    this.#stdout = stdout;
  }

  start(): Promise<void> {
    return Promise.resolve();
  }

  /** The client has said this. A request that it sends again while it has no answer yet is carried out once, and answered once. */
  take(message: JSONRPCMessage): void {
    if (this.#isClosed || this.#isSentAgain(message)) return;
    this.onmessage?.(message);
  }

  #isSentAgain(message: JSONRPCMessage): boolean {
    if (!('method' in message)) return false;
    if (message.method === 'notifications/cancelled') this.#asked.delete(message.params?.['requestId']);
    if (!('id' in message)) return false;
    const asks = JSON.stringify(message);
    if (this.#asked.get(message.id) === asks) return true;
    this.#asked.set(message.id, asks);
    return false;
  }

  /** Resolves when the client has been given time to read. */
  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#isClosed) throw new Error('the connection is closed');
    if (!('method' in message)) this.#asked.delete(message.id);
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
