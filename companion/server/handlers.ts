/** Carries out the routes of a contract, and adds them to fastify. Inputs are parsed here and nowhere else. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isSea } from 'node:sea';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import * as z from 'zod';
import { isForPerson, type Given, type Input, type Route, type Routes } from '#protocol/contract.ts';
import type { Log } from '#companion/lib/log.ts';
import type { Principal } from '#companion/mcp/tokens.ts';
import { entryOf } from './doors.ts';
import { parse } from './http-error.ts';

/** What a handler may know of a request beside its parsed input. */
export interface Context {
  readonly principal: Principal;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Takes over the answer, which the handler itself writes from now on. */
  readonly hijack: () => ServerResponse;
  /** Aborted when the caller goes away. */
  readonly gone: () => AbortSignal;
  /** The id of the last event that a reader had before its connection broke, or null when it comes for the first time. */
  readonly lastEventId: string | null;
}

/**
 * The handler of a JSON route returns the answer; that of a stream takes over the response; that of bytes returns them with
 * their headers.
 */
type Handler<R extends Route> = (input: Input<R>, context: Context) => Result<R> | Promise<Result<R>>;

type Result<R extends Route> = R extends { readonly stream: 'bytes' } ? Bytes : R extends { readonly stream: string } ? void : Given<R>;

export interface Bytes {
  /** A stream is closed when all is sent, or the caller is gone. */
  readonly bytes: Buffer | Readable;
  readonly headers: Readonly<Record<string, string>>;
}

/** One handler for each route that is served over plain HTTP; a missing one does not compile. */
export type Handlers<Table extends Routes> = {
  readonly [Name in keyof Table as Table[Name] extends { readonly stream: 'websocket' } ? never : Name]: Handler<Table[Name]>;
};

/** An entry of a table whose name is not known: a method's type, since its input was parsed by the very route it belongs to. */
type AnyHandler = { carry(input: Parsed, context: Context): unknown }['carry'];

interface Parsed {
  readonly params?: unknown;
  readonly query?: unknown;
  readonly body?: unknown;
}

/** In the executable only requests are checked; run from source, as developers and tests do, answers are held to the contract too. */
const isChecking = !isSea();

const NOTHING = z.strictObject({});

/** Requests that are being answered: some take minutes, such as the check of an agent that hangs. */
export class OpenWork {
  #count = 0;

  get count(): number {
    return this.#count;
  }

  async during(run: () => unknown): Promise<unknown> {
    this.#count += 1;
    try {
      return await run();
    } finally {
      this.#count -= 1;
    }
  }
}

interface Around {
  /** Gets what ends a stream after its head is out. */
  readonly log: Log;
  /** Counts the requests that are being answered. */
  readonly work: OpenWork;
}

/** Puts a table of routes on fastify with its handlers. */
export const addRoutes = <Table extends Routes>(app: FastifyInstance, around: Around, table: Table, handlers: Handlers<Table>): void => {
  const found = new Map(Object.entries<AnyHandler>(handlers));
  for (const [name, route] of Object.entries<Route>(table)) {
    const handler = found.get(name);
    if (handler === undefined) continue;
    app.route({
      method: route.method,
      url: route.path,
      config: {
        scope: route.scope,
        isForPerson: isForPerson(route),
        isForNewcomer: route.isForNewcomer === true,
        isRoutine: route.isRoutine === true,
      },
      handler: toHttp(around, name, route, handler),
    });
  }
};

const toHttp =
  ({ log, work }: Around, name: string, route: Route, handler: AnyHandler) =>
  async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    const run = (): unknown => handler(inputOf(route, request), contextOf(request, reply));
    // A stream goes on for as long as somebody reads it, which is no work.
    const result = await carryOut(log, name, reply, route.stream === undefined ? () => work.during(run) : run);
    if (reply.sent) return reply;
    if (route.stream === 'bytes') return sendBytes(reply, result);
    if (route.answer === undefined) return reply.code(204).send();
    if (isChecking) checkAnswer(name, route.answer, result);
    return reply.code(route.status ?? 200).send(result);
  };

/** A fault after the head of a stream was sent can only be shown by closing the connection; otherwise the reader would wait for ever. */
const carryOut = async (log: Log, name: string, reply: FastifyReply, run: () => unknown): Promise<unknown> => {
  try {
    return await run();
  } catch (error) {
    if (!reply.sent) throw error;
    log.error('stream.failed', { route: name, error });
    reply.raw.destroy();
    return undefined;
  }
};

/** A request without a body is treated like one with an empty object, so that the missing fields are named. */
const inputOf = (route: Route, { params, query, body }: FastifyRequest): Parsed => ({
  ...(route.params === undefined ? {} : { params: parse(route.params, params, 'address') }),
  ...(route.query === undefined ? {} : { query: parse(route.query, query, 'query') }),
  body: parse(route.body ?? NOTHING, body ?? {}, 'body'),
});

const contextOf = ({ raw }: FastifyRequest, reply: FastifyReply): Context => {
  const last = raw.headers['last-event-id'];
  return {
    principal: entryOf(raw).principal,
    request: raw,
    response: reply.raw,
    hijack: () => {
      reply.hijack();
      return reply.raw;
    },
    gone: () => {
      const gone = new AbortController();
      reply.raw.once('close', () => {
        if (!reply.raw.writableFinished) gone.abort();
      });
      return gone.signal;
    },
    lastEventId: typeof last === 'string' ? last : null,
  };
};

const sendBytes = (reply: FastifyReply, result: unknown): FastifyReply => {
  const { bytes, headers } = BytesResult.parse(result);
  return reply.headers(headers).send(bytes);
};

const BytesResult = z.object({ bytes: z.union([z.instanceof(Buffer), z.instanceof(Readable)]), headers: z.record(z.string(), z.string()) });

const checkAnswer = (name: string, schema: z.ZodType, answer: unknown): void => {
  const checked = schema.safeParse(answer);
  if (!checked.success) throw new Error(`the answer of the route ${name} breaks its contract: ${z.prettifyError(checked.error)}`);
};
