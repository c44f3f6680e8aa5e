/** The HTTP wire to the daemon, by fetch. The token goes in a header, never into an address. */
import { parseAnswer, toRequest, type Answer, type Route, type Sent } from '#protocol/contract.ts';
import { CompanionError, ErrorBody, fromErrorBody, type ErrorCode } from '#protocol/errors.ts';
import { explainInFront } from '#protocol/front-faults.ts';

/** Where the daemon listens for this profile, as the worker was told over the link. */
export interface Endpoint {
  readonly port: number;
  /** As `https://box.example`, when that is not the port of this machine. */
  readonly base?: string | undefined;
  readonly token: string;
}

/** A hung daemon must not leave a button pressed for ever; health checks of engines take the longest. */
const ANSWER_TIMEOUT_MS = 60_000;

/** Calls a route of the daemon and gives its answer, parsed; `signal` is for what a person takes part in. Every failure is a CompanionError. */
export type Call = <R extends Route>(route: R, sent: Sent<R>, signal?: AbortSignal) => Promise<Answer<R>>;

/** `endpoint` returns the current one, because port and token change when the daemon restarts. */
export const callerOf =
  (endpoint: () => Endpoint | null): Call =>
  async (route, sent, signal = AbortSignal.timeout(ANSWER_TIMEOUT_MS)) => {
    const response = await ask(placeOf(endpoint), route, sent, {}, signal);
    return parseAnswer(route, response.status === 204 ? null : await response.json());
  };

/** Reads a route that answers with bytes. Every failure is a CompanionError. */
export type ReadBytes = <R extends Route>(route: R, sent: Sent<R>) => Promise<Blob>;

export const bytesOf =
  (endpoint: () => Endpoint | null): ReadBytes =>
  async (route, sent) =>
    (await ask(placeOf(endpoint), route, sent, {}, AbortSignal.timeout(ANSWER_TIMEOUT_MS))).blob();

/** Opens a route that streams, again and again as the event stream wishes. */
export const streamOf =
  <R extends Route>(
    endpoint: Endpoint,
    route: R,
    sent: Sent<R>,
  ): ((lastEventId: string | null, signal: AbortSignal) => Promise<AsyncIterable<unknown>>) =>
  async (lastEventId, signal) => {
    const headers = { accept: 'text/event-stream', ...(lastEventId === null ? {} : { 'last-event-id': lastEventId }) };
    const { body } = await ask(endpoint, route, sent, headers, signal);
    if (body === null) throw new CompanionError('DAEMON_NOT_RUNNING', explainInFront('no_stream'));
    return chunksOf(body);
  };

const placeOf = (endpoint: () => Endpoint | null): Endpoint => {
  const place = endpoint();
  if (place === null) throw new CompanionError('DAEMON_NOT_RUNNING');
  return place;
};

const ask = async <R extends Route>(
  { port, base, token }: Endpoint,
  route: R,
  sent: Sent<R>,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Response> => {
  const { method, address, body } = toRequest(route, sent);
  const response = await fetch(`${base ?? `http://127.0.0.1:${port}`}${address}`, {
    method,
    headers: { ...headers, authorization: `Bearer ${token}`, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    cache: 'no-store',
    credentials: 'omit',
    redirect: 'error',
    signal,
  }).catch((cause: unknown) => {
    throw new CompanionError('DAEMON_NOT_RUNNING', '', { cause });
  });
  if (!response.ok) throw await errorOf(response);
  return response;
};

/** The typed error in a refused response, whatever its body; never throws. */
const errorOf = async (response: Response): Promise<CompanionError> => {
  const answer = ErrorBody.safeParse(await response.json().catch((): null => null));
  return answer.success ? fromErrorBody(answer.data) : new CompanionError(codeOf(response.status), `It answered ${response.status}.`);
};

const codeOf = (status: number): ErrorCode => {
  if (status === 401) return 'UNAUTHORIZED';
  if (status === 403) return 'FORBIDDEN';
  if (status === 404) return 'ROUTE_NOT_FOUND';
  if (status === 413) return 'INPUT_TOO_LARGE';
  return 'INTERNAL';
};

async function* chunksOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value;
  } finally {
    // It fails when the stream has failed already.
    await reader.cancel().catch(() => {});
  }
}
