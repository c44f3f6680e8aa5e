import { IncomingMessage, ServerResponse } from 'node:http';
import { connect, Socket } from 'node:net';
import { describe, expect, onTestFinished, vi } from 'vitest';
import type { SessionEvent } from '#protocol/events.ts';
import { SessionId } from '#protocol/ids.ts';
import { emptyView, project } from '#protocol/view.ts';
import { warn, type Warning } from '#protocol/warnings.ts';
import { LogStream } from '#companion/server/log-stream.ts';
import { RealtimeStream } from '#companion/server/realtime-stream.ts';
import { SseServer } from '#companion/server/sse.ts';
import { StateStream } from '#companion/server/state-stream.ts';
import type { RealtimeEvent } from '#companion/compat/realtime.ts';
import { comer, createAdmissions } from '#test/fixtures/admission.ts';
import { tellFigure, times } from '#test/fixtures/figures.ts';
import { HANG_MS } from '#test/fixtures/limits.ts';
import { readSse, type SseEvent } from '#test/fixtures/read-sse.ts';
import { createBridgeDouble, createEnginesDouble, createProjectsDouble, createSessionsDouble, CURSORS, turn } from './room-doubles.ts';
import { test, type Stage } from './stage.ts';

/** Reads events of a stream until `isDone`, then hangs up. */
const read = async (
  stage: Stage,
  pathname: string,
  isDone: (event: SseEvent) => boolean,
  headers: Record<string, string> = {},
): Promise<SseEvent[]> => {
  const abort = new AbortController();
  const hang = setTimeout(() => abort.abort(new Error(`${pathname} did not come to its end`)), HANG_MS);
  onTestFinished(() => clearTimeout(hang));
  const response = await fetch(stage.base + pathname, {
    headers: { authorization: `Bearer ${stage.panelToken}`, ...headers },
    signal: abort.signal,
  });
  expect(response.status, pathname).toBe(200);
  expect(response.headers.get('content-type')).toContain('text/event-stream');
  const events: SseEvent[] = [];
  let done = false;
  const push = readSse((event) => {
    if (done) return;
    events.push(event);
    done = isDone(event);
  });
  for await (const chunk of response.body ?? []) {
    push(chunk);
    if (done) break;
  }
  abort.abort();
  return events;
};

const log = (sessionId: SessionId): string => `/api/agent-sessions/${sessionId}/events`;
const chat = (sessionId: SessionId): string => `/agent/chat/${sessionId}/stream`;
const seqOf = ({ data }: SseEvent): number => (JSON.parse(data) as SessionEvent).seq;

/** A source of numbers that is the same in every run. */
const createRandom = (seed: number): (() => number) => {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
};

/** The stream of lists over the doubles of all rooms. */
const createStateStream = (sessions: ReturnType<typeof createSessionsDouble>, warnings: () => readonly Warning[]): StateStream =>
  new StateStream(
    {
      sessions,
      projects: createProjectsDouble(),
      engines: createEnginesDouble(),
      bridge: createBridgeDouble(),
      admissions: createAdmissions().admissions,
      onLogLine: () => () => {},
    },
    new SseServer(() => {}),
    warnings,
  );

