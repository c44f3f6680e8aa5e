/**
 * What was said in another session as events for a new log. A conversation may be far longer than what memory should hold, so its parts
 * are read twice: for what it consists of, and then for the events themselves, a slice at a time. Pure.
 */
import type { EventBody, LoggedPrompt } from '#protocol/events.ts';
import type { AttachmentId, ItemId, SessionId, TurnId } from '#protocol/ids.ts';
import { attachedTo, type AttachmentRef, type ItemBody, type ProofPair } from '#protocol/items.ts';
import type { AnsweredRequest, ViewItem, ViewTurn } from '#protocol/view.ts';
import type { ViewPart } from './stored-view.ts';

/** Events that are written at a time. */
const SLICE = 250;

/** The lists of a conversation from their beginnings, as often as they are asked for. */
export type Parts = () => AsyncIterable<ViewPart>;

/** What a conversation consists of. */
export interface Outline {
  readonly turns: readonly ViewTurn[];
  readonly answered: readonly AnsweredRequest[];
  /** Entries that stand after one of a later turn, by their own. */
  readonly late: ReadonlyMap<TurnId, readonly ViewItem[]>;
  /** All that is attached, with its turn. */
  readonly attached: readonly { readonly turnId: TurnId; readonly ref: AttachmentRef }[];
}

/** Reads a conversation once; twice where entries are out of order. */
export const outlineOf = async (parts: Parts): Promise<Outline> => {
  const turns: ViewTurn[] = [];
  const answered: AnsweredRequest[] = [];
  const attached: { turnId: TurnId; ref: AttachmentRef }[] = [];
  /** The turns of the entries in their order; one that follows itself stands there once. */
  const order: TurnId[] = [];
  for await (const part of parts()) {
    for (const turn of part.turns) {
      turns.push(turn);
      for (const ref of turn.prompt.attachments) attached.push({ turnId: turn.turnId, ref });
    }
    for (const card of part.answered) answered.push(card);
    for (const { turnId, body } of part.items) {
      if (order.at(-1) !== turnId) order.push(turnId);
      for (const ref of attachedTo(body)) attached.push({ turnId, ref });
    }
  }
  const places = placesOf(turns);
  const isInOrder = order.every((turnId, at) => at === 0 || (places.get(turnId) ?? 0) >= (places.get(order[at - 1] ?? turnId) ?? 0));
  return { turns, answered, attached, late: isInOrder ? new Map() : await lateOf(parts, places) };
};

const placesOf = (turns: readonly ViewTurn[]): ReadonlyMap<TurnId, number> => new Map(turns.map(({ turnId }, place) => [turnId, place]));

const lateOf = async (parts: Parts, places: ReadonlyMap<TurnId, number>): Promise<Map<TurnId, ViewItem[]>> => {
  const late = new Map<TurnId, ViewItem[]>();
  let newest = 0;
  for await (const { items } of parts()) {
    for (const item of items) {
      const place = places.get(item.turnId) ?? newest;
      newest = Math.max(newest, place);
      if (place >= newest) continue;
      const others = late.get(item.turnId);
      if (others === undefined) late.set(item.turnId, [item]);
      else others.push(item);
    }
  }
  return late;
};

export interface CopyInput {
  readonly from: SessionId;
  readonly outline: Outline;
  /** Those that are copied, in their order. */
  readonly turns: readonly ViewTurn[];
  readonly parts: Parts;
  /** Each attachment is one of the new session's own. */
  readonly attachments: ReadonlyMap<AttachmentId, AttachmentRef>;
}

/** The events that put these turns into a new log. */
export async function* copySlices({ from, outline, turns, parts, attachments }: CopyInput): AsyncGenerator<EventBody[]> {
  const copy = new Copy(outline, turns, attachments);
  let slice: EventBody[] = [];
  for await (const { items } of parts()) {
    for (const item of items) {
      slice.push(...copy.take(item));
      if (slice.length < SLICE) continue;
      yield slice;
      slice = [];
    }
  }
  for (const event of copy.finish()) {
    slice.push(event);
    if (slice.length < SLICE) continue;
    yield slice;
    slice = [];
  }
  yield [...slice, { type: 'session.forked', from, turnId: turns.at(-1)?.turnId ?? null }];
}

