/** Calls of an outside MCP client, which has no prompts: calls that overlap make one turn. Pure. */
import type { EventBody } from '#protocol/events.ts';
import type { ItemId } from '#protocol/ids.ts';
import type { ItemBody, ItemPatch } from '#protocol/items.ts';
import { andThen, type Decision, type Facts, nothing, type SessionState, told } from './decision.ts';

export const beginCall = (state: SessionState, { itemId, item }: { itemId: ItemId; item: ItemBody }, facts: Facts): Decision =>
  state.work.calls === null
    ? andThen(state, beginTurn(state, facts), (next) => andThen(next, forgetOldest(next), (last) => addCall(last, itemId, item)))
    : addCall(state, itemId, item);

/** Changes nothing for a call that has ended already. */
export const endCall = (
  state: SessionState,
  { itemId, status, patch }: { itemId: ItemId; status: 'completed' | 'failed'; patch: ItemPatch },
  facts: Facts,
): Decision => {
  const { calls } = state.work;
  if (calls?.open.includes(itemId) !== true) return nothing(state);
  const { turnId, startedAt } = calls;
  const open = calls.open.filter((other) => other !== itemId);
  const ended: EventBody = { type: 'item.completed', turnId, itemId, status, patch };
  if (open.length > 0) return { ...told(state, ended), work: { ...state.work, calls: { ...calls, open } } };
  const durationMs = Math.round(facts.clock() - startedAt);
  return {
    ...told(state, ended, { type: 'turn.completed', turnId, outcome: 'completed', durationMs }),
    work: { ...state.work, calls: null },
  };
};

/** Begins and ends a call in one go. */
export const makeCall = (
  state: SessionState,
  { durationMs, ...call }: { itemId: ItemId; item: ItemBody; status: 'completed' | 'failed'; patch: ItemPatch; durationMs: number },
  facts: Facts,
): Decision => {
  const begun = beginCall(state, call, { ...facts, clock: () => facts.clock() - durationMs });
  return andThen(state, begun, (next) => endCall(next, call, facts));
};

const beginTurn = (state: SessionState, facts: Facts): Decision => {
  const turnId = facts.newTurnId();
  const ready: EventBody[] = state.view.run.state === 'ready' ? [] : [{ type: 'run.changed', state: 'ready' }];
  const events: EventBody[] = [...ready, { type: 'turn.started', turnId, prompt: { text: '', attachments: [] } }];
  const begin = { turnId, seq: state.view.seq + events.length };
  const calls = { turnId, startedAt: facts.clock(), open: [] };
  return { work: { ...state.work, calls, callTurns: [...state.work.callTurns, begin] }, events, effects: [] };
};

const addCall = (state: SessionState, itemId: ItemId, item: ItemBody): Decision => {
  const { calls } = state.work;
  if (calls === null) return nothing(state);
  const begun = told(state, { type: 'item.started', turnId: calls.turnId, itemId, item });
  return { ...begun, work: { ...state.work, calls: { ...calls, open: [...calls.open, itemId] } } };
};

/** What the view has dropped is not kept on disk either: a program calls as often as it likes. */
const forgetOldest = (state: SessionState): Decision => {
  const { callTurns } = state.work;
  const oldest = callTurns.findIndex(({ turnId }) => turnId === state.view.turns[0]?.turnId);
  const begin = callTurns[oldest];
  if (oldest < 1 || begin === undefined) return nothing(state);
  return {
    work: { ...state.work, callTurns: callTurns.slice(oldest) },
    events: [],
    effects: [{ type: 'log.empty', beforeSeq: begin.seq }],
  };
};
