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

/** Nobody reads a question in less. A client that nobody watches refuses by itself, at once: Codex does when it runs a script. */
const READ_MS = 1000;

/** A card as a question in the client. */
export const inClient = (elicit: Elicit): Elsewhere => ({
  by: 'the client',
  ask: async ({ title, detail = '', options }, signal): Promise<RequestAnswer | null> => {
    const offered = options.filter(({ kind }) => KINDS.has(kind));
    // The client may draw what it is given as it is.
    const message = toVisible([title, ...(detail === '' ? [] : [detail])].join('\n\n'));
    const askedAt = performance.now();
    const optionId = await elicit({ message, options: offered.map(({ optionId: id, label }) => ({ optionId: id, label })) }, signal);
    const chosen = offered.find((option) => option.optionId === optionId);
    if (chosen?.kind === 'reject' && performance.now() - askedAt < READ_MS) return null;
    return chosen === undefined ? null : { optionId: chosen.optionId };
  },
});

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
  if (action === 'decline') return 'reject';
  return action === 'accept' ? (content?.answer ?? null) : null;
};