/** Goes through the entries, and begins and ends their turns. */
class Copy {
  readonly #turns: readonly ViewTurn[];
  readonly #places: ReadonlyMap<TurnId, number>;
  readonly #late: Outline['late'];
  readonly #attachments: ReadonlyMap<AttachmentId, AttachmentRef>;
  /** Cards that are not written yet, by their turns. */
  readonly #cards: Map<TurnId | null, AnsweredRequest[]>;
  /** Entries after which a card was opened, and that have been passed. */
  readonly #passed = new Set<ItemId>();
  readonly #anchors: ReadonlySet<ItemId | null>;
  /** The turn that is open; -1 before the first. */
  #open = -1;

  constructor({ answered, late }: Outline, turns: readonly ViewTurn[], attachments: ReadonlyMap<AttachmentId, AttachmentRef>) {
    this.#turns = turns;
    this.#places = placesOf(turns);
    this.#late = late;
    this.#attachments = attachments;
    this.#cards = Map.groupBy(answered, ({ turnId }) => turnId);
    this.#anchors = new Set(answered.map(({ afterItemId }) => afterItemId));
  }

  *take(item: ViewItem): Generator<EventBody> {
    const place = this.#places.get(item.turnId);
    // One of a turn that is over came with that turn.
    if (place === undefined || place < this.#open) return;
    yield* this.#goTo(place);
    yield* this.#item(item);
  }

  *finish(): Generator<EventBody> {
    yield* this.#goTo(this.#turns.length - 1);
    yield* this.#end();
  }

  *#goTo(place: number): Generator<EventBody> {
    while (this.#open < place) {
      yield* this.#end();
      this.#open += 1;
      const turn = this.#turns[this.#open];
      if (turn === undefined) return;
      const { turnId, prompt, startedAt } = turn;
      yield {
        type: 'turn.started',
        turnId,
        prompt: { ...prompt, attachments: this.#renew(prompt.attachments) } satisfies LoggedPrompt,
        saidAt: startedAt,
      };
      // What was asked before the first entry of the turn stands after the last of the turn before.
      yield* this.#take(turnId, ({ afterItemId }) => afterItemId === null || this.#passed.has(afterItemId));
    }
  }

  *#end(): Generator<EventBody> {
    const turn = this.#turns[this.#open];
    if (turn === undefined) return;
    const { turnId, status, startedAt, durationMs, error } = turn;
    for (const item of this.#late.get(turnId) ?? []) yield* this.#item(item);
    // The entry after which it was asked is not there any more.
    yield* this.#take(turnId, () => true);
    yield {
      type: 'turn.completed',
      turnId,
      outcome: status === 'completed' || status === 'cancelled' || status === 'failed' ? status : 'interrupted',
      durationMs: durationMs ?? 0,
      saidAt: startedAt + (durationMs ?? 0),
      ...(error === null ? {} : { error }),
    };
  }

  *#item({ turnId, itemId, parentItemId, status, at, endedAt, body }: ViewItem): Generator<EventBody> {
    const item = copyBody(body, (refs) => this.#renew(refs));
    yield { type: 'item.started', turnId, itemId, ...(parentItemId === null ? {} : { parentItemId }), item, saidAt: at };
    yield { type: 'item.completed', turnId, itemId, status: status === 'running' ? 'cancelled' : status, saidAt: endedAt ?? at };
    if (!this.#anchors.has(itemId)) return;
    this.#passed.add(itemId);
    yield* this.#take(turnId, ({ afterItemId }) => afterItemId === itemId);
  }

  /** The cards of a turn that are due now. */
  *#take(turnId: TurnId, isDue: (card: AnsweredRequest) => boolean): Generator<EventBody> {
    const cards = this.#cards.get(turnId);
    if (cards === undefined) return;
    const { due = [], left = [] } = Object.groupBy(cards, (card) => (isDue(card) ? 'due' : 'left'));
    this.#cards.set(turnId, left);
    for (const card of due) yield* copyCard(card);
  }

  #renew(refs: readonly AttachmentRef[]): AttachmentRef[] {
    return refs.flatMap(({ attachmentId }) => this.#attachments.get(attachmentId) ?? []);
  }
}

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
