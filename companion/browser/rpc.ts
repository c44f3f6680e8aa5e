/** The daemon's end of the JSON-RPC conversation with one extension: requests, each answered by its id. */
import * as z from 'zod';
import { CompanionError, ErrorBody, fromErrorBody } from '#protocol/errors.ts';
import { CANCELLED, type JsonRpc, type LinkMethod, type LinkMethods, linkMethods } from '#protocol/link.ts';

/** The extension confirms a cancel once the page has stopped; a page that hangs is not awaited for longer than this. */
const CANCEL_ACK_MS = 150;

/** The connection ended before the answer; the caller decides whether to ask again. */
export class ConnectionLostError extends Error {}

/** One request from its sending to its answer. */
class Pending {
  readonly answer: Promise<unknown>;
  readonly #settled = Promise.withResolvers<unknown>();
  readonly #signal: AbortSignal;
  readonly #onAbort: () => void;
  #ackTimer: NodeJS.Timeout | undefined;

  constructor(signal: AbortSignal, sendCancel: () => void) {
    this.answer = this.#settled.promise;
    this.#signal = signal;
    this.#onAbort = () => {
      sendCancel();
      this.#ackTimer = setTimeout(() => this.reject(new CompanionError('CALL_CANCELLED')), CANCEL_ACK_MS);
    };
    signal.addEventListener('abort', this.#onAbort);
  }

  resolve(result: unknown): void {
    if (this.#signal.aborted) return this.reject(new CompanionError('CALL_CANCELLED'));
    return this.#settled.resolve(result);
  }

  reject(error: Error): void {
    this.#settled.reject(this.#signal.aborted ? new CompanionError('CALL_CANCELLED') : error);
  }

  /** The caller does not wait for the answer any more. */
  end(): void {
    clearTimeout(this.#ackTimer);
    this.#signal.removeEventListener('abort', this.#onAbort);
  }
}

export class RpcClient {
  readonly #send: (message: JsonRpc) => void;
  readonly #pending = new Map<string, Pending>();
  #lastId = 0;
  #hasEnded = false;

  /** `send` puts a message on the carrier. */
  constructor(send: (message: JsonRpc) => void) {
    this.#send = send;
  }

  /** The extension's answer; rejects with its error, with CALL_CANCELLED, or with ConnectionLostError. */
  async request<M extends LinkMethod>(method: M, params: LinkMethods[M]['params'], signal: AbortSignal): Promise<LinkMethods[M]['result']> {
    if (signal.aborted) throw new CompanionError('CALL_CANCELLED');
    if (this.#hasEnded) throw new ConnectionLostError();
    const id = String((this.#lastId += 1));
    const pending = new Pending(signal, () => this.#send({ jsonrpc: '2.0', method: CANCELLED, params: { requestId: id } }));
    this.#pending.set(id, pending);
    try {
      this.#send({ jsonrpc: '2.0', id, method, params });
      const parsed = linkMethods[method].result.safeParse(await pending.answer);
      if (parsed.success) return parsed.data;
      throw new CompanionError('FRAME_INVALID', `The answer to ${method}: ${z.prettifyError(parsed.error)}`);
    } finally {
      pending.end();
      this.#pending.delete(id);
    }
  }

  /** Takes an answer. When nobody waits for it any more it is dropped, because its caller was told something else already. */
  receive(message: JsonRpc): void {
    if (message.method !== undefined) return;
    const pending = this.#pending.get(String(message.id));
    if (message.error === undefined) pending?.resolve(message.result);
    else pending?.reject(toError(message.error));
  }

  /** Rejects everything that is still open. */
  end(): void {
    this.#hasEnded = true;
    for (const pending of this.#pending.values()) pending.reject(new ConnectionLostError());
  }
}

const toError = (error: { message: string; data?: unknown }): Error => {
  const body = ErrorBody.safeParse(error.data);
  return body.success ? fromErrorBody(body.data) : new CompanionError('TOOL_FAILED', error.message);
};
