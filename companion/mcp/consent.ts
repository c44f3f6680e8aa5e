/** Asks the user before a call changes something, and remembers a yes as far as it was meant. */
import type { Grant, TabTarget, ToolClass } from '#protocol/browser.ts';
import { CompanionError } from '#protocol/errors.ts';
import type { SessionId } from '#protocol/ids.ts';
import type { RequestBody } from '#protocol/requests.ts';
import { randomId } from '#companion/lib/random-id.ts';
import type { Decision } from '#companion/policy/policy.ts';
import type { Sessions } from '#companion/sessions/sessions.ts';

interface Question {
  readonly sessionId: SessionId;
  readonly tool: string;
  readonly toolClass: ToolClass;
  readonly args: Record<string, unknown>;
  readonly target: TabTarget | null;
  readonly origin: string | null;
  /** Decides anew: another call's answer may have settled it meanwhile. */
  readonly decide: () => Decision;
  readonly signal: AbortSignal;
}

export interface Consent {
  /** Resolves with the rule that allows the call; throws when the user did not. */
  ask(question: Question): Promise<string>;
}

const OPTIONS: RequestBody['options'] = [
  { optionId: 'once', label: 'Allow once', kind: 'allow_once' },
  { optionId: 'session', label: 'Allow here in this session', kind: 'allow_session' },
  { optionId: 'always', label: 'Always allow here', kind: 'allow_always' },
  { optionId: 'reject', label: 'Do not allow', kind: 'reject' },
];

/** Without a page there is nothing a yes could be remembered for. */
const ONCE_OPTIONS = OPTIONS.filter(({ kind }) => kind === 'allow_once' || kind === 'reject');

export const createConsent = ({
  sessions,
  grants,
  now,
}: {
  sessions: Pick<Sessions, 'ask'>;
  grants: { add(grant: Grant): void };
  now: () => number;
}): Consent => {
  /** The newest question of each kind: the next one waits for its answer, so that one page asks one thing at a time. */
  const open = new Map<string, Promise<unknown>>();

  const askNow = async ({ sessionId, tool, toolClass, args, target, origin, decide, signal }: Question): Promise<string> => {
    if (signal.aborted) throw new CompanionError('CALL_CANCELLED');
    const { decision, rule } = decide();
    if (decision === 'allow') return rule;
    const answer = await sessions.ask(sessionId, toRequest(tool, args, target, origin), signal);
    if (answer === null) throw new CompanionError('CALL_CANCELLED', 'The question was withdrawn.');
    const kind = OPTIONS.find(({ optionId }) => optionId === answer.optionId)?.kind;
    const isRemembered = kind === 'allow_session' || kind === 'allow_always';
    if (isRemembered && origin !== null) {
      grants.add({
        id: randomId('grant'),
        origin,
        toolClass,
        tool: toolClass === 'sensitive' ? tool : null,
        sessionId: kind === 'allow_session' ? sessionId : null,
        createdAt: now(),
        expiresAt: null,
      });
    }
    if (isRemembered || kind === 'allow_once') return `the user allowed it (${answer.optionId})`;
    throw new CompanionError('CONSENT_DENIED', `${tool}${answer.text === undefined ? '.' : `. The user wrote: ${answer.text}`}`);
  };

  return {
    ask: async (question) => {
      const key = JSON.stringify([
        question.sessionId,
        question.origin,
        question.toolClass,
        question.toolClass === 'sensitive' && question.tool,
      ]);
      const before = open.get(key) ?? Promise.resolve();
      const asked = before.then(
        () => askNow(question),
        () => askNow(question),
      );
      open.set(key, asked);
      try {
        return await asked;
      } finally {
        if (open.get(key) === asked) open.delete(key);
      }
    },
  };
};

const toRequest = (tool: string, args: Record<string, unknown>, target: TabTarget | null, origin: string | null): RequestBody => ({
  kind: 'consent',
  title: `${tool} on ${origin ?? 'the browser'}`,
  detail: [target === null ? '' : `${target.title}\n${target.url}`, JSON.stringify(args, null, 2).slice(0, 20_000)]
    .filter((part) => part !== '')
    .join('\n\n'),
  ...(origin === null ? {} : { where: origin }),
  options: origin === null ? ONCE_OPTIONS : OPTIONS,
});
