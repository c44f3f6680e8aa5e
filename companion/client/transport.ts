/** HTTP over the daemon's private socket. */
import type { Duplex, Readable } from 'node:stream';
import type { Dispatcher, Pool } from 'undici';
import { isForeign, peerOf } from '#companion/lib/peer.ts';
import { parseAnswer, toPath, toRequest, type Answer, type Route, type Sent } from '#protocol/contract.ts';
import { CompanionError, ErrorBody, fromErrorBody } from '#protocol/errors.ts';

interface CallOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  /** How long the answer may be silent, in milliseconds; 0 means that there is no limit. */
  readonly silenceMs?: number;
  /** The same before it begins, where that is another one. */
  readonly begunWithinMs?: number;
}

/** Health checks of all engines take the longest. */
const ANSWER_WITHIN_MS = 120_000;
const CONNECT_WITHIN_MS = 5_000;

/** Every failure is a CompanionError. Close it: its connections keep a process alive. */
export class Transport {
  readonly #socketPath: string;
  /** The library takes longer to load than the rest of `pilotfish mcp`, and what a client asks first needs no daemon. */
  #pool: Promise<Pool> | null = null;

  constructor(socketPath: string) {
    this.#socketPath = socketPath;
  }

  /** Calls a route and resolves with its parsed answer. */
  async call<R extends Route>(route: R, sent: Sent<R>, options: CallOptions = {}): Promise<Answer<R>> {
    const response = await this.#request(route, sent, options);
    const json: unknown = response.statusCode === 204 ? await response.body.dump().then(() => null) : await response.body.json();
    return parseAnswer(route, json);
  }

  /** Calls a route that streams, and yields the bytes of a successful answer as they come. */
  async stream<R extends Route>(route: R, sent: Sent<R>, options: CallOptions = {}): Promise<Readable> {
    return (await this.#request(route, sent, options)).body;
  }

  /** Takes a connection of its own, on which both ends speak `protocol` from then on; null where the daemon refuses that. */
  async upgrade(route: Route, params: Readonly<Record<string, string>>, protocol: string, withinMs: number): Promise<Duplex | null> {
    const pool = await this.#connected();
    // What holds for requests holds for this one too; the library's types leave it out.
    const options = { path: toPath(route, params), protocol, headersTimeout: withinMs };
    return pool.upgrade(options).then(
      ({ socket }) => socket,
      (cause: unknown) => {
        if (isRefused(cause)) return null;
        throw unreachable(cause);
      },
    );
  }

  async close(): Promise<void> {
    await (await this.#pool)?.destroy();
  }

  #connected(): Promise<Pool> {
    return (this.#pool ??= openPool(this.#socketPath));
  }

  async #request<R extends Route>(route: R, sent: Sent<R>, options: CallOptions): Promise<Dispatcher.ResponseData> {
    const { headers, signal, silenceMs = ANSWER_WITHIN_MS, begunWithinMs = silenceMs } = options;
    const { method, address, body } = toRequest(route, sent);
    const pool = await this.#connected();
    const response = await pool
      .request({
        method,
        path: address,
        headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        headersTimeout: begunWithinMs,
        bodyTimeout: silenceMs,
        ...(signal === undefined ? {} : { signal }),
      })
      .catch((cause: unknown) => {
        signal?.throwIfAborted();
        throw unreachable(cause);
      });
    if (response.statusCode < 300) return response;
    throw toError(response.statusCode, await response.body.json().catch(() => null));
  }
}

const openPool = async (socketPath: string): Promise<Pool> => {
  const { buildConnector, Pool } = await import('undici');
  const open = buildConnector({ socketPath, timeout: CONNECT_WITHIN_MS });
  return new Pool('http://localhost', {
    pipelining: 1,
    connect: (options, done) =>
      open(options, (...[error, socket]) => {
        if (error !== null) return done(error, null);
        if (!isForeign(peerOf(socket))) return done(null, socket);
        socket.destroy();
        return done(new CompanionError('SOCKET_FOREIGN', `What listens on ${socketPath} belongs to another user.`), null);
      }),
  });
};

/** The chunks of an answer; a break is reported as an error for a person. */
export async function* chunksOf(answer: AsyncIterable<unknown>, signal?: AbortSignal): AsyncGenerator<unknown> {
  try {
    yield* answer;
  } catch (error) {
    signal?.throwIfAborted();
    throw unreachable(error);
  }
}

/** A failed connection as an error for a person. */
const unreachable = (cause: unknown): CompanionError => {
  if (cause instanceof CompanionError) return cause;
  return new CompanionError('DAEMON_NOT_RUNNING', isAbsent({ cause }) ? '' : 'The connection to it broke.', { cause });
};

/** Whether no daemon was there that could have heard anything. */
export const isAbsent = ({ cause }: { readonly cause?: unknown }): boolean => {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  return code === 'ENOENT' || code === 'ECONNREFUSED';
};

/** Whether there was an answer, and it was another one than the protocol. */
const isRefused = (cause: unknown): boolean => cause instanceof Error && cause.message === 'bad upgrade';

const toError = (status: number, json: unknown): CompanionError => {
  const refused = ErrorBody.safeParse(json);
  return refused.success ? fromErrorBody(refused.data) : new CompanionError('INTERNAL', `The daemon answered ${status}.`);
};
