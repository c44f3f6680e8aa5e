import { readFileSync } from 'node:fs';
import { describe, expect } from 'vitest';
import type { Agent } from './tool-stage.ts';
import { plainTest as test } from './tool-test.ts';

const open = (stage: { url: string; open(page: string): Promise<Agent> }): Promise<Agent> => stage.open('surroundings.html');

describe('the set storage', () => {
  test('lists, sets and deletes cookies, also those that scripts do not see, and asks for each', async ({ stage }) => {
    const agent = await open(stage);

    await agent.text('browser_cookies', { action: 'set', name: 'seen', value: '1' });
    await agent.text('browser_cookies', { action: 'set', name: 'hidden', value: '2', httpOnly: true });
    expect(await agent.text('browser_evaluate', { function: 'document.cookie' })).toContain('"seen=1"');
    expect(await agent.text('browser_cookies', { action: 'list' })).toMatch(/- hidden=2 for 127\.0\.0\.1\/ .*httpOnly/);
    expect(await agent.text('browser_cookies', { action: 'get', name: 'seen' })).toContain('- seen=1');
    expect(await agent.text('browser_cookies', { action: 'delete', name: 'seen' })).toBe('Deleted: 1 cookie.');
    expect(await agent.text('browser_cookies', { action: 'clear' })).toBe('Deleted: 1 cookie.');
    expect(await agent.text('browser_cookies', { action: 'list' })).toBe('There is no such cookie.');
    expect(await agent.error('browser_cookies', { action: 'get' })).toMatch(/^TOOL_ARGUMENTS: .*"name" is missing/);

    expect(agent.asked[0]?.title).toMatch(/^Use the cookies of the page: “set” “seen” on http:\/\/127\.0\.0\.1:\d+$/);
    agent.answerWith(() => 'reject');
    expect(await agent.error('browser_cookies', { action: 'list' })).toMatch(/^CONSENT_DENIED/);
  });

  test('reads and changes what the page keeps', async ({ stage }) => {
    const agent = await open(stage);

    await agent.text('browser_storage', { action: 'set', key: 'a "key"', value: 'its\nvalue' });
    expect(await agent.text('browser_evaluate', { function: `localStorage['a "key"']` })).toContain('its\\nvalue');
    expect(await agent.text('browser_storage', { action: 'get', key: 'a "key"' })).toContain('its\nvalue');
    expect(await agent.text('browser_storage', { action: 'list' })).toContain('a "key" = its');
    expect(await agent.text('browser_storage', { action: 'list', type: 'session' })).toBe('sessionStorage is empty.');
    await agent.text('browser_storage', { action: 'delete', key: 'a "key"' });
    expect(await agent.text('browser_storage', { action: 'get', key: 'a "key"' })).toBe('There is no such entry.');
    expect(await agent.error('browser_storage', { action: 'set' })).toMatch(/"key" is missing/);
  });
});

describe('the set network', () => {
  test('blocks requests, answers them, and lets them go to their server again', async ({ stage }) => {
    const agent = await open(stage);
    const ask = `async () => { try { const a = await fetch('/says?text=server'); return a.status + ' ' + (await a.text()); } catch { return 'failed'; } }`;
    expect(await agent.text('browser_evaluate', { function: ask })).toContain('200 server');

    await agent.text('browser_route', {
      pattern: '*/says?text=*',
      status: 418,
      body: 'ours äöü',
      contentType: 'text/plain; charset=utf-8',
    });
    expect(await agent.text('browser_evaluate', { function: ask })).toContain('418 ours äöü');
    await agent.text('browser_route', { pattern: '*/says?text=*', action: 'block' });
    expect(await agent.text('browser_evaluate', { function: ask })).toContain('failed');
    expect(await agent.text('browser_route_list')).toBe('- */says?text=*: blocked');
    await agent.text('browser_navigate', { url: `${stage.url}/surroundings.html?again` });
    expect(await agent.text('browser_evaluate', { function: ask })).toContain('failed');

    expect(await agent.text('browser_unroute')).toBe('1 taken back, 0 left.');
    expect(await agent.text('browser_evaluate', { function: ask })).toContain('200 server');
    expect(await agent.text('browser_unroute')).toMatch(/no such pattern/);
  });

  test('makes a request as the person, and asks with all of it', async ({ stage }) => {
    const agent = await open(stage);

    const text = await agent.text('browser_request', { url: `${stage.url}/says?text=mine`, method: 'POST', body: 'x=1' });

    expect(text).toMatch(/^Answer:\n<page-\w+ .*>\n200 OK\n[\s\S]*content-type: text\/html; charset=utf-8\n[\s\S]*\n\nmine\n<\/page/);
    expect(agent.asked[0]).toMatchObject({ detail: expect.stringMatching(/Request: .*\/says\?text=mine\nBody: x=1/) });
    expect(await agent.error('browser_request', { url: 'file:///etc/passwd' })).toMatch(/^TOOL_ARGUMENTS/);
  });
});

describe('the set pdf', () => {
  test('saves the page among the downloads, under a name without a folder', async ({ stage }) => {
    const agent = await open(stage);

    const said = await agent.text('browser_pdf_save', { filename: '../../other/The page.pdf' });

    const [, file = ''] = /^Saved \d+ bytes as (.*\.pdf)$/m.exec(said) ?? [];
    expect(file).toMatch(/downloads.other The page\.pdf$/);
    expect(readFileSync(file, 'latin1')).toMatch(/^%PDF-/);
    expect(agent.asked).toHaveLength(1);
  });
});

describe('a place of its own', () => {
  test('is what a page is told that may know it', async ({ stage }) => {
    const agent = await open(stage);
    await agent.text('browser_emulate', { geolocation: { latitude: 52.5, longitude: 13.4 } });

    const where = `() => new Promise((resolve) => navigator.geolocation.getCurrentPosition(({ coords }) => resolve([coords.latitude, coords.longitude]), ({ message }) => resolve(message)))`;
    expect(await agent.text('browser_evaluate', { function: where })).toContain('[52.5,13.4]');
    expect(await agent.error('browser_emulate', { geolocation: { latitude: 95, longitude: 0 } })).toMatch(/geolocation\.latitude/);
    expect(await agent.text('browser_emulate')).toMatch(/real surroundings/);
  });
});

describe('what needs a right of the browser', () => {
  test('says how the person gives it, and its card names the right', async ({ stage }) => {
    const agent = stage.agent();

    expect(await agent.error('browser_clipboard', { action: 'write', text: 'Hello' })).toMatch(/^BROWSER_PERMISSION: .*presses "Allow"/);
    expect(await agent.error('browser_history', { text: 'shop' })).toMatch(/^BROWSER_PERMISSION/);
    expect(await agent.error('browser_bookmarks', { action: 'search' })).toMatch(/^BROWSER_PERMISSION/);

    expect(agent.asked.map(({ title, permissions }) => ({ title, permissions }))).toEqual([
      { title: 'Use your clipboard: “write”', permissions: ['clipboardRead', 'clipboardWrite'] },
      { title: 'Search your browsing history for “shop”', permissions: ['history'] },
      { title: 'Use your bookmarks: “search”', permissions: ['bookmarks'] },
    ]);
    expect(agent.asked[0]?.detail).toContain('Text: Hello');
  });
});
