/** Each tool once through nothing but what is shipped: the built executable as server, daemon and host, the built extension, an ordinary MCP client. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { giveRights, killBrowser, spawnBrowser, writePreferences } from '#test/fixtures/browser.ts';
import type { Companion } from '#test/fixtures/companion.ts';
import { answerAll } from '#test/fixtures/conversation.ts';
import { connectStdio, letIn, textOf } from '#test/fixtures/mcp-client.ts';
import { type PageServer, servePages } from '#test/fixtures/page-server.ts';
import { test as base } from '#test/fixtures/stage.ts';
import { until } from '#test/fixtures/until.ts';

const PAGE = `<!doctype html><meta charset="utf-8"><title>Workshop</title><h1>Workshop</h1>
<nav><a href="/next">Next page</a></nav>
<button id="press" onclick="said.value = 'pressed'">Press</button>
<button id="over" onmouseover="hint.value = 'hovered'">Over</button><output id="hint"></output>
<button id="ask" onclick="said.value = prompt('Your name?')">Ask</button>
<label>Name <input id="name" onkeydown="said.value = event.key"></label>
<select id="fruit" aria-label="Fruit"><option>Apple<option>Pear</select>
<p id="from" draggable="true" ondragstart="event.dataTransfer.setData('text/plain', 'stone')">Stone</p>
<p id="to" ondragover="event.preventDefault()" ondrop="event.preventDefault(); said.value = 'got ' + event.dataTransfer.getData('text/plain')">Basket</p>
<input id="file" type="file" aria-label="File" onchange="said.value = this.files[0].name">
<a id="save" href="data:text/plain,kept" download="kept.txt">Save</a>
<button id="load" onclick="fetch('/data').then(() => { said.value = 'answered' })">Load</button>
<output id="said"></output><div style="height: 3000px"></div><p id="foot">Foot</p>
<script>
  console.warn('slow');
  document.modelContext?.registerTool({ name: 'add', description: 'Adds', inputSchema: { type: 'object', properties: {} }, annotations: { readOnlyHint: true }, execute: () => ({ content: [{ type: 'text', text: 'sum 5' }] }) });
</script>`;

const test = base.extend<{ pages: PageServer }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads the dependencies of a fixture from this pattern
  pages: async ({}, use) => {
    const pages = await servePages({
      '/': PAGE,
      '/next': '<!doctype html><title>Next</title><h1>The next one</h1>',
      '/data': 'data',
      '/out': '<!doctype html><title>Out</title><script>document.cookie = "taste=sweet"</script>',
    });
    await use(pages);
    await pages.close();
  },
});

type Step = readonly [tool: string, args: Record<string, unknown>, answer: RegExp];

/** In the order of a piece of work; each is answered by what only a real page can say. */
const steps = (url: string, file: string): readonly Step[] => [
  ['browser_ask_sites', { origins: [url], minutes: 5 }, /allow/i],
  ['browser_snapshot', {}, /button "Press"[\s\S]*combobox "Fruit"/],
  ['browser_find', { text: 'stone' }, /Stone/],
  ['browser_read', {}, /# Workshop/],
  ['browser_click', { target: '#press' }, /pressed/],
  ['browser_hover', { target: '#over' }, /hovered/],
  ['browser_type', { target: '#name', text: 'Ada' }, /value: "Ada"/],
  ['browser_press_key', { target: '#name', key: 'F2' }, /F2/],
  ['browser_select_option', { target: '#fruit', values: ['Pear'] }, /Pear/],
  ['browser_fill_form', { fields: [{ target: '#name', value: 'Eve' }] }, /Filled 1 field/],
  ['browser_drag', { startTarget: '#from', endTarget: '#to' }, /got stone/],
  ['browser_drop', { target: '#to', data: { 'text/plain': 'bread' } }, /got bread/],
  ['browser_file_upload', { target: '#file', paths: [file] }, /list\.txt/],
  ['browser_scroll', { target: '#foot' }, /in view/],
  ['browser_resize', { width: 500, height: 600 }, /500 × 600/],
  ['browser_take_screenshot', {}, / picture$/],
  ['browser_click', { target: '#ask' }, /Your name\?/],
  ['browser_handle_dialog', { accept: true, promptText: 'Grace' }, /Grace/],
  ['browser_click', { target: '#load' }, /answered/],
  ['browser_wait_for', { response: '/data' }, /\/data/],
  ['browser_console_messages', { level: 'warning' }, /slow/],
  ['browser_network_requests', {}, /\/data 200/],
  ['browser_network_request', { index: 1 }, /GET/],
  ['browser_click', { target: '#save' }, /Clicked/],
  ['browser_downloads', {}, /kept\.txt/],
  ['browser_clipboard', { action: 'write', text: 'copied words' }, /clipboard/i],
  ['browser_clipboard', { action: 'read' }, /copied words/],
  ['browser_evaluate', { function: '() => document.title.length * 2' }, /\n16\n/],
  ['browser_page_tool', { name: 'add' }, /sum 5/],
  ['browser_ask_human', { message: 'Please look.' }, /done/],
  ['browser_batch', { calls: [{ name: 'browser_click', arguments: { target: '#press' } }, { name: 'browser_snapshot' }] }, /Call 2/],
  ['browser_navigate', { url: `${url}/next` }, /HTTP 200/],
  ['browser_navigate_back', {}, /Workshop/],
  ['browser_navigate_forward', {}, /Next/],
  ['browser_reload', {}, /HTTP 200/],
  ['browser_close', {}, /Closed/],
];

/** The client's work in a tab of its own; what it said when an answer is not as it should be. */
const work = async (companion: Companion, { url, file, isShown }: { url: string; file: string; isShown: boolean }): Promise<void> => {
  const client = await connectStdio(companion, {});
  const asked = answerAll(companion);
  try {
    const call = async (name: string, args: Record<string, unknown>): Promise<string> => {
      const result = await client.callTool({ name, arguments: args }).catch((error: unknown) => {
        throw new Error(`${name} ${JSON.stringify(args)}`, { cause: error });
      });
      return `${result.isError === true ? 'error ' : ''}${textOf(result)}${JSON.stringify(result.content).includes('"image"') ? ' picture' : ''}`;
    };
    expect(await call('browser_navigate', { url })).toContain('HTTP 200');
    const [, tabId] = /- (\d+) \([^)]*current, yours/.exec(await call('browser_tabs', { action: 'list' })) ?? [];
    if (isShown) await call('browser_tabs', { action: 'select', tabId: Number(tabId) });
    const called = new Set(['browser_navigate', 'browser_tabs']);
    for (const [tool, args, answer] of steps(url, file)) {
      called.add(tool);
      const said = await call(tool, args);
      expect(said, `${tool} ${JSON.stringify(args)}`).toMatch(answer);
      expect(said, tool).not.toMatch(/^error /);
    }
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name).filter((name) => !called.has(name))).toEqual([]);
  } finally {
    asked.stop();
    await client.close();
  }
};