describe('the stream of a session’s events', () => {
  test('begins at the beginning, goes on live, and names each place', async ({ stage }) => {
    const sessionId = stage.sessions.create();
    const { started, delta, completed } = turn('a');
    stage.sessions.emit(sessionId, ...started());

    const reading = read(stage, log(sessionId), (event) => seqOf(event) === 6);
    await expect.poll(() => stage.sessions.watchers(sessionId)).toBe(1);
    stage.sessions.emit(sessionId, delta('Hello'), ...completed());
    const events = await reading;

    expect(events.map(seqOf)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(events.map(({ id }) => id)).toEqual([1, 2, 3, 4, 5, 6].map((seq) => `epoch1-${seq}`));
    expect(events.map(({ data }) => JSON.parse(data) as SessionEvent).reduce(project, emptyView(sessionId))).toEqual(
      stage.sessions.view(sessionId),
    );
  });

  test('resumes after the last id, by header or by query, the header first', async ({ stage }) => {
    const sessionId = stage.sessions.create();
    stage.sessions.emit(sessionId, ...turn('a').started(), turn('a').delta('x'));
    const isLast = (event: SseEvent): boolean => seqOf(event) === 4;

    expect((await read(stage, log(sessionId), isLast, { 'last-event-id': 'epoch1-2' })).map(seqOf)).toEqual([3, 4]);
    expect((await read(stage, `${log(sessionId)}?after=epoch1-3`, isLast)).map(seqOf)).toEqual([4]);
    expect((await read(stage, `${log(sessionId)}?after=3`, isLast)).map(seqOf)).toEqual([4]);
    expect((await read(stage, `${log(sessionId)}?after=epoch1-3`, isLast, { 'last-event-id': 'epoch1-1' })).map(seqOf)).toEqual([2, 3, 4]);
  });

  test.for(CURSORS)('the cursor %s is answered by a resync (%s) and the whole log', async ([cursor, reason], { stage }) => {
    const sessionId = stage.sessions.create();
    stage.sessions.emit(sessionId, ...turn('a').started());

    const events = await read(
      stage,
      log(sessionId),
      ({ name, data }) => name === 'message' && (JSON.parse(data) as SessionEvent).seq === 3,
      {
        'last-event-id': cursor,
      },
    );

    expect(events[0]).toMatchObject({ name: 'resync', id: 'epoch1-0' });
    expect(JSON.parse(events[0]?.data ?? '')).toEqual({ type: 'resync', reason, epoch: 'epoch1' });
    expect(events.slice(1).map(seqOf)).toEqual([1, 2, 3]);
  });

  test('cut hundreds of times at random bytes, nothing is lost, doubled or out of order', async ({ stage }) => {
    const random = createRandom(7);
    const sessionId = stage.sessions.create();
    const { started, delta, completed } = turn('a');
    stage.sessions.emit(sessionId, ...started());
    const seen: number[] = [];
    let cursor: string | null = null;

    const readUntilCut = (bytes: number): Promise<void> =>
      new Promise((resolve) => {
        const socket = connect(stage.server.port, '127.0.0.1');
        const last = cursor === null ? '' : `Last-Event-ID: ${cursor}\r\n`;
        socket.write(
          `GET ${log(sessionId)} HTTP/1.1\r\nHost: 127.0.0.1:${stage.server.port}\r\nAuthorization: Bearer ${stage.panelToken}\r\n${last}\r\n`,
        );
        const push = readSse((event) => {
          seen.push(seqOf(event));
          cursor = event.id;
        });
        const body = createChunkedBody(push);
        let left = bytes;
        socket.on('data', (data: Buffer) => {
          body(data.subarray(0, left));
          left -= data.length;
          if (left <= 0 || seen.length >= stage.sessions.view(sessionId).seq) socket.destroy();
        });
        socket.on('close', () => resolve());
      });

    const startedAt = performance.now();
    const cuts = times(60, 1_000);
    for (let cut = 0; cut < cuts; cut += 1) {
      for (let more = Math.floor(random() * 8); more > 0; more -= 1) stage.sessions.emit(sessionId, delta(`${cut}.${more} ü 漢字 `));
      // A cut before the first new id is in here too: the head of the answer alone has about 200 bytes.
      if (stage.sessions.view(sessionId).seq > seen.length) await readUntilCut(Math.floor(random() * 1500) + 1);
    }
    stage.sessions.emit(sessionId, ...completed());
    while (seen.length < stage.sessions.view(sessionId).seq) await readUntilCut(100_000);

    tellFigure({
      fault: 'A stream is cut at random bytes, in the head of an answer too',
      count: `${cuts} cuts, ${stage.sessions.view(sessionId).seq} events`,
      lost: stage.sessions.view(sessionId).seq - new Set(seen).size,
      doubled: seen.length - new Set(seen).size,
      disordered: seen.filter((seq, index) => seq < (seen[index - 1] ?? 0)).length,
      leftRunning: 0,
      ms: performance.now() - startedAt,
    });
    expect(seen).toEqual(Array.from({ length: stage.sessions.view(sessionId).seq }, (_, index) => index + 1));
  });

  test('a reader that stops costs little memory, and gets the rest when it goes on', async ({ stage }) => {
    const sessionId = stage.sessions.create();
    const { started, delta } = turn('a');
    stage.sessions.emit(sessionId, ...started());
    const seqs: number[] = [];
    const socket = connect(stage.server.port, '127.0.0.1');
    socket.write(
      `GET ${log(sessionId)} HTTP/1.1\r\nHost: 127.0.0.1:${stage.server.port}\r\nAuthorization: Bearer ${stage.panelToken}\r\n\r\n`,
    );
    const body = createChunkedBody(readSse((event) => seqs.push(seqOf(event))));
    await new Promise<void>((resolve) => socket.once('data', (data: Buffer) => resolve(body(data))));
    socket.pause();

    const text = 'x'.repeat(10_000);
    globalThis.gc?.();
    const before = process.memoryUsage().rss;
    for (let index = 0; index < 1500; index += 1) {
      stage.sessions.emit(sessionId, delta(text));
      if (index % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    // The log itself, which is in memory here, takes 15 MB; a copy per unread event would take as much again.
    const grown = (process.memoryUsage().rss - before) / 1024 / 1024;
    const last = stage.sessions.view(sessionId).seq;
    const finished = new Promise<void>((resolve) =>
      socket.on('data', (data: Buffer) => {
        body(data);
        if (seqs.at(-1) === last) resolve();
      }),
    );
    socket.resume();
    await finished;
    socket.destroy();

    expect(grown).toBeLessThan(32 + 15 + 15);
    expect(seqs).toEqual(Array.from({ length: last }, (_, index) => index + 1));
  });

  test('a deleted session ends its streams; an unknown one is a 404', async ({ stage }) => {
    const sessionId = stage.sessions.create();
    const response = await stage.fetch(log(sessionId));
    const reader = response.body?.getReader();
    await reader?.read();

    await stage.sessions.dispatch({ type: 'session.delete', sessionId });

    await expect(reader?.read()).rejects.toThrow();
    expect(await (await stage.fetch(log(sessionId))).json()).toMatchObject({ code: 'SESSION_NOT_FOUND' });
  });

  test('nobody watching costs nothing: the last reader takes the subscription along', async ({ stage }) => {
    const sessionId = stage.sessions.create();
    const readers = await Promise.all([1, 2, 3].map(() => stage.fetch(log(sessionId))));
    expect(stage.sessions.watchers(sessionId)).toBe(1);
    expect(stage.server.streamCount()).toBe(3);

    await Promise.all(readers.map(async (response) => response.body?.cancel()));

    await expect.poll(() => stage.server.streamCount()).toBe(0);
    expect(stage.sessions.watchers(sessionId)).toBe(0);
  });
});

describe('a reader that stops', () => {
  /** Nothing that is written to it is ever read. */
  const stopped = () => new ServerResponse(new IncomingMessage(new Socket()));
  const MEGABYTE = 2 ** 20;

  test('has some more than a megabyte of a log waiting for it, however much there is', async () => {
    const sessions = createSessionsDouble();
    const sessionId = sessions.create();
    const response = stopped();
    new LogStream(sessions, new SseServer(() => {})).open(() => response, sessionId, `${sessions.epoch(sessionId)}-1`);
    const { started, delta } = turn('t1');
    sessions.emit(sessionId, ...started());
    for (let index = 0; index < 100; index += 1) {
      sessions.emit(sessionId, delta('x'.repeat(100_000)));
      await Promise.resolve();
    }

    expect(response.writableLength).toBeLessThan(2 * MEGABYTE);
    response.emit('close');
  });

  test('is put out by a megabyte of what happens, and not by what it begins with, however much that is', async () => {
    const sessions = createSessionsDouble();
    const sessionId = sessions.create();
    const { started, delta } = turn('t1');
    sessions.emit(sessionId, ...started(), delta('x'.repeat(3 * MEGABYTE)));
    const response = stopped();
    new RealtimeStream(sessions, new SseServer(() => {})).open(() => response, sessionId, `${sessions.epoch(sessionId)}-1`);

    sessions.emit(sessionId, ...turn('t2').started());
    await Promise.resolve();
    expect([response.writableLength > 3 * MEGABYTE, response.destroyed]).toEqual([true, false]);
    for (let index = 0; index < 30 && !response.destroyed; index += 1) {
      const more = turn(`more${index}`);
      sessions.emit(sessionId, ...more.started(), more.delta('y'.repeat(100_000)), ...more.completed());
      await Promise.resolve();
    }

    expect(response.destroyed).toBe(true);
  });

  test('is not put out by lists of more than a megabyte that it begins with, and by what changes in them it is', () => {
    const sessions = createSessionsDouble();
    sessions.create({ name: 'x'.repeat(2 * MEGABYTE) });
    const response = stopped();
    const stream = createStateStream(sessions, () => []);

    stream.open(response);
    stream.publish({ type: 'projects', projects: [] });
    expect([response.writableLength > 2 * MEGABYTE, response.destroyed]).toEqual([true, false]);
    sessions.create();

    expect(response.destroyed).toBe(true);
  });
});

describe('what follows the lists', () => {
  test('is told the warnings at first, and again when they are others, with whatever list has changed', () => {
    const sessions = createSessionsDouble();
    const damaged: Warning = { what: warn('entries_stray') };
    const waits: Warning = { what: warn('browser_waits', { who: 'B' }), remedy: warn('allow_browser', { id: 'b1' }) };
    let warnings = [damaged];
    const stream = createStateStream(sessions, () => warnings);
    const response = new ServerResponse(new IncomingMessage(new Socket()));
    const write = vi.spyOn(response, 'write');
    const told = (): string[] => write.mock.calls.flatMap(([bytes]) => String(bytes).match(/\{"type":"warnings".*\}/gu) ?? []);

    stream.open(response);
    sessions.create();
    warnings = [damaged, waits];
    sessions.create();
    sessions.create();
    warnings = [];
    stream.lookAtWarnings();

    const events = told().map((line) => JSON.parse(line));
    const texts = [damaged.what.text, `${waits.what.text} ${waits.remedy?.text}`];
    expect(events.map((event) => event.warnings)).toEqual([texts.slice(0, 1), texts, []]);
    expect(events.map((event) => event.told)).toEqual([[damaged], [damaged, waits], []]);
    response.emit('close');
  });
});

describe('the bytes of a frame', () => {
  test('are put together once for all readers of a session', async () => {
    const sessions = createSessionsDouble();
    const sessionId = sessions.create();
    const sse = new SseServer(() => {});
    const stream = new LogStream(sessions, sse);
    const cursor = `${sessions.epoch(sessionId)}-1`;
    const readers = [1, 2, 3].map(() => {
      const response = new ServerResponse(new IncomingMessage(new Socket()));
      return { response, write: vi.spyOn(response, 'write') };
    });
    for (const { response } of readers) stream.open(() => response, sessionId, cursor);

    sessions.emit(sessionId, ...turn('t1').started());
    await Promise.resolve();

    const [first, ...others] = readers.map(({ write }) => write.mock.calls.map(([bytes]: unknown[]) => bytes));
    expect(first).toHaveLength(1);
    for (const other of others) expect(other[0]).toBe(first?.[0]);
    for (const { response } of readers) response.emit('close');
  });
});

describe('the stream of realtime events', () => {
  const typesOf = (events: readonly SseEvent[]): string[] => events.map(({ data }) => (JSON.parse(data) as RealtimeEvent).type);
  const isFinal = ({ data }: SseEvent): boolean => data.includes('"status":"completed"');

  test('says connected, what goes on, and then what happens', async ({ stage }) => {
    const sessionId = stage.sessions.create();
    const { started, delta, completed } = turn('a');
    stage.sessions.emit(sessionId, ...started(), delta('Hello'));

    const reading = read(stage, chat(sessionId), isFinal);
    await expect.poll(() => stage.sessions.watchers(sessionId)).toBe(1);
    stage.sessions.emit(sessionId, delta(', stage'), ...completed());
    const events = await reading;

    expect(typesOf(events)).toEqual(['connected', 'message', 'status', 'message', 'message', 'status']);
    expect(JSON.parse(events[1]?.data ?? '')).toMatchObject({ data: { id: 'item_a', content: 'Hello', isStreaming: true } });
    expect(JSON.parse(events[4]?.data ?? '')).toMatchObject({ data: { id: 'item_a', content: 'Hello, stage', isFinal: true } });
  });

  test('its first bytes are an empty comment, before there is anything to tell', async ({ stage }) => {
    const abort = new AbortController();
    const headers = { authorization: `Bearer ${stage.panelToken}` };
    const { body } = await fetch(stage.base + chat(stage.sessions.create()), { headers, signal: abort.signal });

    const first = await body?.getReader().read();
    abort.abort();

    expect(new TextDecoder().decode(first?.value)).toMatch(/^:\n\n/);
  });

  test('a reader that comes back gets each changed message once, as it stands', async ({ stage }) => {
    const sessionId = stage.sessions.create();
    const { started, delta, completed } = turn('a');
    stage.sessions.emit(sessionId, ...started(), delta('a'), delta('b'), delta('c'), ...completed());

    const events = await read(stage, chat(sessionId), isFinal, { 'last-event-id': 'epoch1-4' });

    expect(typesOf(events)).toEqual(['connected', 'message', 'status']);
    expect(JSON.parse(events[1]?.data ?? '')).toMatchObject({ data: { content: 'abc', isFinal: true } });
  });

  test('of the events that one fact makes, only the last is a place to resume from', async ({ stage }) => {
    const sessionId = stage.sessions.create();
    const { started, turnId } = turn('a');
    stage.sessions.emit(sessionId, ...started());
    const reading = read(stage, chat(sessionId), ({ data }) => data.includes('"status":"error"'));
    await expect.poll(() => stage.sessions.watchers(sessionId)).toBe(1);

    const error = { code: 'ENGINE_CRASHED', message: 'It crashed.', remedy: 'Send again.' } as const;
    stage.sessions.emit(sessionId, { type: 'turn.completed', turnId, outcome: 'failed', error, durationMs: 1 });
    const events = await reading;

    expect(typesOf(events).slice(-2)).toEqual(['error', 'status']);
    expect(events.at(-2)?.id).toBe('epoch1-3');
    expect(events.at(-1)?.id).toBe('epoch1-4');
  });

  test('may be opened before the session is there, and has all of it from the first prompt on', async ({ stage }) => {
    const sessionId = SessionId.parse('session_soon');
    const reading = read(stage, chat(sessionId), isFinal);
    await expect.poll(() => stage.server.streamCount()).toBe(1);

    stage.sessions.create();
    stage.sessions.create({ sessionId });
    await expect.poll(() => stage.sessions.watchers(sessionId)).toBe(1);
    stage.sessions.emit(sessionId, ...turn('a').started(), turn('a').delta('Hello'), ...turn('a').completed());
    const events = await reading;

    expect(typesOf(events)[0]).toBe('connected');
    expect(typesOf(events).filter((type) => type === 'connected')).toHaveLength(1);
    expect(events.map(({ data }) => data).findLast((data) => data.includes('"type":"message"'))).toContain('"content":"Hello"');
    expect((await stage.fetch('/agent/chat/%2e%2e/stream')).status).toBe(404);
  });

  test('is opened by a ticket where no header can be sent, once', async ({ stage }) => {
    const sessionId = stage.sessions.create();
    const makeTicket = (path: string) => stage.fetch('/api/tickets', { method: 'POST', body: { path } });
    const { ticket } = (await (await makeTicket(chat(sessionId))).json()) as { ticket: string };
    const open = () => fetch(`${stage.base}${chat(sessionId)}?ticket=${ticket}`);

    const first = await open();

    expect(first.headers.get('content-type')).toContain('text/event-stream');
    expect((await open()).status).toBe(401);
    expect((await makeTicket('/api/status')).status).toBe(400);
    expect(JSON.stringify(stage.logged)).not.toContain(ticket);
    await first.body?.cancel();
  });

  test.for(CURSORS)('the cursor %s is answered by a resync (%s) and the present', async ([cursor, reason], { stage }) => {
    const sessionId = stage.sessions.create();
    stage.sessions.emit(sessionId, ...turn('a').started(), ...turn('a').completed());
    // Only the last event of the present has an id.
    const isEnd = ({ id }: SseEvent): boolean => id !== null;
    const whole = await read(stage, chat(sessionId), isEnd);

    const events = await read(stage, chat(sessionId), isEnd, { 'last-event-id': cursor });

    expect(typesOf(events).slice(0, 2)).toEqual(['connected', 'resync']);
    expect(JSON.parse(events[1]?.data ?? '')).toMatchObject({ type: 'resync', data: { reason } });
    expect(events.slice(2).map(({ data }) => data)).toEqual(whole.slice(1).map(({ data }) => data));
  });
});

describe('a stream that fails after its head is out', () => {
  test('is broken off and logged, with the error', async ({ stage }) => {
    const sessionId = stage.sessions.create();
    stage.sessions.subscribe = () => {
      throw new Error('the log cannot be followed');
    };

    const response = await stage.fetch(log(sessionId));

    await expect(response.text()).rejects.toThrow();
    expect(stage.logged).toContainEqual({
      event: 'stream.failed',
      fields: { route: 'watchSession', error: expect.objectContaining({ message: 'the log cannot be followed' }) },
    });
  });
});

describe('a heartbeat', () => {
  test('comes every 30 s on each stream, with data, and to existing clients as an ordinary event', async ({ stage }) => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const sessionId = stage.sessions.create();
    const isBeat = ({ data }: SseEvent): boolean => data.includes('"type":"heartbeat"');

    const readings = Promise.all([log(sessionId), chat(sessionId), '/api/events'].map((pathname) => read(stage, pathname, isBeat)));
    await expect.poll(() => stage.server.streamCount()).toBe(3);
    vi.advanceTimersByTime(30_000);

    const beats = (await readings).map((events) => events.at(-1));
    for (const beat of beats) expect(JSON.parse(beat?.data ?? '')).toMatchObject({ type: 'heartbeat' });
    expect(beats.map((beat) => beat?.name)).toEqual(['heartbeat', 'message', 'heartbeat']);
  });
});

describe('the stream of state', () => {
  test('begins with all lists and repeats a list that changes', async ({ stage }) => {
    let count = 0;
    const reading = read(stage, '/api/events', ({ data }) => data.includes('"type":"sessions"') && ++count === 2);
    await expect.poll(() => stage.server.streamCount()).toBe(1);
    stage.sessions.create({ name: 'A new one' });
    const events = await reading;

    expect(events.map(({ data }) => (JSON.parse(data) as { type: string }).type)).toEqual([
      'sessions',
      'projects',
      'engines',
      'browsers',
      'admissions',
      'warnings',
      'sessions',
    ]);
    expect(events.at(-1)?.data).toContain('A new one');
  });

  test('tells what a person should know who does not look, and when it is no news any more', async ({ stage }) => {
    const sessionId = stage.sessions.create();
    const notification = { key: 'request:r1', kind: 'approval' as const, sessionId, sessionName: 'Shop', text: 'rm -r x', at: 1 };
    const reading = read(stage, '/api/events', ({ data }) => data.includes('notification.over'));
    await expect.poll(() => stage.server.hasFrontEnd()).toBe(true);

    stage.sessions.notice({ type: 'notification', notification, isWatched: false });
    stage.sessions.notice({ type: 'notification.over', key: 'request:r1' });

    expect((await reading).slice(-2).map(({ data }) => JSON.parse(data) as unknown)).toEqual([
      { type: 'notification', notification },
      { type: 'notification.over', key: 'request:r1' },
    ]);
    await expect.poll(() => stage.server.hasFrontEnd()).toBe(false);
  });

  test('tells of a browser that has come and waits', async ({ stage }) => {
    const reading = read(stage, '/api/events', ({ data }) => data.includes('"state":"waiting"'));
    await expect.poll(() => stage.server.streamCount()).toBe(1);
    stage.admissions.meet(comer('newcomer'));

    expect((await reading).at(-1)?.data).toContain('"type":"admissions"');
  });
});

/** Undoes chunked transfer coding, cut anywhere; the head of the answer is skipped. */
const createChunkedBody = (onData: (chunk: Buffer) => void): ((data: Buffer) => void) => {
  let buffered = Buffer.alloc(0);
  let isBody = false;
  let left = 0;
  return (data) => {
    buffered = Buffer.concat([buffered, data]);
    if (!isBody) {
      const end = buffered.indexOf('\r\n\r\n');
      if (end < 0) return;
      buffered = buffered.subarray(end + 4);
      isBody = true;
    }
    for (;;) {
      if (left === 0) {
        const end = buffered.indexOf('\r\n');
        if (end < 0) return;
        left = Number.parseInt(buffered.toString('latin1', 0, end), 16) + 2;
        buffered = buffered.subarray(end + 2);
      }
      if (buffered.length === 0) return;
      const taken = buffered.subarray(0, left);
      left -= taken.length;
      buffered = buffered.subarray(taken.length);
      // The last two bytes of a chunk are its newline.
      onData(taken.subarray(0, Math.max(0, Math.min(taken.length, taken.length + left - 2))));
      if (left > 0) return;
    }
  };
};
