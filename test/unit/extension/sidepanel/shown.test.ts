import { effect } from '@preact/signals';
import { describe, expect, test } from 'vitest';
import { applyEvents, emptyConversation } from '#extension/sidepanel/fold.ts';
import type { Unsent } from '#extension/sidepanel/outbox.ts';
import { Shown } from '#extension/sidepanel/shown.ts';
import { Store } from '#extension/sidepanel/state.ts';
import { sampleSession } from '#test/fixtures/samples.ts';
import { createLog, sessionId, started } from './log-builder.ts';

const answer = { type: 'item.started', turnId: 't1', itemId: 'm', item: { kind: 'message', role: 'assistant', text: 'Hi' } } as const;
const delta = { type: 'item.delta', turnId: 't1', itemId: 'm', text: ' there' } as const;

/** A session that runs, with an answer that grows by a piece. */
const running = () => {
  const log = createLog().add(...started('t1', 'hello'), answer);
  const conversation = applyEvents(emptyConversation(sessionId), log.events);
  const store = new Store();
  store.set({ sessionId, conversation, sessions: [sampleSession({ id: sessionId })] });
  const events = log.add(delta).events;
  return { store, shown: new Shown(store.state), grow: () => store.set({ conversation: applyEvents(conversation, events) }) };
};

/** How often each was told. */
const counted = (reads: Readonly<Record<string, () => unknown>>): Readonly<Record<string, number>> => {
  const told: Record<string, number> = {};
  for (const [name, read] of Object.entries(reads)) {
    effect(() => {
      read();
      told[name] = (told[name] ?? -1) + 1;
    });
  }
  return told;
};

describe('what is shown', () => {
  test('changes with a piece of an answer only where that is read', () => {
    const { shown, grow } = running();
    const told = counted({
      view: () => shown.selected.view,
      entries: () => shown.entries,
      title: () => shown.selected.title,
      isRunning: () => shown.selected.isRunning,
      requests: () => shown.selected.requests,
      extras: () => shown.selected.extras,
      outbox: () => shown.outbox,
      status: () => shown.status,
      wanting: () => shown.wanting,
    });

    grow();

    expect(told).toEqual({
      view: 1,
      entries: 1,
      title: 0,
      isRunning: 0,
      requests: 0,
      extras: 0,
      outbox: 0,
      status: 0,
      wanting: 0,
    });
  });

  test('is right also where nobody follows it', () => {
    const { store, shown } = running();
    expect(shown.selected).toMatchObject({ isRunning: true, title: 'hello' });

    store.set({ sessionId: null, conversation: null });

    expect(shown.selected).toMatchObject({ isRunning: false, title: '', view: null });
    expect(shown.entries).toEqual([]);
  });

  test('the session on screen is looked at, and only its own prompts wait in it', () => {
    const { store, shown } = running();
    const unsent = (turnId: string, of: Unsent['sessionId']): Unsent => ({
      turnId,
      sessionId: of,
      text: 'Go on',
      attachments: [],
      delivery: 'queue',
      state: 'failed',
      error: null,
    });

    store.set({ seen: { s9: 7 }, outbox: [unsent('u1', sessionId), unsent('u2', null)] });

    expect(shown.seen).toEqual({ s9: 7, [sessionId]: Number.POSITIVE_INFINITY });
    expect(shown.outbox.map(({ turnId }) => turnId)).toEqual(['u1']);
    expect(shown.entries.at(-1)).toMatchObject({ type: 'unsent', key: 'u1' });
    store.set({ sessionId: null });
    expect(shown.seen).toEqual({ s9: 7 });
    expect(shown.outbox.map(({ turnId }) => turnId)).toEqual(['u2']);
  });
});
