/** In real Chromium no page reaches a handler of the daemon, whatever it tries. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { chromium, type BrowserContext, type Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { servePages, type PageServer } from '#test/fixtures/page-server.ts';
import { HANG_MS } from '#test/fixtures/limits.ts';
import { findChromium } from '#test/fixtures/system-packages.ts';
import { test as base } from '#test/fixtures/stage.ts';
import { isWhole } from '#test/fixtures/whole.ts';

const test = base.extend<{ pages: PageServer }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads the dependencies of a fixture from this pattern
  pages: async ({}, use) => {
    const pages = await servePages({ '/': '<!doctype html><title>A stranger</title><body></body>' });
    await use(pages);
    await pages.close();
  },
});

const HOSTS = ['127.0.0.1', 'localhost', '0.0.0.0'] as const;

/** In the short form one for a public page, since a page on loopback meets them all. */
const PUBLIC_HOSTS = isWhole ? HOSTS : HOSTS.slice(0, 1);

/** Runs in the page: tries everything a page can do to reach `base`, and returns what it could see of an answer. */
const attack = async (base: string): Promise<string[]> => {
  const seen: string[] = [];
  const body = JSON.stringify({ name: 'planted', rootPath: '/tmp', allowCreate: true });
  const limit = (): AbortSignal => AbortSignal.timeout(3000);
  const settle = (start: (done: () => void) => void): Promise<void> =>
    new Promise((resolve) => {
      limit().addEventListener('abort', () => resolve());
      start(resolve);
    });
  const tryFetch = async (name: string, url: string, init: RequestInit = {}): Promise<void> => {
    try {
      const response = await fetch(url, { ...init, signal: limit() });
      // An opaque answer shows a page nothing; a readable one must be a refusal.
      if (response.type !== 'opaque' && response.status < 400) seen.push(`${name}: ${response.status}`);
    } catch {
      // Blocked or unreadable: as it should be.
    }
  };
  const element = (name: string, tag: 'img' | 'script' | 'iframe', url: string): Promise<void> =>
    settle((done) => {
      const node = document.createElement(tag);
      node.src = url;
      node.onload = () => {
        // A frame loads its error page too.
        if (tag !== 'iframe') seen.push(name);
        done();
      };
      node.onerror = () => done();
      document.body.append(node);
    });

  await Promise.all([
    tryFetch('fetch GET', `${base}/api/status`),
    tryFetch('no-cors GET', `${base}/api/status`, { mode: 'no-cors' }),
    tryFetch('no-cors POST', `${base}/agent/projects`, {
      method: 'POST',
      mode: 'no-cors',
      headers: { 'content-type': 'text/plain' },
      body,
    }),
    tryFetch('JSON POST', `${base}/agent/projects`, { method: 'POST', headers: { 'content-type': 'application/json' }, body }),
    tryFetch('JSON POST with a token', `${base}/agent/projects`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer guessed' },
      body,
    }),
    tryFetch('MCP', `${base}/mcp`, {
      method: 'POST',
      mode: 'no-cors',
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'browser_tabs', arguments: {} } }),
    }),
    element('img', 'img', `${base}/api/status`),
    element('script', 'script', `${base}/api/status`),
    element('iframe', 'iframe', `${base}/api/status`),
    settle((done) => {
      const source = new EventSource(`${base}/api/events`);
      source.onopen = () => {
        seen.push('EventSource');
        done();
      };
      source.onerror = () => done();
    }),
    settle((done) => {
      const socket = new WebSocket(`${base.replace('http', 'ws')}/link`, ['pilotfish.v1', 'ticket.guessed']);
      socket.onopen = () => {
        seen.push('WebSocket');
        done();
      };
      socket.onerror = () => done();
    }),
    settle((done) => {
      navigator.sendBeacon(`${base}/agent/projects`, new Blob([body], { type: 'text/plain' }));
      done();
    }),
    settle((done) => {
      const frame = document.createElement('iframe');
      document.body.append(frame);
      const inner = frame.contentDocument;
      if (inner === null) return done();
      const form = inner.createElement('form');
      form.method = 'POST';
      form.enctype = 'text/plain';
      form.action = `${base}/agent/projects`;
      inner.body.append(form);
      frame.onload = () => done();
      form.submit();
    }),
  ]);
  return seen;
};

