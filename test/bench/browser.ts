/** What one tool call costs through the real extension, against a bare native messaging echo from the same extension; and the host's first reply in Chromium. */
import { request, Agent } from 'node:http';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Worker } from 'playwright-core';
import { extensionDir } from '#installer/build.ts';
import { EXTENSION_ORIGIN } from '#protocol/version.ts';
import { launchBrowser } from '#test/fixtures/browser.ts';
import type { Companion } from '#test/fixtures/companion.ts';
import { letClientIn } from '#test/fixtures/mcp-client.ts';
import { until } from '#test/fixtures/until.ts';
import type { Row } from './bench.ts';
import { buildMinimal, ECHO_HOST } from './peers.ts';
import { figures, timed } from './stats.ts';
import { benchTabs } from './tabs.ts';

const ECHO_NAME = 'com.pilotfish.bench';
const ROUNDS = 10;
const CALLS_PER_ROUND = 50;

export const benchBrowser = async (companion: Companion, report: (line: string) => void): Promise<Row[]> => {
  report('a tool call through the real extension');
  const profileDir = path.join(companion.home.dir, '.config', 'chromium');
  await companion.run(['install']);
  registerEcho(profileDir, buildMinimal('echo-host', ECHO_HOST));
  const browser = await launchBrowser({ extensionDir, profileDir, env: companion.env });
  try {
    await until(async () => {
      const { json } = await companion.api.send('GET', '/api/status');
      return (json as { browsers: unknown[] }).browsers.length > 0;
    });
    const post = await openMcp(companion);
    // A tab that does not exist: the call goes all the way into the extension, and nothing is done there.
    const noop = (): Promise<string> => post('tools/call', { name: 'browser_snapshot', arguments: { tabId: 999_999_999 } }, 'TAB_');
    const ping = (): Promise<string> => post('ping', {}, '"result"');
    const list = (): Promise<string> =>
      post('tools/call', { name: 'browser_tabs', arguments: { action: 'list' } }, 'is what the user sees');
    const samples: Record<'echo' | 'noop' | 'ping' | 'list', number[]> = { echo: [], noop: [], ping: [], list: [] };
    await openEcho(browser.worker);
    for (let round = 0; round <= ROUNDS; round += 1) {
      const calls = await repeat({
        echo: () => echo(browser.worker),
        noop: () => timed(noop),
        ping: () => timed(ping),
        list: () => timed(list),
      });
      // The first round only warms up.
      if (round > 0) for (const name of ['echo', 'noop', 'ping', 'list'] as const) samples[name].push(...calls[name]);
    }
    const result = { echo: figures(samples.echo), noop: figures(samples.noop), ping: figures(samples.ping), list: figures(samples.list) };
    const floor = `bare native messaging echo: ${result.echo.p50.toFixed(2)} ms`;
    const leg = result.noop.p50 - result.ping.p50;
    return [
      {
        area: 'tool call',
        what: 'a call that does nothing, MCP client to extension and back, p50',
        ours: `${result.noop.p50.toFixed(2)} ms`,
        reference: floor,
        ratio: result.noop.p50 / result.echo.p50,
        goal: 3,
      },
      {
        area: 'tool call',
        what: `of it from the daemon on: less an MCP ping over the same connection (${result.ping.p50.toFixed(2)} ms)`,
        ours: `${leg.toFixed(2)} ms`,
        reference: floor,
        ratio: leg / result.echo.p50,
        goal: 3,
      },
      {
        area: 'tool call',
        what: 'the same call, p99',
        ours: `${result.noop.p99.toFixed(2)} ms`,
        reference: 'the limit: 10 ms',
        ratio: result.noop.p99 / 10,
        goal: 1,
      },
      {
        area: 'tool call',
        what: '`browser_tabs` with the action list, p50',
        ours: `${result.list.p50.toFixed(2)} ms`,
        reference: floor,
        ratio: result.list.p50 / result.echo.p50,
        goal: 3,
      },
      ...(await benchTabs(browser.worker, list)),
    ];
  } finally {
    await browser.close();
  }
};

