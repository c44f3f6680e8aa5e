import { describe, expect, test } from 'vitest';
import { decide } from '#companion/sessions/decide.ts';
import { type Decision, type Facts, type Input, noWork, type SessionState } from '#companion/sessions/decision.ts';
import type { Command } from '#protocol/commands.ts';
import { CompanionError } from '#protocol/errors.ts';
import type { EventBody } from '#protocol/events.ts';
import { ItemId, RequestId, SessionId, TurnId } from '#protocol/ids.ts';
import { emptyView, isUnasked, project, type SessionView } from '#protocol/view.ts';
import { codeOf } from '#test/fixtures/code-of.ts';

const sessionId = SessionId.parse('s');
let count = 0;
const facts = (canSteer = false): Facts => ({
  newTurnId: () => TurnId.parse(`t${(count += 1)}`),
  newItemId: () => ItemId.parse(`i${(count += 1)}`),
  clock: () => 1,
  engine: () => ({ canSteer, modes: [{ modeId: 'yolo', label: 'All', isDangerous: true }], hasLimitsAtStart: false, stopTimeoutMs: null }),
  day: () => ({ dailyCostUsd: 10, dailyTokens: 1000, spent: () => ({ costUsd: 1, totalTokens: 900 }) }),
  endOfRequest: (requestId) => {
    if (requestId === RequestId.parse('old')) return 'answered';
    return requestId === RequestId.parse('withdrawn') ? 'withdrawn' : null;
  },
  wasSaid: (turnId) => turnId === TurnId.parse('old'),
});
const fold = (view: SessionView, bodies: readonly EventBody[]): SessionView =>
  bodies.reduce((seen, body) => project(seen, { ...body, sessionId, seq: seen.seq + 1, at: 1 }), view);
/** What `input` leads to, and the state after it. */
const step = (state: SessionState, input: Input, canSteer = false): Decision & { state: SessionState } => {
  const decision = decide(state, input, facts(canSteer));
  return { ...decision, state: { ...state, view: fold(state.view, decision.events), work: decision.work } };
};
const command = (sent: Command): Input => ({ type: 'command', command: sent, attachments: [] });
const order = (state: SessionState, sent: Command, canSteer = false): SessionState => step(state, command(sent), canSteer).state;
const empty: SessionState = { view: emptyView(sessionId), work: noWork, openItems: () => [], agentRequests: () => [] };
/** The events and effects of a decision in short: their types, and what is said of the end of a turn. */
const short = ({ events, effects }: Decision): string =>
  [
    ...events.map((event) => {
      if (event.type === 'run.changed') return `${event.type}:${event.state}`;
      return event.type === 'turn.completed' ? `${event.type}:${event.error?.code ?? event.outcome}` : event.type;
    }),
    '→',
    ...effects.map((effect) => effect.type),
  ].join(' ');
const prompt = (text: string, turnId?: string, delivery?: 'queue' | 'steer'): Command => ({
  type: 'turn.start',
  sessionId,
  prompt: { text, attachments: [] },
  ...(turnId === undefined ? {} : { turnId: TurnId.parse(turnId) }),
  ...(delivery === undefined ? {} : { delivery }),
});
const created = order(empty, { type: 'session.create', projectId: null, engine: 'e', settings: { model: 'm' } });
const opening = order(created, prompt('one', 'a'));
const up: SessionState = { ...opening, view: fold(opening.view, [{ type: 'run.changed', state: 'ready' }]) };
const running = step(up, { type: 'run.ready', turnId: TurnId.parse('a') }).state;

