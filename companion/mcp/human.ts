/** Asks the person on behalf of an agent: for what only they can do in the page, or for a choice. No limit of time runs meanwhile. */
import { toOption } from '#protocol/answers.ts';
import type { ToolResult } from '#protocol/browser.ts';
import { CompanionError } from '#protocol/errors.ts';
import type { SessionId } from '#protocol/ids.ts';
import type { RequestBody } from '#protocol/requests.ts';
import type { HumanQuestion } from '#companion/browser/read-call.ts';
import type { AskingCall } from '#companion/sessions/asking-call.ts';
import type { Elsewhere } from '#companion/sessions/session.ts';
import type { Sessions } from '#companion/sessions/sessions.ts';
import { oneLine } from './card-line.ts';

interface Asked {
  readonly sessionId: SessionId;
  readonly question: HumanQuestion;
  /** The site of the page it is about; null when no page is known. */
  readonly where: string | null;
  readonly call: AskingCall;
  readonly signal: AbortSignal;
  /** Where else the person may answer. */
  readonly elsewhere?: Elsewhere | undefined;
}

/** What the agent is told: what they chose or wrote, or that it is done. What they do in the page stays between them and the page. */
export const askHuman = async (
  sessions: Pick<Sessions, 'ask'>,
  { sessionId, question, where, call, signal, elsewhere }: Asked,
): Promise<string> => {
  const request = toHumanCard(question, where);
  const answer = await sessions.ask(sessionId, request, signal, { call, elsewhere });
  if (answer === null) throw new CompanionError('CALL_CANCELLED', 'The question was withdrawn.');
  const words = answer.text === undefined ? '' : ` They wrote: ${answer.text}`;
  if (request.options.find(({ optionId }) => optionId === answer.optionId)?.kind === 'reject')
    throw new CompanionError('CONSENT_DENIED', `The user said that they cannot or will not.${words}`);
  const given = Object.values(answer.answers ?? {}).flat();
  return given.length === 0 ? `The user says that it is done.${words}` : `The user answered: ${given.join(', ')}${words}`;
};

/** The answer of the person, before what the page shows then. */
export const withAnswer = (answer: string | null, result: ToolResult): ToolResult => {
  if (answer === null) return result;
  const told = { type: 'text', text: answer };
  // They have answered, whatever became of the page meanwhile.
  return result.isError === true ? { content: [told] } : { ...result, content: [told, ...result.content] };
};

/** The question as the person is shown it. */
export const toHumanCard = ({ message, choices }: HumanQuestion, where: string | null): RequestBody => {
  const asked = oneLine(message);
  const options = choices.map((label) => ({ label }));
  return {
    kind: 'question',
    title: `The agent asks you: ${asked}`,
    saying: { code: 'human', values: { message: asked } },
    ...(where === null ? {} : { where }),
    options: [
      choices.length === 0 ? toOption('done', 'choice', 'answer_done') : toOption('answer', 'choice', 'answer_answer'),
      toOption('reject', 'reject', 'answer_cannot'),
    ],
    ...(choices.length === 0 ? {} : { questions: [{ question: message, options, isMultiple: false, isOpen: true }] }),
  };
};
