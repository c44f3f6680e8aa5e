import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createDoorServer } from '#companion/server/doors.ts';
import { HANG_MS } from '#test/fixtures/limits.ts';

const WHOLE = 'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}';

/** A server that looks all the time whether a request is late, a connection to it, and what was answered there. */
const setUp = async () => {
  const server = Object.assign(createDoorServer('loopback'), { headersTimeout: HANG_MS, connectionsCheckingInterval: 5 });
  server.on('request', (request, response) => request.resume().on('end', () => response.end('here')));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const accepted = once(server, 'connection');
  const socket = connect(typeof address === 'object' && address !== null ? address.port : 0, '127.0.0.1');
  onTestFinished(() => {
    socket.destroy();
    server.close();
  });
  let answer = '';
  socket.on('data', (chunk: Buffer) => (answer += chunk.toString())).on('error', () => {});
  await Promise.all([accepted, once(socket, 'connect')]);
  return {
    socket,
    answers: () => [...answer.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status)),
    /** Lets everything be late that is not read yet. */
    stop: (): void => {
      server.headersTimeout = 1;
      server.requestTimeout = 1;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
    },
  };
};

const ended = (socket: Socket): Promise<unknown> => (socket.readableEnded ? Promise.resolve() : once(socket, 'end'));

describe('a request', () => {
  test('that came while this process had no time to read it is answered', async () => {
    const { socket, answers, stop } = await setUp();

    socket.write(WHOLE);
    stop();
    await expect.poll(() => answers().length).toBe(1);

    expect(answers()).toEqual([200]);
  });

  test('that never comes whole is late', async () => {
    const { socket, answers, stop } = await setUp();

    socket.write(WHOLE.slice(0, -1));
    stop();
    await ended(socket);

    expect(answers()).toEqual([408]);
  });

  test('that never comes whole after another one ends its connection', async () => {
    const { socket, answers, stop } = await setUp();
    socket.write(WHOLE);
    await expect.poll(answers).toEqual([200]);

    socket.write(WHOLE.slice(0, 20));
    stop();
    await ended(socket);

    expect(answers()).toEqual([200]);
  });
});