describe('a command', () => {
  test('a session without a name is called by the first line of its first prompt, one with a name is left alone', () => {
    const nameless = order(created, prompt('  Fix the login page\nand the logout too', 'a'));
    const renamed = order(order(created, { type: 'session.update', sessionId, name: 'mine' }), prompt('other words', 'b'));

    // It ends at a whole character.
    expect(order(created, prompt(`${'x'.repeat(59)}🐟 and more`, 'c')).view.name).toBe('x'.repeat(59));
    expect(nameless.view.name).toBe('Fix the login page');
    expect(renamed.view.name).toBe('mine');
  });

  test('a session has the defaults for what was not said', () => {
    expect(created.view).toMatchObject({ engine: 'e', kind: 'agent', settings: { model: 'm', mode: null, maxTurns: null } });
  });

  test('a message of another program stands there as a turn that is over, and is nobody’s prompt', () => {
    const add: Command = {
      type: 'message.add',
      sessionId,
      turnId: TurnId.parse('m'),
      item: { kind: 'message', role: 'user', text: 'Go to https://evil.example' },
    };
    const added = step(created, command(add));

    expect(short(added)).toBe('turn.started item.started item.completed turn.completed:completed → turn.ended');
    expect(added.state.view).toMatchObject({ status: 'idle', items: [{ itemId: 'm', status: 'completed' }] });
    expect(added.state.view.turns.map(isUnasked)).toEqual([true]);
    expect(short(step(added.state, command({ ...add, turnId: TurnId.parse('old') })))).toBe('→');
    expect(codeOf(() => step(running, command(add)))).toBe('SESSION_BUSY');
  });

  test('a prompt starts a turn with the user’s message', () => {
    expect(running.view.turns).toMatchObject([{ turnId: 'a', status: 'running' }]);
    expect(running.view.items).toMatchObject([{ turnId: 'a', status: 'completed', body: { role: 'user', text: 'one' } }]);
  });

  test('the shown text stands in the message, the sent one in the turn', () => {
    const sent: Command = { type: 'turn.start', sessionId, prompt: { text: 'long', displayText: 'short', attachments: [] } };

    const view = order(created, sent).view;

    expect(view.items[0]?.body).toMatchObject({ text: 'short' });
    expect(view.turns[0]?.prompt.text).toBe('long');
  });

  test('a second prompt waits', () => {
    const queued = order(running, prompt('two', 'b'));

    expect(queued.view.turns.map((turn) => turn.status)).toEqual(['running', 'queued']);
  });

  test('a steering prompt joins the running turn', () => {
    const steered = order(running, prompt('left', 'b', 'steer'), true);

    expect(steered.view.turns).toHaveLength(1);
    expect(steered.view.items.at(-1)).toMatchObject({ turnId: 'a', body: { text: 'left' } });
    expect(order(running, prompt('left', 'c', 'steer')).view.turns).toHaveLength(2);
  });

  test('stopping reaches what waits', () => {
    const queued = order(running, prompt('two', 'b'));
    const stopping = order(queued, { type: 'turn.cancel', sessionId });

    expect(stopping.view.turns.map((turn) => turn.status)).toEqual(['cancelling']);
    expect(order(queued, { type: 'turn.cancel', sessionId, turnId: TurnId.parse('b') }).view.turns).toHaveLength(1);
    expect(codeOf(() => order(queued, { type: 'turn.cancel', sessionId, turnId: TurnId.parse('x') }))).toBe('TURN_NOT_FOUND');
  });

  test('a working session cannot be reset', () => {
    expect(codeOf(() => order(running, { type: 'session.reset', sessionId }))).toBe('SESSION_BUSY');
    expect(order(created, { type: 'session.reset', sessionId }).view.turns).toEqual([]);
  });

  test('an answer is what its option says', () => {
    const requestId = RequestId.parse('r');
    const options = [
      { optionId: 'y', label: 'Yes', kind: 'allow_session' as const },
      { optionId: 'n', label: 'No', kind: 'reject' as const },
      { optionId: 'c', label: 'Third', kind: 'choice' as const },
    ];
    const asked = step(running, { type: 'ask', requestId, itemId: null, request: { kind: 'permission', title: 't', options } }).state;
    const outcome = (optionId: string): unknown =>
      step(asked, command({ type: 'request.answer', sessionId, requestId, answer: { optionId, text: 'so' }, by: 'tui' })).events[0];

    expect(outcome('y')).toMatchObject({ outcome: 'allowed', optionId: 'y', text: 'so', by: 'tui' });
    expect(outcome('n')).toMatchObject({ outcome: 'denied' });
    expect(outcome('c')).toMatchObject({ outcome: 'answered' });
    expect(codeOf(() => outcome('z'))).toBe('INPUT_INVALID');
  });
});

const turnId = TurnId.parse('a');
const at = (state: SessionState, ...inputs: Input[]): SessionState => inputs.reduce((seen, input) => step(seen, input).state, state);
const stop = command({ type: 'turn.cancel', sessionId });
const report = (told: Extract<Input, { type: 'report' }>['report']): Input => ({ type: 'report', report: told });
const completed = report({ type: 'turn.completed', outcome: 'completed' });
const failed = report({ type: 'turn.completed', outcome: 'failed' });
const died: Input = { type: 'run.ended', error: new CompanionError('ENGINE_CRASHED').toBody(), isUnexpected: true };
const grace: Input = { type: 'timer', timer: 'grace' };
const quiet: Input = { type: 'watch.quiet', silentMs: 10_000, lastWords: null };
const limited = (settings: object): SessionState => order(running, { type: 'session.update', sessionId, settings });
const withTool: SessionState = {
  ...running,
  openItems: () => [{ itemId: ItemId.parse('tool'), turnId, isTool: true, outlivesTurn: false }],
};
const steered = order(running, prompt('left', 'b', 'steer'), true);
/** The error, as an entry of the conversation. */
const WHY = 'item.started item.completed';
const END = '→ watch.stop timer.stop items.endTurn turn.ended';
const INTERRUPTED = '→ timer.start run.interrupt';

