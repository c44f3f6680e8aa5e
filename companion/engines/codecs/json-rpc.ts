/**
 * JSON-RPC 2.0 by lines, as codex and the ACP agents speak it. Both ends count their request ids from 0, so a request
 * and an answer with the same id are told apart by `method`, never by the id.
 */
import * as z from 'zod';
import type { Effect } from '../engine.ts';
import { say } from './open-items.ts';

const RpcId = z.union([z.string(), z.number()]);
export type RpcId = z.infer<typeof RpcId>;

export const RpcError = z.looseObject({ code: z.number(), message: z.string(), data: z.unknown().optional() });
export type RpcError = z.infer<typeof RpcError>;

/** Enough of a line to recognise it by; a malformed line may have any length. */
const MAX_SHOWN_LINE = 500;

/** A line that could not be read, for the log. */
export const malformedLine = (line: string, reason: string): Effect =>
  say({ type: 'malformed', line: line.slice(0, MAX_SHOWN_LINE), reason: reason.slice(0, MAX_SHOWN_LINE) });

/** The code for a method that is not known; every agent expects it for an extension that the client lacks. */
export const METHOD_NOT_FOUND = -32601;

/** The code for params that are not those of the method. */
export const INVALID_PARAMS = -32602;

type RpcFrame =
  | { type: 'request'; id: RpcId; method: string; params: unknown }
  | { type: 'notification'; method: string; params: unknown }
  | { type: 'answer'; id: RpcId; answer: RpcAnswer }
  | { type: 'malformed'; reason: string };

export type RpcAnswer = { result: unknown } | { error: RpcError };

const Incoming = z.looseObject({
  id: RpcId.nullish(),
  method: z.string().optional(),
  params: z.unknown().optional(),
  result: z.unknown().optional(),
  error: RpcError.nullish(),
});

/** What a line of the agent is; never throws. */
const readFrame = (line: string): RpcFrame => {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return { type: 'malformed', reason: 'not JSON' };
  }
  const parsed = Incoming.safeParse(value);
  if (!parsed.success) return { type: 'malformed', reason: 'not a JSON-RPC message' };
  const { id, method, params, result, error } = parsed.data;
  if (method !== undefined) {
    return id === undefined || id === null ? { type: 'notification', method, params } : { type: 'request', id, method, params };
  }
  if (id === undefined || id === null) return { type: 'malformed', reason: 'neither a method nor an id' };
  return { type: 'answer', id, answer: error === undefined || error === null ? { result } : { error } };
};

/** What is done with the messages that an agent begins. A text in place of effects says what of the params is not understood. */
export interface RpcReceiver {
  readonly request: (id: RpcId, method: string, params: unknown) => Effect[];
  readonly notification: (method: string, params: unknown) => Effect[] | string;
}

/** Pilotfish's end of a connection. `envelope` is what every line begins with: codex leaves `jsonrpc` out. */
export class RpcPeer {
  readonly #envelope: { readonly jsonrpc?: '2.0' };
  readonly #waiting = new Map<RpcId, (answer: RpcAnswer) => Effect[]>();
  #nextId = 0;

  constructor(envelope: { readonly jsonrpc?: '2.0' }) {
    this.#envelope = envelope;
  }

  /** A request to the agent; `answered` runs when its answer comes, and is forgotten with the process. */
  call(method: string, params: unknown, answered: (answer: RpcAnswer) => Effect[]): Effect {
    const id = this.#nextId;
    this.#nextId += 1;
    this.#waiting.set(id, answered);
    return this.#write({ id, method, params });
  }

  notify(method: string, params?: unknown): Effect {
    return this.#write(params === undefined ? { method } : { method, params });
  }

  respond(id: RpcId, result: unknown): Effect {
    return this.#write({ id, result });
  }

  refuse(id: RpcId, code: number, message: string): Effect {
    return this.#write({ id, error: { code, message } });
  }

  /** Takes one line of the agent: an answer goes to its call, the rest to `receiver`. */
  line(line: string, receiver: RpcReceiver): Effect[] {
    const frame = readFrame(line);
    switch (frame.type) {
      case 'malformed':
        return [malformedLine(line, frame.reason)];
      case 'answer':
        return this.#answered(frame.id, frame.answer);
      case 'request':
        return receiver.request(frame.id, frame.method, frame.params);
      case 'notification': {
        const handled = receiver.notification(frame.method, frame.params);
        return typeof handled === 'string' ? [malformedLine(line, `params of ${frame.method}: ${handled}`)] : handled;
      }
    }
  }

  /** Runs what waits for this answer, if anything does. */
  #answered(id: RpcId, answer: RpcAnswer): Effect[] {
    const answered = this.#waiting.get(id);
    if (answered === undefined) return [];
    this.#waiting.delete(id);
    return answered(answer);
  }

  #write(message: object): Effect {
    return { type: 'write', line: JSON.stringify({ ...this.#envelope, ...message }) };
  }
}
