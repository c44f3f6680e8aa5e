/** Browsers come, go and die around a call; each is its own, and each fault has a name. */
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { PROTOCOL } from '#protocol/version.ts';
import type { Status } from '#protocol/api.ts';
import { CONNECTION_KEY, type ConnectionState } from '#extension/shared/messages.ts';
import type { TestBrowser } from '#test/fixtures/browser.ts';
import type { Companion } from '#test/fixtures/companion.ts';
import { answerAll } from '#test/fixtures/conversation.ts';
import { connectStdio, textOf } from '#test/fixtures/mcp-client.ts';
import { servePages, type PageServer } from '#test/fixtures/page-server.ts';
import { signal } from '#test/fixtures/signal.ts';
import { until } from '#test/fixtures/until.ts';
import { test as base, type Stage } from '#test/fixtures/stage.ts';
import { SLACK_MS } from '#test/fixtures/limits.ts';
import { isWhole } from '#test/fixtures/whole.ts';

interface BrowserStage {
  pages: PageServer;
  /** Accepts connections and never answers. */
  silent: { url: string; reached: Promise<void> };
  /** Registers a profile and starts Chromium on it. */
  open: (name: string, extensionDir?: string) => Promise<TestBrowser>;
}

const test = base.extend<BrowserStage>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads the dependencies of a fixture from this pattern
  pages: async ({}, use) => {
    const pages = await servePages({
      '/': '<!doctype html><title>A page</title><h1>Hello</h1>',
      '/press': `<!doctype html><title>Pressed</title><button onclick="document.title += '!'; fetch(location.hash.slice(1), { mode: 'no-cors' })">Press</button>`,
    });
    await use(pages);
    await pages.close();
  },
  // oxlint-disable-next-line no-empty-pattern -- as above
  silent: async ({}, use) => {
    const reached = Promise.withResolvers<void>();
    const server: Server = createServer(() => reached.resolve());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    await use({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, reached: reached.promise });
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  },
  open: async ({ companion, launch }: Stage, use) => {
    await use(async (name, extensionDir) => {
      const profileDir = path.join(companion.home.dir, name);
      const { stdout } = await companion.run(['install', '--json', '--user-data-dir', profileDir]);
      const unpacked = (JSON.parse(stdout) as { extension: { path: string } }).extension.path;
      return launch({ extensionDir: extensionDir ?? unpacked, profileDir, env: companion.env });
    });
  },
});

const browsersOf = async (companion: Companion): Promise<Status['browsers']> =>
  ((await companion.api.send('GET', '/api/status')).json as Status).browsers;

const connected = (companion: Companion, count: number): Promise<unknown> =>
  until(async () => (await browsersOf(companion)).filter(({ toolCount }) => toolCount > 0).length === count, {
    what: `${count} connected browsers`,
  });

