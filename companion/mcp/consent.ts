/** Puts questions about calls to the person, one at a time of each kind, so that ten calls to one page ask once. */
import { toOption } from '#protocol/answers.ts';
import { inAudit } from '#protocol/audit-lines.ts';
import { CompanionError } from '#protocol/errors.ts';
import type { SessionId } from '#protocol/ids.ts';
import type { Said } from '#protocol/said.ts';
import type { RequestBody, RequestOption } from '#protocol/requests.ts';
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

export class Consent {
  readonly #sessions: Pick<Sessions, 'ask'>;
  /** The newest question of each kind. */
  readonly #open = new Map<string, Promise<Yes>>();

  constructor(sessions: Pick<Sessions, 'ask'>) {
    this.#sessions = sessions;
  }

  /** Resolves with what the person allowed; throws when they did not. */
  async ask(question: Question): Promise<Yes> {
    const key = JSON.stringify([question.isOfAllSessions === true ? null : question.sessionId, question.kind]);
    const before = this.#open.get(key);
    const askLater = async (): Promise<Yes> => ((await question.isSettled()) ? 'settled' : this.#askNow(question));
    const asked = before === undefined ? this.#askNow(question) : before.then(askLater, askLater);
    this.#open.set(key, asked);
    try {
      return await asked;
    } finally {
      if (this.#open.get(key) === asked) this.#open.delete(key);
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
