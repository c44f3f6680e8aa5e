/** Two panels, a terminal and two scripts watch one session, each by its own stream and the code that it has in life; every stream is cut again and again. */
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import jsonPatch, { type Operation } from 'fast-json-patch';
import { expect, onTestFinished, vi } from 'vitest';
import { WebSocket } from 'ws';
import { createClient } from '#companion/client/client.ts';
import { initialState, type TuiState } from '#companion/tui/state.ts';
import { update, type Happening } from '#companion/tui/update.ts';
import { LogSync } from '#extension/sidepanel/log-sync.ts';
import { Store } from '#extension/sidepanel/state.ts';
import { callerOf } from '#extension/shared/wire.ts';
import type { SessionId } from '#protocol/ids.ts';
import { emptyView, type SessionView } from '#protocol/view.ts';
import { times } from '#test/fixtures/figures.ts';
import { createRandom } from '#test/fixtures/random.ts';
import { readSse } from '#test/fixtures/read-sse.ts';
import { until } from '#test/fixtures/until.ts';
import { turn } from '#test/unit/server/room-doubles.ts';
import { test, type Stage } from '#test/unit/server/stage.ts';

/** What somebody sees: each message with its text, and whether it is whole. */
type Seen = readonly (readonly [id: string, text: string, isWhole: boolean])[];

type See = () => Seen;

const random = createRandom(11);

/** Cuts one stream, once after each `begin`. */
class Scissors {
  cuts = 0;
  #left = Infinity;

  begin(): void {
    this.#left = 1 + random(1500);
  }

  /** How many of the next bytes come through; after fewer than all the stream is to be broken off. */
  pass(bytes: number): number {
    const passed = Math.min(bytes, this.#left);
    this.#left -= bytes;
    if (passed === bytes) return passed;
    this.cuts += 1;
    this.#left = Infinity;
    return passed;
  }
}

const seenIn = (view: Pick<SessionView, 'items'> | null | undefined): Seen =>
  (view?.items ?? []).map(({ itemId, body, status }) => [itemId, 'text' in body ? body.text : '', status !== 'running']);

/** The body of an answer, which breaks off where it is cut. */
const cutBody = (response: Response, scissors: Scissors): Response => {
  const reader = response.body?.getReader();
  let isCut = false;
  const cut = new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const chunk = isCut ? undefined : (await reader?.read())?.value;
        if (chunk === undefined) {
          controller.error(new Error('cut'));
          return void reader?.cancel();
        }
        const passed = scissors.pass(chunk.length);
        isCut = passed < chunk.length;
        controller.enqueue(chunk.subarray(0, passed));
      },
      cancel: async () => reader?.cancel(),
    },
    { highWaterMark: 0 },
  );
  return new Response(cut, response);
};

/** The panel's own way. */
const openPanel = (stage: Stage, sessionId: SessionId): See => {
  const store = new Store();
  const endpoint = { port: stage.server.port, token: stage.panelToken };
  const sync = new LogSync({ store, call: callerOf(() => endpoint), nextFrame: (run) => void setImmediate(run), onUnauthorized: () => {} });
  onTestFinished(() => sync.close());
  sync.connect(endpoint);
  sync.open(sessionId);
  return () => seenIn(store.state.conversation?.view);
};

/** The terminal's own way: the private socket, and its state. */
const openTerminal = async (stage: Stage, sessionId: SessionId, scissors: Scissors): Promise<See> => {
  const folder = mkdtempSync(path.join(tmpdir(), 'pf-'));
  const socket = path.join(folder, 's');
  const between = createServer((near) => {
    const far = connect(stage.server.socket);
    const end = (): void => void [near, far].map((half) => half.destroy());
    near
      .on('data', (bytes) => far.write(bytes))
      .on('close', end)
      .on('error', end);
    far.on('close', end).on('error', end);
    far.on('data', (bytes: Buffer) => {
      const passed = scissors.pass(bytes.length);
      near.write(bytes.subarray(0, passed));
      if (passed === bytes.length) return;
      near.end();
      far.destroy();
    });
  });
  await new Promise<void>((resolve) => between.listen(socket, resolve));
  const client = createClient({ paths: { socket, daemonLog: '' }, start: () => {} });
  const left = new AbortController();
  onTestFinished(async () => {
    left.abort();
    await client.close();
    between.close();
    rmSync(folder, { recursive: true, force: true });
  });
  let state: TuiState = { ...initialState, session: emptyView(sessionId) };
  const happen = (happening: Happening): void => void (state = update(state, happening).state);
  const take = (event: Parameters<Parameters<typeof client.streamSession>[2]>[0]): void =>
    happen(event.type === 'resync' ? { type: 'resync', sessionId } : { type: 'event', event });
  void client.streamSession(sessionId, null, take, left.signal).catch(() => {});
  return () => seenIn(state.session);
};

