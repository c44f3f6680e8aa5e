import { effect } from '@preact/signals';
import { describe, expect, onTestFinished, test as base, vi } from 'vitest';
import { countWanting } from '#display/attention.ts';
import { preparingWords } from '#display/preparing.ts';
import { defaultSettings } from '#protocol/events.ts';
import { Preparing } from '#protocol/health.ts';
import { AttachmentId, ItemId, ProjectId, RequestId, SessionId, TurnId } from '#protocol/ids.ts';
import type { ConnectionState } from '#extension/shared/messages.ts';
import { noDraft } from '#extension/sidepanel/draft.ts';
import { Panel } from '#extension/sidepanel/panel.ts';
import { select } from '#extension/sidepanel/selected.ts';
import { initialState, noExtras, type PanelState } from '#extension/sidepanel/state.ts';
import { statusOf } from '#extension/sidepanel/status.ts';
import { sampleProject } from '#test/fixtures/samples.ts';
import { asked, createLog, queued, sessionId, started } from './log-builder.ts';
import { createMemory, type MemoryStorage } from './memory-storage.ts';
import { startDaemonDouble, toSession, type DaemonDouble } from './daemon-double.ts';

interface Stage {
  readonly double: DaemonDouble;
  readonly local: MemoryStorage;
  readonly retries: number[];
  /** Of which sessions alone pictures of acts were to be kept, each time it was said. */
  readonly pictured: string[][];
  /** What Chrome was asked for, and whether the person lets it give that. */
  readonly rights: { asked: string[]; areGiven: boolean };
  /** Opens the panel; the worker's states are the test's to give. */
  open(): Promise<{ panel: Panel; worker: (state: ConnectionState) => void }>;
  connected(): ConnectionState;
}

const test = base.extend<{ stage: Stage }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads the pattern to know what a fixture needs
  stage: async ({}, use) => {
    await using double = await startDaemonDouble();
    const open: Panel[] = [];
    const local = createMemory();
    const retries: number[] = [];
    const pictured: string[][] = [];
    const rights = { asked: [] as string[], areGiven: true };
    await use({
      double,
      local,
      retries,
      pictured,
      rights,
      connected: () => ({ state: 'connected', port: double.port, token: double.token, companionVersion: '0.1.0' }),
      open: async () => {
        const { promise, resolve } = Promise.withResolvers<(state: ConnectionState) => void>();
        const panel = await Panel.open({
          watch: (onState) => {
            resolve(onState);
            return { retry: () => void retries.push(retries.length), wake: () => Promise.resolve(), close: () => {} };
          },
          page: {
            actPictures: async () => new Map(),
            keepPicturesOf: async (sessionIds) => void pictured.push([...sessionIds]),
            capture: async () => ({ state: 'nothing' }),
            tabs: async () => [],
            watchTab: () => () => {},
            openSettings: async () => {},
            tab: async () => null,
            sessionTabs: async () => [],
            keep: async () => null,
            cancel: async () => {},
          },
          local: local.another(),
          nextFrame: (run) => void setImmediate(run),
          rights: async (permissions) => {
            rights.asked.push(...permissions);
            return rights.areGiven;
          },
        });
        open.push(panel);
        return { panel, worker: await promise };
      },
    });
    for (const panel of open) panel.close();
  },
});

/** Resolves with the first state, now or later, of which `isSo` holds. */
const until = ({ store }: Panel, isSo: (state: PanelState) => boolean): Promise<PanelState> =>
  new Promise((resolve) => {
    effect(function () {
      if (!isSo(store.state)) return;
      this.dispose();
      resolve({ ...store.state });
    });
  });

const story = createLog().add(...started('t1', 'hello'), {
  type: 'item.started',
  turnId: 't1',
  itemId: 'm',
  item: { kind: 'message', role: 'assistant', text: 'Hi' },
}).events;

const hasItems = (count: number) => (state: PanelState) => state.conversation?.view.items.length === count;

/** The prompts that were sent, as they arrived. */
const turnsOf = ({ double }: Stage): unknown[] =>
  double.received.filter(({ method, url }) => method === 'POST' && url.endsWith('/turns')).map(({ body }) => Object(body).text);

/** A panel that shows the session of the story. */
const openStory = async (stage: Stage, log = story): Promise<Panel> => {
  stage.double.logs.set('s1', [...log]);
  const { panel, worker } = await stage.open();
  worker(stage.connected());
  await until(panel, ({ sessions }) => sessions !== null);
  panel.actions.openSession(sessionId);
  const end = log.at(-1)?.seq ?? 0;
  await until(panel, ({ conversation }) => conversation?.view.seq === end);
  return panel;
};

