import { describe, expect, test } from 'vitest';
import type { EventBody, SessionEvent } from '#protocol/events.ts';
import { SessionId, TurnId } from '#protocol/ids.ts';
import { emptyView, project } from '#protocol/view.ts';
import { RealtimeConverter } from '#companion/compat/realtime.ts';

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