/** The two ways that no browser blocks: the page goes there itself. */
const navigateTo = async (page: Page, base: string): Promise<(number | null)[]> => {
  const from = page.url();
  const get = await page.goto(`${base}/api/status`).catch(() => null);
  await page.goto(from);
  const [post] = await Promise.all([
    page.waitForResponse((response) => response.url().startsWith(base), { timeout: 5000 }).catch(() => null),
    // A page that is closed while it goes elsewhere keeps playwright waiting for ever.
    page.waitForEvent('framenavigated', { predicate: (frame) => frame === page.mainFrame(), timeout: 5000 }).catch(() => null),
    page.evaluate((action) => {
      const form = document.createElement('form');
      form.method = 'POST';
      form.enctype = 'text/plain';
      form.action = action;
      const field = document.createElement('input');
      field.name = '{"name":"planted","rootPath":"/tmp","x":"';
      field.value = '"}';
      form.append(field);
      document.body.append(form);
      form.submit();
    }, `${base}/agent/projects`),
  ]);
  return [get?.status() ?? null, post?.status() ?? null];
};

const openBrowser = (homeDir: string, env: Record<string, string>, args: string[]): Promise<BrowserContext> =>
  chromium.launchPersistentContext(path.join(homeDir, 'stranger'), {
    executablePath: findChromium(),
    headless: true,
    timeout: HANG_MS,
    env,
    args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-component-update', ...args],
  });

describe('pages that are not ours', () => {
  test.for([
    ['another page on loopback', HOSTS, [] as string[]],
    ['a public page', PUBLIC_HOSTS, ['--ip-address-space-overrides=127.0.0.1:PAGES=public']],
  ] as const)('%s gets nothing and changes nothing', async ([, hosts, args], { companion, home, pages }) => {
    await companion.startDaemon();
    const { port } = (await companion.api.send('GET', '/api/status')).json as { port: number };
    const context = await openBrowser(
      home.dir,
      home.env,
      args.map((arg) => arg.replace('PAGES', String(pages.port))),
    );
    try {
      for (const host of hosts) {
        const page = await context.newPage();
        await page.goto(pages.url);
        expect(await page.evaluate(attack, `http://${host}:${port}`), host).toEqual([]);
        for (const status of await navigateTo(page, `http://${host}:${port}`)) {
          if (status !== null) expect(status, host).toBeGreaterThanOrEqual(400);
        }
      }
    } finally {
      await context.close();
    }

    expect((await companion.api.send('GET', '/agent/projects')).text).not.toContain('planted');
    const log = readFileSync(companion.paths.daemonLog, 'utf8');
    // They did arrive, and the gate turned them away.
    expect(log).toContain('gate.refused');
    expect(log).not.toContain('tool.called');
  });

  test('a name that is rebound to loopback gets nothing', async ({ companion, home }) => {
    await companion.startDaemon();
    const { port } = (await companion.api.send('GET', '/api/status')).json as { port: number };
    const context = await openBrowser(home.dir, home.env, ['--host-resolver-rules=MAP rebind.test 127.0.0.1']);
    try {
      const page = context.pages()[0] ?? (await context.newPage());
      const response = await page.goto(`http://rebind.test:${port}/api/status`);

      expect(response?.status()).toBeGreaterThanOrEqual(400);
      expect(response?.headers()['access-control-allow-origin']).toBeUndefined();
      // Now the page is of the daemon's own "origin", as after a rebind.
      expect(await page.evaluate(attack, `http://rebind.test:${port}`)).toEqual([]);
    } finally {
      await context.close();
    }
    expect((await companion.api.send('GET', '/agent/projects')).text).not.toContain('planted');
  });
});