describe('the panel', () => {
  test('knows nothing before the worker is connected, then reads its lists', async ({ stage }) => {
    const { panel, worker } = await stage.open();
    expect(statusOf(panel.store.state).kind).toBe('starting');

    worker(stage.connected());
    const state = await until(panel, ({ engines, daemon }) => engines !== null && daemon?.state === 'live');

    expect(statusOf(state).kind).toBe('connected');
    expect(state.choice).toMatchObject({ projectId: 'p1', engine: 'claude' });
  });

  test('offers the default workspace when there is no project', async ({ stage }) => {
    stage.double.projects = [];
    const { panel, worker } = await stage.open();
    worker(stage.connected());

    // Both come at once: what came later would move the other choice away from under the pointer.
    expect((await until(panel, ({ projects }) => projects !== null)).defaultWorkspace).toBe('/home/me/workspace');
  });

  test('a change that is told while the lists are read is not undone by them', async ({ stage }) => {
    const gate = Promise.withResolvers<void>();
    stage.double.projects = [];
    stage.double.workspaceGate = gate.promise;
    const { panel, worker } = await stage.open();
    worker(stage.connected());
    await stage.double.request(({ url }) => url === '/api/projects/default-workspace');
    stage.double.state({ type: 'projects', projects: [sampleProject()] });
    gate.resolve();

    await until(panel, ({ projects }) => projects?.length === 1);
  });

  test('nothing is shown before the first lists are whole, so that nobody writes into another session than the last', async ({ stage }) => {
    const gate = Promise.withResolvers<void>();
    stage.double.projects = [];
    stage.double.sessions = [toSession('s1')];
    stage.double.workspaceGate = gate.promise;
    stage.local.save('session', 's1');
    const { panel, worker } = await stage.open();
    const early: unknown[] = [];
    const stop = effect(() => void early.push(panel.store.state.sessions, panel.store.state.engines));
    worker(stage.connected());
    await stage.double.request(({ url }) => url === '/api/projects/default-workspace');
    stage.double.state({ type: 'sessions', sessions: [toSession('s1'), toSession('s2')] });
    // Both ends are in this process: by then the stream has brought it. Were it slower, this would only see less.
    for (let turn = 0; turn < 100; turn += 1) await new Promise((resolve) => void setImmediate(resolve));
    expect(early.filter((list) => list !== null)).toEqual([]);
    stop();
    gate.resolve();

    expect((await until(panel, ({ sessionId }) => sessionId !== null)).sessionId).toBe('s1');
    await until(panel, ({ sessions }) => sessions?.length === 2);
  });

  test('pictures of acts go with their session, also where it was deleted while the panel was closed', async ({ stage }) => {
    stage.double.sessions = [toSession('s1'), toSession('s2')];
    const { panel, worker } = await stage.open();
    worker(stage.connected());
    await until(panel, ({ sessions }) => sessions?.length === 2);
    expect(stage.pictured).toEqual([['s1', 's2']]);

    stage.double.state({ type: 'sessions', sessions: [toSession('s1'), toSession('s2'), toSession('s3')] });
    await until(panel, ({ sessions }) => sessions?.length === 3);
    stage.double.state({ type: 'sessions', sessions: [toSession('s2'), toSession('s3')] });
    await until(panel, ({ sessions }) => sessions?.length === 2);

    expect(stage.pictured).toEqual([
      ['s1', 's2'],
      ['s2', 's3'],
    ]);
  });

  test('a browser profile that is new has nothing to catch up with', async ({ stage }) => {
    const ended = (id: string, hour: number) => toSession(id, { lastOutcome: 'completed', updatedAt: `2026-01-02T0${hour}:00:00Z` });
    const wanting = ({ sessions, seen }: PanelState): number => countWanting(sessions ?? [], seen, null);
    stage.double.sessions = [ended('s1', 1), ended('s2', 1)];
    const first = await stage.open();
    first.worker(stage.connected());

    expect(wanting(await until(first.panel, ({ sessions }) => sessions !== null))).toBe(0);
    first.panel.close();
    stage.double.sessions = [ended('s1', 1), ended('s2', 2)];
    const second = await stage.open();
    second.worker(stage.connected());

    expect(wanting(await until(second.panel, ({ sessions }) => sessions !== null))).toBe(1);
  });

  test('a session that has ended on the screen is no news, though the list tells it only once another one is there', async ({ stage }) => {
    vi.useFakeTimers({ toFake: ['Date'], now: 1_000 });
    onTestFinished(() => void vi.useRealTimers());
    stage.double.sessions = [toSession('s1', { status: 'running' })];
    const { panel, worker } = await stage.open();
    worker(stage.connected());
    await until(panel, ({ sessions }) => sessions !== null);
    panel.actions.openSession(sessionId);
    vi.setSystemTime(3_000);

    panel.actions.openSession(null);
    const ended = toSession('s1', { lastOutcome: 'completed', updatedAt: new Date(2_000).toISOString() });
    stage.double.state({ type: 'sessions', sessions: [ended] });

    const { sessions, seen } = await until(panel, (state) => state.sessions?.[0]?.status === 'idle');
    expect(countWanting(sessions ?? [], seen, null)).toBe(0);
    expect(seen).toMatchObject({ s1: 3_000 });
  });

  test('what was looked at here is told to the daemon, for every surface, and only when it is news', async ({ stage }) => {
    const AT = '2026-01-02T01:00:00Z';
    stage.double.sessions = [
      toSession('s1', { lastOutcome: 'completed', updatedAt: AT }),
      toSession('s2', { lastOutcome: 'completed', updatedAt: AT, seenAt: AT }),
    ];
    const { panel, worker } = await stage.open();
    worker(stage.connected());
    await until(panel, ({ sessions }) => sessions !== null);

    panel.actions.openSession(SessionId.parse('s2'));
    panel.actions.openSession(SessionId.parse('s1'));
    await stage.double.request(({ url }) => url === '/api/agent-sessions/s1/seen');

    expect(stage.double.received.filter(({ url }) => url.endsWith('/seen')).map(({ url }) => url)).toEqual(['/api/agent-sessions/s1/seen']);
  });

  test('shows a session from its log, and what comes after', async ({ stage }) => {
    stage.double.sessions = [toSession('s1')];
    stage.double.logs.set('s1', story.slice(0, 3));
    const { panel, worker } = await stage.open();
    worker(stage.connected());
    await until(panel, ({ sessions }) => sessions !== null);

    panel.actions.openSession(sessionId);
    await until(panel, hasItems(1));
    for (const event of story.slice(3)) stage.double.append('s1', event);

    await until(panel, hasItems(2));
  });

  test('opens with the session it was closed with', async ({ stage }) => {
    stage.double.sessions = [toSession('s1')];
    stage.double.logs.set('s1', [...story]);
    stage.local.save('session', 's1');
    const { panel, worker } = await stage.open();
    worker(stage.connected());

    expect((await until(panel, hasItems(2))).sessionId).toBe('s1');
  });

  test('keeps what is shown when the daemon goes, and goes on where it stood', async ({ stage }) => {
    stage.double.sessions = [toSession('s1')];
    stage.double.logs.set('s1', story.slice(0, 3));
    const { panel, worker } = await stage.open();
    worker(stage.connected());
    panel.actions.openSession(sessionId);
    await until(panel, hasItems(1));

    stage.double.token = 'token-two';
    stage.double.cut();
    const lost = await until(panel, (state) => statusOf(state).kind === 'daemon_lost');
    stage.double.logs.get('s1')?.push(...story.slice(3));
    worker(stage.connected());
    await until(panel, hasItems(2));

    expect(lost.conversation?.view.items).toHaveLength(1);
    expect(stage.retries.length).toBeGreaterThan(0);
    const resumed = stage.double.received.filter(({ url }) => url.includes('/api/agent-sessions/')).at(-1);
    expect(resumed?.headers).toMatchObject({ authorization: 'Bearer token-two', 'last-event-id': 'e1-3' });
  });

  test('starts over when the log is another one', async ({ stage }) => {
    stage.double.sessions = [toSession('s1')];
    stage.double.logs.set('s1', [...story]);
    const { panel, worker } = await stage.open();
    worker(stage.connected());
    panel.actions.openSession(sessionId);
    await until(panel, hasItems(2));

    stage.double.epoch = 'e2';
    stage.double.logs.set('s1', story.slice(0, 2));
    stage.double.cut();

    await until(panel, hasItems(1));
  });

  test('a long session opens with its newest part, and earlier parts are read when they are asked for', async ({ stage }) => {
    const long = createLog();
    for (let index = 0; index < 300; index += 1) long.add(...started(`t${index}`, `prompt ${index}`));
    stage.double.logs.set('s1', long.events);
    const { panel, worker } = await stage.open();
    worker(stage.connected());

    panel.actions.openSession(sessionId);
    const newest = await until(panel, hasItems(100));
    await panel.actions.readEarlier();
    const more = await until(panel, hasItems(200));

    expect(newest.conversation).toMatchObject({ earlier: 200, first: 't200-user', opening: 'prompt 0' });
    expect(more.conversation).toMatchObject({ earlier: 100, first: 't100-user' });
    const stream = await stage.double.request(({ url }) => url === '/api/agent-sessions/s1/events');
    expect(stream.headers['last-event-id']).toBe('e1-900');
    expect(select(more).title).toBe('prompt 0');
  });

  test('an item that was found is looked for in earlier parts until it is there', async ({ stage }) => {
    const long = createLog();
    for (let index = 0; index < 1500; index += 1) long.add(...started(`t${index}`, `prompt ${index}`));
    stage.double.logs.set('s1', long.events);
    const { panel, worker } = await stage.open();
    worker(stage.connected());

    panel.actions.reveal(sessionId, ItemId.parse('t7-user'));
    const state = await until(panel, ({ conversation }) => conversation?.view.items.some(({ itemId }) => itemId === 't7-user') === true);

    expect(state.reveal).toBe('t7-user');
    panel.actions.reveal(sessionId, ItemId.parse('never-said'));
    await until(panel, ({ reveal }) => reveal === null);
  });

  test('a companion from before there were parts tells a session from its beginning', async ({ stage }) => {
    stage.double.isOld = true;
    stage.double.logs.set('s1', [...story]);
    const { panel, worker } = await stage.open();
    worker(stage.connected());
    panel.actions.openSession(sessionId);

    expect((await until(panel, hasItems(2))).conversation?.earlier).toBe(0);
  });

  test('counts what it does not understand and shows the rest', async ({ stage }) => {
    stage.double.logs.set('s1', story.slice(0, 1));
    const { panel, worker } = await stage.open();
    worker(stage.connected());
    panel.actions.openSession(sessionId);
    await until(panel, ({ conversation, log }) => conversation?.view.seq === 1 && log?.state === 'live');
    stage.double.raw('s1', 'id: e1-2\ndata: {"type":"item.sung","seq":2}\n\nid: e1-3\ndata: not json\n\n');
    for (const event of story.slice(1)) stage.double.append('s1', event);

    const state = await until(panel, hasItems(2));

    expect(state.skippedEvents).toBe(2);
  });

  test('the first prompt makes the session, and its turn takes its place', async ({ stage }) => {
    const { panel, worker } = await stage.open();
    worker(stage.connected());
    await until(panel, ({ choice }) => choice.engine !== null);

    await panel.actions.send('hello', [], 'queue');
    const { outbox, sessionId: made } = panel.store.state;
    const [unsent] = outbox;
    if (unsent === undefined) throw new Error('the prompt is in the outbox');
    for (const event of createLog().add(...started(unsent.turnId, 'hello')).events) stage.double.append('made', event);
    const state = await until(panel, hasItems(1));

    expect(made).toBe('made');
    expect(unsent.state).toBe('accepted');
    expect(state.outbox).toEqual([]);
  });

  test('prompts that are sent while the first one makes their session go into it, in their order', async ({ stage }) => {
    const { panel, worker } = await stage.open();
    worker(stage.connected());
    await until(panel, ({ choice }) => choice.engine !== null);

    await Promise.all(['one', 'two', 'three'].map((text) => panel.actions.send(text, [], 'queue')));

    const made = stage.double.received.filter(({ method, url }) => method === 'POST' && url.endsWith('/agent-sessions'));
    expect(made).toHaveLength(1);
    expect(turnsOf(stage)).toEqual(['one', 'two', 'three']);
  });

  test('prompts for which no session could be made are all there, and a second try makes one for all of them', async ({ stage }) => {
    stage.double.sessionRefusals.push({ status: 503, code: 'STORE_FAILED' });
    const { panel, worker } = await stage.open();
    worker(stage.connected());
    await until(panel, ({ choice }) => choice.engine !== null);
    await Promise.all(['one', 'two'].map((text) => panel.actions.send(text, [], 'queue')));
    expect(panel.store.state.outbox).toMatchObject([{ state: 'failed' }, { state: 'failed' }]);

    for (const { turnId } of panel.store.state.outbox) await panel.actions.resend(turnId);

    expect(panel.store.state).toMatchObject({ sessionId: 'made', outbox: [{ sessionId: 'made' }, { sessionId: 'made' }] });
    const made = stage.double.received.filter(({ method, url }) => method === 'POST' && url.endsWith('/agent-sessions'));
    expect(made).toHaveLength(2);
    expect(turnsOf(stage)).toEqual(['one', 'two']);
  });

  test('a prompt for a folder in which another agent works waits for the choice of the person', async ({ stage }) => {
    stage.double.refusals.push({ status: 409, code: 'FOLDER_TAKEN' });
    stage.double.logs.set('s1', []);
    const { panel, worker } = await stage.open();
    worker(stage.connected());
    await until(panel, ({ engines }) => engines !== null);
    panel.actions.openSession(sessionId);

    await panel.actions.send('hello', [], 'queue');
    const [unsent] = panel.store.state.outbox;
    await panel.actions.resend(unsent?.turnId ?? '', 'queue');

    expect(unsent).toMatchObject({ state: 'failed', error: { code: 'FOLDER_TAKEN' } });
    const sent = stage.double.received.filter(({ url }) => url.endsWith('/turns')).map(({ body }) => body);
    expect(sent).toEqual([expect.objectContaining({ ifTaken: 'refuse' }), expect.objectContaining({ ifTaken: 'queue' })]);
    expect(panel.store.state.outbox[0]?.state).toBe('accepted');
  });

  test('a prompt that could not be sent stays, and is sent again under the same id', async ({ stage }) => {
    stage.double.refusals.push({ status: 503, code: 'STORE_FAILED' });
    stage.double.logs.set('s1', []);
    const { panel, worker } = await stage.open();
    worker(stage.connected());
    await until(panel, ({ engines }) => engines !== null);
    panel.actions.openSession(sessionId);

    await panel.actions.send('hello', [{ kind: 'file', name: 'a.txt', mimeType: 'text/plain', dataBase64: 'YQ==' }], 'queue');
    const [failed] = panel.store.state.outbox;
    await panel.actions.resend(failed?.turnId ?? '');

    const acts = stage.double.received.filter(({ url }) => url.endsWith('/turns')).map(({ body }) => body);
    expect(failed).toMatchObject({ state: 'failed', error: { code: 'STORE_FAILED', remedy: 'mend it' } });
    expect(panel.store.state.outbox[0]?.state).toBe('accepted');
    expect(acts).toHaveLength(2);
    expect(acts[0]).toEqual(acts[1]);
  });

  test('a prompt that was cut off by closing the panel is there again as not sent', async ({ stage }) => {
    stage.double.refusals.push({ status: 503, code: 'STORE_FAILED' });
    stage.double.logs.set('s1', []);
    const first = await stage.open();
    first.worker(stage.connected());
    first.panel.actions.openSession(sessionId);
    await first.panel.actions.send('hello', [], 'queue');
    first.panel.close();

    const second = await stage.open();

    expect(second.panel.store.state.outbox).toMatchObject([{ text: 'hello', state: 'failed', sessionId: 's1' }]);
  });

  test('a prompt that another version has kept in its own way takes none of the others with it', async ({ stage }) => {
    const kept = { turnId: 't1', sessionId: 's1', text: 'hello', attachments: [], delivery: 'queue', state: 'failed', error: null };
    stage.local.values.set('outbox', [{ ...kept, turnId: 't0', delivery: 'by pigeon' }, kept]);

    const { panel } = await stage.open();

    expect(panel.store.state.outbox).toMatchObject([{ turnId: 't1', text: 'hello' }]);
  });

  test('prompts that two windows could not send are both there again, and one that was discarded is not', async ({ stage }) => {
    stage.double.logs.set('s1', []);
    for (let count = 0; count < 3; count += 1) stage.double.refusals.push({ status: 503, code: 'STORE_FAILED' });
    const [one, other] = [await stage.open(), await stage.open()];
    for (const { panel, worker } of [one, other]) {
      worker(stage.connected());
      await until(panel, ({ engines }) => engines !== null);
      panel.actions.openSession(sessionId);
    }
    await one.panel.actions.send('of the one', [], 'queue');
    await one.panel.actions.send('forget it', [], 'queue');
    await other.panel.actions.send('of the other', [], 'queue');
    await one.panel.actions.discard(one.panel.store.state.outbox[1]?.turnId ?? '');
    for (const { panel } of [one, other]) panel.close();

    const after = await stage.open();
    expect(after.panel.store.state.outbox.map(({ text }) => text).toSorted()).toEqual(['of the one', 'of the other']);
  });

  test('stop is said at once and withdrawn when it could not be asked', async ({ stage }) => {
    stage.double.logs.set('s1', [...story]);
    const { panel, worker } = await stage.open();
    worker(stage.connected());
    panel.actions.openSession(sessionId);
    await until(panel, hasItems(2));

    const stopping = panel.actions.stop();
    expect(panel.store.state.stopping).toBe('t1');
    await stopping;
    expect(panel.store.state.stopping).toBe('t1');

    stage.double.token = 'token-two';
    await panel.actions.stop();
    expect(panel.store.state).toMatchObject({ stopping: null, failure: { code: 'UNAUTHORIZED' } });
  });

  test('what waited in the queue when everything was stopped comes back to be edited, before what is written already', async ({
    stage,
  }) => {
    stage.double.logs.set('s1', [
      ...createLog().add(...started('t1', 'hello'), queued('t2', 'and then this'), queued('t3', 'and that')).events,
    ]);
    const { panel, worker } = await stage.open();
    worker(stage.connected());
    panel.actions.openSession(sessionId);
    await until(panel, hasItems(1));
    panel.actions.changeDraft({ text: 'at last' });

    await panel.actions.stop();

    expect(panel.store.state.draft.text).toBe('and then this\n\nand that\n\nat last');
  });

  test('a prompt that waits is taken out of the queue and said to the turn that runs', async ({ stage }) => {
    const { events } = createLog().add(...started('t1', 'hello'), queued('t2', 'and then this'));
    stage.double.logs.set('s1', [...events]);
    const { panel, worker } = await stage.open();
    worker(stage.connected());
    panel.actions.openSession(sessionId);
    await until(panel, hasItems(1));
    const waiting = panel.store.state.conversation?.view.turns.find(({ status }) => status === 'queued');
    if (waiting === undefined) throw new Error('no prompt waits');

    await panel.actions.steerQueued(waiting);

    const taken = await stage.double.request(({ method, url }) => method === 'DELETE' && url.endsWith('/turns/t2'));
    const said = await stage.double.request(({ method, url }) => method === 'POST' && url.endsWith('/s1/turns'));
    expect(said.body).toMatchObject({ text: 'and then this', delivery: 'steer' });
    expect(stage.double.received.indexOf(taken)).toBeLessThan(stage.double.received.indexOf(said));
  });

  test('prompts that are on their way when everything is stopped come back, too, and begin nothing', async ({ stage }) => {
    const panel = await openStory(stage);
    const file = { kind: 'file', name: 'tides.txt', mimeType: 'text/plain', dataBase64: 'dGlkZXM=' } as const;
    const gate = Promise.withResolvers<void>();
    stage.double.turnGate = gate.promise;
    const sending = ['and this', 'and that'].map((text) => panel.actions.send(text, [file], 'queue'));

    await expect.poll(() => stage.double.turnCount).toBe(1);
    await panel.actions.stop();
    gate.resolve();
    await Promise.all(sending);

    expect(panel.store.state).toMatchObject({ outbox: [], draft: { text: 'and this\n\nand that', attachments: [file, file] } });
    expect(turnsOf(stage)).toEqual(['and this']);
    const [, stopped] = stage.double.received.filter(({ method, url }) => method === 'DELETE' && url.includes('/turns'));
    expect(stopped?.url).toMatch(/\/turns\/./);
  });

  test('a comment on a line of a change stands below what is written already', async ({ stage }) => {
    const { panel } = await stage.open();

    panel.actions.addComment('a.ts:1\n> +one\nWhy?\n');
    panel.actions.addComment('a.ts:9\n> -two\nKeep it.\n');

    expect(panel.store.state.draft.text).toBe('a.ts:1\n> +one\nWhy?\n\na.ts:9\n> -two\nKeep it.\n');
  });

  test('nothing comes back when it could not be stopped', async ({ stage }) => {
    stage.double.logs.set('s1', [...createLog().add(...started('t1', 'hello'), queued('t2', 'and then this')).events]);
    const { panel, worker } = await stage.open();
    worker(stage.connected());
    panel.actions.openSession(sessionId);
    await until(panel, hasItems(1));
    stage.double.token = 'token-two';

    await panel.actions.stop();

    expect(panel.store.state.draft.text).toBe('');
  });

  test('what is written while the first prompt makes its session belongs to that session', async ({ stage }) => {
    const { panel, worker } = await stage.open();
    worker(stage.connected());
    await until(panel, ({ choice }) => choice.engine !== null);
    panel.actions.changeDraft({ text: '' });

    const sending = panel.actions.send('make it', [], 'queue');
    panel.actions.changeDraft({ text: 'and then' });
    await sending;

    expect(panel.store.state).toMatchObject({ sessionId: 'made', draft: { text: 'and then' } });
    panel.actions.openSession(null);
    expect(panel.store.state.draft.text).toBe('');
    panel.actions.openSession(SessionId.parse('made'));
    await until(panel, ({ draft }) => draft.text === 'and then');
  });

  test('a prompt that was not sent is edited with all that was attached to it', async ({ stage }) => {
    stage.double.refusals.push({ status: 500, code: 'STORE_FAILED' });
    stage.double.logs.set('s1', [...story]);
    const { panel, worker } = await stage.open();
    worker(stage.connected());
    panel.actions.openSession(sessionId);
    await until(panel, hasItems(2));
    const file = { kind: 'file', name: 'tides.txt', mimeType: 'text/plain', dataBase64: 'dGlkZXM=' } as const;
    await panel.actions.send('look at this', [file], 'queue');
    const [unsent] = panel.store.state.outbox;
    if (unsent === undefined) throw new Error('the prompt is not in the outbox');

    await panel.actions.editUnsent(unsent);

    expect(panel.store.state).toMatchObject({ outbox: [], draft: { text: 'look at this', attachments: [file] } });
  });

  test('a task in the background is stopped by itself', async ({ stage }) => {
    stage.double.logs.set('s1', [...story]);
    const { panel, worker } = await stage.open();
    worker(stage.connected());
    panel.actions.openSession(sessionId);
    await until(panel, hasItems(2));

    await panel.actions.stopTask(ItemId.parse('i1'));

    const { method, url } = await stage.double.request((received) => received.url.includes('/tasks/'));
    expect([method, url]).toEqual(['DELETE', '/api/agent-sessions/s1/tasks/i1']);
    expect(panel.store.state.failure).toBeNull();
  });

  test('what is set for a new session goes with it, beside model and mode, and with no other', async ({ stage }) => {
    const { panel, worker } = await stage.open();
    worker(stage.connected());
    await until(panel, ({ engines, projects }) => engines !== null && projects !== null);
    await panel.actions.chooseProject(ProjectId.parse('p1'));
    panel.actions.chooseEngine('claude');
    await panel.actions.configure({ model: 'm1', mode: 'plan' });

    await panel.actions.changeExtras({ maxTurns: 2, systemPrompt: 'Be brief.', allowedTools: ['Bash'] });
    await panel.actions.send('hello', [], 'queue');

    const { body } = await stage.double.request(({ method, url }) => method === 'POST' && url === '/api/projects/p1/agent-sessions');
    expect(body).toEqual({
      engineName: 'claude',
      model: 'm1',
      mode: 'plan',
      effort: null,
      maxTurns: 2,
      maxTurnMs: null,
      maxSilenceMs: null,
      maxCostUsd: null,
      systemPrompt: 'Be brief.',
      // This agent takes none beforehand.
      allowedTools: [],
    });
    expect(panel.store.state.extras).toEqual(noExtras);
  });

  test('a new session works in a worktree when that was chosen, called as its prompt begins, and the next one in the folder again', async ({
    stage,
  }) => {
    const { panel, worker } = await stage.open();
    worker(stage.connected());
    await until(panel, ({ engines, projects }) => engines !== null && projects !== null);
    await panel.actions.chooseProject(ProjectId.parse('p1'));
    panel.actions.chooseEngine('claude');

    panel.actions.workApart(true);
    await panel.actions.send('  Mend the tide tables, all of them, in every harbour', [], 'queue');
    panel.actions.openSession(null);
    await panel.actions.send('hello', [], 'queue');

    const made = stage.double.received.filter(({ method, url }) => method === 'POST' && url === '/api/projects/p1/agent-sessions');
    expect(made.map(({ body }) => (body as { worktree?: unknown }).worktree)).toEqual([
      'Mend the tide tables, all of them, in ev',
      undefined,
    ]);
  });

  test('where there can be no worktree, the prompt goes to the folder after all', async ({ stage }) => {
    const { panel, worker } = await stage.open();
    worker(stage.connected());
    await until(panel, ({ engines, projects }) => engines !== null && projects !== null);
    await panel.actions.chooseProject(ProjectId.parse('p1'));
    panel.actions.chooseEngine('claude');
    panel.actions.workApart(true);
    stage.double.sessionRefusals.push({ status: 409, code: 'GIT_NO_REPOSITORY' });

    await panel.actions.send('hello', [], 'queue');
    const [unsent] = panel.store.state.outbox;
    await panel.actions.sendInFolder(unsent?.turnId ?? '');

    expect(unsent).toMatchObject({ state: 'failed', sessionId: null, error: { code: 'GIT_NO_REPOSITORY' } });
    expect(panel.store.state).toMatchObject({ isApart: false, outbox: [{ state: 'accepted', sessionId: 'made' }] });
  });

  /** A panel whose prompt is refused in a session of so many turns, because another agent works in the folder. */
  const sendRefused = async (stage: Stage, turns: number): Promise<Panel> => {
    stage.double.logs.set('s1', turns === 0 ? createLog().events : [...story]);
    stage.double.refusals.push({ status: 409, code: 'FOLDER_TAKEN' });
    const { panel, worker } = await stage.open();
    worker(stage.connected());
    await until(panel, ({ engines }) => engines !== null);
    panel.actions.openSession(sessionId);
    await until(panel, ({ conversation }) => conversation !== null && conversation.view.turns.length === turns);
    await panel.actions.send('mend it', [], 'queue');
    return panel;
  };

  test.for([
    { turns: 0, is: 'is not kept' },
    { turns: 1, is: 'stays' },
  ])('a session of $turns turns whose prompt goes to a worktree instead $is', async ({ turns }, { stage }) => {
    const panel = await sendRefused(stage, turns);

    await panel.actions.sendApart(panel.store.state.outbox[0]?.turnId ?? '');

    const removed = stage.double.received.filter(({ method }) => method === 'DELETE').map(({ url }) => url);
    expect(removed).toEqual(turns === 0 ? ['/api/agent-sessions/s1'] : []);
    expect(panel.store.state.sessionId).toBe('made');
  });

  test.for([
    { turns: 0, how: 'discard', is: 'is not kept' },
    { turns: 0, how: 'editUnsent', is: 'stays' },
    { turns: 1, how: 'discard', is: 'stays' },
  ] as const)('a session of $turns turns whose refused prompt meets $how $is', async ({ turns, how }, { stage }) => {
    const panel = await sendRefused(stage, turns);
    const [unsent] = panel.store.state.outbox;
    if (unsent === undefined) throw new Error('the prompt is in the outbox');

    await (how === 'discard' ? panel.actions.discard(unsent.turnId) : panel.actions.editUnsent(unsent));

    const isGone = turns === 0 && how === 'discard';
    const removed = stage.double.received.filter(({ method }) => method === 'DELETE').map(({ url }) => url);
    expect(removed).toEqual(isGone ? ['/api/agent-sessions/s1'] : []);
    expect(panel.store.state).toMatchObject({ sessionId: isGone ? null : sessionId, outbox: [] });
  });

  test('what is set for a session on screen is set at once, and only that', async ({ stage }) => {
    stage.double.logs.set('s1', [...story]);
    const { panel, worker } = await stage.open();
    worker(stage.connected());
    panel.actions.openSession(sessionId);
    await until(panel, hasItems(2));

    const change = { maxCostUsd: 1.5, maxTurnMs: 90_000, maxSilenceMs: 120_000 };
    await panel.actions.changeExtras(change);
    const { body, url } = await stage.double.request(({ method }) => method === 'PATCH');
    stage.double.token = 'token-two';

    expect([url, body]).toEqual(['/api/agent-sessions/s1', change]);
    expect(panel.store.state.extras).toEqual(noExtras);
    await expect(panel.actions.changeExtras({ maxTurns: 1 })).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
  });

  test('a session whose project was forgotten says so, and moves to the project that is chosen for it', async ({ stage }) => {
    const created = {
      type: 'session.created',
      projectId: 'gone',
      engine: 'claude',
      name: '',
      kind: 'agent',
      settings: defaultSettings,
    } as const;
    stage.double.logs.set('s1', createLog().add(created, ...started('t1', 'hello')).events);
    const { panel, worker } = await stage.open();
    worker(stage.connected());
    panel.actions.openSession(sessionId);
    const state = await until(panel, (now) => hasItems(1)(now) && now.projects !== null);
    expect(select(state)).toMatchObject({ isHomeless: true, project: null });

    await panel.actions.chooseProject(ProjectId.parse('p1'));

    const { body } = await stage.double.request(({ method }) => method === 'PATCH');
    expect(body).toEqual({ projectId: 'p1' });
    expect(panel.store.state.sessionId).toBe(sessionId);
  });

  test('a new session in another project has the agent and model of that project', async ({ stage }) => {
    const { panel, worker } = await stage.open();
    worker(stage.connected());
    const { projects } = await until(panel, (now) => now.engines !== null && now.projects !== null && now.sessions !== null);
    const other = sampleProject({ id: ProjectId.parse('p2'), name: 'boat', preferredCli: 'codex' });
    panel.store.set({ projects: [...(projects ?? []), other] });
    await panel.actions.chooseProject(ProjectId.parse('p1'));
    panel.actions.chooseEngine('claude');
    await panel.actions.configure({ model: 'opus' });

    await panel.actions.chooseProject(ProjectId.parse('p2'));

    expect(panel.store.state.choice).toMatchObject({ projectId: 'p2', engine: 'codex', model: null, mode: null });
  });

  test('a folder is chosen in the dialog of the system or typed; a project is renamed, moved and forgotten', async ({ stage }) => {
    stage.double.picked = [
      { success: true, path: '/srv/chosen' },
      { success: false, cancelled: true },
      { success: false, cancelled: false, error: 'There is no dialog.', code: 'DESKTOP_FAILED', remedy: 'Type the path.' },
    ];
    const { panel, worker } = await stage.open();
    worker(stage.connected());
    const [project] = (await until(panel, ({ projects }) => projects !== null)).projects ?? [];
    if (project === undefined) return expect.unreachable();

    expect(await panel.actions.pickFolder()).toBe('/srv/chosen');
    expect(await panel.actions.pickFolder()).toBeNull();
    await expect(panel.actions.pickFolder()).rejects.toMatchObject({ code: 'DESKTOP_FAILED', remedy: 'Type the path.' });
    expect(await panel.actions.foldersLike('/home/me/sh')).toEqual(['/home/me/shop']);

    await panel.actions.renameProject(project, 'Ours');
    await panel.actions.changeProject(project, { rootPath: '/srv/chosen' });
    const saved = stage.double.received.filter(({ method, url }) => method === 'POST' && url === '/api/projects').map(({ body }) => body);
    expect(saved).toEqual([
      { id: project.id, name: 'Ours', rootPath: project.rootPath },
      { id: project.id, name: project.name, rootPath: '/srv/chosen' },
    ]);
    await panel.actions.forgetProject(project.id);
    return expect(panel.store.state.projects).toEqual([]);
  });

  test('what a background command writes is asked for where its agent tells, and a refusal is no failure', async ({ stage }) => {
    const created = {
      type: 'session.created',
      projectId: null,
      engine: 'claude',
      name: '',
      kind: 'agent',
      settings: defaultSettings,
    } as const;
    stage.double.logs.set('s1', createLog().add(created).events);
    const { panel, worker } = await stage.open();
    worker(stage.connected());
    panel.actions.openSession(sessionId);
    await until(panel, (state) => select(state).engine !== null);
    const canReadTasks = (isAble: boolean): void =>
      panel.store.set({
        engines: (panel.store.state.engines ?? []).map((each) => ({
          ...each,
          capabilities: { ...each.capabilities, canReadTasks: isAble },
        })),
      });
    const read = () => panel.actions.readTask(ItemId.parse('i1'));

    canReadTasks(true);
    expect(await read()).toEqual({ text: 'so far', totalBytes: 6, isTruncated: false });
    stage.double.refusals.push({ status: 404, code: 'TASK_NOT_RUNNING' });
    expect(await read()).toBeNull();
    canReadTasks(false);
    expect(await read()).toBeNull();

    expect(stage.double.received.filter(({ url }) => url === '/api/agent-sessions/s1/items/i1/output')).toHaveLength(2);
    expect(panel.store.state.failure).toBeNull();
  });

  test('an answer goes to its request; that somebody else was quicker is no failure', async ({ stage }) => {
    stage.double.refusals.push({ status: 409, code: 'REQUEST_RESOLVED' }, { status: 503, code: 'STORE_FAILED' });
    stage.double.logs.set('s1', [...story]);
    const { panel, worker } = await stage.open();
    worker(stage.connected());
    panel.actions.openSession(sessionId);
    await until(panel, hasItems(2));
    const requestId = RequestId.parse('q');

    await panel.actions.answer(requestId, { optionId: 'once' });
    const first = { ...panel.store.state };
    await panel.actions.answer(requestId, { optionId: 'once' });

    const { body, url } = await stage.double.request((received) => received.url.includes('/requests/'));
    expect(url).toBe('/api/agent-sessions/s1/requests/q');
    expect(body).toEqual({ optionId: 'once' });
    expect(first).toMatchObject({ answering: null, failure: null });
    expect(panel.store.state).toMatchObject({ answering: null, failure: { code: 'STORE_FAILED' } });
  });

  test('what needs a right of the browser is allowed when Chrome has given it, and stays open when the person declines there', async ({
    stage,
  }) => {
    const opened = asked('q');
    const request = { ...(opened as Extract<typeof opened, { type: 'request.opened' }>).request, permissions: ['history' as const] };
    stage.double.logs.set('s1', createLog().add(...started('t1', 'hello'), { ...opened, request } as typeof opened).events);
    const { panel, worker } = await stage.open();
    worker(stage.connected());
    panel.actions.openSession(sessionId);
    await until(panel, ({ conversation }) => conversation?.view.requests.length === 1);
    const requestId = RequestId.parse('q');
    const answers = () => stage.double.received.filter(({ url }) => url.includes('/requests/')).map(({ body }) => body);

    stage.rights.areGiven = false;
    await panel.actions.answer(requestId, { optionId: 'once' });
    expect(answers()).toEqual([]);
    await panel.actions.answer(requestId, { optionId: 'no' });
    stage.rights.areGiven = true;
    await panel.actions.answer(requestId, { optionId: 'once' });

    expect(stage.rights.asked).toEqual(['history', 'history']);
    expect(answers()).toEqual([{ optionId: 'no' }, { optionId: 'once' }]);
  });

  test('another engine means another session, the same one does not', async ({ stage }) => {
    stage.double.sessions = [toSession('s1')];
    stage.double.logs.set('s1', [...story]);
    const { panel, worker } = await stage.open();
    worker(stage.connected());
    await until(panel, ({ engines }) => engines !== null);
    panel.actions.openSession(sessionId);

    panel.actions.chooseEngine('claude');
    expect(panel.store.state.sessionId).toBe('s1');
    panel.actions.chooseEngine('codex');
    expect(panel.store.state.sessionId).toBeNull();
  });

  test('a mode in which nothing asks holds for the one session it was chosen for', async ({ stage }) => {
    const { panel, worker } = await stage.open();
    worker(stage.connected());
    await until(panel, ({ engines }) => engines !== null);

    await panel.actions.configure({ mode: 'bypass' });
    expect(select(panel.store.state).mode?.isDangerous).toBe(true);
    await panel.actions.send('hello', [], 'queue');
    await panel.actions.configure({ mode: 'bypass' });

    const made = stage.double.received.find(({ url }) => url === '/api/projects/p1/agent-sessions');
    expect(made?.body).toMatchObject({ mode: 'bypass' });
    expect(panel.store.state.choice.mode).toBeNull();
    expect(stage.local.values.get('choice')).toMatchObject({ mode: null });
  });

  test('any other mode is remembered for the next session', async ({ stage }) => {
    const { panel, worker } = await stage.open();
    worker(stage.connected());
    await until(panel, ({ engines }) => engines !== null);

    await panel.actions.configure({ mode: 'plan' });

    expect(stage.local.values.get('choice')).toMatchObject({ engine: 'claude', mode: 'plan' });
  });

  test('suggests the first agent that works, and anew as the checks come in, until the user chooses', async ({ stage }) => {
    const { panel, worker } = await stage.open();
    const [claude] = stage.double.engines;
    const engine = (name: string, status: string) => ({ ...Object(claude), name, status });
    const suggested = (name: string) => until(panel, ({ choice }) => choice.engine === name);
    stage.double.engines = [engine('claude', 'unchecked'), engine('codex', 'unchecked'), engine('local', 'ready')];
    worker(stage.connected());

    await suggested('local');
    stage.double.state({
      type: 'engines',
      engines: [engine('claude', 'not_installed'), engine('codex', 'ready'), engine('local', 'ready')],
    });
    await suggested('codex');
    expect(stage.local.values.get('choice')).toBeUndefined();

    panel.actions.chooseEngine('local');
    stage.double.state({ type: 'engines', engines: [engine('claude', 'ready'), engine('codex', 'ready'), engine('local', 'failed')] });
    await until(panel, ({ engines }) => engines?.[0]?.status === 'ready');

    expect(panel.store.state.choice.engine).toBe('local');
    expect(stage.local.values.get('choice')).toMatchObject({ engine: 'local', isSuggested: false });
  });

  test('lists that come over the stream replace the old ones', async ({ stage }) => {
    const { panel, worker } = await stage.open();
    worker(stage.connected());
    await until(panel, ({ sessions }) => sessions !== null);

    stage.double.state({ type: 'sessions', sessions: [toSession('s9')] });
    stage.double.state({ type: 'something newer', value: 1 });

    await until(panel, ({ sessions }) => sessions?.[0]?.id === 's9');
  });

  test('a warning that was put away stays away, in the next panel too, until it was over once', async ({ stage }) => {
    const full = 'The history cannot be written.';
    const { panel, worker } = await stage.open();
    worker(stage.connected());
    await until(panel, ({ sessions }) => sessions !== null);
    stage.double.state({ type: 'warnings', warnings: [full, 'Another.'] });
    await until(panel, ({ warnings }) => warnings.length === 2);

    panel.actions.dismissWarning(full);
    expect(panel.store.state.dismissed).toEqual([full]);
    const next = await stage.open();
    expect(next.panel.store.state.dismissed).toEqual([full]);

    stage.double.state({ type: 'warnings', warnings: ['Another.'] });
    await until(panel, ({ warnings }) => warnings.length === 1);
    expect(panel.store.state.dismissed).toEqual([]);
    expect((await stage.open()).panel.store.state.dismissed).toEqual([]);
  });

  test('warnings that two windows put away stay away both', async ({ stage }) => {
    const [one, other] = [await stage.open(), await stage.open()];

    one.panel.actions.dismissWarning('One.');
    other.panel.actions.dismissWarning('Another.');

    await expect.poll(async () => (await stage.open()).panel.store.state.dismissed).toEqual(['One.', 'Another.']);
  });

  test('a link that is down does not take the conversation with it', async ({ stage }) => {
    const { panel, worker } = await stage.open();
    worker(stage.connected());
    await until(panel, (state) => statusOf(state).kind === 'connected');

    const error = { code: 'BROWSER_DISCONNECTED', message: 'The link is down.', remedy: 'Wait.' } as const;
    worker({ state: 'reconnecting', attempt: 1, error });
    expect(statusOf(panel.store.state).kind).toBe('connected');
    worker({ state: 'reconnecting', attempt: 2, error });

    expect(statusOf(panel.store.state).kind).toBe('link_lost');
    expect(panel.store.state.daemon?.state).toBe('live');
  });

  test('says what a companion that is not ready does first, and how far it is', async ({ stage }) => {
    const { panel, worker } = await stage.open();
    const preparing = { step: 'migrate', done: 3, total: 8 } as const;

    worker({ state: 'starting', preparing });

    expect(statusOf(panel.store.state)).toEqual({ kind: 'starting', error: null, preparing });
    const words = (language: 'en' | 'zh') => preparingWords(preparing, language);
    expect(words('en')).toBe('Pilotfish starts: the history of an earlier version is brought up to date first (37 % so far).');
    expect(words('zh')).toBe('Pilotfish 正在启动：先更新旧版本的历史记录（已完成 37%）。');
    // What a later one does is told as well as it can be.
    expect(Preparing.parse({ step: 'later', done: 1, total: 2 })).toEqual({ step: 'read', done: 1, total: 2 });
  });

  test.each(['host_missing', 'host_forbidden', 'host_crashed', 'refused', 'reconnecting'] as const)(
    'says %s with its error while nothing is connected',
    (state) => {
      const error = { code: 'DAEMON_START_FAILED', message: 'It failed.', remedy: 'Do this.' } as const;

      expect(statusOf({ ...initialState, connection: { state, error, attempt: 1 } })).toEqual({ kind: state, error });
    },
  );

  test('sends a prompt once more, and goes on after a turn in another session', async ({ stage }) => {
    const panel = await openStory(stage);

    await panel.actions.sendAgain({ text: 'hello', attachments: [] });
    const sent = await stage.double.request(({ method, url }) => method === 'POST' && url.endsWith('/s1/turns'));
    await panel.actions.fork(TurnId.parse('t1'));
    const forked = await stage.double.request(({ url }) => url.endsWith('/s1/fork'));

    expect(sent.body).toMatchObject({ text: 'hello', delivery: 'queue' });
    expect(forked.body).toEqual({ turnId: 't1' });
    expect(panel.store.state.sessionId).toBe('made');
  });

  test('a prompt that is sent once more goes to the end, also while another one is being said in other words', async ({ stage }) => {
    const panel = await openStory(stage);
    const insteadOf = TurnId.parse('t1');
    panel.actions.changeDraft({ text: 'hello, please', insteadOf });

    await panel.actions.sendAgain({ text: 'hello', attachments: [] });
    const sent = stage.double.received.filter(({ method }) => method === 'POST').map(({ url }) => url);

    expect(sent.filter((url) => /\/(?:turns|fork)$/.test(url))).toEqual(['/api/agent-sessions/s1/turns']);
    expect(panel.store.state).toMatchObject({ sessionId: 's1', draft: { text: 'hello, please', insteadOf } });
  });

  test('opens a file where the session works, which may be a worktree beside the project', async ({ stage }) => {
    const panel = await openStory(stage);

    await panel.actions.openFile('/home/sam/worktrees/tides/src/a b#.ts', 3);

    const opened = stage.double.received.find(({ method, url }) => method === 'POST' && url.includes('/open'));
    expect(opened).toMatchObject({
      url: '/agent/sessions/s1/open',
      body: { target: 'editor', filePath: '/home/sam/worktrees/tides/src/a b#.ts', line: 3 },
    });
  });

  test('a prompt that a program wrote is sent once more whole, not in the few words that are shown of it', async ({ stage }) => {
    const prompt = { text: 'hello, with all that the program knows', displayText: 'hello', attachments: [] };
    const log = createLog().add(
      { type: 'turn.started', turnId: 't1', prompt },
      { type: 'turn.completed', turnId: 't1', outcome: 'completed', durationMs: 5 },
    );
    const panel = await openStory(stage, log.events);

    await panel.actions.sendAgain({ text: 'hello', attachments: [] }, TurnId.parse('t1'));
    await panel.actions.sendAgain({ text: 'said meanwhile', attachments: [] }, TurnId.parse('t1'));

    const sent = stage.double.received.filter(({ method, url }) => method === 'POST' && url.endsWith('/turns'));
    expect(sent.map(({ body }) => body)).toMatchObject([{ text: prompt.text, displayText: 'hello' }, { text: 'said meanwhile' }]);
    expect(panel.store.state.outbox.map(({ displayText }) => displayText)).toEqual(['hello', undefined]);
  });

  test('a prompt whose file is gone is not sent without it', async ({ stage }) => {
    const panel = await openStory(stage);
    const gone = { attachmentId: AttachmentId.parse('a1'), kind: 'file', name: 'tide.txt', mimeType: 'text/plain', sizeBytes: 9 } as const;

    await panel.actions.sendAgain({ text: 'read it', attachments: [gone] });

    expect(stage.double.received.some(({ method, url }) => method === 'POST' && url.endsWith('/turns'))).toBe(false);
    expect(panel.store.state.draft).toMatchObject({ text: 'read it', attachments: [] });
    expect(panel.store.state.failure).not.toBeNull();
  });

  test('brings a prompt of the session back to be edited and sent again', async ({ stage }) => {
    const panel = await openStory(stage);

    await panel.actions.editAgain({ text: 'hello', attachments: [] });
    const { text, attachments } = panel.store.state.draft;
    await panel.actions.send(`${text} again`, attachments, 'queue');

    const sent = await stage.double.request(({ method, url }) => method === 'POST' && url.endsWith('/s1/turns'));
    expect(sent.body).toMatchObject({ text: 'hello again', delivery: 'queue' });
  });

  test('says a sent prompt in other words in a session that goes on from before it; or at the end, when that is chosen', async ({
    stage,
  }) => {
    const ended = createLog().add(
      ...started('t1', 'hello'),
      { type: 'item.started', turnId: 't1', itemId: 'm', item: { kind: 'message', role: 'assistant', text: 'Hi' } },
      { type: 'turn.completed', turnId: 't1', outcome: 'completed', durationMs: 5 },
    );
    const panel = await openStory(stage, ended.events);
    const turnId = TurnId.parse('t1');

    await panel.actions.editSent({ text: 'hello', attachments: [] }, turnId);
    expect(panel.store.state.draft).toMatchObject({ text: 'hello', insteadOf: turnId });
    const sending = panel.actions.send('hello, please', [], 'queue');
    panel.actions.changeDraft(noDraft);
    await sending;
    const forked = await stage.double.request(({ url }) => url.endsWith('/s1/fork'));
    const sent = await stage.double.request(({ method, url }) => method === 'POST' && url.endsWith('/made/turns'));
    expect(forked.body).toMatchObject({ beforeTurnId: turnId, sessionId: expect.stringMatching(/^session_/) });
    expect(sent.body).toMatchObject({ text: 'hello, please' });
    expect(panel.store.state.sessionId).toBe('made');

    panel.actions.openSession(SessionId.parse('s1'));
    await until(panel, ({ conversation }) => conversation?.view.sessionId === 's1');
    await panel.actions.editSent({ text: 'hello', attachments: [] }, turnId);
    await panel.actions.editSent({ text: 'hello', attachments: [] }, turnId);
    expect(panel.store.state.draft.text).toBe('hello');
    // Another prompt takes the place of one in which nothing was changed.
    await panel.actions.editSent({ text: 'again', attachments: [] }, TurnId.parse('t2'));
    expect(panel.store.state.draft.text).toBe('again');
    panel.actions.changeDraft({ insteadOf: undefined });
    await panel.actions.send('again, at the end', [], 'queue');
    const added = await stage.double.request(({ method, url }) => method === 'POST' && url.endsWith('/s1/turns'));
    expect(added.body).toMatchObject({ text: 'again, at the end' });
  });

  test('gives back what was written before when a prompt is not said in other words after all', async ({ stage }) => {
    const ended = createLog().add(
      ...started('t1', 'hello'),
      { type: 'item.started', turnId: 't1', itemId: 'm', item: { kind: 'message', role: 'assistant', text: 'Hi' } },
      { type: 'turn.completed', turnId: 't1', outcome: 'completed', durationMs: 5 },
    );
    const panel = await openStory(stage, ended.events);
    const [turnId, hello] = [TurnId.parse('t1'), { text: 'hello', attachments: [] }];

    await panel.actions.editSent(hello, turnId);
    panel.actions.changeDraft({ text: 'hello, please' });
    panel.actions.cancelEdit();
    expect(panel.store.state.draft).toEqual(noDraft);

    panel.actions.changeDraft({ text: 'mine' });
    await panel.actions.editSent(hello, turnId);
    expect(panel.store.state.draft).toMatchObject({ text: 'hello', insteadOf: turnId });
    panel.actions.cancelEdit();
    expect(panel.store.state.draft).toEqual({ ...noDraft, text: 'mine' });

    // Nothing is known of before when the panel was opened anew.
    panel.actions.changeDraft({ text: 'hello', insteadOf: turnId });
    panel.actions.cancelEdit();
    expect(panel.store.state.draft).toEqual(noDraft);
    panel.actions.changeDraft({ text: 'hello, please', insteadOf: turnId });
    panel.actions.cancelEdit();
    expect(panel.store.state.draft).toEqual({ ...noDraft, text: 'hello, please' });
  });

  test('what was being written stands aside while a sent prompt is said in other words, and goes on where that went', async ({ stage }) => {
    const ended = createLog().add(...started('t1', 'hello'), {
      type: 'turn.completed',
      turnId: 't1',
      outcome: 'completed',
      durationMs: 5,
    });
    const panel = await openStory(stage, ended.events);
    const hello = { text: 'hello', attachments: [] };

    panel.actions.changeDraft({ text: 'mine' });
    await panel.actions.editSent(hello, TurnId.parse('t1'));
    const { text, attachments } = panel.store.state.draft;
    const sending = panel.actions.send(`${text}, please`, attachments, 'queue');
    panel.actions.changeDraft(noDraft);
    await sending;
    const sent = await stage.double.request(({ method, url }) => method === 'POST' && url.endsWith('/made/turns'));

    expect(sent.body).toMatchObject({ text: 'hello, please' });
    expect(panel.store.state).toMatchObject({ sessionId: 'made', draft: { text: 'mine' } });
    expect(stage.local.values.has('draft:s1')).toBe(false);
  });

  test('a prompt that is brought back twice is there once, and what was being written stands aside once', async ({ stage }) => {
    const panel = await openStory(stage);
    const hello = { text: 'hello', attachments: [] };
    panel.actions.changeDraft({ text: 'mine' });

    await panel.actions.editAgain(hello);
    await panel.actions.editAgain(hello);

    expect(panel.store.state.draft).toMatchObject({ text: 'hello', aside: { text: 'mine' } });
  });

  test('a prompt in other words that was not sent is still one when it is edited, and what was being written stands aside again', async ({
    stage,
  }) => {
    const turnId = TurnId.parse('t1');
    const panel = await openStory(stage);
    panel.actions.changeDraft({ text: 'hello, please', insteadOf: turnId, aside: { text: 'mine', attachments: [] } });
    stage.double.sessionRefusals.push({ status: 409, code: 'FOLDER_TAKEN' });
    const sending = panel.actions.send('hello, please', [], 'queue');
    panel.actions.changeDraft(noDraft);
    await sending;
    const [unsent] = panel.store.state.outbox;
    expect(panel.store.state.draft.text).toBe('mine');

    if (unsent !== undefined) await panel.actions.editUnsent(unsent);

    expect(panel.store.state.draft).toMatchObject({ text: 'hello, please', insteadOf: turnId, aside: { text: 'mine' } });
  });

  test('stops all that agents do, also one from outside, in each session that works, and takes a permission back', async ({ stage }) => {
    stage.double.sessions = [
      { ...toSession('s1'), status: 'running' },
      { ...toSession('s2'), status: 'waiting', openRequests: 1 },
      toSession('s3'),
      { ...toSession('s4'), kind: 'client', status: 'running' },
    ];
    const { panel, worker } = await stage.open();
    worker(stage.connected());
    await until(panel, ({ sessions }) => sessions !== null);

    const stopped = await panel.actions.activity.stopAll();
    await panel.actions.activity.revokeGrant('grant_1');

    const deleted = stage.double.received.filter(({ method }) => method === 'DELETE').map(({ url }) => url);
    expect(stopped).toBe(3);
    const ended = ['s1', 's2', 's4'].map((id) => `/api/agent-sessions/${id}/turns`);
    expect(deleted.toSorted()).toEqual([...ended, '/api/grants/grant_1']);
  });

  test('finds words in the session on screen alone', async ({ stage }) => {
    const { panel, worker } = await stage.open();
    worker(stage.connected());
    await until(panel, ({ sessions }) => sessions !== null);

    void panel.actions.find(sessionId, 'low water').catch(() => null);
    const { url } = await stage.double.request((received) => received.url.startsWith('/agent/search'));

    expect(Object.fromEntries(new URLSearchParams(url.split('?')[1]))).toMatchObject({ q: 'low water', sessionId: 's1' });
  });
});
