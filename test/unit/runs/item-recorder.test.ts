import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ItemRecorder } from '#companion/runs/item-recorder.ts';
import type { EventBody } from '#protocol/events.ts';
import { ItemId, TurnId } from '#protocol/ids.ts';

const turnId = TurnId.parse('t');
const setUp = () => {
  const batches: (readonly EventBody[])[] = [];
  let count = 0;
  const items = new ItemRecorder(
    (bodies) => void batches.push(bodies),
    () => ItemId.parse(`ours-${(count += 1)}`),
  );
  items.take({ type: 'item.started', itemId: 'a', item: { kind: 'message', role: 'assistant', text: '' } }, turnId);
  batches.length = 0;
  return { items, batches, texts: () => batches.map((batch) => batch.map((body) => (body.type === 'item.delta' ? body.text : body.type))) };
};
const delta = (text: string, itemId = 'a') => ({ type: 'item.delta', itemId, text }) as const;

describe('deltas', () => {
  // Time is the one thing these tests may pretend.
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test('go out at once after a pause, and then together within 8 ms', () => {
    const { items, texts } = setUp();

    items.take(delta('1'), turnId);
    items.take(delta('2'), turnId);
    items.take(delta('3'), turnId);
    const atOnce = texts();
    vi.advanceTimersByTime(8);
    const afterBatch = texts();
    vi.advanceTimersByTime(8);
    items.take(delta('4'), turnId);

    expect(atOnce).toEqual([['1']]);
    expect(afterBatch).toEqual([['1'], ['23']]);
    expect(texts()).toEqual([['1'], ['23'], ['4']]);
  });

  test('keep their order with everything else', () => {
    const { items, texts } = setUp();

    items.take(delta('1'), turnId);
    items.take(delta('2'), turnId);
    items.take({ type: 'item.completed', itemId: 'a', status: 'completed' }, turnId);
    items.take(delta('too late'), turnId);
    vi.advanceTimersByTime(100);

    expect(texts()).toEqual([['1'], ['2'], ['item.completed']]);
  });

  test('leave no timer behind', () => {
    const { items } = setUp();

    items.take(delta('1'), turnId);
    vi.advanceTimersByTime(100);

    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('items', () => {
  test('get fresh ids, their parents’ too, and are closed with their turn', () => {
    const { items, batches } = setUp();
    const tool = { kind: 'tool', tool: 'Task', toolKind: 'task', title: '', text: '' } as const;

    items.take({ type: 'item.started', itemId: 'b', item: tool }, turnId);
    items.take({ type: 'item.started', itemId: 'c', parentItemId: 'b', item: tool }, turnId);

    expect(batches.at(-1)?.[0]).toMatchObject({ itemId: 'ours-3', parentItemId: 'ours-2' });
    expect(items.openItems()).toMatchObject([
      { itemId: 'ours-1', isTool: false, outlivesTurn: false },
      { itemId: 'ours-2', isTool: true, outlivesTurn: false },
      { itemId: 'ours-3', isTool: true, outlivesTurn: false },
    ]);
    items.endTurn();
    expect(items.openItems()).toEqual([]);
  });

  test('belong to none that is not there before them, and never to themselves', () => {
    const { items, batches } = setUp();
    const body = { kind: 'message', role: 'assistant', text: '' } as const;

    items.take({ type: 'item.started', itemId: 'b', parentItemId: 'b', item: body }, turnId);
    items.take({ type: 'item.started', itemId: 'c', parentItemId: 'later', item: body }, turnId);

    expect(batches.flat().filter((each) => 'parentItemId' in each)).toEqual([]);
    expect(batches.flat()).toHaveLength(2);
  });

  test('of a background task outlive the turn, stay in it, and end with the process', () => {
    const { items, batches } = setUp();
    const later = TurnId.parse('later');
    const tool = { kind: 'tool', tool: 'Agent', toolKind: 'task', title: '', text: '' } as const;
    items.take({ type: 'item.started', itemId: 'b', item: tool }, turnId);
    items.take({ type: 'item.updated', itemId: 'b', patch: { isBackground: true } }, turnId);

    items.endTurn();
    items.take({ type: 'item.started', itemId: 'c', parentItemId: 'b', item: tool }, later);

    expect(batches.at(-1)?.[0]).toMatchObject({ turnId, itemId: 'ours-3', parentItemId: 'ours-2' });
    expect(items.openItems()).toMatchObject([
      { itemId: 'ours-2', outlivesTurn: true },
      { itemId: 'ours-3', outlivesTurn: true },
    ]);
    expect(items.agentIdOf(ItemId.parse('ours-2'))).toBe('b');
    items.endRun();
    expect(items.openItems()).toEqual([]);
  });

  test('of a background task are no answers of the turn that runs', () => {
    const { items } = setUp();
    const tool = { kind: 'tool', tool: 'Agent', toolKind: 'task', title: '', text: '' } as const;
    items.take({ type: 'item.started', itemId: 'b', item: { ...tool, isBackground: true } }, turnId);
    items.endTurn();

    items.take({ type: 'item.started', itemId: 'c', parentItemId: 'b', item: tool }, turnId);
    items.take({ type: 'item.completed', itemId: 'c', status: 'completed' }, turnId);
    expect(items.rounds).toBe(0);
    for (const itemId of ['d', 'e']) {
      items.take({ type: 'item.started', itemId, item: tool }, turnId);
      items.take({ type: 'item.completed', itemId, status: 'completed' }, turnId);
    }

    expect(items.rounds).toBe(2);
  });

  test('are cut where they are too long, and say so once', () => {
    const { items, batches } = setUp();
    const tool = { kind: 'tool', tool: 'Bash', toolKind: 'execute', title: '', text: '' } as const;
    items.take({ type: 'item.started', itemId: 'b', item: tool }, turnId);
    batches.length = 0;

    for (let index = 0; index < 30; index += 1) items.take(delta('x'.repeat(100_000), 'b'), turnId);
    items.flush();

    const text = batches.flat().reduce((all, body) => all + (body.type === 'item.delta' ? body.text : ''), '');
    expect(text.length).toBe(1024 * 1024 + '\n… output cut'.length);
    expect(text.split('output cut')).toHaveLength(2);
  });

  test('count the rounds of the model, not its parallel calls', () => {
    const { items } = setUp();
    const start = (itemId: string) =>
      items.take({ type: 'item.started', itemId, item: { kind: 'tool', tool: 'T', toolKind: 'other', title: '', text: '' } }, turnId);
    const end = (itemId: string) => items.take({ type: 'item.completed', itemId, status: 'completed' }, turnId);

    start('b');
    start('c');
    end('b');
    end('c');
    start('d');
    end('d');
    start('e');

    expect(items.rounds).toBe(3);
  });
});
