/** The agents are elsewhere and the browser is here: paired once by a code, over a tunnel into another network namespace. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import path from 'node:path';
import { describe, expect } from 'vitest';
import type { Status } from '#protocol/api.ts';
import { DEFAULT_PORT } from '#protocol/version.ts';
import { CONNECTION_KEY, type ConnectionState } from '#extension/shared/messages.ts';
import { EXTENSION_ID } from '#protocol/version.ts';
import type { Companion } from '#test/fixtures/companion.ts';
import { answerAll } from '#test/fixtures/conversation.ts';
import { connectStdio, textOf } from '#test/fixtures/mcp-client.ts';
import { servePages } from '#test/fixtures/page-server.ts';
import { test as base } from '#test/fixtures/stage.ts';
import { until } from '#test/fixtures/until.ts';

const UNSHARE = '/usr/bin/unshare';

/** Not every machine lets a user have a network of their own; there the tunnel leads to the same one. */
const isIsolated = spawnSync(UNSHARE, ['-Urn', 'ip', 'link', 'set', 'lo', 'up']).status === 0;

/** The far end of the tunnel, as sshd is: in the daemon's network, reached by a file. */
const FAR_END = `
const net = require('node:net');
const [file, port] = process.argv.slice(1);
net.createServer((here) => {
  const there = net.connect(Number(port), '127.0.0.1');
  here.pipe(there).pipe(here);
  for (const [one, other] of [[here, there], [there, here]]) one.on('error', () => other.destroy()).on('close', () => other.destroy());
}).listen(file);
`;

/** What a site has for download, and what a page makes itself. */
const TABLE = `town,inhabitants\n${'城市,1\n'.repeat(100_000)}`;
const FILES = `<!doctype html><title>Files</title><a id="served" href="/table.csv" download>Table</a><button id="made">Make one</button>
<script>
  document.querySelector('#made').onclick = () => {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob(['made by the page']));
    link.download = 'made.txt';
    link.click();
  };
</script>`;

interface Elsewhere {
  /** A daemon in a network of its own. */
  daemon: { status(): Promise<Status> };
  /** The near end of the tunnel, as `ssh -L` is. */
  tunnel: { readonly address: string; cut(): Promise<void>; mend(): Promise<void> };
  pages: Awaited<ReturnType<typeof servePages>>;
}

const test = base.extend<Elsewhere>({
  daemon: async ({ companion }, use) => {
    const script = path.join(companion.home.dir, 'far-end.cjs');
    const file = path.join(companion.home.dir, 'far-end');
    writeFileSync(script, FAR_END.replace('slice(1)', 'slice(2)'));
    companion.writeSettings({ port: DEFAULT_PORT });
    const status = async (): Promise<Status> => (await companion.api.send('GET', '/api/status')).json as Status;
    const inside = isIsolated
      ? start(
          companion,
          `ip link set lo up && "${process.execPath}" "${script}" "${file}" ${DEFAULT_PORT} & exec "${companion.executable}" daemon --keep-alive`,
        )
      : start(companion, `exec "${companion.executable}" daemon --keep-alive`);
    const { port } = await until(async () => ((await companion.api.send('GET', '/api/status')).json as Status | undefined) ?? null, {
      what: 'the daemon',
    });
    const beside = isIsolated ? null : start(companion, `exec "${process.execPath}" "${script}" "${file}" ${port}`);
    await use({ status });
    await companion.stopDaemon();
    beside?.kill();
    // The far end of the tunnel is a child of its shell, and goes with its group.
    if (inside.pid !== undefined) killGroup(inside.pid);
  },
  tunnel: async ({ companion, daemon }, use) => {
    await daemon.status();
    const file = path.join(companion.home.dir, 'far-end');
    const sockets = new Set<Socket>();
    const open = async (port: number): Promise<Server> => {
      const server = createServer((here) => {
        const there = connect(file);
        sockets.add(here);
        here.pipe(there).pipe(here);
        for (const [one, other] of [
          [here, there],
          [there, here],
        ] as const)
          one.on('error', () => other.destroy()).on('close', () => other.destroy());
      });
      await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve));
      return server;
    };
    let server = await open(0);
    const { port } = server.address() as AddressInfo;
    const cut = async (): Promise<void> => {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    };
    await use({ address: `ws://127.0.0.1:${port}`, cut, mend: async () => void (server = await open(port)) });
    await cut().catch(() => null);
  },
  // oxlint-disable-next-line no-empty-pattern -- vitest reads the dependencies of a fixture from this pattern
  pages: async ({}, use) => {
    const pages = await servePages({
      '/': '<!doctype html><title>Here</title><h1>The browser is here</h1>',
      '/files': FILES,
      '/table.csv': TABLE,
    });
    await use(pages);
    await pages.close();
  },
});

const start = (companion: Companion, command: string): ChildProcess => {
  const [program, ...args] = isIsolated ? [UNSHARE, '-Urn', 'sh', '-c', command] : ['sh', '-c', command];
  return spawn(program ?? '', args, { env: companion.env, cwd: companion.home.dir, stdio: 'ignore', detached: true });
};

const killGroup = (pid: number): void => {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has gone with the daemon.
  }
};

/** What a process writes to stderr. */
const heardFrom = (child: ChildProcess): (() => string) => {
  let text = '';
  child.stderr?.on('data', (chunk) => (text += String(chunk)));
  return () => text;
};

/** The path that a result tells: that of a file on the machine of the daemon. */
const pathIn = (companion: Companion, text: string): string => {
  const { downloadsDir } = companion.paths;
  const place = text.split('\n').find((line) => line.includes(downloadsDir)) ?? '';
  return place.slice(place.indexOf(downloadsDir)).trim();
};