describe('browsers', () => {
  test('two profiles are two browsers of one daemon; closing one leaves the other alone', async ({ companion, open, pages, skip }) => {
    skip(!isWhole, 'two-browsers.spec.ts has two, of which one ends, and the next test has two of one daemon: npm run test:whole');
    const [one] = [await open('one'), await open('two')];
    await connected(companion, 2);
    await until(() => companion.daemons().length === 1, { what: 'one daemon' });
    const ids = (await browsersOf(companion)).map(({ browserId }) => browserId);
    expect(new Set(ids).size).toBe(2);

    await one.close();
    await connected(companion, 1);

    const client = await connectStdio(companion);
    try {
      const result = await client.callTool({ name: 'browser_navigate', arguments: { url: pages.url } });
      expect(textOf(result)).toContain('A page');
    } finally {
      await client.close();
    }
  });

  test(
    'a daemon that nobody needs ends although browsers are connected, and is back for a call and for a panel, each browser with it',
    { tags: 'whole' },
    async ({ companion, home, open, pages }) => {
      const browser = await open('one');
      await open('two');
      await connected(companion, 2);
      const hosts = (): number[] =>
        home
          .processes()
          .filter(({ command }) => command.includes('chrome-extension://pg'))
          .map(({ pid }) => pid);
      const atFirst = hosts();
      expect(atFirst).toHaveLength(2);
      const rested = (): Promise<unknown> => until(() => companion.daemons().length === 0, { what: 'the daemon to end' });
      // Not from the beginning: a browser may take longer to come. The end of a stream makes the daemon look again.
      const settings = JSON.parse(readFileSync(companion.paths.settingsFile, 'utf8')) as Record<string, unknown>;
      companion.writeSettings({ ...settings, idleExitMs: 700 });
      const looking = new AbortController();
      await companion.api.hold('/api/events', looking.signal);
      looking.abort();
      await rested();

      const client = await connectStdio(companion);
      try {
        expect(textOf(await client.callTool({ name: 'browser_navigate', arguments: { url: pages.url } }))).toContain('A page');
        await connected(companion, 2);
      } finally {
        await client.close();
      }
      await rested();

      const panel = await browser.openPanel();
      await until(
        () =>
          panel.page.evaluate(
            async (key) => (await chrome.storage.session.get<Record<string, ConnectionState>>(key))[key]?.state === 'connected',
            CONNECTION_KEY,
          ),
        {
          what: 'the panel to be connected',
        },
      );
      await until(() => companion.daemons().length === 1, { what: 'the daemon' });
      await connected(companion, 2);
      await panel.disconnect();
      // No host was started anew, and none was lost.
      expect(hosts()).toEqual(atFirst);
    },
  );

  test('the host is killed: the extension is back within seconds and tools work', async ({ companion, home, open, pages, skip }) => {
    skip(!isWhole, 'as in faults.spec.ts: npm run test:whole');
    const browser = await open('one');
    await connected(companion, 1);
    await (browser.context.pages()[0] ?? (await browser.context.newPage())).goto(pages.url);
    const host = home.processes().find(({ command }) => command.includes(`${companion.executable} chrome-extension://`));
    if (host === undefined) throw new Error('there is no host');

    process.kill(host.pid, 'SIGKILL');
    await until(() => home.processes().some(({ pid, command }) => pid !== host.pid && command.includes('chrome-extension://pg')), {
      timeoutMs: 5_000 + SLACK_MS,
      what: 'a new host',
    });

    const client = await connectStdio(companion);
    try {
      expect(textOf(await client.callTool({ name: 'browser_snapshot', arguments: {} }))).toContain('Hello');
    } finally {
      await client.close();
    }
  });

  test(
    'the browser dies during a call: the call ends with a name and a way out',
    { tags: 'whole' },
    async ({ companion, home, open, silent }) => {
      await open('one');
      await connected(companion, 1);
      const client = await connectStdio(companion);
      try {
        const call = client.callTool({ name: 'browser_navigate', arguments: { url: silent.url } });
        await silent.reached;
        const startedAt = performance.now();
        for (const { pid, command } of home.processes()) if (command.includes('chromium')) signal(pid, 'SIGKILL');
        const result = await call;

        expect(result.isError).toBe(true);
        expect(textOf(result)).toMatch(/BROWSER_DISCONNECTED|WORKER_RESTARTED/);
        expect(performance.now() - startedAt).toBeLessThan(10_000 + SLACK_MS);
      } finally {
        await client.close();
      }
    },
  );

  test(
    'the daemon is killed during a click: the browser’s own journal answers it, and the client goes on in its tab',
    { tags: 'whole' },
    async ({ companion, open, pages, silent }) => {
      await open('one');
      await connected(companion, 1);
      const client = await connectStdio(companion);
      const person = answerAll(companion);
      try {
        const call = async (name: string, args: Record<string, unknown> = {}): Promise<string> =>
          textOf(await client.callTool({ name, arguments: args }));
        expect(await call('browser_navigate', { url: `${pages.url}/press#${silent.url}` })).toContain('HTTP 200');
        const click = call('browser_click', { target: 'button' });
        await silent.reached;
        for (const pid of companion.daemons()) signal(pid, 'SIGKILL');

        expect(await click).toMatch(/^Clicked\./);
        expect(await call('browser_snapshot')).toContain('"Pressed!"\n');
        expect(await call('browser_tabs', { action: 'list' })).toMatch(/current, yours\): "Pressed!"/);
      } finally {
        person.stop();
        await client.close();
      }
    },
  );

  test(
    'a client that ends after its daemon was killed leaves nothing behind, though it has made no call since',
    { tags: 'whole' },
    async ({ companion, open, pages }) => {
      const browser = await open('one');
      await connected(companion, 1);
      const groups = (): Promise<number> => browser.worker.evaluate(async () => (await chrome.tabGroups.query({})).length);
      const client = await connectStdio(companion, {}, ['--tools', 'default,network']);
      const person = answerAll(companion);
      try {
        for (const [name, args] of [
          ['browser_navigate', { url: pages.url }],
          ['browser_network_state_set', { state: 'offline' }],
        ] as const)
          expect(textOf(await client.callTool({ name, arguments: args }))).not.toContain('TOOL_FAILED');
        expect(await groups()).toBe(1);
        const [killed] = companion.daemons();
        signal(killed ?? 0, 'SIGKILL');
        await until(() => companion.daemons().some((pid) => pid !== killed), { what: 'another daemon' });
        await connected(companion, 1);
      } finally {
        person.stop();
        await client.close();
      }

      await expect.poll(groups).toBe(0);
      const page = browser.context.pages().find((shown) => shown.url().startsWith(pages.url));
      expect((await page?.evaluate(() => navigator.onLine)) ?? true).toBe(true);
    },
  );

  test.for([
    ['newer', 'current:9,oldest:9', 'COMPANION_TOO_OLD', 'pilotfish update --from FILE'],
    ['older', 'current:0,oldest:0', 'EXTENSION_TOO_OLD', 'pilotfish install'],
  ] as const)(
    'an extension that is too much %s than the executable is refused by name, in the panel',
    { tags: 'whole' },
    async ([age, protocol, code, remedy], { companion, home, open, skip }) => {
      skip(!isWhole && age === 'older', 'as one that is too new, and the unit tests have both: npm run test:whole');
      const { stdout } = await companion.run(['install', '--json']);
      const other = path.join(home.dir, 'other-extension');
      cpSync((JSON.parse(stdout) as { extension: { path: string } }).extension.path, other, { recursive: true });
      const script = path.join(other, 'background.js');
      const source = readFileSync(script, 'utf8');
      const changed = source.replaceAll(`current:${PROTOCOL.current},oldest:${PROTOCOL.oldest}`, protocol);
      expect(changed).not.toBe(source);
      writeFileSync(script, changed);

      const browser = await open('one', other);
      const panel = await browser.openPanel();

      await until(async () => (await panel.page.locator('body').innerText()).includes(remedy), { what: `the remedy of ${code}` });
      expect(await browsersOf(companion)).toEqual([]);
      await expect.poll(() => readFileSync(companion.paths.daemonLog, 'utf8')).toContain(code);
      await panel.disconnect();
    },
  );
});
