/** The person's question in the MCP client too, where it has a place for that; what is answered first counts. */
import * as z from 'zod';
import type { ElicitedQuestion } from '#protocol/api.ts';
import { toVisible } from '#protocol/foreign-name.ts';
import type { RequestAnswer, RequestBody } from '#protocol/requests.ts';
import type { Elsewhere } from '#companion/sessions/session.ts';

/** Puts a question to the person in a client; resolves with the id of an option, or with null when they answered nothing there. */
export type Elicit = (question: ElicitedQuestion, signal: AbortSignal) => Promise<string | null>;

/** What is allowed for longer than once is for a surface of Pilotfish: the answer of a client is the client's word for it. */
const KINDS = new Set<RequestBody['options'][number]['kind']>(['allow_once', 'reject']);

/** A card as a question in the client. */
export const inClient = (elicit: Elicit): Elsewhere => ({
  by: 'the client',
  ask: async ({ title, detail = '', options }, signal): Promise<RequestAnswer | null> => {
    const offered = options.filter(({ kind }) => KINDS.has(kind));
    const message = toMessage([title, ...(detail === '' ? [] : [detail])]);
    const optionId = await elicit({ message, options: offered.map(({ optionId: id, label }) => ({ optionId: id, label })) }, signal);
    const chosen = offered.find((option) => option.optionId === optionId);
    return chosen === undefined ? null : { optionId: chosen.optionId };
  },
});

/** What an agent asks the person, as a question in the client: each choice is an option there. Words of their own are for a surface of Pilotfish. */
export const humanInClient = (elicit: Elicit): Elsewhere => ({
  by: 'the client',
  ask: async ({ title, where, options, questions: [question] = [] }, signal): Promise<RequestAnswer | null> => {
    const choices = question?.options.map(({ label }) => toVisible(label)) ?? [];
    const offered = options
      .filter(({ kind }) => kind === 'reject' || question === undefined)
      .map(({ optionId, label }) => ({ optionId, label }));
    const message = toMessage([title, ...(where === undefined ? [] : [where])]);
    const optionId = await elicit({ message, options: [...choices.map((label) => ({ optionId: label, label })), ...offered] }, signal);
    if (offered.some((option) => option.optionId === optionId)) return { optionId: optionId ?? '' };
    const chosen = question?.options[choices.indexOf(optionId ?? '')];
    const [answers] = options.filter(({ kind }) => kind === 'choice');
    if (question === undefined || chosen === undefined || answers === undefined) return null;
    return { optionId: answers.optionId, answers: { [question.question]: [chosen.label] } };
  },
});

/** The client may draw what it is given as it is. */
const toMessage = (parts: readonly string[]): string => toVisible(parts.join('\n\n'));

/** These refuse by themselves where nobody watches them: `codex exec` does within 20 ms. */
const REFUSES_ALONE = /^codex\b/i;

/** Nobody reads a question in less. */
const READ_MS = 1000;

const REFUSED = 'reject';

/** A refusal that no person can have given is no answer. */
export const byPerson =
  (elicit: Elicit, clientName: string): Elicit =>
  async (question, signal) => {
    const askedAt = performance.now();
    const optionId = await elicit(question, signal);
    const isAlone = REFUSES_ALONE.test(clientName) && optionId === REFUSED && performance.now() - askedAt < READ_MS;
    return isAlone ? null : optionId;
  };

const Elicited = z.object({ action: z.enum(['accept', 'decline', 'cancel']), content: z.looseObject({ answer: z.string() }).optional() });

/** The request that asks a client, as its revision of the protocol has it. https://modelcontextprotocol.io/specification/2025-06-18/client/elicitation */
export const toElicitation = ({ message, options }: ElicitedQuestion) => ({
  message,
  requestedSchema: {
    type: 'object' as const,
    properties: {
      answer: {
        type: 'string' as const,
        title: 'Your answer',
        enum: options.map(({ optionId }) => optionId),
        enumNames: options.map(({ label }) => label),
      },
    },
    required: ['answer'],
  },
});

/** Which option that came to. A dialog that was closed is no answer: the card elsewhere stays. */
export const readElicited = (result: unknown): string | null => {
  const { action, content } = Elicited.safeParse(result).data ?? { action: 'cancel', content: undefined };
  if (action === 'decline') return REFUSED;
  return action === 'accept' ? (content?.answer ?? null) : null;
};
