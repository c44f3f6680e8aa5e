/** JSON over HTTP to a model server of the user. */
import type * as undici from 'undici';
import * as z from 'zod';
import { CompanionError, type ErrorBody } from '#protocol/errors.ts';
import { explain } from '#protocol/faults.ts';
import { apiError, detailOf } from '../errors.ts';

const MAX_ERROR_BYTES = 64 * 1024;
/** Of a refusal that takes longer to arrive, the part that has come is shown. */
const ERROR_MS = 2000;
/** A list of thousands of models fits. Any other program may listen on one of the usual ports. */
const MAX_LOOK_BYTES = 8 * 1024 * 1024;

/** Loaded with the first request: a daemon without local models need not hold it in memory. It follows no redirect: the key is for this server only. */
const request: typeof undici.request = async (url, options) => (await import('undici')).request(url, options);

type Answer = undici.Dispatcher.ResponseData;

export interface Server {
  /** The address without a slash at its end, below which servers keep their own methods. */
  readonly url: string;
  /** The address where the OpenAI-compatible part begins, mostly `/v1`. */
  readonly apiUrl: string;
  readonly apiKey: string | null;
}

const headersOf = (server: Server): Record<string, string> => ({
  'content-type': 'application/json',
  ...(server.apiKey === null ? {} : { authorization: `Bearer ${server.apiKey}` }),
});

/** The JSON at an address, `{status}` of a refusal, or null when nobody answers in JSON. It is used to look for servers. */
export const lookUp = async (server: Server, url: string, signal: AbortSignal, body?: unknown): Promise<unknown> => {
  try {
    const answer = await request(url, {
      method: body === undefined ? 'GET' : 'POST',
      headers: headersOf(server),
      signal,
      headersTimeout: 0,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await readSome(answer, MAX_LOOK_BYTES);
    return answer.statusCode === 200 ? JSON.parse(text) : { status: answer.statusCode };
  } catch {
    return null;
  }
};

/** Posts a body and resolves with the body of the answer; rejects with a CompanionError for every other status than 2xx. */
export const post = async (server: Server, path: string, body: unknown, signal: AbortSignal): Promise<Answer['body']> => {
  let answer: Answer;
  try {
    answer = await request(`${server.apiUrl}${path}`, {
      method: 'POST',
      headers: { ...headersOf(server), accept: 'text/event-stream, application/json' },
      body: JSON.stringify(body),
      signal,
      // A model on the user's own machine may need minutes to read a long prompt before its first word.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  } catch (error) {
    if (signal.aborted) throw error;
    throw new CompanionError('ENGINE_SERVER_NOT_FOUND', explain('was_at', { url: server.url }), {
      remedy: explain('start_server_send'),
      cause: error,
    });
  }
  if (answer.statusCode === 200) return answer.body;
  const late = setTimeout(() => answer.body.destroy(), ERROR_MS);
  const text = await readSome(answer, MAX_ERROR_BYTES).finally(() => clearTimeout(late));
  signal.throwIfAborted();
  const { location } = answer.headers;
  if (answer.statusCode >= 300 && answer.statusCode < 400) {
    throw new CompanionError(
      'ENGINE_API_ERROR',
      explain('redirects', { url: server.url, address: JSON.stringify(location ?? 'nowhere') }),
      {
        remedy: explain('name_address_if', { command: 'pilotfish engine set local endpoint=URL' }),
      },
    );
  }
  throw refusal(answer.statusCode, text, retryAfterMs(answer.headers['retry-after']));
};

/** A refusal of the server, with its own words, because some refusals are worth another try. */
export class ServerError extends CompanionError {
  readonly said: string;

  constructor({ code, message, remedy, retryAt }: ErrorBody, said: string) {
    super(code, '', { remedy, ...(retryAt === undefined ? {} : { retryAt }) });
    this.message = message;
    this.said = said;
  }
}

/** An error body of the server as one of Pilotfish's own errors. */
export const refusal = (status: number | null, text: string, afterMs?: number): ServerError => {
  const said = messageIn(text);
  const body = isContextFull(text)
    ? new CompanionError('ENGINE_CONTEXT_FULL', detailOf(said)).toBody()
    : apiError(status, said === '' ? `Status ${status ?? 'unknown'}.` : said, afterMs);
  return new ServerError(body, text);
};

/** What llama.cpp and LM Studio say in addition to what all providers say. */
const isContextFull = (text: string): boolean =>
  /exceed_context_size|context_length_exceeded|context size|context the overflows/i.test(text);

const Failure = z.union([
  z.looseObject({ error: z.string() }).transform(({ error }) => error),
  z.looseObject({ error: z.looseObject({ message: z.string() }) }).transform(({ error }) => error.message),
  z.looseObject({ message: z.string() }).transform(({ message }) => message),
  z.looseObject({ detail: z.string() }).transform(({ detail }) => detail),
]);

/** The message in an error body; servers disagree about its shape. */
const messageIn = (text: string): string => {
  try {
    const found = Failure.safeParse(JSON.parse(text));
    return found.success ? found.data : text;
  } catch {
    return text;
  }
};

/** The header holds seconds or a date. */
const retryAfterMs = (header: string | string[] | undefined): number | undefined => {
  if (typeof header !== 'string') return undefined;
  const seconds = Number(header);
  const ms = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(header) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
};

/** The beginning of an answer, as far as it has come; the connection is closed when more follows. */
const readSome = async ({ body }: Answer, maxBytes: number): Promise<string> => {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  try {
    for await (const chunk of body) {
      if (!Buffer.isBuffer(chunk)) continue;
      chunks.push(chunk);
      sizeBytes += chunk.length;
      if (sizeBytes >= maxBytes) break;
    }
  } catch {
    // What has come until now is returned.
  }
  return Buffer.concat(chunks).toString('utf8', 0, maxBytes);
};