const registerEcho = (profileDir: string, executable: string): void => {
  const folder = path.join(profileDir, 'NativeMessagingHosts');
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    path.join(folder, `${ECHO_NAME}.json`),
    JSON.stringify({ name: ECHO_NAME, description: 'echo', path: executable, type: 'stdio', allowed_origins: [`${EXTENSION_ORIGIN}/`] }),
  );
};

/** Opens the port of the echo, which stays: Pilotfish's calls find their connection open, too. */
const openEcho = (worker: Worker): Promise<void> =>
  worker.evaluate(
    (name) =>
      new Promise<void>((resolve) => {
        const port = chrome.runtime.connectNative(name);
        // The host's greeting comes first.
        port.onMessage.addListener(() => resolve());
        Object.assign(globalThis, { echoPort: port });
      }),
    ECHO_NAME,
  );

/** A round trip of about 200 bytes, measured where the extension is, ms. */
const echo = (worker: Worker): Promise<number> =>
  worker.evaluate(
    () =>
      new Promise<number>((resolve) => {
        const { echoPort: port } = globalThis as unknown as { echoPort: chrome.runtime.Port };
        const payload = { text: 'x'.repeat(180) };
        const receive = (): void => {
          port.onMessage.removeListener(receive);
          resolve(performance.now() - sentAt);
        };
        port.onMessage.addListener(receive);
        const sentAt = performance.now();
        port.postMessage(payload);
      }),
  );

/** Each in turn, so that what slows the machine down slows all of them, and none finds it busier with its own kind than another. */
const repeat = async <Name extends string>(calls: Record<Name, () => Promise<number>>): Promise<Record<Name, number[]>> => {
  const names = Object.keys(calls) as Name[];
  const samples = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>;
  for (let index = 0; index < CALLS_PER_ROUND; index += 1) for (const name of names) samples[name].push(await calls[name]());
  return samples;
};

/** A plain HTTP client with one connection: what the SDK's client costs is not ours. An answer without `expected` is a failure. */
const openMcp = async (companion: Companion): Promise<(method: string, params: object, expected: string) => Promise<string>> => {
  const { stdout } = await companion.run(['mcp', 'config', '--json', '--http']);
  const server = (JSON.parse(stdout) as { mcpServers: { pilotfish: { url: string; headers: Record<string, string> } } }).mcpServers
    .pilotfish;
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  let session: Record<string, string> = {};
  let ids = 0;
  const post = (message: object): Promise<string> =>
    new Promise((resolve, reject) => {
      const outgoing = request(
        server.url,
        {
          method: 'POST',
          agent,
          headers: { ...server.headers, ...session, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
        },
        (response) => {
          const id = response.headers['mcp-session-id'];
          if (typeof id === 'string') session = { 'mcp-session-id': id, 'mcp-protocol-version': '2025-11-25' };
          let text = '';
          response.setEncoding('utf8');
          response.on('data', (chunk: string) => (text += chunk));
          response.on('end', () => resolve(text));
        },
      );
      outgoing.on('error', reject);
      outgoing.end(JSON.stringify({ jsonrpc: '2.0', ...message }));
    });
  await post({
    id: (ids += 1),
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '1' } },
  });
  await post({ method: 'notifications/initialized' });
  // As clients do: it listens, and the daemon stays while hundreds of tabs are opened. It ends with the daemon.
  const listening = request(server.url, { headers: { ...server.headers, ...session, accept: 'text/event-stream' } }, (response) => {
    response.on('error', () => {}).resume();
  });
  listening.on('error', () => {}).end();
  // The person lets a program in when its first call asks.
  const first = post({ id: (ids += 1), method: 'tools/call', params: { name: 'browser_tabs', arguments: { action: 'list' } } });
  await until(() => letClientIn(companion), { what: 'the question of the client' });
  await first;
  return async (method, params, expected) => {
    const answer = await post({ id: (ids += 1), method, params });
    if (!answer.includes(expected)) throw new Error(`${method} failed: ${answer}`);
    return answer;
  };
};
