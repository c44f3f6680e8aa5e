import jsonPatch, { type Operation } from 'fast-json-patch';
import { once } from 'node:events';
import { describe, expect } from 'vitest';
import { WebSocket, type ClientOptions } from 'ws';
import { SessionId, TurnId } from '#protocol/ids.ts';
import { toDocument } from '#test/unit/compat/document.ts';
import { CURSORS, turn } from './room-doubles.ts';
import { extensionOrigin, sendRaw, test, type Stage } from './stage.ts';

interface Message {
  readonly JsonPatch?: Operation[];
  readonly id?: string;
  readonly Ready?: true;
  readonly finished?: true;
  readonly error?: string;
  readonly code?: string;
  readonly resync?: string;
}

interface Document {
  entries: unknown[];
  status: string;
}

/** A reader that applies what it gets. */
const follow = (
  stage: Stage,
  sessionId: string,
  {
    query = '',
    document = { entries: [], status: 'idle' } as Document,
    ...options
  }: ClientOptions & { query?: string; document?: Document } = {},
) => {
  const socket = new WebSocket(`ws://127.0.0.1:${stage.server.port}/api/agent-sessions/${sessionId}/stream${query}`, 'pilotfish.v1', {
    headers: { authorization: `Bearer ${stage.panelToken}` },
    ...options,
  });
  const messages: Message[] = [];
  const waiting = new Set<() => void>();
  socket.on('message', (data: Buffer) => {
    const message = JSON.parse(data.toString()) as Message;
    if (message.JsonPatch !== undefined) jsonPatch.applyPatch(document, message.JsonPatch, true);
    messages.push(message);
    for (const wake of waiting) wake();
  });
  return {
    socket,
    document,
    messages,
    cursor: () => messages.findLast(({ id }) => id !== undefined)?.id,
    until: (isDone: () => boolean) =>
      new Promise<void>((resolve) => {
        const wake = (): void => {
          if (!isDone()) return;
          waiting.delete(wake);
          resolve();
        };
        waiting.add(wake);
        wake();
      }),
  };
};

const upgrade = (stage: Stage, lines: string[], path = '/api/agent-sessions/x/stream'): Promise<string> =>
  sendRaw(
    stage.server.port,
    [
      `GET ${path} HTTP/1.1`,
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
      ...lines,
      '',
      '',
    ].join('\r\n'),
  );

