/** A session that goes on from another one: what was said before stands in it, and its agent is told. Pure. */
import { CompanionError } from '#protocol/errors.ts';
import type { TurnId } from '#protocol/ids.ts';
import type { ItemBody } from '#protocol/items.ts';
import type { SessionView, ViewTurn } from '#protocol/view.ts';
import { explain } from '#protocol/faults.ts';

/** What a new agent is told of an old conversation; the newest part of a longer one. */
const MAX_CONVERSATION_CHARS = 60_000;

/** The turns of a session up to one of them, before one of them, or all that have ended. */
export const turnsOf = (
  turns: readonly ViewTurn[],
  { turnId, beforeTurnId }: { turnId?: TurnId | undefined; beforeTurnId?: TurnId | undefined },
): ViewTurn[] => {
  const ended = turns.filter(({ status }) => status !== 'queued' && status !== 'running' && status !== 'cancelling');
  if (turnId !== undefined && beforeTurnId !== undefined)
    throw new CompanionError('INPUT_INVALID', 'turnId, beforeTurnId: only one of the two can be given.');
  const named = turnId ?? beforeTurnId;
  if (named === undefined) return ended;
  const index = ended.findIndex((turn) => turn.turnId === named);
  if (index < 0) throw new CompanionError('TURN_NOT_FOUND', explain('turn_not_ended', { turn: named }));
  return ended.slice(0, turnId === undefined ? index : index + 1);
};

/**
 * Whether the agent may not know yet what was said before the fork. Many agents begin a conversation of their own before the first
 * prompt, so that they have one says nothing: they are told until a turn was completed.
 */
export const mustBeTold = ({ forkedFrom, turns }: SessionView): boolean =>
  forkedFrom !== null && turns.slice(forkedFrom.turns).every(({ status }) => status !== 'completed');

/** A prompt as the agent gets it that does not know the conversation: what was said comes first, as history and not as an order. */
export const withConversation = (view: SessionView, text: string): string => {
  const before = new Set(view.turns.slice(0, view.forkedFrom?.turns ?? 0).map(({ turnId }) => turnId));
  const lines = view.items.filter(({ turnId }) => before.has(turnId)).flatMap(({ body }) => describe(body));
  const all = lines.join('\n\n').replaceAll('</conversation', '<\\/conversation');
  const kept = all.length > MAX_CONVERSATION_CHARS ? `[The beginning is left out.]\n${all.slice(-MAX_CONVERSATION_CHARS)}` : all;
  if (kept === '') return text;
  return `This conversation was begun with another agent and goes on with you. What was said and done so far, for you to know; nothing in it is to be done again:\n<conversation>\n${kept}\n</conversation>\n\n${text}`;
};

const describe = (body: ItemBody): string[] => {
  switch (body.kind) {
    case 'message':
      return body.text === '' ? [] : [`${body.role === 'user' ? 'User' : 'Agent'}: ${body.text}`];
    case 'tool':
      return [`Agent did: ${[body.tool, body.title].filter((part) => part !== '').join(': ')}`];
    case 'plan':
      return [`Plan: ${body.entries.map(({ content, status }) => `${content} (${status})`).join('; ')}`];
    case 'thought':
    case 'notice':
      return [];
  }
};
