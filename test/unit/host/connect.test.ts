import { createServer } from 'node:http';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { ensurePrivateDir } from '#companion/lib/paths.ts';
import { connectDaemon } from '#companion/host/connect.ts';
import { readLinkKey } from '#companion/reach/link-key.ts';
import { LINK_HEADERS, prove } from '#companion/reach/link-proof.ts';
import { LINK_PROTOCOL } from '#protocol/version.ts';
import type { Preparing } from '#protocol/health.ts';
import { toHealth } from '#companion/server/health.ts';
import { createHostHome } from './stage.ts';

/** Longer than a daemon may take that says nothing of what it does. */
const MUCH_MS = 60_000;

/** A daemon that lets nobody in at first, each time for a minute, and says why or not; resolves with what the host heard of it. */
const reach = async (says: boolean): Promise<readonly Preparing[]> => {
  const home = createHostHome();
  vi.useFakeTimers({ toFake: ['Date'] });
  ensurePrivateDir(home.paths.root);
  ensurePrivateDir(home.paths.socketDir);
  let asked = 0;
  const server = createServer((_request, response) =>
    response.end(JSON.stringify(toHealth(true, null, says ? { step: 'read', done: asked, total: 9 } : null))),
  );
  server.on('upgrade', (request, socket) => {
    asked += 1;
    vi.setSystemTime(Date.now() + MUCH_MS);
    if (asked < 4) return void socket.destroy();
    const proof = prove(readLinkKey(home.paths), 'daemon', String(request.headers[LINK_HEADERS.nonce]));
    return void socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${LINK_PROTOCOL}\r\n${LINK_HEADERS.proof}: ${proof}\r\n\r\n`,
    );
  });
  await new Promise<void>((resolve) => server.listen(home.paths.socket, resolve));
  onTestFinished(() => {
    vi.useRealTimers();
    server.closeAllConnections();
    server.close();
    home.remove();
  });
  const heard: Preparing[] = [];
  const { socket } = await connectDaemon(home.paths, home.env, {
    signal: new AbortController().signal,
    onPreparing: (preparing) => heard.push(preparing),
  });
  socket.destroy();
  return heard;
};

describe('the host', () => {
  test('waits for a daemon as long as that says what it prepares, and passes that on', async () => {
    expect(await reach(true)).toEqual([1, 2, 3].map((done) => ({ step: 'read', done, total: 9 })));
  });

  test('gives one up that says nothing for longer than a start may take', async () => {
    await expect(reach(false)).rejects.toMatchObject({ body: { code: 'DAEMON_START_FAILED' } });
  });
});