describe('the WebSocket of a session', () => {
  test('bad Host, Origin or token is refused before 101', async ({ stage }) => {
    const host = `Host: 127.0.0.1:${stage.server.port}`;
    const token = `Authorization: Bearer ${stage.panelToken}`;

    for (const [status, lines] of [
      [403, ['Host: evil.com', token]],
      [403, [host, host, token]],
      [403, [host, token, 'Origin: https://evil.example']],
      [403, [host, token, 'Origin: null']],
      [403, [host, token, `Origin: http://127.0.0.1:${stage.server.port}`]],
      [403, [host, token, 'Sec-Fetch-Site: same-site']],
      [401, [host]],
      [401, [host, 'Authorization: Bearer wrong']],
      [401, [host, 'Sec-WebSocket-Protocol: pilotfish.v1, ticket.wrong']],
      [403, [host, `Authorization: Bearer ${stage.sessionToken(SessionId.parse('session_1'))}`]],
    ] as const) {
      const answer = await upgrade(stage, [...lines]);
      expect(answer, lines.join(' | ')).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
      expect(answer).not.toContain('101 Switching');
    }
  });

  test('there is no door for tool frames on the loopback port', async ({ stage }) => {
    const lines = [`Host: 127.0.0.1:${stage.server.port}`, `Authorization: Bearer ${stage.panelToken}`];

    expect(await upgrade(stage, lines, '/link')).toMatch(/^HTTP\/1\.1 404 /);
    expect(await upgrade(stage, lines, '/mcp')).toMatch(/^HTTP\/1\.1 404 /);
    expect(
      await sendRaw(
        stage.server.port,
        ['GET /link HTTP/1.1', ...lines, 'Connection: Upgrade', 'Upgrade: pilotfish-link', '', ''].join('\r\n'),
      ),
    ).toMatch(/^HTTP\/1\.1 404 /);
  });

  test('opens with a ticket, once', async ({ stage }) => {
    const sessionId = stage.sessions.create();
    const path = `/api/agent-sessions/${sessionId}/stream`;
    const { ticket } = (await (await stage.fetch('/api/tickets', { method: 'POST', body: { path } })).json()) as { ticket: string };
    const url = `ws://127.0.0.1:${stage.server.port}${path}`;
    const first = new WebSocket(url, ['pilotfish.v1', `ticket.${ticket}`], { headers: extensionOrigin });
    await once(first, 'open');

    expect(first.protocol).toBe('pilotfish.v1');
    const second = new WebSocket(url, ['pilotfish.v1', `ticket.${ticket}`], { headers: extensionOrigin });
    const [error] = (await once(second, 'error')) as [Error];
    expect(error.message).toContain('401');
    first.terminate();
  });

  test('builds the session, says Ready, streams, and says finished', async ({ stage }) => {
    const sessionId = stage.sessions.create();
    const { started, delta, completed } = turn('a');
    stage.sessions.emit(sessionId, ...turn('0').started(), turn('0').delta('earlier'), ...turn('0').completed());
    const reader = follow(stage, sessionId);
    await reader.until(() => reader.messages.some(({ Ready }) => Ready === true));
    expect(reader.document).toEqual(toDocument(stage.sessions.view(sessionId)));

    stage.sessions.emit(sessionId, ...started());
    for (let index = 0; index < 50; index += 1) {
      stage.sessions.emit(sessionId, delta(`word ${index} `));
      await new Promise((resolve) => setImmediate(resolve));
    }
    stage.sessions.emit(sessionId, ...completed());
    await once(reader.socket, 'close');
    expect(reader.messages.at(-1)).toEqual({ finished: true });

    expect(reader.document).toEqual(toDocument(stage.sessions.view(sessionId)));
    const operations = reader.messages.flatMap(({ JsonPatch = [] }) => JsonPatch);
    expect(operations).toContainEqual(expect.objectContaining({ op: 'add', path: '/entries/1' }));
    expect(operations).toContainEqual(expect.objectContaining({ op: 'replace', path: '/entries/1/content' }));
    expect(operations).toContainEqual({ op: 'replace', path: '/status', value: 'idle' });
  });

  test('a long text does not cost its square', async ({ stage }) => {
    const sessionId = stage.sessions.create();
    const { started, delta } = turn('a');
    stage.sessions.emit(sessionId, ...started());
    const reader = follow(stage, sessionId);
    await reader.until(() => reader.messages.some(({ Ready }) => Ready === true));

    for (let index = 0; index < 5000; index += 1) {
      stage.sessions.emit(sessionId, delta('0123456789'));
      if (index % 20 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    stage.sessions.emit(sessionId, ...turn('a').completed());
    await reader.until(() => reader.messages.some(({ finished }) => finished === true));
    reader.socket.close();

    expect(JSON.stringify(reader.messages).length).toBeLessThan(30 * 50_000);
    expect(reader.document).toEqual(toDocument(stage.sessions.view(sessionId)));
  });

  test('resumes where it was, wherever it was cut', async ({ stage }) => {
    const sessionId = stage.sessions.create();
    let reader = follow(stage, sessionId);
    await reader.until(() => reader.messages.some(({ Ready }) => Ready === true));

    for (let round = 0; round < 40; round += 1) {
      const { started, delta, completed } = turn(String(round));
      stage.sessions.emit(sessionId, ...started(), delta('a'.repeat(round * 7)), delta('b'));
      if (round % 3 === 0) await new Promise((resolve) => setImmediate(resolve));
      const { document } = reader;
      const cursor = reader.cursor();
      reader.socket.terminate();
      stage.sessions.emit(sessionId, delta('c'), ...completed());
      // What the cut reader had applied is what its next life starts from.
      reader = follow(stage, sessionId, { query: cursor === undefined ? '' : `?after=${cursor}`, document });
      await reader.until(() => reader.messages.some(({ Ready }) => Ready === true));
    }
    reader.socket.close();

    expect(reader.document).toEqual(toDocument(stage.sessions.view(sessionId)));
  });

  test('a reader that stops is put out once a megabyte waits for it, and has all when it comes back', async ({ stage }) => {
    const sessionId = stage.sessions.create();
    const slow = follow(stage, sessionId);
    await slow.until(() => slow.messages.some(({ Ready }) => Ready === true));
    const closed = once(slow.socket, 'close');
    slow.socket.pause();
    const { started, delta, completed } = turn('a');
    stage.sessions.emit(sessionId, ...started());
    for (let index = 0; index < 30; index += 1) {
      stage.sessions.emit(sessionId, delta('x'.repeat(100_000)));
      await new Promise((resolve) => setImmediate(resolve));
    }
    stage.sessions.emit(sessionId, ...completed());

    slow.socket.resume();
    expect((await closed)[0]).toBe(1013);
    const { document } = slow;
    const back = follow(stage, sessionId, { query: `?after=${slow.cursor()}`, document });
    await back.until(() => back.messages.some(({ Ready }) => Ready === true));
    back.socket.close();

    expect(document).toEqual(toDocument(stage.sessions.view(sessionId)));
  });

  test('a reader that takes what it is sent begins with all of a session, however much that is', async ({ stage }) => {
    const sessionId = stage.sessions.create();
    const { started, delta, completed } = turn('a');
    stage.sessions.emit(sessionId, ...started(), delta('x'.repeat(16_000_000)));
    const reader = follow(stage, sessionId);
    const closed = once(reader.socket, 'close');

    await Promise.race([closed, reader.until(() => reader.messages.some(({ Ready }) => Ready === true))]);
    stage.sessions.emit(sessionId, ...completed());

    // It is over; 1013 would say that the reader is too slow.
    expect((await closed)[0]).toBe(1000);
  });

  test.for(CURSORS)('the cursor %s starts the document anew, with why (%s)', async ([cursor, reason], { stage }) => {
    const sessionId = stage.sessions.create();
    stage.sessions.emit(sessionId, ...turn('a').started());
    const reader = follow(stage, sessionId, { query: `?after=${cursor}`, document: { entries: ['stale'], status: 'idle' } });
    await reader.until(() => reader.messages.some(({ Ready }) => Ready === true));
    reader.socket.close();

    expect(reader.messages[0]).toMatchObject({ resync: reason });
    expect(reader.document).toEqual(toDocument(stage.sessions.view(sessionId)));
  });

  test('an unknown session is told in-band, a deleted one ends', async ({ stage }) => {
    for (const id of ['session_nobody', '%']) {
      const stranger = follow(stage, id);
      await once(stranger.socket, 'close');
      expect(stranger.messages).toEqual([expect.objectContaining({ code: 'SESSION_NOT_FOUND', error: expect.any(String) })]);
    }

    const sessionId = stage.sessions.create();
    const reader = follow(stage, sessionId);
    await reader.until(() => reader.messages.some(({ Ready }) => Ready === true));
    const closed = once(reader.socket, 'close');
    await stage.sessions.dispatch({ type: 'session.delete', sessionId });
    await closed;
    expect(reader.messages.at(-1)).toEqual({ finished: true });
  });

  test('takes prompts, says what is wrong with one, and stays over the end of a turn when it is asked to', async ({ stage }) => {
    const sessionId = stage.sessions.create();
    const reader = follow(stage, sessionId, { query: '?keepOpen=true' });
    await reader.until(() => reader.messages.some(({ Ready }) => Ready === true));
    const errors = (): (string | undefined)[] => reader.messages.filter(({ error }) => error !== undefined).map(({ code }) => code);

    for (const text of ['{', '{"content":""}', '{"content":"x","surprise":1}', `{"content":${'['.repeat(100)}}`]) reader.socket.send(text);
    await reader.until(() => errors().length === 4);
    reader.socket.send(JSON.stringify({ type: 'user_message', content: 'Hello', requestId: 'turn_1' }));
    await reader.until(() => stage.sessions.view(sessionId).status !== 'idle' && JSON.stringify(reader.messages).includes('accepted'));
    const error = { code: 'ENGINE_CRASHED', message: 'It crashed.', remedy: 'Send again.' } as const;
    stage.sessions.emit(sessionId, { type: 'turn.completed', turnId: TurnId.parse('turn_1'), outcome: 'failed', error, durationMs: 1 });
    await reader.until(() => reader.messages.some(({ finished }) => finished === true));

    expect(errors()).toEqual([...Array<string>(4).fill('INPUT_INVALID'), 'ENGINE_CRASHED']);
    expect(reader.messages).toContainEqual({ accepted: { requestId: 'turn_1', sessionId, status: 'accepted' } });
    expect(stage.sessions.commands).toMatchObject([{ type: 'turn.start', turnId: 'turn_1', prompt: { text: 'Hello' } }]);
    expect(stage.audited.map(({ result }) => result)).toEqual(['200']);
    expect(reader.socket.readyState).toBe(WebSocket.OPEN);
    reader.socket.terminate();
  });

  test('what a reader sends beyond the size of a request ends its connection', async ({ stage }) => {
    const reader = follow(stage, stage.sessions.create());
    await once(reader.socket, 'open');
    const closed = once(reader.socket, 'close');

    reader.socket.send('x'.repeat(8 * 1024 * 1024 + 1));

    expect((await closed)[0]).toBe(1009);
  });
});