describe('every tool of the default set, from a client to a page', () => {
  for (const how of ['hidden', 'shown'] as const) {
    test(`answers in a ${how} tab`, { tags: how === 'shown' ? ['whole'] : [] }, async ({ companion, pages }) => {
      const { home } = companion;
      const folder = path.join(home.dir, 'handed');
      mkdirSync(folder);
      writeFileSync(path.join(folder, 'list.txt'), 'bread');
      expect(await companion.run(['roots', 'add', folder])).toMatchObject({ code: 0 });
      const profileDir = path.join(home.dir, 'profile');
      const { stdout } = await companion.run(['install', '--json', '--user-data-dir', profileDir]);
      const extensionDir = (JSON.parse(stdout) as { extension: { path: string } }).extension.path;
      giveRights(extensionDir);
      writePreferences(profileDir, { download: { default_directory: path.join(home.dir, 'downloads') } });
      const browser = spawnBrowser({ extensionDir, profileDir, env: companion.env, args: ['--enable-features=WebMCP'] });
      try {
        await until(() => letIn(companion, 'browser'), { what: 'the browser' });

        await work(companion, { url: pages.url, file: path.join(folder, 'list.txt'), isShown: how === 'shown' });
      } finally {
        await killBrowser(browser);
      }
    });
  }
});
