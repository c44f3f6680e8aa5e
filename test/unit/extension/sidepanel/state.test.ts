import { effect } from '@preact/signals';
import { describe, expect, test } from 'vitest';
import { Store } from '#extension/sidepanel/state.ts';

describe('the state of the panel', () => {
  test('is followed field by field: who reads one hears of no other', () => {
    const store = new Store();
    const heard: unknown[] = [];
    const stop = effect(() => void heard.push(store.state.dismissed));

    store.set({ isApart: true, skippedEvents: 2 });
    store.set({ dismissed: ['The disk is full.'] });
    stop();
    store.set({ dismissed: [] });

    expect(heard).toEqual([[], ['The disk is full.']]);
  });

  test('tells of a change of several fields once, and of what stays the same never', () => {
    const store = new Store();
    const heard: unknown[] = [];
    effect(() => void heard.push([store.state.isApart, store.state.skippedEvents]));

    store.set({ isApart: true, skippedEvents: 2 });
    store.set({ isApart: true, skippedEvents: 2 });

    expect(heard).toEqual([
      [false, 0],
      [true, 2],
    ]);
  });

  test('is copied as it is now', () => {
    const store = new Store();
    const before = { ...store.state };

    store.set({ isApart: true });

    expect(before.isApart).toBe(false);
    expect({ ...store.state }).toEqual({ ...before, isApart: true });
  });

  test('tells a watch what a field is and what it was, from the next change on and until it ends', () => {
    const store = new Store();
    store.set({ skippedEvents: 1 });
    const heard: unknown[] = [];
    const stop = store.watch('skippedEvents', (now, before) => {
      heard.push([now, before]);
      // What is read or changed here is not watched.
      store.set({ isApart: !store.state.isApart });
    });

    store.set({ isApart: true });
    store.set({ skippedEvents: 2 });
    store.set({ skippedEvents: 5 });
    stop();
    store.set({ skippedEvents: 6 });

    expect(heard).toEqual([
      [2, 1],
      [5, 2],
    ]);
  });
});
