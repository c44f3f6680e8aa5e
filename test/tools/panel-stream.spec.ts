/** What one more piece of an answer costs the panel: counted, because a count is the same on every machine. */
import { describe, expect } from 'vitest';
import { isWhole } from '#test/fixtures/whole.ts';
import { panelTest } from './panel-stage.ts';

const source = `
import { h, options, render } from 'preact';
import { defaultSettings, SessionEvent } from '#protocol/events.ts';
import { usualLook } from '#extension/shared/look.ts';
import { initialState, Store } from '#extension/sidepanel/state.ts';
import { App } from '#extension/sidepanel/views/app.tsx';
import { ConversationView } from '#extension/sidepanel/views/conversation.tsx';
import { Markdown } from '#extension/sidepanel/views/markdown.tsx';
import { SceneContext } from '#extension/sidepanel/views/scene.ts';
import { createTranslate } from '#extension/sidepanel/i18n.ts';
import { toEntries } from '#extension/sidepanel/entries.ts';
import { applyEvents, emptyConversation } from '#extension/sidepanel/fold.ts';

const scene = { t: createTranslate('en'), actions: { readEarlier: async () => {}, forgetEarlier: () => {}, revealed: () => {} } };
const PIECES = 5;
let seq = 0;
let drawn = 0;
const diffed = options.diffed;
options.diffed = (vnode) => {
  drawn += 1;
  diffed?.(vnode);
};
const make = (...bodies) => bodies.map((body) => SessionEvent.parse({ ...body, sessionId: 's1', seq: (seq += 1), at: seq }));
const frame = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
const message = (id, role, text) => [
  { type: 'item.started', turnId: 't1', itemId: id, item: { kind: 'message', role, text } },
  { type: 'item.completed', turnId: 't1', itemId: id, status: 'completed' },
];

const listInBox = new CSSStyleSheet();
listInBox.replaceSync('.conversation { height: 500px; overflow: auto; } .entries { position: relative; } .entry { position: absolute; }');

/** With this many messages before it and this much of it there, an answer grows by a few pieces: what each of them costs. */
window.grow = async (messages, paragraphs) => {
  render(null, document.body);
  // The list is scrolled in the panel: without that all of it would be in sight.
  document.adoptedStyleSheets = [listInBox];
  let conversation = applyEvents(emptyConversation('s1'), make(
    { type: 'turn.started', turnId: 't1', prompt: { text: 'Tell me', attachments: [] } },
    ...Array.from({ length: messages }, (_, index) => message('m' + index, index % 2 ? 'assistant' : 'user', 'Tide **' + index + '** comes in.')).flat(),
    { type: 'item.started', turnId: 't1', itemId: 'last', item: { kind: 'message', role: 'assistant', text: 'A tide goes out.\\n\\n'.repeat(paragraphs) } },
  ));
  const show = () => render(h(SceneContext.Provider, { value: scene },
    h(ConversationView, { entries: toEntries(conversation.view, []), earlier: 0, reveal: null })), document.body);
  show();
  await frame();
  let elsewhere = 0;
  const last = [...document.querySelectorAll('.entry')].at(-1);
  const watch = new MutationObserver((records) => {
    // The list is as high as what is in it.
    for (const { target } of records) if (!last.contains(target) && target.className !== 'entries') elsewhere += 1;
  });
  watch.observe(document.body, { childList: true, subtree: true, characterData: true, attributes: true });
  const blocks = last.querySelectorAll('.block');
  drawn = 0;
  for (let piece = 0; piece < PIECES; piece += 1) {
    conversation = applyEvents(conversation, make({ type: 'item.delta', turnId: 't1', itemId: 'last', text: 'and ' }));
    show();
    await frame();
  }
  watch.disconnect();
  return { entries: document.querySelectorAll('.entry').length, drawn: drawn / PIECES, elsewhere, isGrown: last.textContent.trim().endsWith('and and'),
    kept: [...last.querySelectorAll('.block')].filter((block, index) => block === blocks[index]).length - blocks.length };
};

/** An answer grows with each frame and as many times in it as the person scrolls up by so many pixels: how far from the end they are then. */
window.leave = async (steps, stepPx) => {
  render(null, document.body);
  document.adoptedStyleSheets = [listInBox];
  let conversation = applyEvents(emptyConversation('s1'), make(
    { type: 'turn.started', turnId: 't1', prompt: { text: 'Tell me', attachments: [] } },
    ...Array.from({ length: 40 }, (_, index) => message('m' + index, index % 2 ? 'assistant' : 'user', 'Tide **' + index + '** comes in.')).flat(),
    { type: 'item.started', turnId: 't1', itemId: 'last', item: { kind: 'message', role: 'assistant', text: 'It is high.' } },
  ));
  const show = () => render(h(SceneContext.Provider, { value: scene },
    h(ConversationView, { entries: toEntries(conversation.view, []), earlier: 0, reveal: null })), document.body);
  const growNow = (bodies) => {
    conversation = applyEvents(conversation, make(...bodies));
    show();
  };
  const piece = { type: 'item.delta', turnId: 't1', itemId: 'last', text: '\\n\\nAnd it goes out.' };
  show();
  await frame();
  await frame();
  const box = document.querySelector('.conversation');
  const distance = () => box.scrollHeight - box.scrollTop - box.clientHeight;
  const atEnd = distance();
  for (let step = 0; step < steps; step += 1) {
    box.scrollTop -= stepPx;
    growNow([piece, ...message('new' + step, 'assistant', 'Another tide.')]);
    await frame();
  }
  const read = [...document.querySelectorAll('.entry')].find((entry) => entry.getBoundingClientRect().top >= box.getBoundingClientRect().top);
  const stoodAt = read.getBoundingClientRect().top;
  const isAway = distance() > steps * stepPx;
  for (let step = 0; step < 5; step += 1) {
    growNow([piece]);
    await frame();
  }
  const moved = Math.round(read.getBoundingClientRect().top - stoodAt);
  // Back down by hand, and it is followed again.
  box.scrollTop = box.scrollHeight;
  await frame();
  growNow([piece, piece]);
  await frame();
  return { atEnd, moved, isAway, back: distance() };
};

/** The whole panel with the list of sessions beside the conversation, in which an answer grows by so many pieces: how often each view is drawn for them. */
window.growInPanel = async (pieces) => {
  document.documentElement.lang = 'en';
  const root = document.createElement('div');
  root.id = 'root';
  document.body.replaceChildren(root);
  const turn = make(
    { type: 'session.created', projectId: 'p1', engine: 'one', name: 'Tides', kind: 'agent', settings: defaultSettings },
    { type: 'turn.started', turnId: 't1', prompt: { text: 'Tell me', attachments: [] } },
    { type: 'item.started', turnId: 't1', itemId: 'last', item: { kind: 'message', role: 'assistant', text: 'The tide ' } },
  );
  let conversation = applyEvents(emptyConversation('s1'), turn);
  const at = '2026-01-02T03:04:05Z';
  const store = new Store({
    ...initialState,
    connection: { state: 'connected', port: 1, token: 't', companionVersion: '1' },
    daemon: { state: 'live' },
    log: { state: 'live' },
    sessions: Array.from({ length: 20 }, (_, index) => ({ id: 's' + index, projectId: 'p1', engineName: 'one', kind: 'agent', name: 'Tide ' + index, status: 'idle', updatedAt: at })),
    projects: [{ id: 'p1', name: 'Boat', rootPath: '/boat', updatedAt: at }],
    engines: [{ name: 'one', label: 'One', status: 'ready', models: [], modes: [], capabilities: {} }],
    sessionId: 's1',
    conversation,
  });
  const actions = { ...scene.actions, page: { cancelCapture: () => {} } };
  render(h(App, { panel: { store, actions }, t: scene.t, look: usualLook }), root);
  await frame();
  const views = {};
  const before = options.__r;
  options.__r = (vnode) => {
    const name = vnode.type.name;
    views[name] = (views[name] ?? 0) + 1;
    before?.(vnode);
  };
  for (let piece = 0; piece < pieces; piece += 1) {
    conversation = applyEvents(conversation, make({ type: 'item.delta', turnId: 't1', itemId: 'last', text: 'and ' }));
    const { outbox, stopping, skippedEvents } = store.state;
    store.set({ conversation, outbox, stopping, skippedEvents });
    await frame();
  }
  options.__r = before;
  const isDrawn = ['.dock .list-row', 'header.top', 'textarea', '.settings-row', '.status-line'].every((place) => root.querySelector(place) !== null);
  return { views, isDrawn, text: root.querySelector('[role=log]').textContent };
};

/** A table of so many rows grows by a row so many times at once: how often it was drawn again until its last row is there. */
window.growTable = async (rows, times) => {
  const row = (index) => '| tide ' + index + ' | **high** |\\n';
  let text = '| a | b |\\n|---|---|\\n' + Array.from({ length: rows }, (_, index) => row(index)).join('');
  const show = () => render(h(SceneContext.Provider, { value: scene }, h(Markdown, { text, isComplete: false })), document.body);
  render(null, document.body);
  show();
  let redrawn = 0;
  const watch = new MutationObserver((records) => {
    for (const { target, addedNodes } of records) if (target.className === 'block' && addedNodes.length > 0) redrawn += 1;
  });
  watch.observe(document.body, { childList: true, subtree: true });
  for (let time = 0; time < times; time += 1) {
    text += row(rows + time);
    show();
  }
  await Promise.resolve();
  const atOnce = redrawn;
  while (!document.body.textContent.includes('tide ' + (rows + times - 1))) await frame();
  watch.disconnect();
  return atOnce;
};
`;

