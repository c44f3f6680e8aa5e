/** What a person gets: from an empty home to an agent that looks at the person's own browser. */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import type { Status } from '#protocol/api.ts';
import type { Check, InstallReport } from '#protocol/setup.ts';
import { EXTENSION_ORIGIN, HOST_NAME } from '#protocol/version.ts';
import { createCompanion } from '#test/fixtures/companion.ts';
import { servePages } from '#test/fixtures/page-server.ts';
import { signal } from '#test/fixtures/signal.ts';
import { openTerminal } from '#test/fixtures/terminal.ts';
import { until } from '#test/fixtures/until.ts';
import { test as base } from '#test/fixtures/stage.ts';

const test = base.extend<{ pages: Awaited<ReturnType<typeof servePages>> }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads the dependencies of a fixture from this pattern
  pages: async ({}, use) => {
    const pages = await servePages({
      '/': '<!doctype html><title>Tide tables</title><h1>High water in Brest</h1><button>Show tomorrow</button>',
    });
    await use(pages);
    await pages.close();
  },
});

/** Runs in a page: the first message of the conversation, or that the stream did not open. */
const readEventSource = (url: string): Promise<string> =>
  new Promise((resolve) => {
    const source = new EventSource(url);
    const end = (told: string): void => {
      source.close();
      resolve(told);
    };
    source.onmessage = ({ data }) => {
      if (String(data).includes('"type":"message"')) end(String(data));
    };
    source.onerror = () => end('refused');
  });

describe('the first chain', () => {
  test('install, open the panel, ask about the page; the conversation outlives browser, host and daemon', async ({
    home,
    model,
    pages,
    launch,
  }) => {
    const companion = createCompanion(home, { isPortable: false });
    home.installClaude(model.url);
    model.script(
      'what is on this page?',
      { parts: [{ text: 'Let me look at it.' }, { tool: 'mcp__pilotfish__browser_snapshot', input: {} }] },
      ({ toolText }) => ({
        parts: [{ text: `The page says: ${/High water in Brest/.exec(toolText)?.[0] ?? `something else (${toolText})`}.`, pieceLength: 6 }],
      }),
    );

    // pilotfish install
    const installed = await companion.run(['install', '--json']);
    expect(installed).toMatchObject({ code: 0, stderr: '' });
    const report = JSON.parse(installed.stdout) as InstallReport;
    const profileDir = path.join(home.dir, '.config', 'chromium');
    const manifestFile = path.join(profileDir, 'NativeMessagingHosts', `${HOST_NAME}.json`);
    expect(report.browsers.map((browser) => browser.manifestFile)).toContain(manifestFile);
    expect(JSON.parse(readFileSync(manifestFile, 'utf8'))).toMatchObject({
      path: companion.executable,
      allowed_origins: [`${EXTENSION_ORIGIN}/`],
    });
    expect(existsSync(path.join(report.extension.path, 'manifest.json'))).toBe(true);
    await home.waitForProcesses((list) => list.length === 0);

    // Chromium starts the companion; the panel lists the agents.
    const first = await launch({ extensionDir: report.extension.path, profileDir });
    const tab = first.context.pages()[0] ?? (await first.context.newPage());
    await tab.goto(pages.url);
    const panel = await first.openPanel();
    await until(() => companion.daemons().length === 1, { what: 'the daemon that Chrome has started' });
    await panel.page.getByRole('button', { name: 'Use the default workspace' }).click();
    const composer = panel.page.getByRole('textbox').first();
    await composer.waitFor();
    await until(async () => (await panel.page.locator('body').innerText()).includes('Claude'), { what: 'Claude in the list of agents' });

    // The question and the answer.
    await composer.fill('what is on this page?');
    await composer.press('Enter');
    await until(async () => (await panel.page.locator('body').innerText()).includes('The page says: High water in Brest.'), {
      what: 'the answer in the panel',
    });
    expect(model.requests.some(({ tools }) => tools.some(({ name }) => name === 'mcp__pilotfish__browser_snapshot'))).toBe(true);

    // The same by the browser's own EventSource, with a ticket: in the extension, and not in a page of the web.
    const { port, sessions } = (await companion.api.send('GET', '/api/status')).json as Status;
    const address = `/agent/chat/${sessions[0]?.id}/stream`;
    const firstOf = async (page: Page): Promise<string> => {
      const { ticket } = (await companion.api.send('POST', '/api/tickets', { path: address })).json as { ticket: string };
      return page.evaluate(readEventSource, `http://127.0.0.1:${port}${address}?after=0&ticket=${ticket}`);
    };
    expect(await firstOf(panel.page)).toContain('what is on this page?');
    expect(await firstOf(tab)).toBe('refused');

    // The same conversation in the terminal.
    const terminal = openTerminal([companion.executable], { env: companion.env, cwd: home.dir });
    await terminal.waitFor('what is on this page?');
    await terminal.waitFor(/Look(?:ed)? at/);
    await terminal.waitFor('The page says: High water in Brest.');
    terminal.press('q');
    terminal.close();

    // Everything dies, and comes back.
    await panel.disconnect();
    await first.close();
    for (const { pid } of home.processes()) signal(pid, 'SIGKILL');
    await home.waitForProcesses((list) => list.length === 0);

    const second = await launch({ extensionDir: report.extension.path, profileDir });
    const again = await second.openPanel();
    await until(async () => (await again.page.locator('body').innerText()).includes('The page says: High water in Brest.'), {
      what: 'the conversation in the new panel',
    });
    const newTerminal = openTerminal([companion.executable], { env: companion.env, cwd: home.dir });
    await newTerminal.waitFor('The page says: High water in Brest.');
    newTerminal.press('q');
    newTerminal.close();
    await again.disconnect();
    await second.close();
    await companion.stopDaemon();
  });

  test('is driven by the doctor in a folder of its own, of which nothing is left', { tags: 'whole' }, async ({ companion, home }) => {
    const { stdout } = await companion.run(['doctor', '--live', '--json'], { env: { TMPDIR: home.dir } });

    const { checks } = JSON.parse(stdout) as { checks: Check[] };
    const live = checks.filter(({ id }) => id.startsWith('live.'));
    expect(live.map(({ id, status, detail }) => (status === 'ok' ? id : `${id}: ${detail}`))).toEqual([
      'live.browser',
      'live.extension',
      'live.link',
      'live.tool',
    ]);
    for (const { ms } of live) expect(ms).toBeTypeOf('number');
    expect(readdirSync(home.dir).filter((name) => name.startsWith('pf-doctor'))).toEqual([]);
    // The daemon of the person knows nothing of it.
    expect((await companion.api.send('GET', '/api/admissions')).json).toEqual({ admissions: [] });
  });
});
