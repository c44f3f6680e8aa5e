import { describe, expect } from 'vitest';
import { serveSets } from '#companion/toolsets/serve-sets.ts';
import { type Agent, type AgentStage, textOf } from './tool-stage.ts';
import { plainTest as test } from './tool-test.ts';

/** An agent as a client of mcp-chrome's names: what it asks becomes calls of our own tools. */
const speakChrome = (stage: AgentStage, agent: Agent): ((name: string, args?: Record<string, unknown>) => Promise<string>) => {
  const served = serveSets<null>(['chrome'], { tools: () => stage.bridge.tools(), call: (name, args) => agent.call(name, args) });
  return async (name, args = {}) => {
    if (!served.tools().some((tool) => tool.name === name)) throw new Error(`${name} is not listed`);
    const result = await served.call(name, args, null);
    return `${result.isError === true ? 'error ' : ''}${textOf(result)}`;
  };
};

describe("mcp-chrome's tools in a real browser", () => {
  test('read, fill, press, picture, run code, and close, in a tab of the session', async ({ stage }) => {
    const agent = stage.agent();
    const call = speakChrome(stage, agent);

    expect(await call('chrome_navigate', { url: `${stage.url}/sized.html`, background: true })).toContain('HTTP 200');
    const tree = await call('chrome_read_page', { filter: 'interactive' });
    const [, ref = ''] = /\[(e\d+) button "Low"/.exec(tree) ?? [];
    expect(await call('chrome_click_element', { ref })).toContain('Clicked.');
    expect(await call('chrome_click_element', { coordinates: { x: 5, y: 5 } })).toMatch(/^error .*use chrome_screenshot first/);
    await call('chrome_screenshot');
    await call('chrome_computer', { action: 'left_click', selector: '#low' });
    expect(await call('chrome_get_web_content', { textContent: true })).toContain('pressed 2 times');
    expect(await call('chrome_javascript', { code: 'return document.title' })).toContain('"Sized"');
    expect(await call('chrome_computer', { action: 'resize_page', width: 400, height: 500 })).toContain('400 × 500');
    await call('chrome_navigate', { url: `${stage.url}/form.html` });
    await call('chrome_fill_or_select', { selector: '#email', value: 'a@b.example' });
    await call('chrome_computer', { action: 'left_click', selector: '#email' });
    expect(await call('chrome_keyboard', { keys: 'End' })).not.toMatch(/^error/);
    expect(await call('chrome_computer', { action: 'type', text: 'c@d.example' })).toContain('c@d.example');
    expect(await call('chrome_navigate', { url: 'back' })).toContain('sized.html');
    expect(await call('chrome_network_capture', { action: 'stop' })).toContain('/form.html 200 page');
    const [, tabId = ''] = /- (\d+) \((?:active, )?current, yours\)/.exec(await call('get_windows_and_tabs')) ?? [];
    expect(await call('chrome_close_tabs', { tabIds: [Number(tabId)] })).toMatch(/Closed tab \d+.*chrome_navigate opens one/);
    expect(agent.asked.map(({ title }) => title.split(' ')[0])).toEqual(expect.arrayContaining(['Click', 'Run']));
  });
});