describe('agents elsewhere', () => {
  test(
    `a browser is paired by a code over a tunnel${isIsolated ? ' into another network namespace' : ' (no network namespaces on this machine)'}, works, comes back, and is revoked`,
    { tags: 'whole' },
    async ({ companion, daemon, tunnel, pages, launch }) => {
      // Nothing of Pilotfish is registered with the browser that is here.
      const { stdout } = await companion.run(['install', '--json', '--user-data-dir', path.join(companion.home.dir, 'other')]);
      const extensionDir = (JSON.parse(stdout) as { extension: { path: string } }).extension.path;
      const browser = await launch({ extensionDir, profileDir: path.join(companion.home.dir, 'here'), env: companion.home.env });
      const options = await browser.context.newPage();
      await options.goto(`chrome-extension://${EXTENSION_ID}/options.html#connection`);
      const stateOf = (): Promise<ConnectionState | undefined> =>
        browser.worker.evaluate(
          async (key) => (await chrome.storage.session.get<Record<string, ConnectionState>>(key))[key],
          CONNECTION_KEY,
        );

      const pairing = companion.start(['browsers', 'pair', '--json']);
      const terminal = heardFrom(pairing);
      const paired = new Promise<number | null>((resolve) => pairing.on('exit', resolve));
      await until(() => terminal().includes('A browser may come'), { what: 'the terminal to wait for a browser' });
      await options.getByLabel('Address', { exact: true }).fill(tunnel.address);
      await options.getByRole('button', { name: 'Pair', exact: true }).click();
      const code = await options.locator('.pair-code').innerText();
      await until(() => terminal().includes(code), { what: 'the same code in the terminal' });
      // Only one end has confirmed.
      pairing.stdin?.write(`${code}\n`);
      await until(() => terminal().includes('Now confirm it in the browser'));
      expect((await daemon.status()).browsers).toEqual([]);
      await options.getByRole('button', { name: 'The same: pair' }).click();

      expect(await paired).toBe(0);
      const connected = (): Promise<Status['browsers'][number]> =>
        until(async () => (await daemon.status()).browsers.find(({ toolCount }) => toolCount > 0), { what: 'the browser' });
      const { browserId } = await connected();
      await until(async () => (await stateOf())?.state === 'connected');

      const client = await connectStdio(companion);
      try {
        expect(textOf(await client.callTool({ name: 'browser_navigate', arguments: { url: pages.url } }))).toContain('Here');
        // The panel talks to the daemon through the tunnel, too.
        const panel = await browser.openPanel();
        await panel.page.getByText('Pilotfish').first().waitFor();
        const isServed = await panel.page.evaluate(async (key) => {
          const state = (await chrome.storage.session.get<Record<string, { base: string; token: string }>>(key))[key];
          return (await fetch(`${state?.base}/api/agent-sessions`, { headers: { authorization: `Bearer ${state?.token}` } })).status;
        }, CONNECTION_KEY);
        expect(isServed).toBe(200);
        // And to nobody else, whatever its manifest allows.
        await panel.page.locator('meta[http-equiv="Content-Security-Policy"]').waitFor({ state: 'attached' });
        const refusedBy = await panel.page.evaluate(
          (limitMs) =>
            new Promise((resolve) => {
              addEventListener('securitypolicyviolation', ({ effectiveDirective }) => resolve(effectiveDirective));
              fetch('https://localhost:9/').catch(() => setTimeout(() => resolve('nothing'), limitMs));
            }),
          5_000,
        );
        expect(refusedBy).toBe('connect-src');
        await panel.disconnect();

        // What is downloaded here is brought to where the agent is.
        const { answered, stop } = answerAll(companion);
        await client.callTool({ name: 'browser_navigate', arguments: { url: `${pages.url}/files` } });
        const served = textOf(await client.callTool({ name: 'browser_click', arguments: { target: '#served' } }));
        const made = textOf(await client.callTool({ name: 'browser_click', arguments: { target: '#made' } }));
        const saved = textOf(await client.callTool({ name: 'browser_snapshot', arguments: { filename: 'page' } }));
        stop();
        expect(answered.filter((title) => title.startsWith('Download from'))).toHaveLength(2);
        expect(served).toContain('brought to this machine; its SHA-256 is the same');
        expect(readFileSync(pathIn(companion, served), 'utf8')).toBe(TABLE);
        expect(readFileSync(pathIn(companion, made), 'utf8')).toBe('made by the page');
        expect(readFileSync(pathIn(companion, saved), 'utf8')).toContain('Make one');
        const list = textOf(await client.callTool({ name: 'browser_downloads', arguments: {} }));
        for (const text of [served, made]) expect(list).toContain(pathIn(companion, text));

        await tunnel.cut();
        await until(async () => (await daemon.status()).browsers.length === 0, { what: 'the daemon to miss the browser' });
        await tunnel.mend();
        expect((await connected()).browserId).toBe(browserId);
        expect(textOf(await client.callTool({ name: 'browser_snapshot', arguments: {} }))).toContain('Make one');
      } finally {
        await client.close();
      }

      const { code: revoked } = await companion.run(['browsers', 'revoke', browserId.replace('browser_', '')]);
      expect(revoked).toBe(0);
      await until(async () => (await daemon.status()).browsers.length === 0);
      const isOut = (state: ConnectionState | undefined): boolean =>
        state?.state === 'reconnecting' && state.error?.code === 'DAEMON_NOT_RUNNING';
      await until(async () => isOut(await stateOf()), { what: 'the browser to find nobody there' });
    },
  );
});
