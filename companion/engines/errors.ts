/** Turns the refusals of model providers into our error codes, in one table for every engine. */
import { CompanionError, withRemedy, type ErrorBody, type ErrorCode } from '#protocol/errors.ts';
import { explain } from '#protocol/faults.ts';
import type { Said } from '#protocol/said.ts';

const MAX_DETAIL = 500;

/**
 * An answer of the provider's API as an error for a person. `status` null: there was no answer (network), or the
 * agent did not tell its status; then the words decide. `retryAfterMs` is what the provider asked to wait.
 */
export const apiError = (status: number | null, message: string, retryAfterMs?: number): ErrorBody => {
  const code = codeOf(status, message);
  const isTemporary = code === 'ENGINE_RATE_LIMITED' || code === 'ENGINE_OVERLOADED';
  const waitMs = retryAfterMs ?? (isTemporary ? waitIn(message) : undefined);
  return new CompanionError(code, detailOf(message), waitMs === undefined ? undefined : { retryAt: Date.now() + waitMs }).toBody();
};

/** Adds the agent's own way to sign in when nobody is signed in and the error does not name another. */
export const withLogin = (error: ErrorBody, loginCommand: string): ErrorBody =>
  error.code !== 'ENGINE_NOT_LOGGED_IN' || loginCommand === '' || error.remedy !== new CompanionError(error.code).remedy
    ? error
    : withRemedy(error, explain('run_then_send', { command: loginCommand }));

/** Words of an agent or a provider, short enough to stand behind our own sentence. */
export const detailOf = (text: string): string => {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length <= MAX_DETAIL ? line : `${line.slice(0, MAX_DETAIL - 1)}…`;
};

/** How a process ended although nobody asked it to; the end of its stderr says why. */
export const crashDetail = ({ code, signal, stderr }: { code: number | null; signal: string | null; stderr: string }): Said => {
  const how = signal === null ? explain('it_ended_with_code', { code: code ?? '?' }) : explain('it_ended_by_signal', { signal });
  const words = detailOf(stderr.slice(-MAX_DETAIL));
  return words === '' ? how : explain('and_said', { what: how, words });
};

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const TIME = String.raw`\d+(?:\.\d+)?\s*(?:ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?)(?![a-z])`;
const WAIT = new RegExp(
  `(?:try again|retry|retry.after|resets?|available|wait)\\s*(?:in|for|:)?\\s*(?:about\\s+)?((?:${TIME}[\\s,]*(?:and\\s+)?|${TIME}(?=\\d))+)`,
  'i',
);

/** How long a provider asks to wait in its words: `try again in 6m0s`, `retry in 34.07s`, `try again in 3 hours 42 minutes`. */
const waitIn = (message: string): number | undefined => {
  const told = WAIT.exec(message)?.[1]
    ?.toLowerCase()
    .matchAll(/(\d+(?:\.\d+)?)\s*(ms|milli|[smhd])/g);
  if (told === undefined) return undefined;
  const waitMs = [...told].reduce((sum, [, count, unit = '']) => sum + Number(count) * (UNIT_MS[unit === 'milli' ? 'ms' : unit] ?? 0), 0);
  return Number.isFinite(waitMs) && waitMs > 0 ? Math.ceil(waitMs) : undefined;
};

const codeOf = (status: number | null, message: string): ErrorCode => {
  if (isContextFull(message)) return 'ENGINE_CONTEXT_FULL';
  // Google's API says this with any status.
  if (/is not found for API version/i.test(message)) return 'ENGINE_MODEL_UNKNOWN';
  if ((status === null || status === 400) && isModelUnknown(message)) return 'ENGINE_MODEL_UNKNOWN';
  switch (status) {
    case 401:
    case 403:
      return 'ENGINE_NOT_LOGGED_IN';
    case 404:
      return 'ENGINE_MODEL_UNKNOWN';
    case 413:
      return 'ENGINE_CONTEXT_FULL';
    // 402 means that the credit is used up.
    case 402:
    case 429:
      return 'ENGINE_RATE_LIMITED';
    case 503:
    case 529:
      return 'ENGINE_OVERLOADED';
    case null:
      return codeOfWords(message);
    default:
      return 'ENGINE_API_ERROR';
  }
};

/** Providers answer 400 for a full context, so the words are looked at before the status. */
const isContextFull = (message: string): boolean =>
  /prompt is too long|context[ _]length|context window|maximum context|too many tokens|input is too long|input token count\b.{0,60}\bexceeds the maximum/i.test(
    message,
  );

const isModelUnknown = (message: string): boolean =>
  /\b(?:unknown|invalid|no such) model\b|model_not_found|\bmodel\b.{0,120}?\b(?:not found|does not exist|is not supported|not a valid model)/is.test(
    message,
  );

const codeOfWords = (message: string): ErrorCode => {
  if (/\b401\b|\b403\b|unauthori[sz]ed|not logged in|api[ _-]?key|authentication|unauthenticated|bearer token/i.test(message))
    return 'ENGINE_NOT_LOGGED_IN';
  if (/\b429\b|rate.?limit|quota|usage limit/i.test(message)) return 'ENGINE_RATE_LIMITED';
  if (/\b529\b|\b503\b|overloaded|at capacity/i.test(message)) return 'ENGINE_OVERLOADED';
  return 'ENGINE_API_ERROR';
};
