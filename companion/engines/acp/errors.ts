/** Turns failures of ACP agents into our error codes. Agents put the provider's answer in different places. */
import * as z from 'zod';
import type { RpcError } from '#companion/engines/codecs/json-rpc.ts';
import { CompanionError, type ErrorBody } from '#protocol/errors.ts';
import { explain } from '#protocol/faults.ts';
import { apiError } from '../errors.ts';
import type { AcpSpec } from './spec.ts';

/** The code of ACP that asks the client to sign in first. */
export const AUTH_REQUIRED = -32_000;

const Details = z.looseObject({ details: z.string().optional(), message: z.string().optional(), errorName: z.string().optional() });

/** Some agents pass on the whole body of the provider's answer. */
const Body = z.looseObject({ error: z.looseObject({ message: z.string() }) });

/** An error answer of the agent as our error. */
export const rpcFailure = (error: RpcError, { failureNames }: Pick<AcpSpec, 'failureNames'>): ErrorBody => {
  const reason = rpcReason(error);
  const name = Details.safeParse(error.data).data?.errorName ?? '';
  const code = error.code === AUTH_REQUIRED ? 'ENGINE_NOT_LOGGED_IN' : failureNames?.get(name);
  if (code !== undefined) return new CompanionError(code, reason).toBody();
  // Some agents give the provider's HTTP status as the code; the others write it somewhere into the text.
  const status = error.code >= 400 && error.code < 600 ? error.code : statusIn(reason);
  return apiError(status, reason);
};

/** Why a turn that ended for this reason has failed, or null when it has not failed. */
export const stopError = (stopReason: string): ErrorBody | null => {
  switch (stopReason) {
    case 'refusal':
      return new CompanionError('ENGINE_REFUSED').toBody();
    case 'max_tokens':
      return new CompanionError('ENGINE_OUTPUT_TRUNCATED', explain('answer_longest')).toBody();
    case 'max_turn_requests':
      return new CompanionError('ENGINE_BUDGET_REACHED', explain('requests_used_up'), {
        remedy: explain('own_limit_send'),
      }).toBody();
    default:
      return null;
  }
};

/** What went wrong, in the agent's words. Details are preferred, because the message itself is a general phrase. */
export const rpcReason = (error: RpcError): string => {
  const data = Details.safeParse(error.data);
  const told = (typeof error.data === 'string' ? error.data : (data.data?.details ?? data.data?.message)) ?? error.message;
  try {
    return Body.parse(JSON.parse(told)).error.message;
  } catch {
    return told.replace(/^Internal error: /, '');
  }
};

/** Finds only the statuses that providers use: any other number in a sentence may mean anything. */
const statusIn = (text: string): number | null => {
  const found = /\b(?:400|401|403|404|413|429|500|502|503|529)\b/.exec(text)?.[0];
  return found === undefined ? null : Number(found);
};
