/** Failures of ACP agents in our codes: they hide the provider's answer in different places. */
import * as z from 'zod';
import type { RpcError } from '#companion/engines/codecs/json-rpc.ts';
import { CompanionError, type ErrorBody } from '#protocol/errors.ts';
import { apiError } from '../errors.ts';

/** ACP's own code for "sign in first". */
export const AUTH_REQUIRED = -32_000;

const Details = z.looseObject({ details: z.string().optional(), message: z.string().optional() });

/** An error answer of the agent in our words. */
export const rpcFailure = (error: RpcError): ErrorBody => {
  const data = Details.safeParse(error.data);
  const details = data.success ? (data.data.details ?? data.data.message) : typeof error.data === 'string' ? error.data : undefined;
  const text = [error.message, details].filter((part) => part !== undefined).join(': ');
  if (error.code === AUTH_REQUIRED) return new CompanionError('ENGINE_NOT_LOGGED_IN', details ?? '').toBody();
  // Gemini gives the provider's status as the code; the others write it somewhere into the text.
  const status = error.code >= 400 && error.code < 600 ? error.code : statusIn(text);
  return apiError(status, text);
};

/** Only the statuses providers use: any other number in a sentence may be anything. */
const statusIn = (text: string): number | null => {
  const found = /\b(?:400|401|403|404|413|429|500|502|503|529)\b/.exec(text)?.[0];
  return found === undefined ? null : Number(found);
};
