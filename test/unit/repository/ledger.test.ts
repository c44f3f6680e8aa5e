/** The judge of the fault tests finds each kind of fault when it is planted; otherwise its "nothing lost" would say nothing. */
import { describe, expect, test } from 'vitest';
import type { EventBody, SessionEvent } from '#protocol/events.ts';
import { ItemId, RequestId, SessionId, TurnId } from '#protocol/ids.ts';
import { emptyVerdict, Ledger, type Verdict } from '#test/fixtures/ledger.ts';

const sessionId = SessionId.parse('session_a');
const turns = ['t1', 't2', 't3'].map((id) => TurnId.parse(id));
const requestId = RequestId.parse('r1');

const turn = (turnId: TurnId): EventBody[] => {
  const prompt = { text: `say ${turnId}`, attachments: [] };
  const message = (role: 'user' | 'assistant', text: string): EventBody[] => {
    const itemId = ItemId.parse(`${turnId}-${role}`);
    return [
      { type: 'item.started', turnId, itemId, item: { kind: 'message', role, text: '' } },
      { type: 'item.delta', turnId, itemId, text },
      { type: 'item.completed', turnId, itemId, status: 'completed' },
    ];
  };
  return [
    { type: 'turn.started', turnId, prompt },
    ...message('user', prompt.text),
    ...message('assistant', `echo ${turnId}; at 1 `),
    { type: 'turn.completed', turnId, outcome: 'completed', durationMs: 1 },
  ];
};
const options = [{ optionId: 'yes', label: 'Allow', kind: 'allow_once' as const }];
const good: EventBody[] = [
  ...turns.flatMap(turn),
  { type: 'request.opened', turnId: null, requestId, request: { kind: 'permission', title: 'a', options } },
  { type: 'request.resolved', requestId, outcome: 'allowed', optionId: 'yes', by: 'test' },
];
const numbered = (bodies: readonly EventBody[]): SessionEvent[] =>
  bodies.map((body, index) => ({ ...body, sessionId, seq: index + 1, at: 1 }));
const without = (isLeftOut: (body: EventBody) => boolean): EventBody[] => good.filter((body) => !isLeftOut(body));

/** A client that was promised all of `good`, and was shown what is given. */
const judge = (
  events: readonly SessionEvent[],
  { seen = [] as readonly SessionEvent[], notes = turns.map((id) => `prompt ${id}`) } = {},
): Verdict => {
  const ledger = new Ledger();
  for (const id of turns) ledger.acknowledgeTurn(id);
  ledger.acknowledgeAnswer(requestId, 'yes');
  for (const event of seen) ledger.see(event);
  return ledger.judge({ sessionId, events, agentNotes: notes });
};
const kindsOf = (verdict: Verdict): string[] => Object.entries(verdict).flatMap(([kind, found]) => (found.length > 0 ? [kind] : []));

