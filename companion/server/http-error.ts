/** Errors as every door answers them, with the status of the code. */
import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type * as z from 'zod';
import { CompanionError, ERRORS, toErrorBody, type ErrorBody, type RefusalBody } from '#protocol/errors.ts';

export interface HttpError {
  readonly status: number;
  readonly body: RefusalBody;
}

/** Turns any thrown value into an answer; what fastify found wrong with a request keeps its meaning. */
export const toHttpError = (error: unknown): HttpError => {
  const translated = translate(error);
  const body = toErrorBody(translated);
  return toAnswer(translated instanceof CompanionError ? translated.status : ERRORS[body.code].status, body);
};

/** An ErrorBody as the answer of a door. */
export const toAnswer = (status: number, body: ErrorBody): HttpError => ({ status, body: { error: body.message, ...body } });

/** Parses a part of a request (its name is `part`); the error names the field that is wrong or unknown. */
export const parse = <T>(schema: z.ZodType<T>, value: unknown, part: string): T => {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new CompanionError('INPUT_INVALID', describe(parsed.error, part));
};

const describe = (error: z.ZodError, part: string): string =>
  error.issues
    // An unknown key is often a known one that is misspelt, which explains why another is missing.
    .toSorted((one, other) => Number(other.code === 'unrecognized_keys') - Number(one.code === 'unrecognized_keys'))
    .slice(0, 3)
    .map((issue) => `${issue.path.length === 0 ? part : issue.path.join('.')}: ${issue.message}.`)
    .join(' ');

const FASTIFY_CODES: Readonly<Record<string, 'INPUT_TOO_LARGE' | 'MEDIA_TYPE_WRONG' | 'INPUT_INVALID'>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'INPUT_TOO_LARGE',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'MEDIA_TYPE_WRONG',
};

const translate = (error: unknown): unknown => {
  if (error instanceof CompanionError || !(error instanceof Error)) return error;
  const code = 'code' in error && typeof error.code === 'string' ? FASTIFY_CODES[error.code] : undefined;
  if (code !== undefined) return new CompanionError(code);
  const isClientFault = 'statusCode' in error && typeof error.statusCode === 'number' && error.statusCode >= 400 && error.statusCode < 500;
  return isClientFault || error instanceof SyntaxError ? new CompanionError('INPUT_INVALID', error.message) : error;
};

/** Answers before any route. The connection ends with it: its body is not read, and a refused caller takes up no place. */
export const answerRefusal = (response: ServerResponse, { status, body }: HttpError): void => {
  if (response.headersSent || response.destroyed) return;
  const json = JSON.stringify(body);
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(json),
    'cache-control': 'no-store',
    ...(status === 401 ? { 'www-authenticate': 'Bearer' } : {}),
    connection: 'close',
  });
  response.end(json);
};

/** The same for a connection that asked to be upgraded. */
export const refuseUpgrade = (socket: Duplex, { status, body }: HttpError): void => {
  const json = JSON.stringify(body);
  socket.end(
    `HTTP/1.1 ${status} Refused\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(json)}\r\n\r\n${json}`,
    // A caller that does not close its own half would keep the connection open.
    () => socket.destroy(),
  );
};
