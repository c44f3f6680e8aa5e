/** Puts questions about calls to the person, one at a time of each kind, so that ten calls to one page ask once. */
import { toOption } from '#protocol/answers.ts';
import { inAudit } from '#protocol/audit-lines.ts';
import { CompanionError } from '#protocol/errors.ts';
import type { SessionId } from '#protocol/ids.ts';
import type { Said } from '#protocol/said.ts';
import type { RequestBody, RequestOption } from '#protocol/requests.ts';
import { Stop } from '#companion/lib/stop.ts';
import type { AskingCall } from '#companion/sessions/asking-call.ts';
import type { Elsewhere } from '#companion/sessions/session.ts';
import type { Sessions } from '#companion/sessions/sessions.ts';

/** How far a permission goes; `settled` means that the answer to another question has decided this one. */
export type Yes = 'once' | 'session' | 'always' | 'settled';

/** A call that the person has allowed. */
export const ruleOfYes = (yes: Yes): Said => inAudit(yes === 'settled' ? 'rule_user_allowed' : RULES[yes]);

const RULES = { once: 'rule_yes_once', session: 'rule_yes_session', always: 'rule_yes_always' } as const;

export interface Question {
  readonly sessionId: SessionId;
  /** The tool, for the text of a refusal. */
  readonly tool: string;
  /** Questions of one kind wait for each other: those of one session, or of all. */
  readonly kind: string;
  readonly isOfAllSessions?: boolean;
  readonly request: RequestBody;
  /** The call that it is about; absent where it is about more than one. */
  readonly call?: AskingCall;
  /** Whether the answer to another question has decided this one too. */
  readonly isSettled: () => Promise<boolean>;
  readonly signal: AbortSignal;
  /** Where else the person may answer. */
  readonly elsewhere?: Elsewhere | undefined;
}

/**
 * After this time, in milliseconds, a question that is also asked in a client may have been left there, which nobody tells. The calls of one
 * answer of a model come within moments, so a later call does not wait behind it.
 */
export const LEFT_AFTER_MS = 2_000;

/** The newest question of a kind. */
interface Newest {
  readonly answer: Promise<Yes>;
  /** Since when a client has it, or the one that it waits for; null where it is asked nowhere else. */
  readonly inClientSince: () => number | null;
}

export class Consent {
  readonly #sessions: Pick<Sessions, 'ask'>;
  readonly #open = new Map<string, Newest>();

  constructor(sessions: Pick<Sessions, 'ask'>) {
    this.#sessions = sessions;
  }

  /** Resolves with what the person allowed; throws when they did not. */
  async ask(question: Question): Promise<Yes> {
    const key = JSON.stringify([question.isOfAllSessions === true ? null : question.sessionId, question.kind]);
    const before = this.#open.get(key);
    let inClientSince = before?.inClientSince ?? (() => null);
    const begin = (): void => {
      const since = question.elsewhere === undefined ? null : performance.now();
      inClientSince = () => since;
    };
    const own: Newest = { answer: this.#inTurn(question, before, begin), inClientSince: () => inClientSince() };
    this.#open.set(key, own);
    try {
      return await own.answer;
    } finally {
      if (this.#open.get(key) === own) this.#open.delete(key);
    }
  }

  async #inTurn(question: Question, before: Newest | undefined, begin: () => void): Promise<Yes> {
    if (before !== undefined && mayBeLeft(before)) return this.#askBeside(question, before, begin);
    if (before !== undefined) {
      await over(before, question.signal);
      if (!question.signal.aborted && (await question.isSettled())) return 'settled';
    }
    begin();
    return this.#askNow(question);
  }

  /** Asks though another question of its kind is open, whose answer may still decide this one. */
  async #askBeside(question: Question, { answer }: Newest, begin: () => void): Promise<Yes> {
    using settled = new Stop(question.signal);
    const look = async (): Promise<void> => {
      if (await question.isSettled()) settled.abort();
    };
    answer.then(look, look).catch(() => {});
    begin();
    try {
      return await this.#askNow({ ...question, signal: settled.signal });
    } catch (error) {
      if (settled.signal.aborted && !question.signal.aborted) return 'settled';
      throw error;
    }
  }

  async #askNow({ sessionId, tool, request, signal, elsewhere, call }: Question): Promise<Yes> {
    if (signal.aborted) throw new CompanionError('CALL_CANCELLED');
    const answer = await this.#sessions.ask(sessionId, request, signal, { elsewhere, call });
    if (answer === null) throw new CompanionError('CALL_CANCELLED', 'The question was withdrawn.');
    const kind = request.options.find(({ optionId }) => optionId === answer.optionId)?.kind;
    if (kind === 'allow_once') return 'once';
    if (kind === 'allow_session') return 'session';
    if (kind === 'allow_always') return 'always';
    throw new CompanionError('CONSENT_DENIED', `${tool}${answer.text === undefined ? '.' : `. The user wrote: ${answer.text}`}`);
  }
}

const over = async ({ answer }: Newest, signal: AbortSignal): Promise<void> => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const end = (): void => resolve();
  answer.then(end, end);
  signal.addEventListener('abort', end);
  if (signal.aborted) end();
  await promise;
  signal.removeEventListener('abort', end);
};

const mayBeLeft = ({ inClientSince }: Newest): boolean => {
  const since = inClientSince();
  return since !== null && performance.now() - since > LEFT_AFTER_MS;
};

/** The answers that a person can choose from; `further` is what is remembered. */
export const toOptions = (further: {
  session?: 'answer_in_session' | 'answer_here_in_session';
  always?: 'answer_always_here';
}): RequestOption[] => [
  toOption('once', 'allow_once', 'answer_once'),
  ...(further.session === undefined ? [] : [toOption('session', 'allow_session', further.session)]),
  ...(further.always === undefined ? [] : [toOption('always', 'allow_always', further.always)]),
  toOption('reject', 'reject', 'answer_deny'),
];