describe('a history is judged by what a client was promised', () => {
  test('nothing is found in one that kept every promise', () => {
    expect(judge(numbered(good), { seen: numbered(good).slice(0, 12) })).toEqual(emptyVerdict());
  });

  test.for<[string, EventBody[], string]>([
    ['a turn that is not there', without((body) => 'turnId' in body && body.turnId === turns[1]), 'lost'],
    ['what the agent said', without((body) => body.type === 'item.delta' && body.text.startsWith('echo t2')), 'lost'],
    ['an answer', without((body) => body.type === 'request.resolved'), 'lost'],
    ['a turn that began twice', [...good, ...turn(TurnId.parse('t2')).slice(0, 1)], 'doubled'],
    ['a message that stands there twice', [...good, ...turn(TurnId.parse('t2')).slice(1, 4)], 'doubled'],
    ['two turns in the wrong order', [...turn(TurnId.parse('t2')), ...turn(TurnId.parse('t1')), ...good.slice(16)], 'disordered'],
    ['a turn that has no end', without((body) => body.type === 'turn.completed' && body.turnId === turns[2]), 'leftRunning'],
    ['a question that stays open', without((body) => body.type === 'request.resolved'), 'leftRunning'],
  ])('%s is found', ([, bodies, kind]) => {
    expect(kindsOf(judge(numbered(bodies)))).toContain(kind);
  });

  /** Of the entries that say what was promised, each is taken away, repeated, and put before the one ahead of it. */
  const places = good.map((body, at) => [at, body.type] as const);
  /** An item's beginning says nothing that its text does not, and nobody was promised when a question was put. */
  const isPromise = (body: EventBody | undefined): boolean =>
    body?.type === 'turn.started' || body?.type === 'turn.completed' || body?.type === 'request.resolved';

  test.for(places)('whatever is done to entry %i (%s) is found by a client that saw it', ([at]) => {
    const events = numbered(good);
    const [before, event] = [events[at - 1], events[at]] as [SessionEvent | undefined, SessionEvent];
    const changed = { ...event, at: 2 };

    expect(kindsOf(judge(events.toSpliced(at, 1), { seen: events }))).toContain('lost');
    expect(kindsOf(judge(events.with(at, changed), { seen: events }))).toEqual(['lost']);
    expect(kindsOf(judge(events.toSpliced(at, 0, event), { seen: events }))).toContain('doubled');
    expect(kindsOf(judge(events, { seen: events.toSpliced(at, 0, event) }))).toEqual(['doubled']);
    if (at < events.length - 1) expect(kindsOf(judge(events, { seen: events.toSpliced(at, 1) }))).toEqual(['lost']);
    if (before !== undefined) {
      expect(kindsOf(judge(events, { seen: events.toSpliced(at - 1, 2, event, before) }))).toContain('disordered');
      expect(kindsOf(judge(events.toSpliced(at - 1, 2, event, before)))).toContain('disordered');
    }
  });

  test.for(places.filter(([at]) => isPromise(good[at])))(
    'a log without entry %i (%s), or with two of it, is found though it is numbered without a gap and nobody saw it',
    ([at]) => {
      expect(judge(numbered(good.toSpliced(at, 1)))).not.toEqual(emptyVerdict());
      expect(kindsOf(judge(numbered(good.toSpliced(at, 0, ...good.slice(at, at + 1)))))).toContain('doubled');
    },
  );

  test('what goes on or waits when all should be over is found, but not after the power went', () => {
    const running = numbered(good.slice(0, 6));
    const ledger = new Ledger();
    ledger.acknowledgeTurn(TurnId.parse('t1'));

    const judged = (after: 'process' | 'power'): Verdict => ledger.judge({ sessionId, events: running, agentNotes: [] }, after);

    expect(judged('process').leftRunning).toEqual(['t1 is running', 't1-assistant is running']);
    expect(judged('power')).toEqual(emptyVerdict());
  });

  test('an answer other than the one that was acknowledged is a loss', () => {
    const other = good.map((body) => (body.type === 'request.resolved' ? { ...body, optionId: 'no' } : body));

    expect(kindsOf(judge(numbered(other)))).toEqual(['lost']);
  });

  test('a gap, a repetition and a step back in what a stream showed are found', () => {
    const events = numbered(good);
    const [first, second, third] = events.slice(0, 3) as [SessionEvent, SessionEvent, SessionEvent];

    expect(kindsOf(judge(events, { seen: [first, third] }))).toEqual(['lost']);
    expect(kindsOf(judge(events, { seen: [first, first] }))).toEqual(['doubled']);
    expect(kindsOf(judge(events, { seen: [first, second, third, second] }))).toEqual(['disordered']);
    expect(kindsOf(judge(events, { seen: [{ ...first, at: 2 }] }))).toEqual(['lost']);
  });

  test('a prompt that reached the agent twice is found', () => {
    expect(kindsOf(judge(numbered(good), { notes: ['prompt t1', 'prompt t2', 'prompt t1'] }))).toEqual(['doubled']);
    expect(kindsOf(judge(numbered(good), { notes: ['answer t1 yes', 'answer t1 yes'] }))).toEqual(['doubled']);
  });
});
