import { describe, expect, test } from 'vitest';
import { EventBody } from '#protocol/events.ts';
import { ItemId, SessionId } from '#protocol/ids.ts';
import { newestPage, pageBefore, withEarlier } from '#protocol/pages.ts';
import { emptyView, project, type SessionView } from '#protocol/view.ts';
import type * as z from 'zod';

const sessionId = SessionId.parse('s');

const fold = (...bodies: z.input<typeof EventBody>[]): SessionView =>
  bodies.map((body, index) => ({ ...EventBody.parse(body), sessionId, seq: index + 1, at: index })).reduce(project, emptyView(sessionId));

const item = (turnId: string, itemId: string, parentItemId?: string): z.input<typeof EventBody>[] => [
  {
    type: 'item.started',
    turnId,
    itemId,
    ...(parentItemId === undefined ? {} : { parentItemId }),
    item: { kind: 'message', role: 'assistant', text: itemId },
  },
  { type: 'item.completed', turnId, itemId, status: 'completed' },
];

const turn = (turnId: string, ...inside: z.input<typeof EventBody>[]): z.input<typeof EventBody>[] => [
  { type: 'turn.started', turnId, prompt: { text: `Prompt of ${turnId}\nand more`, attachments: [] } },
  ...inside,
  { type: 'turn.completed', turnId, outcome: 'completed', durationMs: 1 },
];

const task: z.input<typeof EventBody> = {
  type: 'item.started',
  turnId: 't0',
  itemId: 'task',
  item: { kind: 'tool', tool: 'Bash', toolKind: 'execute', title: 'serve', text: '', isBackground: true },
};

const asked: z.input<typeof EventBody>[] = [
  { type: 'request.opened', turnId: 't2', requestId: 'q', request: { kind: 'permission', title: 'Run', options: [] } },
  { type: 'request.resolved', requestId: 'q', outcome: 'denied', by: 'terminal' },
];

const long = fold(
  ...turn('t0', task),
  ...turn('t1', ...item('t1', 'a'), ...item('t1', 'b')),
  ...turn('failed'),
  ...turn('t2', ...item('t2', 'c'), ...asked, ...item('t2', 'd')),
  ...turn('t3', ...item('t3', 'e')),
);

const ids = ({ items }: Pick<SessionView, 'items'>): string[] => items.map(({ itemId }) => itemId);
const turns = (page: Pick<SessionView, 'turns'>): string[] => page.turns.map(({ turnId }) => turnId);

describe('a conversation in parts', () => {
  test('begins with the newest part, in which what still runs is never missing', () => {
    const page = newestPage(long, 2);

    expect(ids(page)).toEqual(['task', 'd', 'e']);
    expect(turns(page)).toEqual(['t2', 't3']);
    expect(page).toMatchObject({ earlier: 4, first: 'd', opening: 'Prompt of t0', answered: [] });
  });

  test('goes on to earlier parts until nothing is left, and comes to the same as the whole', () => {
    let view: SessionView = newestPage(long, 2);
    let first: ItemId | null = ItemId.parse('d');
    for (let earlier = 4; earlier > 0 && first !== null;) {
      const page = pageBefore(long, first, 2);
      expect(page.earlier).toBeLessThan(earlier);
      ({ earlier, first } = page);
      view = withEarlier(view, page);
    }

    expect(ids(view)).toEqual(ids(long));
    expect(turns(view)).toEqual(turns(long));
    expect(view.answered.map(({ requestId }) => requestId)).toEqual(['q']);
  });

  test('of a turn without items the failure is told where it happened', () => {
    expect(turns(pageBefore(long, ItemId.parse('c'), 2))).toEqual(['t1', 'failed']);
  });

  test('does not begin between a subagent and what it did', () => {
    const view = fold(
      ...turn('t', ...item('t', 'a'), ...item('t', 'agent'), ...item('t', 'inside', 'agent'), ...item('t', 'more', 'agent')),
    );

    expect(ids(newestPage(view, 1))).toEqual(['agent', 'inside', 'more']);
  });

  test('has nothing before an item that is not there', () => {
    expect(pageBefore(long, ItemId.parse('unknown'), 10)).toMatchObject({ items: [], turns: [], earlier: 0 });
  });
});
