/** Errors as every door answers them, with the status of the code. */
import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type * as z from 'zod';
import { CompanionError, ERRORS, toErrorBody, type ErrorBody, type RefusalBody } from '#protocol/errors.ts';

export interface HttpError {
  readonly status: number;
  readonly body: RefusalBody;
}

/** Any thrown value as an answer; what fastify found wrong with a request keeps its meaning. */
export const toHttpError = (error: unknown): HttpError => {
  const translated = translate(error);
  const body = toErrorBody(translated);
  return toAnswer(translated instanceof CompanionError ? translated.status : ERRORS[body.code].status, body);
};

/** An ErrorBody as the answer of a door. */
export const toAnswer = (status: number, body: ErrorBody): HttpError => ({ status, body: { error: body.message, ...body } });

/** Parses a part of what came in (its name is `part`); says which field is wrong, or which is not known. */
export const parse = <T>(schema: z.ZodType<T>, value: unknown, part: string): T => {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new CompanionError('INPUT_INVALID', describe(parsed.error, part));
};

const describe = (error: z.ZodError, part: string): string =>
  error.issues
    // A key that nobody knows is often a known one misspelt: it explains what else is missing.
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

/** Answers before any route. The connection ends with it: its body is not read, and a refused caller keeps no place. */
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
    // A caller that keeps its own half open would keep the connection.
    () => socket.destroy(),
  );
};
