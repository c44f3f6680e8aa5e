import { describe, expect, test } from 'vitest';
import { decide, type Make } from '#companion/sessions/decide.ts';
import type { Command } from '#protocol/commands.ts';
import { CompanionError } from '#protocol/errors.ts';
import type { EventBody } from '#protocol/events.ts';
import { ItemId, RequestId, SessionId, TurnId } from '#protocol/ids.ts';
import { emptyView, project, type SessionView } from '#protocol/view.ts';

const sessionId = SessionId.parse('s');
let count = 0;
const make = (more: Partial<Make> = {}): Make => ({
  turnId: () => TurnId.parse(`t${(count += 1)}`),
  itemId: () => ItemId.parse(`i${(count += 1)}`),
  now: 1,
  canSteer: false,
  attachments: [],
  ...more,
});
const fold = (view: SessionView, bodies: readonly EventBody[]): SessionView =>
  bodies.reduce((seen, body) => project(seen, { ...body, sessionId, seq: seen.seq + 1, at: 1 }), view);
const order = (view: SessionView, command: Command, more?: Partial<Make>): SessionView => fold(view, decide(view, command, make(more)));
const prompt = (text: string, turnId?: string, delivery?: 'queue' | 'steer'): Command => ({
  type: 'turn.start',
  sessionId,
  prompt: { text, attachments: [] },
  ...(turnId === undefined ? {} : { turnId: TurnId.parse(turnId) }),
  ...(delivery === undefined ? {} : { delivery }),
});
const created = order(emptyView(sessionId), { type: 'session.create', projectId: null, engine: 'e', settings: { model: 'm' } });
const running = order(created, prompt('one', 'a'));
const codeOf = (work: () => unknown): string => {
  try {
    work();
    return 'none';
  } catch (error) {
    return error instanceof CompanionError ? error.code : String(error);
  }
};

describe('decide', () => {
  test('a session without a name is called by the first line of its first prompt, one with a name is left alone', () => {
    const nameless = order(created, prompt('  Fix the login page\nand the logout too', 'a'));
    const renamed = order(order(created, { type: 'session.update', sessionId, name: 'mine' }), prompt('other words', 'b'));

    expect(nameless.name).toBe('Fix the login page');
    expect(renamed.name).toBe('mine');
  });

  test('a session has the defaults for what was not said', () => {
    expect(created).toMatchObject({ engine: 'e', kind: 'agent', settings: { model: 'm', mode: null, maxTurns: null } });
  });

  test('a prompt starts a turn with the user’s message', () => {
    expect(running.turns).toMatchObject([{ turnId: 'a', status: 'running' }]);
    expect(running.items).toMatchObject([{ turnId: 'a', status: 'completed', body: { role: 'user', text: 'one' } }]);
  });

  test('the shown text stands in the message, the sent one in the turn', () => {
    const command: Command = { type: 'turn.start', sessionId, prompt: { text: 'long', displayText: 'short', attachments: [] } };

    const view = order(created, command);

    expect(view.items[0]?.body).toMatchObject({ text: 'short' });
    expect(view.turns[0]?.prompt.text).toBe('long');
  });

  test('a second prompt waits, a repeated one does nothing', () => {
    const queued = order(running, prompt('two', 'b'));

    expect(queued.turns.map((turn) => turn.status)).toEqual(['running', 'queued']);
    expect(decide(queued, prompt('two', 'b'), make())).toEqual([]);
    expect(decide(queued, prompt('one', 'a'), make())).toEqual([]);
  });

  test('a steering prompt joins the running turn once', () => {
    const steered = order(running, prompt('left', 'b', 'steer'), { canSteer: true });

    expect(steered.turns).toHaveLength(1);
    expect(steered.items.at(-1)).toMatchObject({ turnId: 'a', body: { text: 'left' } });
    expect(decide(steered, prompt('left', 'b', 'steer'), make({ canSteer: true }))).toEqual([]);
    expect(order(running, prompt('left', 'c', 'steer')).turns).toHaveLength(2);
  });

  test('stopping is idempotent and reaches what waits', () => {
    const queued = order(running, prompt('two', 'b'));
    const stopping = order(queued, { type: 'turn.cancel', sessionId });

    expect(stopping.turns.map((turn) => turn.status)).toEqual(['cancelling']);
    expect(decide(stopping, { type: 'turn.cancel', sessionId }, make())).toEqual([]);
    expect(order(queued, { type: 'turn.cancel', sessionId, turnId: TurnId.parse('b') }).turns).toHaveLength(1);
    expect(codeOf(() => decide(queued, { type: 'turn.cancel', sessionId, turnId: TurnId.parse('x') }, make()))).toBe('TURN_NOT_FOUND');
  });

  test('a working session cannot be reset', () => {
    expect(codeOf(() => decide(running, { type: 'session.reset', sessionId }, make()))).toBe('SESSION_BUSY');
    expect(order(created, { type: 'session.reset', sessionId }).turns).toEqual([]);
  });

  test('an answer is what its option says', () => {
    const requestId = RequestId.parse('r');
    const options = [
      { optionId: 'y', label: 'Yes', kind: 'allow_session' as const },
      { optionId: 'n', label: 'No', kind: 'reject' as const },
      { optionId: 'c', label: 'Third', kind: 'choice' as const },
    ];
    const asked = fold(running, [
      { type: 'request.opened', turnId: TurnId.parse('a'), requestId, request: { kind: 'permission', title: 't', options } },
    ]);
    const outcome = (optionId: string): unknown =>
      decide(asked, { type: 'request.answer', sessionId, requestId, answer: { optionId, text: 'so' }, by: 'tui' }, make())[0];

    expect(outcome('y')).toMatchObject({ outcome: 'allowed', optionId: 'y', text: 'so', by: 'tui' });
    expect(outcome('n')).toMatchObject({ outcome: 'denied' });
    expect(outcome('c')).toMatchObject({ outcome: 'answered' });
    expect(codeOf(() => outcome('z'))).toBe('INPUT_INVALID');
  });
});
