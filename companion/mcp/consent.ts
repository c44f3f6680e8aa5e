/** Asks the person before a call changes something, and remembers a yes as far as it was meant. */
import type { CallSubject, Grant } from '#protocol/browser.ts';
import { CompanionError } from '#protocol/errors.ts';
import type { SessionId } from '#protocol/ids.ts';
import type { RequestBody } from '#protocol/requests.ts';
import type { CallReading } from '#companion/browser/read-call.ts';
import { randomId } from '#companion/lib/random-id.ts';
import type { Decision } from '#companion/policy/policy.ts';
import type { Sessions } from '#companion/sessions/sessions.ts';

interface Question {
  readonly sessionId: SessionId;
  readonly tool: string;
  /** A tool that the build does not know is asked for each time. */
  readonly isKnown: boolean;
  readonly reading: CallReading;
  readonly subject: CallSubject;
  readonly origin: string | null;
  /** Decides anew: another call's answer may have settled it meanwhile. */
  readonly decide: () => Decision;
  readonly signal: AbortSignal;
}

interface ConsentDeps {
  readonly sessions: Pick<Sessions, 'ask'>;
  readonly grants: { add(grant: Grant): void };
  readonly now: () => number;
}

const OPTIONS: RequestBody['options'] = [
  { optionId: 'once', label: 'Allow once', kind: 'allow_once' },
  { optionId: 'session', label: 'Allow here in this session', kind: 'allow_session' },
  { optionId: 'always', label: 'Always allow here', kind: 'allow_always' },
  { optionId: 'reject', label: 'Do not allow', kind: 'reject' },
];

/** Without a page there is nothing a yes could be remembered for, nor for a tool that may be another one tomorrow. */
const ONCE_OPTIONS = OPTIONS.filter(({ kind }) => kind === 'allow_once' || kind === 'reject');

const MAX_LINE_CHARS = 2_000;

export class Consent {
  readonly #deps: ConsentDeps;
  /** The newest question of each kind: the next one waits for its answer, so that one page asks one thing at a time. */
  readonly #open = new Map<string, Promise<string>>();

  constructor(deps: ConsentDeps) {
    this.#deps = deps;
  }

  /** Resolves with the rule that allows the call; throws when the person did not. */
  async ask(question: Question): Promise<string> {
    const { sessionId, origin, reading, tool } = question;
    const key = JSON.stringify([sessionId, origin, reading.toolClass, reading.toolClass === 'sensitive' && tool]);
    const before = this.#open.get(key) ?? Promise.resolve('');
    const asked = before.then(
      () => this.#askNow(question),
      () => this.#askNow(question),
    );
    this.#open.set(key, asked);
    try {
      return await asked;
    } finally {
      if (this.#open.get(key) === asked) this.#open.delete(key);
    }
  }

  async #askNow(question: Question): Promise<string> {
    const { sessionId, tool, reading, origin, decide, signal } = question;
    if (signal.aborted) throw new CompanionError('CALL_CANCELLED');
    const { decision, rule } = decide();
    if (decision === 'allow') return rule;
    const answer = await this.#deps.sessions.ask(sessionId, toRequest(question), signal);
    if (answer === null) throw new CompanionError('CALL_CANCELLED', 'The question was withdrawn.');
    const kind = OPTIONS.find(({ optionId }) => optionId === answer.optionId)?.kind;
    const isRemembered = kind === 'allow_session' || kind === 'allow_always';
    if (isRemembered && origin !== null) {
      this.#deps.grants.add({
        id: randomId('grant'),
        origin,
        toolClass: reading.toolClass,
        tool: reading.toolClass === 'sensitive' ? tool : null,
        sessionId: kind === 'allow_session' ? sessionId : null,
        createdAt: this.#deps.now(),
        expiresAt: null,
      });
    }
    if (isRemembered || kind === 'allow_once') return `the user allowed it (${answer.optionId})`;
    throw new CompanionError('CONSENT_DENIED', `${tool}${answer.text === undefined ? '.' : `. The user wrote: ${answer.text}`}`);
  }
}

/** The card: a line for each thing it says, so that no text of a page can pass for one of its own. */
const toRequest = ({ tool, isKnown, reading, subject, origin }: Question): RequestBody => {
  const { target, lines } = subject;
  const page = target === null ? [] : [{ label: 'Page', text: `${target.title} · ${target.url}` }];
  const warning = isKnown
    ? []
    : [{ label: 'Careful', text: 'This tool is not part of Pilotfish; the browser that brings it decides what it does.' }];
  const detail = [...warning, ...page, { label: 'Action', text: reading.title }, ...lines].map(
    ({ label, text }) => `${label}: ${oneLine(text)}`,
  );
  return {
    kind: 'consent',
    title: `${tool} on ${origin ?? 'the browser'}`,
    detail: detail.join('\n'),
    ...(origin === null ? {} : { where: origin }),
    options: origin === null || !isKnown ? ONCE_OPTIONS : OPTIONS,
  };
};

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim().slice(0, MAX_LINE_CHARS);
