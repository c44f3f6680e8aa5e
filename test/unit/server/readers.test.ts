/**
 * Two panels, the terminal and two scripts that follow one session while their connections are cut. Panel and terminal stand here by the very code with
 * which they read; what they draw of it has tests of its own.
 */
import jsonPatch, { type Operation } from 'fast-json-patch';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import path from 'node:path';
import { describe, expect, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import type { SessionId } from '#protocol/ids.ts';
import { emptyView, project, type SessionView } from '#protocol/view.ts';
import { type RealtimeEvent, toAgentMessage } from '#companion/compat/realtime.ts';
import { streamSession } from '#companion/client/streams.ts';
import { Transport } from '#companion/client/transport.ts';
import { callerOf } from '#extension/shared/wire.ts';
import { LogSync } from '#extension/sidepanel/log-sync.ts';
import { initialState, Store } from '#extension/sidepanel/state.ts';
import { tellFigure, times } from '#test/fixtures/figures.ts';
import { createRandom } from '#test/fixtures/random.ts';
import { createSocketClient } from '#test/fixtures/socket-client.ts';
import { toDocument } from '#test/unit/compat/document.ts';
import { turn } from './room-doubles.ts';
import { test, type Stage } from './stage.ts';

/** Carries connections to the daemon, and cuts each at a random byte of what comes back until there were enough. */
class Cutter {
  readonly #most: number;
  readonly #random = createRandom(11);
  readonly #open = new Set<Socket>();
  count = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** A door of its own for one reader; `at` is where it is: a loopback port, or the path of a socket. */
  async door(target: number | string, at: string | null = null): Promise<number> {
    const server = createServer((near) => {
      const far = typeof target === 'number' ? connect(target, '127.0.0.1') : connect(target);
      const { port } = typeof target === 'number' ? (server.address() as AddressInfo) : { port: 0 };
      // Some live long enough for a whole part of the conversation.
      let left = this.#random(this.#random(3) === 0 ? 60_000 : 3000) + 1;
      const end = (): void => {
        near.destroy();
        far.destroy();
        this.#open.delete(near);
      };
      this.#open.add(near);
      for (const socket of [near, far]) socket.on('close', end).on('error', end);
      // The daemon answers only those who call it by its own port.
      near.on('data', (bytes: Buffer) => far.write(bytes.toString('latin1').replace(`127.0.0.1:${port}`, `127.0.0.1:${target}`), 'latin1'));
      far.on('data', (bytes: Buffer) => {
        const isCut = this.count < this.#most && left <= bytes.length;
        near.write(isCut ? bytes.subarray(0, left) : bytes);
        left -= bytes.length;
        if (!isCut) return;
        this.count += 1;
        near.end();
        far.destroy();
      });
    });
    await new Promise<void>((resolve) => (at === null ? server.listen(0, '127.0.0.1', resolve) : server.listen(at, resolve)));
    onTestFinished(() => {
      for (const socket of this.#open) socket.destroy();
      server.close();
    });
    return at === null ? (server.address() as AddressInfo).port : 0;
  }
}

interface Reader {
  readonly name: string;
  /** Reads the parts of the conversation before the one that it opened with. */
  readonly readEarlier?: () => Promise<void>;
  /** What it has come to, in its own form, and what it should have come to. */
  readonly has: () => unknown;
  readonly wants: (view: SessionView) => unknown;
}

/** As it goes over a wire. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/** What everybody sees of a conversation. */
const shown = ({ seq, items, turns, requests, answered, status }: SessionView): unknown => ({
  seq,
  items,
  turns,
  requests,
  answered,
  status,
});

const openPanel = (stage: Stage, sessionId: SessionId, port: number, name: string): Reader => {
  const endpoint = { port, token: stage.panelToken };
  const store = new Store(initialState);
  const sync = new LogSync({ store, call: callerOf(() => endpoint), nextFrame: (run) => void setImmediate(run), onUnauthorized: () => {} });
  sync.connect(endpoint);
  sync.open(sessionId);
  onTestFinished(() => sync.close());
  return {
    name,
    readEarlier: async () => {
      if ((store.state.conversation?.earlier ?? 0) > 0) await sync.readEarlier(1000);
    },
    has: () => shown(store.state.conversation?.view ?? emptyView(sessionId)),
    wants: shown,
  };
};

const openTerminal = (socket: string, sessionId: SessionId, signal: AbortSignal): Reader => {
  const transport = new Transport(socket);
  onTestFinished(() => transport.close());
  let view = emptyView(sessionId);
  void streamSession(transport, sessionId, null, {
    onEvent: (event) => void (view = event.type === 'resync' ? emptyView(sessionId) : project(view, event)),
    signal,
  });
  return { name: 'terminal', has: () => shown(view), wants: shown };
};

/** A script that reads server-sent events by the names of existing clients, and merges messages by their ids. */
const openScript = (stage: Stage, sessionId: SessionId, port: number, signal: AbortSignal): Reader => {
  const messages = new Map<string, unknown>();
  const headers = { authorization: `Bearer ${stage.panelToken}` };
  const read = async (): Promise<void> => {
    let last: string | undefined;
    while (!signal.aborted) {
      const events = createSocketClient(port).events(`/agent/chat/${sessionId}/stream?after=0`, signal, {
        ...headers,
        ...(last === undefined ? {} : { 'last-event-id': last }),
      });
      try {
        for await (const { id, data } of events) {
          const event = data as RealtimeEvent;
          if (event.type === 'message') messages.set(event.data.id, event.data);
          last = id ?? last;
        }
      } catch {
        // It was cut, and comes back.
      }
    }
  };
  void read();
  return {
    name: 'script',
    has: () => [...messages.values()],
    wants: (view) => view.items.map((item) => toAgentMessage(view, item)),
  };
};

/** A script with a WebSocket that applies patches. */
const openPatches = (stage: Stage, sessionId: SessionId, port: number, signal: AbortSignal): Reader => {
  const document = { entries: [] as unknown[], status: 'idle' };
  let cursor: string | undefined;
  const open = (): void => {
    const query = cursor === undefined ? '' : `&after=${cursor}`;
    const socket = new WebSocket(`ws://127.0.0.1:${port}/api/agent-sessions/${sessionId}/stream?keepOpen=true${query}`, {
      headers: { authorization: `Bearer ${stage.panelToken}` },
    });
    socket.on('message', (data: Buffer) => {
      const message = JSON.parse(data.toString()) as { JsonPatch?: Operation[]; id?: string };
      if (message.JsonPatch !== undefined) jsonPatch.applyPatch(document, message.JsonPatch, true);
      cursor = message.id ?? cursor;
    });
    socket.on('error', () => {});
    socket.on('close', () => signal.aborted || setImmediate(open));
    signal.addEventListener('abort', () => socket.terminate());
  };
  open();
  return { name: 'patches', has: () => document, wants: toDocument };
};

describe('two panels, the terminal and two scripts that follow one session', () => {
  test('stay identical however often their connections are cut', async ({ stage }) => {
    const sessionId = stage.sessions.create();
    const startedAt = performance.now();
    const cutter = new Cutter(times(20, 1_000));
    const ending = new AbortController();
    onTestFinished(() => ending.abort());
    const { port, socket } = stage.server;
    const near = path.join(path.dirname(socket), 'near.sock');
    await cutter.door(socket, near);
    const readers = [
      openPanel(stage, sessionId, await cutter.door(port), 'one panel'),
      openPanel(stage, sessionId, await cutter.door(port), 'another panel'),
      openTerminal(near, sessionId, ending.signal),
      openScript(stage, sessionId, await cutter.door(port), ending.signal),
      openPatches(stage, sessionId, await cutter.door(port), ending.signal),
    ];

    for (let round = 0; cutter.count < times(20, 1_000); round += 1) {
      const { started, delta, completed } = turn(String(round));
      stage.sessions.emit(sessionId, ...started(), delta(`${round} ü 漢字 `.repeat(20)));
      await new Promise((resolve) => setTimeout(resolve, 20));
      stage.sessions.emit(sessionId, delta('and more'), ...completed());
    }
    const view = stage.sessions.view(sessionId);
    for (const { name, readEarlier, has, wants } of readers) {
      const seen = async (): Promise<unknown> => {
        await readEarlier?.();
        return plain(has());
      };
      await expect.poll(seen, { message: name }).toEqual(plain(wants(view)));
    }

    tellFigure({
      fault:
        'Two panels, a terminal and two scripts follow one session, and their connections are cut at random bytes (what panel and terminal read with)',
      count: `${cutter.count} cuts, ${view.turns.length} turns`,
      lost: 0,
      doubled: 0,
      disordered: 0,
      leftRunning: 0,
      measured: 'all five identical',
      ms: performance.now() - startedAt,
    });
    expect(cutter.count).toBeGreaterThanOrEqual(times(20, 1_000));
    expect(view.items.length).toBeGreaterThan(0);
  });
});
