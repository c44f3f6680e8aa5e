/** Turns failures of codex into our error codes. */
import * as z from 'zod';
import { CompanionError, type ErrorBody, type ErrorCode } from '#protocol/errors.ts';
import { isMoment } from '#protocol/moment.ts';
import { apiError } from '../errors.ts';
import type { TurnFailure } from './schema.ts';

const named: ReadonlyMap<string, ErrorCode> = new Map<string, ErrorCode>([
  ['contextWindowExceeded', 'ENGINE_CONTEXT_FULL'],
  ['sessionBudgetExceeded', 'ENGINE_BUDGET_REACHED'],
  ['usageLimitExceeded', 'ENGINE_RATE_LIMITED'],
  ['rateLimitExceeded', 'ENGINE_RATE_LIMITED'],
  ['flexUnavailable', 'ENGINE_OVERLOADED'],
  ['serverOverloaded', 'ENGINE_OVERLOADED'],
  ['policyCapacityUnavailable', 'ENGINE_OVERLOADED'],
  ['modelNotFound', 'ENGINE_MODEL_UNKNOWN'],
  ['unauthorized', 'ENGINE_NOT_LOGGED_IN'],
  ['inferenceHookDenied', 'ENGINE_REFUSED'],
  ['cyberPolicy', 'ENGINE_REFUSED'],
  ['misalignmentPolicyViolation', 'ENGINE_REFUSED'],
  ['tooManyDenials', 'ENGINE_REFUSED'],
]);

/** The variants that carry the status of the provider's answer: `{"httpConnectionFailed":{"httpStatusCode":401}}`. */
const WithStatus = z.record(z.string(), z.looseObject({ httpStatusCode: z.number().nullish() }));

/** A failed turn as our error. `resetsAt` is when an exhausted limit resets, if codex said so. */
export const failureToError = (failure: TurnFailure | null | undefined, resetsAt?: number): ErrorBody => {
  if (failure === null || failure === undefined) return new CompanionError('ENGINE_API_ERROR').toBody();
  const info = failure.codexErrorInfo;
  const code = typeof info === 'string' ? named.get(info) : undefined;
  if (code !== undefined) return withReset(new CompanionError(code, failure.message).toBody(), resetsAt);
  const status = WithStatus.safeParse(info);
  const found = status.success ? Object.values(status.data).find((variant) => typeof variant.httpStatusCode === 'number') : undefined;
  return withReset(apiError(found?.httpStatusCode ?? null, failure.message), resetsAt);
};

const withReset = (error: ErrorBody, resetsAt: number | undefined): ErrorBody =>
  error.code === 'ENGINE_RATE_LIMITED' && error.retryAt === undefined && isMoment(resetsAt) ? { ...error, retryAt: resetsAt } : error;
