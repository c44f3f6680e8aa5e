import { describe, expect, test } from 'vitest';
import { ItemId, TurnId } from '#protocol/ids.ts';
import type { ViewItem } from '#protocol/view.ts';
import { type AskingCall, findAskingItem } from '#companion/sessions/asking-call.ts';

const click = (itemId: string, input?: unknown, over: Partial<ViewItem> = {}): ViewItem => ({
  itemId: ItemId.parse(itemId),
  turnId: TurnId.parse('t1'),
  parentItemId: null,
  status: 'running',
  at: 0,
  endedAt: null,
  body: { kind: 'tool', tool: 'browser_click', toolKind: 'browser', title: '', text: '', ...(input === undefined ? {} : { input }) },
  ...over,
});
const buy = { element: 'Buy', target: 'e1' };
const sell = { element: 'Sell', target: 'e2' };
const asking = (...args: readonly unknown[]): AskingCall => ({ tool: 'browser_click', args, agentItemId: undefined });

const nothing: ReadonlySet<ItemId> = new Set();

describe('the call that a question is about', () => {
  test.each<[string, readonly ViewItem[], readonly unknown[], string | null]>([
    [
      'is the one with its arguments, in whatever order they stand',
      [click('a', buy), click('b', sell)],
      [{ target: 'e2', element: 'Sell' }],
      'b',
    ],
    ['is the one with the arguments that it was taken for', [click('a', buy), click('b', sell)], [{ ref: 'e2' }, sell], 'b'],
    ['runs still', [click('a', buy, { status: 'completed' }), click('b', buy)], [buy], 'b'],
    ['is the only one whose arguments are not told', [click('a', buy), click('b')], [sell], 'b'],
    ['has its arguments, also while others wait for theirs', [click('a', buy), click('b'), click('c')], [buy], 'a'],
    ['is the first of two that are the same', [click('a', buy), click('b', buy)], [buy], 'a'],
    ['is not certain among two that tell no arguments', [click('a'), click('b')], [buy], null],
    ['is none that does something else', [click('a', buy)], [sell], null],
    ['is not known before the agent has told of it', [], [buy], null],
  ])('%s', (_, items, args, expected) => {
    expect(findAskingItem(items, asking(...args), undefined, nothing)?.itemId ?? null).toBe(expected);
  });

  test('is each of those that are the same in turn, and then not certain', () => {
    const items = [click('a', buy), click('b', buy)];
    const [a, b] = items.map(({ itemId }) => itemId);
    if (a === undefined || b === undefined) return expect.unreachable();

    expect(findAskingItem(items, asking(buy), undefined, new Set([a]))).toEqual({ itemId: 'b', isCertain: true });
    expect(findAskingItem(items, asking(buy), undefined, new Set([a, b]))).toBeNull();
    expect(findAskingItem([click('a', buy)], asking(buy), undefined, new Set([a]))?.itemId).toBe('a');
  });

  test('is not certain while the arguments of its entry are not told', () => {
    expect(findAskingItem([click('a')], asking(buy), undefined, nothing)).toEqual({ itemId: 'a', isCertain: false });
  });

  test('is the one with its id, where the agent has sent that along', () => {
    const items = [click('a', buy), click('b', buy), click('c', buy, { status: 'completed' })];

    expect(findAskingItem(items, asking(buy), ItemId.parse('b'), nothing)).toEqual({ itemId: 'b', isCertain: true });
    expect(findAskingItem(items, { ...asking(buy), tool: 'browser_type' }, ItemId.parse('b'), nothing)).toBeNull();
    expect(findAskingItem(items, { ...asking(buy), agentItemId: 'toolu_c' }, ItemId.parse('c'), nothing)).toBeNull();
  });
});