/** A script that merges messages by id, as the documents say. */
const openScript = (stage: Stage, sessionId: SessionId, scissors: Scissors): See => {
  let last: string | null = null;
  const messages = new Map<string, Seen[number]>();
  const left = new AbortController();
  onTestFinished(() => left.abort());
  const readOnce = async (): Promise<void> => {
    const headers = { authorization: `Bearer ${stage.panelToken}`, ...(last === null ? {} : { 'last-event-id': last }) };
    const answer = await fetch(`${stage.base}/agent/chat/${sessionId}/stream`, { headers, signal: left.signal });
    const take = readSse(({ data, id }) => {
      const event = JSON.parse(data) as { type: string; data: { id: string; content: string; isFinal?: boolean } };
      if (event.type === 'message') messages.set(event.data.id, [event.data.id, event.data.content, event.data.isFinal === true]);
      last = id ?? last;
    });
    for await (const chunk of cutBody(answer, scissors).body ?? []) take(chunk);
  };
  void (async () => {
    while (!left.signal.aborted) await readOnce().catch(() => {});
  })();
  return () => [...messages.values()];
};

interface Document {
  entries: { id: string; content: string; isFinal?: boolean }[];
  status: string;
}

/** A script that applies patches over a WebSocket. */
const openPatches = (stage: Stage, sessionId: SessionId, scissors: Scissors): See => {
  let last: string | null = null;
  let document: Document = { entries: [], status: 'idle' };
  let socket: WebSocket | null = null;
  let isOver = false;
  const open = (): void => {
    if (isOver) return;
    const address = `${stage.base.replace('http', 'ws')}/api/agent-sessions/${sessionId}/stream?keepOpen=true&after=${last ?? ''}`;
    const own = new WebSocket(address, { headers: { authorization: `Bearer ${stage.panelToken}` } });
    socket = own;
    own.on('error', () => {}).on('close', open);
    own.on('message', (data: Buffer) => {
      // What has come by then is still told after the end.
      if (own !== socket || own.readyState !== WebSocket.OPEN) return;
      if (scissors.pass(data.length) < data.length) return own.terminate();
      const frame = JSON.parse(data.toString()) as { JsonPatch?: Operation[]; id?: string };
      if (frame.JsonPatch !== undefined) document = jsonPatch.applyPatch(document, frame.JsonPatch, true, false).newDocument;
      last = frame.id ?? last;
    });
  };
  open();
  onTestFinished(() => {
    isOver = true;
    socket?.terminate();
  });
  return () => document.entries.map(({ id, content, isFinal }) => [id, content, isFinal === true]);
};

/** Cuts what the panels read: now the one, now the other. */
const cutPanels = (sessionId: SessionId, scissors: Scissors): void => {
  const whole = globalThis.fetch;
  const spy = vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, options) => {
    const response = await whole(input, options);
    return response.url.endsWith(`/${sessionId}/events`) && response.ok ? cutBody(response, scissors) : response;
  });
  onTestFinished(() => spy.mockRestore());
};

test('two panels, a terminal and two scripts see the same, however often their streams are cut', async ({ stage }) => {
  const sessionId = stage.sessions.create();
  const [panels, terminal, script, patches] = [new Scissors(), new Scissors(), new Scissors(), new Scissors()];
  cutPanels(sessionId, panels);
  const watchers: Record<string, See> = {
    panel: openPanel(stage, sessionId),
    'other panel': openPanel(stage, sessionId),
    terminal: await openTerminal(stage, sessionId, terminal),
    script: openScript(stage, sessionId, script),
    patches: openPatches(stage, sessionId, patches),
  };
  const all = [panels, terminal, script, patches];

  // Four cuts each, so the whole form has a thousand.
  for (let round = 0; round < times(6, 250); round += 1) {
    for (const scissors of all) scissors.begin();
    const { started, delta, completed } = turn(`t${round}`);
    stage.sessions.emit(sessionId, ...started());
    for (let count = 0; count < 12; count += 1) {
      stage.sessions.emit(sessionId, delta(`${round}.${count} ü 漢字 😀 ${'x'.repeat(count * 20)} `));
      await new Promise((resolve) => setImmediate(resolve));
    }
    if (round % 3 !== 2) stage.sessions.emit(sessionId, ...completed());
    await until(() => all.every(({ cuts }) => cuts > round), { what: `a cut of every stream in round ${round}` });
  }
  const last = turn('last');
  stage.sessions.emit(sessionId, ...last.started(), last.delta('The end. '), ...last.completed());

  const wanted = seenIn(stage.sessions.view(sessionId));
  for (const [name, see] of Object.entries(watchers)) await expect.poll(see, { message: name }).toEqual(wanted);
  expect(wanted).toHaveLength(times(6, 250) + 1);
});