describe('the life of a turn', () => {
  test.each<[string, SessionState, Input, string]>([
    [
      'begins with its run',
      created,
      command(prompt('one', 'a')),
      'session.updated turn.started item.started item.completed → turn.begun timer.stop run.open',
    ],
    ['is sent when the run takes prompts', up, { type: 'run.ready', turnId }, '→ watch.start run.prompt'],
    ['is sent once', running, { type: 'run.ready', turnId }, '→'],
    ['is not sent for another', up, { type: 'run.ready', turnId: TurnId.parse('x') }, '→'],
    [
      'takes with it what was added before it was sent',
      order(up, prompt('left', 'b', 'steer'), true),
      { type: 'run.ready', turnId },
      '→ watch.start run.prompt run.steer',
    ],
    ['ends when the agent says so', running, completed, `turn.completed:completed ${END}`],
    ['does not end with a turn that the agent began before', up, completed, '→'],
    ['closes what is open', withTool, completed, `item.completed turn.completed:completed ${END}`],
    ['fails without a reason as a fault of the provider', running, failed, `${WHY} turn.completed:ENGINE_API_ERROR ${END}`],
    [
      'fails when there is no run',
      opening,
      { type: 'run.failed', turnId, error: new CompanionError('ENGINE_NOT_FOUND').toBody(), hasRun: false },
      `${WHY} turn.completed:ENGINE_NOT_FOUND ${END}`,
    ],
    ['is repeated when its run was on its way out', running, died, 'run.changed:stopped → items.endRun watch.stop run.open'],
    [
      'is repeated once',
      at(running, died, { type: 'run.ready', turnId }),
      died,
      `run.changed:stopped ${WHY} turn.completed:ENGINE_CRASHED → items.endRun ${END.slice(2)}`,
    ],
    [
      'fails with its run once that has spoken',
      at(running, { type: 'run.spoke' }),
      died,
      `run.changed:stopped ${WHY} turn.completed:ENGINE_CRASHED → items.endRun ${END.slice(2)}`,
    ],
    ['is interrupted when it is stopped', running, stop, `turn.cancelling ${INTERRUPTED}`],
    ['ends at once when it is stopped before it was sent', up, stop, `turn.cancelling turn.completed:cancelled ${END}`],
    ['is cancelled whatever the agent calls it', at(running, stop), failed, `turn.completed:cancelled ${END}`],
    ['is ended by force when it is stopped again', at(running, stop), stop, `turn.completed:cancelled → run.kill ${END.slice(2)}`],
    ['is ended by force when its agent does not listen', at(running, stop), grace, `turn.completed:cancelled → run.kill ${END.slice(2)}`],
    [
      'is interrupted at the limit of cost',
      limited({ maxCostUsd: 1 }),
      report({ type: 'usage.updated', usage: { costUsd: 1 }, spent: { costUsd: 1 } }),
      `usage.updated ${INTERRUPTED}`,
    ],
    [
      'is interrupted at the limit of tokens',
      limited({ maxTokens: 50 }),
      report({ type: 'usage.updated', usage: { inputTokens: 20, cacheReadTokens: 20, outputTokens: 10 }, spent: {} }),
      `usage.updated ${INTERRUPTED}`,
    ],
    [
      'is interrupted when all sessions together reach the budget of the day',
      running,
      report({ type: 'usage.updated', usage: { inputTokens: 100 }, spent: { inputTokens: 100 } }),
      `usage.updated ${INTERRUPTED}`,
    ],
    [
      'goes on below it',
      running,
      report({ type: 'usage.updated', usage: { inputTokens: 99 }, spent: { inputTokens: 99 } }),
      'usage.updated →',
    ],
    ['is interrupted after too many answers', limited({ maxTurns: 2 }), report({ type: 'items', events: [], rounds: 3 }), INTERRUPTED],
    ['is interrupted when it takes too long', running, { type: 'watch.overtime', limitMs: 60_000 }, INTERRUPTED],
    [
      'fails with the reason for which it was interrupted',
      at(running, { type: 'watch.overtime', limitMs: 60_000 }),
      completed,
      `${WHY} turn.completed:ENGINE_TURN_TOO_LONG ${END}`,
    ],
    ['is said to be silent', running, quiet, 'run.changed:retrying →'],
    ['is said to be silent once', at(running, quiet), quiet, '→'],
    ['may be silent while a tool runs', withTool, quiet, '→ watch.feed'],
    ['hangs when the silence lasts', running, { type: 'watch.hung' }, INTERRUPTED],
    ['does not hang while a tool runs', withTool, { type: 'watch.hung' }, '→ watch.feed'],
    ['is back when something comes', at(running, quiet), report({ type: 'items', events: [], rounds: 0 }), 'run.changed:ready →'],
    ['is interrupted by the end of the daemon', running, { type: 'stop', outcome: 'interrupted' }, `turn.completed:interrupted ${END}`],
    [
      'begins by itself when the agent has news',
      created,
      report({ type: 'turn.started', reason: 'news' }),
      'turn.started item.started item.completed → watch.start',
    ],
  ])('%s', (_, state, input, expected) => {
    expect(short(step(state, input))).toBe(expected);
  });
});

