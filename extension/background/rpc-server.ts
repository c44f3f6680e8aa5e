/** The MCP server that the companion talks to: JSON-RPC over one connection. */
import * as z from 'zod';
import { CompanionError, toErrorBody } from '#protocol/errors.ts';
import { CallId, SessionId } from '#protocol/ids.ts';
import type { JsonRpc } from '#protocol/link.ts';
import { tools } from '#extension/tools/index.ts';
import type { ToolRunner } from './tool-runner.ts';

const CallParams = z.object({
  name: z.string(),
  arguments: z.record(z.string(), z.unknown()).optional(),
  _meta: z.object({
    callId: CallId,
    sessionId: SessionId,
    progressToken: z.union([z.string(), z.number()]).optional(),
    target: z.object({ tabId: z.number(), origin: z.string() }).optional(),
  }),
});

const ResolveParams = z.object({
  sessionId: SessionId,
  tool: z.string(),
  args: z.record(z.string(), z.unknown()).optional(),
});

const CancelParams = z.object({ requestId: z.union([z.string(), z.number()]) });

const METHOD_NOT_FOUND = -32_601;
const SERVER_ERROR = -32_000;

export interface RpcServer {
  receive(message: JsonRpc): void;
}

/** One per connection: an answer never goes to a connection that did not ask. */
export const createRpcServer = (runner: ToolRunner, send: (message: JsonRpc) => void): RpcServer => {
  const running = new Map<string | number, AbortController>();

  const answer = async (method: string, params: Record<string, unknown>, signal: AbortSignal): Promise<unknown> => {
    switch (method) {
      case 'tools/list':
        return { tools: tools.map((tool) => tool.info) };
      case 'tools/call': {
        const { name, arguments: args = {}, _meta } = CallParams.parse(params);
        return runner.call({ name, args, callId: _meta.callId, sessionId: _meta.sessionId, target: _meta.target ?? null, signal });
      }
      case 'pilotfish/resolve_tab': {
        const { sessionId, tool, args = {} } = ResolveParams.parse(params);
        return runner.resolveTab({ sessionId, name: tool, args });
      }
      case 'ping':
        return {};
      default:
        throw new UnknownMethodError(method);
    }
  };

  const serve = async (id: string | number, method: string, params: Record<string, unknown>): Promise<void> => {
    const abort = new AbortController();
    running.set(id, abort);
    try {
      send({ jsonrpc: '2.0', id, result: await answer(method, params, abort.signal) });
    } catch (error) {
      const code = error instanceof UnknownMethodError ? METHOD_NOT_FOUND : SERVER_ERROR;
      const body = toErrorBody(error);
      send({ jsonrpc: '2.0', id, error: { code, message: body.message, data: body } });
    } finally {
      running.delete(id);
    }
  };

  return {
    receive: ({ id, method, params = {} }) => {
      if (method === undefined) return;
      if (id !== undefined) void serve(id, method, params);
      else if (method === 'notifications/cancelled') {
        const cancelled = CancelParams.safeParse(params);
        if (cancelled.success) running.get(cancelled.data.requestId)?.abort(new CompanionError('CALL_CANCELLED'));
      }
    },
  };
};

class UnknownMethodError extends Error {
  constructor(method: string) {
    super(`Method not found: ${method}`);
  }
}
