/** HTTP over the daemon's private socket. */
import type { Readable } from 'node:stream';
import { buildConnector, Pool } from 'undici';
import * as z from 'zod';
import { isForeign, peerOf } from '#companion/lib/peer.ts';
import { CompanionError, ErrorBody, fromErrorBody } from '#protocol/errors.ts';

interface RequestOptions {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  /** How long the answer may be silent; 0 for as long as it takes. */
  readonly silenceMs?: number;
}

export interface Transport {
  /** The JSON of a good answer, parsed; every failure is a CompanionError. */
  readonly send: <T>(schema: z.ZodType<T>, method: Method, path: string, options?: RequestOptions) => Promise<T>;
  /** The bytes of a good answer as they come. */
  readonly stream: (method: Method, path: string, options?: RequestOptions) => Promise<Readable>;
  readonly close: () => Promise<void>;
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Health checks of all engines take the longest. */
const ANSWER_WITHIN_MS = 120_000;
const CONNECT_WITHIN_MS = 5_000;

export const createTransport = (socketPath: string): Transport => {
  const open = buildConnector({ socketPath, timeout: CONNECT_WITHIN_MS });
  const pool = new Pool('http://localhost', {
    pipelining: 1,
    connect: (options, done) =>
      open(options, (...[error, socket]) => {
        if (error !== null) return done(error, null);
        if (!isForeign(peerOf(socket))) return done(null, socket);
        socket.destroy();
        return done(new CompanionError('SOCKET_FOREIGN', `What listens on ${socketPath} belongs to another user.`), null);
      }),
  });

  const request = async (method: Method, path: string, options: RequestOptions) => {
    const { body, headers, signal, silenceMs = ANSWER_WITHIN_MS } = options;
    const response = await pool
      .request({
        method,
        path,
        headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        headersTimeout: silenceMs,
        bodyTimeout: silenceMs,
        ...(signal === undefined ? {} : { signal }),
      })
      .catch((cause: unknown) => {
        signal?.throwIfAborted();
        throw unreachable(cause);
      });
    if (response.statusCode < 300) return response;
    throw toError(response.statusCode, await response.body.json().catch(() => null));
  };

  return {
    send: async (schema, method, path, options = {}) => {
      const response = await request(method, path, options);
      const json: unknown = response.statusCode === 204 ? await response.body.dump().then(() => null) : await response.body.json();
      const parsed = schema.safeParse(json);
      if (parsed.success) return parsed.data;
      throw new CompanionError('FRAME_INVALID', `${method} ${path}: ${z.prettifyError(parsed.error)}`, {
        remedy: 'The daemon is of another version: run `pilotfish stop`, then start again.',
      });
    },
    stream: async (method, path, options = {}) => (await request(method, path, options)).body,
    close: () => pool.destroy(),
  };
};

/** What a failed connection means to a person. */
export const unreachable = (cause: unknown): CompanionError => {
  if (cause instanceof CompanionError) return cause;
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  const isAbsent = code === 'ENOENT' || code === 'ECONNREFUSED';
  return new CompanionError('DAEMON_NOT_RUNNING', isAbsent ? '' : 'The connection to it broke.', { cause });
};

const toError = (status: number, json: unknown): CompanionError => {
  const refused = ErrorBody.safeParse(json);
  return refused.success ? fromErrorBody(refused.data) : new CompanionError('INTERNAL', `The daemon answered ${status}.`);
};