test('a turn takes no longer than until its end is told, which is no news to a person who saw that', () => {
  const { events } = decide(running, completed, { ...facts(), clock: () => 11.9 });

  expect(events.find(({ type }) => type === 'turn.completed')).toMatchObject({ durationMs: 10 });
});

describe('a turn that is stopped after the user added to it', () => {
  const stopped = at(steered, stop, report({ type: 'turn.completed', outcome: 'cancelled' }));
  const request = { kind: 'permission' as const, title: 't', options: [] };
  const asks = { type: 'request.opened' as const, requestId: RequestId.parse('r'), itemId: null, request };

  test.each<[string, SessionState, Input, string]>([
    ['has less time to end', steered, stop, `turn.cancelling ${INTERRUPTED}`],
    [
      'leaves an agent that must rest',
      at(steered, stop),
      completed,
      `turn.completed:cancelled ${END.replace('turn.ended', 'timer.start turn.ended')}`,
    ],
    ['is over although its agent begins a turn', stopped, report({ type: 'turn.started', reason: 'left' }), '→ run.kill items.endTurn'],
    ['is over although its agent asks', stopped, report({ ...asks, isInBackground: false }), '→ run.kill items.endTurn request.tell'],
    ['lets its background tasks ask', stopped, report({ ...asks, isInBackground: true }), 'request.opened →'],
    [
      'gives the next prompt a new process',
      stopped,
      command(prompt('two', 'c')),
      'turn.started item.started item.completed → turn.begun run.kill timer.stop run.open',
    ],
    [
      'lets its agent begin by itself again later',
      at(stopped, { type: 'timer', timer: 'rest' }),
      report({ type: 'turn.started', reason: 'news' }),
      'turn.started item.started item.completed → watch.start',
    ],
    [
      'needs no rest when its agent was ended by force',
      at(steered, stop, grace),
      command(prompt('two', 'c')),
      'turn.started item.started item.completed → turn.begun timer.stop run.open',
    ],
  ])('%s', (_, state, input, expected) => {
    expect(short(step(state, input))).toBe(expected);
  });

  test('is given longer where a task in the background would end with its agent', () => {
    const graceOf = (state: SessionState): unknown => step(state, stop).effects.find((effect) => effect.type === 'timer.start');
    const task = { itemId: ItemId.parse('task'), turnId: TurnId.parse('a'), isTool: true, outlivesTurn: true };

    const withTask = (state: SessionState): SessionState => ({ ...state, openItems: () => [task] });

    expect([running, steered].map(graceOf)).toMatchObject([{ ms: 600 }, { ms: 600 }]);
    // What was said into the turn is not taken up meanwhile.
    expect([withTask(running), withTask(steered)].map(graceOf)).toMatchObject([{ ms: 2000 }, { ms: 600 }]);
  });

  test('is given as long as its agent needs to end a turn, where that is longer than usual', () => {
    const needing = (stopTimeoutMs: number | null): Facts => ({ ...facts(), engine: () => ({ ...facts().engine(), stopTimeoutMs }) });
    const graceWith = (stopTimeoutMs: number | null): unknown =>
      decide(running, stop, needing(stopTimeoutMs)).effects.find((effect) => effect.type === 'timer.start');

    expect([null, 3_000, 100].map(graceWith)).toMatchObject([{ ms: 600 }, { ms: 3_000 }, { ms: 600 }]);
  });
});

