/** The MCP server that the companion talks to: JSON-RPC over one connection. */
import * as z from 'zod';
import { CompanionError, toErrorBody } from '#protocol/errors.ts';
import { CANCELLED, CancelledParams, isLinkMethod, type JsonRpc, type LinkMethod, type LinkMethods, linkMethods } from '#protocol/link.ts';

/** What serves each method of the link. */
export type LinkHandlers = {
  readonly [M in LinkMethod]: (params: LinkMethods[M]['params'], signal: AbortSignal) => Promise<LinkMethods[M]['result']>;
};

const METHOD_NOT_FOUND = -32_601;
const INVALID_PARAMS = -32_602;
const SERVER_ERROR = -32_000;

/** There is one for each connection, so that an answer never goes to a connection that did not ask. */
export class RpcServer {
  readonly #handlers: LinkHandlers;
  readonly #send: (message: JsonRpc) => void;
  readonly #running = new Map<string | number, AbortController>();

  constructor(handlers: LinkHandlers, send: (message: JsonRpc) => void) {
    this.#handlers = handlers;
    this.#send = send;
  }

  /** Serves a request, whose answer is sent later, or cancels one. */
  receive({ id, method, params = {} }: JsonRpc): void {
    if (method === undefined) return;
    if (id !== undefined) void this.#serve(id, method, params);
    else if (method === CANCELLED) {
      const cancelled = CancelledParams.safeParse(params);
      if (cancelled.success) this.#running.get(cancelled.data.requestId)?.abort(new CompanionError('CALL_CANCELLED'));
    }
  }

  async #serve(id: string | number, method: string, params: unknown): Promise<void> {
    if (!isLinkMethod(method))
      return this.#refuse(id, METHOD_NOT_FOUND, new CompanionError('FRAME_INVALID', `"${method}" is not a method.`));
    const abort = new AbortController();
    this.#running.set(id, abort);
    try {
      this.#send({ jsonrpc: '2.0', id, result: await this.#answer(method, params, abort.signal) });
    } catch (error) {
      this.#refuse(id, error instanceof ParamsError ? INVALID_PARAMS : SERVER_ERROR, error);
    } finally {
      this.#running.delete(id);
    }
  }

  async #answer<M extends LinkMethod>(method: M, params: unknown, signal: AbortSignal): Promise<LinkMethods[M]['result']> {
    const parsed = linkMethods[method].params.safeParse(params);
    if (!parsed.success) throw new ParamsError(method, parsed.error);
    return this.#handlers[method](parsed.data, signal);
  }

  #refuse(id: string | number, code: number, error: unknown): void {
    const body = toErrorBody(error);
    this.#send({ jsonrpc: '2.0', id, error: { code, message: body.message, data: body } });
  }
}

class ParamsError extends CompanionError {
  constructor(method: string, error: z.ZodError) {
    super('FRAME_INVALID', `${method}: ${z.prettifyError(error)}`);
  }
}
