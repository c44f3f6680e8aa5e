import { describe, expect, test } from 'vitest';
import type { EventBody, SessionEvent } from '#protocol/events.ts';
import { SessionId, TurnId } from '#protocol/ids.ts';
import { emptyView, project } from '#protocol/view.ts';
import { changesOf, RealtimeConverter } from '#companion/compat/realtime.ts';

const sessionId = SessionId.parse('s1');
const turnId = TurnId.parse('t1');
const prompt = { text: 'Hello', attachments: [] };

/** The states that a client is told of, in their order. */
const statesOf = (bodies: readonly EventBody[]): string[] => {
  const converter = new RealtimeConverter();
  let view = emptyView(sessionId);
  return bodies.flatMap((body, index) => {
    const event: SessionEvent = { ...body, sessionId, seq: index + 1, at: index };
    view = project(view, event);
    return converter.convert(view, event).flatMap((told) => (told.type === 'status' ? [told.data.status] : []));
  });
};

describe('the state of a turn', () => {
  test('is starting, then running, whether its agent is started for it', () => {
    expect(
      statesOf([
        { type: 'turn.started', turnId, prompt },
        { type: 'run.changed', state: 'starting' },
        { type: 'run.changed', state: 'ready' },
        { type: 'turn.completed', turnId, outcome: 'completed', durationMs: 1 },
      ]),
    ).toEqual(['starting', 'starting', 'running', 'completed']);
  });

  test('is the same for a client that comes when all is over', () => {
    const bodies: readonly EventBody[] = [
      { type: 'turn.started', turnId, prompt },
      { type: 'run.changed', state: 'starting' },
      { type: 'run.changed', state: 'ready' },
      { type: 'turn.completed', turnId, outcome: 'completed', durationMs: 1 },
      { type: 'turn.started', turnId: TurnId.parse('t2'), prompt },
      { type: 'turn.completed', turnId: TurnId.parse('t2'), outcome: 'completed', durationMs: 1 },
    ];
    const missed = bodies.map((body, index): SessionEvent => ({ ...body, sessionId, seq: index + 1, at: index }));
    const told = changesOf(missed.reduce(project, emptyView(sessionId)), missed);

    expect(told.flatMap(({ type, data }) => (type === 'status' ? [`${data.requestId} ${data.status}`] : []))).toEqual([
      't1 starting',
      't1 starting',
      't1 running',
      't1 completed',
      't2 starting',
      't2 running',
      't2 completed',
    ]);
  });

  test('or is there already', () => {
    expect(
      statesOf([
        { type: 'run.changed', state: 'starting' },
        { type: 'run.changed', state: 'ready' },
        { type: 'turn.started', turnId, prompt },
        { type: 'turn.completed', turnId, outcome: 'completed', durationMs: 1 },
      ]),
    ).toEqual(['starting', 'ready', 'starting', 'running', 'completed']);
  });
});