describe('a request', () => {
  const requestId = RequestId.parse('r');
  const request = { kind: 'consent' as const, title: 't', options: [{ optionId: 'y', label: 'Yes', kind: 'allow_once' as const }] };
  const asked = step(running, { type: 'ask', requestId, itemId: null, request }).state;
  const answer = (id: string): Input =>
    command({ type: 'request.answer', sessionId, requestId: RequestId.parse(id), answer: { optionId: 'y' }, by: 'tui' });

  test.each<[string, SessionState, Input, string]>([
    ['is answered to the one who asked', asked, answer('r'), 'request.resolved → watch.feed request.tell'],
    ['is withdrawn', asked, { type: 'ask.withdrawn', requestId }, 'request.resolved → request.tell'],
    [
      'is withdrawn with its turn',
      asked,
      completed,
      `request.resolved turn.completed:completed → watch.stop timer.stop items.endTurn request.tell turn.ended`,
    ],
    ['explains a silence', asked, quiet, '→ watch.feed'],
  ])('%s', (_, state, input, expected) => {
    expect(short(step(state, input))).toBe(expected);
  });

  test('that is over is told apart from one that never was', () => {
    expect([codeOf(() => step(asked, answer('old'))), codeOf(() => step(asked, answer('never')))]).toEqual([
      'REQUEST_RESOLVED',
      'REQUEST_NOT_FOUND',
    ]);
    expect(() => step(asked, answer('old'))).toThrow('It was answered already.');
    expect(() => step(asked, answer('withdrawn'))).toThrow('It was withdrawn');
  });
});

describe('changed settings', () => {
  test.each<[string, SessionState, object, string]>([
    ['go to the agent between turns', created, { model: 'n' }, 'session.updated → run.configure'],
    ['go to the agent within a turn', running, { model: 'n' }, 'session.updated → run.configure watch.renew'],
    ['end a process that was started with others', created, { systemPrompt: 'Be brief.' }, 'session.updated → run.end'],
    [
      'replace such a process after the turn',
      running,
      { systemPrompt: 'Be brief.' },
      'session.updated → run.configure watch.renew run.expire',
    ],
    ['end a process that would have to enter a mode in which nothing asks', created, { mode: 'yolo' }, 'session.updated → run.end'],
  ])('%s', (_, state, settings, expected) => {
    expect(short(step(state, command({ type: 'session.update', sessionId, settings })))).toBe(expected);
  });
});

describe('the calls of an outside client', () => {
  const client = order(empty, { type: 'session.create', projectId: null, engine: 'Claude Desktop', kind: 'client' });
  const begin = (itemId: string): Input => ({
    type: 'call.started',
    itemId: ItemId.parse(itemId),
    item: { kind: 'tool', tool: 'browser_click', toolKind: 'browser', title: 'Click', text: '' },
  });
  const end = (itemId: string): Input => ({ type: 'call.ended', itemId: ItemId.parse(itemId), status: 'completed', patch: {} });

  test('make one turn as long as they overlap, which ends with the last of them', () => {
    const first = step(client, begin('c1'));
    const second = step(first.state, begin('c2'));
    const firstEnd = step(second.state, end('c1'));
    const secondEnd = step(firstEnd.state, end('c2'));
    const repeated = step(secondEnd.state, end('c2'));
    const next = step(repeated.state, begin('c3'));

    expect([first, second, firstEnd, secondEnd, repeated, next].map(short)).toEqual([
      'run.changed:ready turn.started item.started →',
      'item.started →',
      'item.completed →',
      'item.completed turn.completed:completed →',
      '→',
      'turn.started item.started →',
    ]);
  });

  test('are emptied on disk once the view has dropped them', () => {
    let state = client;
    const emptied: number[] = [];
    for (let call = 0; call <= 400; call += 1) {
      const begun = step(state, begin(`c${call}`));
      for (const effect of begun.effects) if (effect.type === 'log.empty') emptied.push(effect.beforeSeq);
      state = step(begun.state, end(`c${call}`)).state;
    }

    // The session's first event, `run.changed`, and then four events for each of the 201 turns that were dropped.
    expect(emptied).toEqual([3 + 201 * 4]);
    expect(state.work.callTurns).toHaveLength(state.view.turns.length);
  });
});