interface Cost {
  /** Entries in the document. */
  readonly entries: number;
  /** Views that are looked at again, for each piece. */
  readonly drawn: number;
  /** Changes of the document outside the answer. */
  readonly elsewhere: number;
  readonly isGrown: boolean;
  /** Blocks of the answer that were replaced, as a negative number. */
  readonly kept: number;
}

interface Grown {
  /** How often each view was drawn. */
  readonly views: Readonly<Record<string, number>>;
  /** Whether all parts of the panel are there. */
  readonly isDrawn: boolean;
  readonly text: string;
}

const test = panelTest(source).extend<{ grow: (messages: number, paragraphs: number) => Promise<Cost> }>({
  grow: async ({ page }, use) => {
    await use((messages, paragraphs) =>
      page.evaluate(
        ([count, length]) =>
          (globalThis as unknown as { grow: (messages: number, paragraphs: number) => Promise<Cost> }).grow(count, length),
        [messages, paragraphs] as const,
      ),
    );
  },
});

describe('a piece of an answer', () => {
  test('costs no more in a long conversation than in a short one, nor in a long answer', { tags: 'whole' }, async ({ grow }) => {
    const short = await grow(100, 1);
    const long = await grow(1_000, 1);
    const longAnswer = await grow(100, 300);

    expect(short).toMatchObject({ elsewhere: 0, isGrown: true, kept: 0 });
    expect(short.entries).toBeLessThanOrEqual(50);
    // Three for each entry that is passed over, and once more where a line was added; without that it would be twenty.
    for (const { drawn } of [short, long]) expect(drawn).toBeLessThanOrEqual(6 * short.entries);
    expect(long).toEqual({ ...short, drawn: long.drawn });
    // Each block of the answer is looked at, and none but the last is drawn again.
    expect(longAnswer).toMatchObject({ elsewhere: 0, isGrown: true, kept: 0 });
    expect(longAnswer.drawn).toBeLessThanOrEqual(6 * short.entries + 300 * 2);
  });

  test('takes nobody back to the end who scrolls up in the same moment, by much or little by little', async ({ page }) => {
    const leave = (steps: number, stepPx: number): Promise<unknown> =>
      page.evaluate(
        ([count, px]) => (globalThis as unknown as { leave: (steps: number, stepPx: number) => Promise<unknown> }).leave(count, px),
        [steps, stepPx] as const,
      );

    const stays = { atEnd: 0, moved: 0, isAway: true, back: 0 };
    expect(await leave(1, 300)).toEqual(stays);
    expect(await leave(12, 10)).toEqual(stays);
  });

  test('draws the conversation and what the agent does, and nothing else of the panel', async ({ page }) => {
    const { views, isDrawn, text } = await page.evaluate(
      (pieces) => (globalThis as unknown as { growInPanel: (pieces: number) => Promise<Grown> }).growInPanel(pieces),
      200,
    );

    expect(isDrawn).toBe(true);
    expect(text.match(/and/g)).toHaveLength(200);
    expect(views['Markdown']).toBe(200);
    // The list is drawn once more where a line was added.
    expect(views['ConversationView']).toBeLessThanOrEqual(220);
    const ofConversation = ['Content', 'ConversationView', 'Guard', 'ItemView', 'Markdown'];
    const ofStatus = ['BackgroundTasks', 'Spinner', 'Spoken', 'StatusLine'];
    const named = Object.keys(views).filter((name) => /^[A-Z]/.test(name));
    expect(named.toSorted()).toEqual([...ofConversation, ...ofStatus].toSorted());
  });

  test('does not have a long table drawn anew each time, and all of it is there in the end', async ({ page, skip }) => {
    skip(!isWhole, 'it draws a table of 1,500 rows: npm run test:whole');
    const growTable = (rows: number, times: number): Promise<number> =>
      page.evaluate(
        ([length, count]) =>
          (globalThis as unknown as { growTable: (rows: number, times: number) => Promise<number> }).growTable(length, count),
        [rows, times] as const,
      );

    expect(await growTable(1_500, 40)).toBeLessThan(20);
    expect(await growTable(2, 40)).toBeGreaterThan(0);
  });
});
