/** Builds the log of an invented session, event by event, for the panel's tests. */
import { EventBody, type SessionEvent } from '#protocol/events.ts';
import { SessionId } from '#protocol/ids.ts';
import type * as z from 'zod';

export const sessionId = SessionId.parse('s1');

export interface Log {
  readonly events: SessionEvent[];
  add(...bodies: z.input<typeof EventBody>[]): Log;
}

/** A log that numbers what is added to it, one second apart. */
export const createLog = (): Log => {
  const events: SessionEvent[] = [];
  const log: Log = {
    events,
    add(...bodies) {
      for (const body of bodies) {
        events.push({ ...EventBody.parse(body), sessionId, seq: events.length + 1, at: 1_000_000 + events.length * 1000 });
      }
      return log;
    },
  };
  return log;
};

const prompt = (text: string) => ({ text, attachments: [] });

export const started = (turnId: string, text: string): z.input<typeof EventBody>[] => [
  { type: 'turn.started', turnId, prompt: prompt(text) },
  { type: 'item.started', turnId, itemId: `${turnId}-user`, item: { kind: 'message', role: 'user', text } },
  { type: 'item.completed', turnId, itemId: `${turnId}-user`, status: 'completed' },
];

export const queued = (turnId: string, text: string): z.input<typeof EventBody> => ({ type: 'turn.queued', turnId, prompt: prompt(text) });

export const tool = (
  itemId: string,
  toolKind: 'read' | 'edit' | 'execute' | 'task',
  options: { turnId?: string; parentItemId?: string; status?: 'completed' | 'failed' } = {},
): z.input<typeof EventBody>[] => {
  const { turnId = 't1', parentItemId, status = 'completed' } = options;
  return [
    {
      type: 'item.started',
      turnId,
      itemId,
      ...(parentItemId === undefined ? {} : { parentItemId }),
      item: { kind: 'tool', tool: 'Tool', toolKind, title: itemId, text: '' },
    },
    { type: 'item.completed', turnId, itemId, status },
  ];
};

export const asked = (requestId: string, itemId?: string): z.input<typeof EventBody> => ({
  type: 'request.opened',
  turnId: 't1',
  requestId,
  ...(itemId === undefined ? {} : { itemId }),
  request: {
    kind: 'permission',
    title: 'Run a command',
    options: [
      { optionId: 'once', label: 'Allow once', kind: 'allow_once' },
      { optionId: 'no', label: 'Reject', kind: 'reject' },
    ],
  },
});
