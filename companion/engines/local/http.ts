/** JSON over HTTP to a model server of the user's own. */
import type * as undici from 'undici';
import * as z from 'zod';
import { CompanionError } from '#protocol/errors.ts';
import { apiError } from '../errors.ts';

const MAX_ERROR_BYTES = 64 * 1024;

/** Loaded with the first request: a daemon without local models need not hold it in memory. */
const request: typeof undici.request = async (url, options) => (await import('undici')).request(url, options);

export interface Server {
  /** Without `/v1` and without a slash at its end. */
  readonly url: string;
  readonly apiKey: string | null;
}

const headersOf = (server: Server): Record<string, string> => ({
  'content-type': 'application/json',
  ...(server.apiKey === null ? {} : { authorization: `Bearer ${server.apiKey}` }),
});

/** The JSON at a path, `{status}` of a refusal, or null when nobody answers in JSON: for looking around. */
export const lookUp = async (server: Server, path: string, signal: AbortSignal, body?: unknown): Promise<unknown> => {
  try {
    const answer = await request(`${server.url}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: headersOf(server),
      signal,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (answer.statusCode === 200) return await answer.body.json();
    await answer.body.dump();
    return { status: answer.statusCode };
  } catch {
    return null;
  }
};

/** Posts a body and gives the answer's; rejects with a CompanionError for every answer but a good one. */
export const post = async (
  server: Server,
  path: string,
  body: unknown,
  signal: AbortSignal,
): Promise<undici.Dispatcher.ResponseData['body']> => {
  let answer: undici.Dispatcher.ResponseData;
  try {
    answer = await request(`${server.url}${path}`, {
      method: 'POST',
      headers: headersOf(server),
      body: JSON.stringify(body),
      signal,
      // A model on the user's own machine may read a long prompt for minutes before its first word.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  } catch (error) {
    if (signal.aborted) throw error;
    throw new CompanionError('ENGINE_NOT_FOUND', `No model server answers at ${server.url}.`, {
      remedy: 'Start the model server, then send again.',
      cause: error,
    });
  }
  if (answer.statusCode === 200) return answer.body;
  const text = (await answer.body.text()).slice(0, MAX_ERROR_BYTES);
  const after = Number(answer.headers['retry-after']);
  throw new ServerError(apiError(answer.statusCode, messageIn(text), Number.isFinite(after) ? after * 1000 : undefined), messageIn(text));
};

/** The server's refusal, with its own words beside ours: some of them are worth another try. */
export class ServerError extends CompanionError {
  readonly said: string;

  constructor(body: ReturnType<typeof apiError>, said: string) {
    super(body.code, said, body.retryAt === undefined ? {} : { retryAt: body.retryAt });
    this.said = said;
  }
}

const Failure = z.looseObject({ error: z.union([z.string(), z.looseObject({ message: z.string() })]) });

/** The message in an error body; servers disagree about its shape. */
export const messageIn = (text: string): string => {
  try {
    const { error } = Failure.parse(JSON.parse(text));
    return typeof error === 'string' ? error : error.message;
  } catch {
    return text;
  }
};
