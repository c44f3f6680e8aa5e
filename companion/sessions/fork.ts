/** A session that goes on from another one: what was said before stands in it, and its agent is told. Pure. */
import { CompanionError } from '#protocol/errors.ts';
import type { EventBody, LoggedPrompt } from '#protocol/events.ts';
import type { AttachmentId, TurnId } from '#protocol/ids.ts';
import type { AttachmentRef, ItemBody, ProofPair } from '#protocol/items.ts';
import type { AnsweredRequest, SessionView, ViewItem, ViewTurn } from '#protocol/view.ts';

/** What a new agent is told of an old conversation; the newest part of a longer one. */
const MAX_CONVERSATION_CHARS = 60_000;

/** The turns of a session up to one of them, before one of them, or all that have ended. */
export const turnsOf = (
  view: SessionView,
  { turnId, beforeTurnId }: { turnId?: TurnId | undefined; beforeTurnId?: TurnId | undefined },
): ViewTurn[] => {
  const ended = view.turns.filter(({ status }) => status !== 'queued' && status !== 'running' && status !== 'cancelling');
  if (turnId !== undefined && beforeTurnId !== undefined)
    throw new CompanionError('INPUT_INVALID', 'turnId, beforeTurnId: only one of the two can be given.');
  const named = turnId ?? beforeTurnId;
  if (named === undefined) return ended;
  const index = ended.findIndex((turn) => turn.turnId === named);
  if (index < 0) throw new CompanionError('TURN_NOT_FOUND', `${named} has not ended, or is not there.`);
  return ended.slice(0, turnId === undefined ? index : index + 1);
};

/** The events that put the turns of `from` into a new log. Each attachment is one of the new session's own. */
export const copyTurns = (
  from: SessionView,
  turns: readonly ViewTurn[],
  attachments: ReadonlyMap<AttachmentId, AttachmentRef>,
): EventBody[] => {
  const renew = (refs: readonly AttachmentRef[]): AttachmentRef[] =>
    refs.flatMap(({ attachmentId }) => attachments.get(attachmentId) ?? []);
  const copyPrompt = (prompt: LoggedPrompt): LoggedPrompt => ({ ...prompt, attachments: renew(prompt.attachments) });
  const copyItem = ({ turnId, itemId, parentItemId, status, at, endedAt, body }: ViewItem): EventBody[] => [
    { type: 'item.started', turnId, itemId, ...(parentItemId === null ? {} : { parentItemId }), item: copyBody(body, renew), saidAt: at },
    { type: 'item.completed', turnId, itemId, status: status === 'running' ? 'cancelled' : status, saidAt: endedAt ?? at },
  ];
  const itemsOf = Map.groupBy(from.items, ({ turnId }) => turnId);
  const cardsOf = Map.groupBy(from.answered, ({ turnId }) => turnId);
  return [
    ...turns.flatMap((turn): EventBody[] => [
      { type: 'turn.started', turnId: turn.turnId, prompt: copyPrompt(turn.prompt), saidAt: turn.startedAt },
      ...inOrder(itemsOf.get(turn.turnId) ?? [], cardsOf.get(turn.turnId) ?? []).flatMap((entry) =>
        'body' in entry ? copyItem(entry) : copyCard(entry),
      ),
      {
        type: 'turn.completed',
        turnId: turn.turnId,
        outcome: turn.status === 'completed' || turn.status === 'cancelled' || turn.status === 'failed' ? turn.status : 'interrupted',
        durationMs: turn.durationMs ?? 0,
        saidAt: turn.startedAt + (turn.durationMs ?? 0),
        ...(turn.error === null ? {} : { error: turn.error }),
      },
    ]),
    { type: 'session.forked', from: from.sessionId, turnId: turns.at(-1)?.turnId ?? null },
  ];
};

/** The entries of a turn, and between them the cards that were answered, each where it stood. */
const inOrder = (items: readonly ViewItem[], cards: readonly AnsweredRequest[]): (ViewItem | AnsweredRequest)[] => {
  const known = new Set<string>(items.map(({ itemId }) => itemId));
  // One that was asked before the first entry of the turn stands after the last of the turn before.
  const first = cards.filter(({ afterItemId }) => afterItemId === null || !known.has(afterItemId));
  return [...first, ...items.flatMap((item) => [item, ...cards.filter(({ afterItemId }) => afterItemId === item.itemId)])];
};

const copyCard = ({
  turnId,
  requestId,
  itemId,
  at,
  request,
  outcome,
  optionId,
  text,
  answers,
  by,
  answeredAt,
}: AnsweredRequest): EventBody[] => [
  { type: 'request.opened', turnId, requestId, ...(itemId === null ? {} : { itemId }), request, saidAt: at },
  {
    type: 'request.resolved',
    requestId,
    outcome,
    ...(optionId === null ? {} : { optionId }),
    ...(text === null ? {} : { text }),
    ...(answers === null ? {} : { answers }),
    by,
    saidAt: answeredAt ?? at,
  },
];

const copyPair = ({ before, after, ...pair }: ProofPair, renew: (refs: readonly AttachmentRef[]) => AttachmentRef[]): ProofPair => {
  const [then] = renew(before === undefined ? [] : [before]);
  const [now] = renew(after === undefined ? [] : [after]);
  return { ...pair, ...(then === undefined ? {} : { before: then }), ...(now === undefined ? {} : { after: now }) };
};

const copyBody = (body: ItemBody, renew: (refs: readonly AttachmentRef[]) => AttachmentRef[]): ItemBody =>
  body.kind === 'message' && body.attachments !== undefined
    ? { ...body, attachments: renew(body.attachments) }
    : body.kind === 'notice' && body.proof !== undefined
      ? { ...body, proof: { ...body.proof, pairs: body.proof.pairs.map((pair) => copyPair(pair, renew)) } }
      : body.kind === 'tool' && body.isBackground === true
        ? { ...body, isBackground: false }
        : body;

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
