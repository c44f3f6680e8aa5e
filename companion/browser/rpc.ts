/** JSON-RPC 2.0 requests over one connection, each answered by its id. */
import { CompanionError, ErrorBody, fromErrorBody } from '#protocol/errors.ts';
import type { JsonRpc } from '#protocol/link.ts';

/** The extension acknowledges a cancel once the page has let go; a page that hangs is not waited for longer than this (S37). */
const CANCEL_ACK_MS = 150;

export interface Progress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

export interface RequestOptions {
  readonly signal: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
}

/** The connection ended before the answer; whoever asked decides whether to ask again. */
export class ConnectionLostError extends Error {}

interface Pending {
  resolve(result: unknown): void;
  reject(error: Error): void;
  readonly onProgress: ((progress: Progress) => void) | undefined;
}

export interface Rpc {
  request(method: string, params: Record<string, unknown>, options: RequestOptions): Promise<unknown>;
  receive(message: JsonRpc): void;
  /** Rejects everything that is still open. */
  end(): void;
}

/** One end of a conversation; `send` puts a message on the carrier. */
export const createRpc = (send: (message: JsonRpc) => void): Rpc => {
  const pending = new Map<string, Pending>();
  let lastId = 0;
  let hasEnded = false;

  const settle = (message: JsonRpc): void => {
    const waiting = pending.get(String(message.id));
    // An answer that nobody waits for any more: its caller was told something else already.
    if (waiting === undefined) return;
    if (message.error === undefined) waiting.resolve(message.result);
    else waiting.reject(toError(message.error));
  };

  const report = (params: Record<string, unknown>): void => {
    const { progressToken, progress, total, message } = params;
    if (typeof progress !== 'number') return;
    pending.get(String(progressToken))?.onProgress?.({
      progress,
      ...(typeof total === 'number' ? { total } : {}),
      ...(typeof message === 'string' ? { message } : {}),
    });
  };

  return {
    request: (method, params, { signal, onProgress }) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) return reject(new CompanionError('CALL_CANCELLED'));
        if (hasEnded) return reject(new ConnectionLostError());
        const id = String(++lastId);
        let ackTimer: NodeJS.Timeout | undefined;
        const finish = (): void => {
          pending.delete(id);
          clearTimeout(ackTimer);
          signal.removeEventListener('abort', cancel);
        };
        const cancel = (): void => {
          send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } });
          ackTimer = setTimeout(() => pending.get(id)?.reject(new CompanionError('CALL_CANCELLED')), CANCEL_ACK_MS);
        };
        pending.set(id, {
          resolve: (result) => {
            finish();
            if (signal.aborted) reject(new CompanionError('CALL_CANCELLED'));
            else resolve(result);
          },
          reject: (error) => {
            finish();
            reject(signal.aborted ? new CompanionError('CALL_CANCELLED') : error);
          },
          onProgress,
        });
        signal.addEventListener('abort', cancel);
        send({ jsonrpc: '2.0', id, method, params: onProgress === undefined ? params : withProgressToken(params, id) });
      }),
    receive: (message) => {
      if (message.method === undefined) settle(message);
      else if (message.method === 'notifications/progress') report(message.params ?? {});
    },
    end: () => {
      hasEnded = true;
      for (const waiting of pending.values()) waiting.reject(new ConnectionLostError());
    },
  };
};

const withProgressToken = (params: Record<string, unknown>, progressToken: string): Record<string, unknown> => {
  const meta = params['_meta'];
  return { ...params, _meta: { ...(typeof meta === 'object' ? meta : {}), progressToken } };
};

const toError = (error: { message: string; data?: unknown }): Error => {
  const body = ErrorBody.safeParse(error.data);
  return body.success ? fromErrorBody(body.data) : new CompanionError('TOOL_FAILED', error.message);
};
