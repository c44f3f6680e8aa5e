import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { BrowserId } from '#protocol/ids.ts';
import { warningText } from '#protocol/warnings.ts';
import { nullLog } from '#companion/lib/log.ts';
import { Tokens } from '#companion/mcp/tokens.ts';
import { guard } from '#companion/server/doors.ts';
import { WrongTokens } from '#companion/server/wrong-tokens.ts';
import { createGate } from '#test/fixtures/gate.ts';

/** A clock that the test moves, and what was logged and told. */
const createStage = () => {
  let now = 0;
  const logged: string[] = [];
  const told: string[] = [];
  const pauses: (() => void)[] = [];
  const pausedMs: number[] = [];
  const wrongTokens = new WrongTokens(
    { ...nullLog, warn: (event) => void logged.push(event) },
    (warning) => void told.push(warningText(warning)),
    {
      now: () => now,
      pause: (ms) => {
        pausedMs.push(ms);
        return new Promise<void>((resolve) => pauses.push(resolve));
      },
    },
  );
  return {
    wrongTokens,
    logged,
    told,
    pausedMs,
    pass: (ms: number) => {
      now += ms;
      for (const end of pauses.splice(0)) end();
    },
  };
};

describe('wrong tokens', () => {
  test('of a mistake are answered at once', async () => {
    const { wrongTokens, logged, told, pausedMs } = createStage();

    for (let count = 0; count < 19; count += 1) await wrongTokens.seen();

    expect([logged, told, pausedMs]).toEqual([[], [], []]);
  });

  test('of one who guesses are slowed, logged once a second and told once', async () => {
    const { wrongTokens, logged, told, pausedMs, pass } = createStage();

    const first = Array.from({ length: 40 }, () => wrongTokens.seen());
    expect(pausedMs).toEqual(Array.from({ length: 21 }, () => 1000));
    pass(1001);
    await Promise.all(first);
    const second = Array.from({ length: 40 }, () => wrongTokens.seen());
    pass(1001);
    await Promise.all(second);

    expect(logged).toEqual(['gate.wrong_tokens', 'gate.wrong_tokens']);
    expect(told).toHaveLength(1);
    expect(pausedMs).toHaveLength(42);
  });

  test('beyond what may wait are answered at once, so that no more sockets are kept', async () => {
    const { wrongTokens, pausedMs, pass } = createStage();

    const seen = Array.from({ length: 19 + 64 }, () => wrongTokens.seen());
    await wrongTokens.seen();
    expect(pausedMs).toHaveLength(64);

    pass(1001);
    await Promise.all(seen);
  });

  test('that are slowed hold up no client with a good one', async () => {
    const tokens = new Tokens();
    const good = tokens.issue({ type: 'panel', browserId: BrowserId.parse('browser_1'), admissionId: 'admission_1' });
    const slowed = createGate();
    const server = createServer();
    let port = 0;
    const { request } = guard({
      door: 'loopback',
      port: () => port,
      tokens,
      wrongTokens: { seen: () => slowed.pass(new Promise(() => {})) },
      log: nullLog,
      inside: { request: (_, response) => void response.end('inside'), upgrade: () => {} },
    });
    server.on('request', request);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    ({ port } = server.address() as AddressInfo);
    const ask = (token: string) => fetch(`http://127.0.0.1:${port}/ping`, { headers: { authorization: `Bearer ${token}` } });

    const guess = ask('guess');
    await slowed.reached;
    const answer = await ask(good);
    slowed.open();

    expect(await answer.text()).toBe('inside');
    expect((await guess).status).toBe(401);
  });
});
