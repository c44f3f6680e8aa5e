import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { serveSets } from '#companion/toolsets/serve-sets.ts';
import { type Agent, type AgentStage, textOf } from './tool-stage.ts';
import { describeTabs, plainTest as test } from './tool-test.ts';
import { isWhole } from '#test/fixtures/whole.ts';

/** An agent as a client of mcp-chrome's names: what it asks becomes calls of our own tools. */
const speakChrome = (stage: AgentStage, agent: Agent): ((name: string, args?: Record<string, unknown>) => Promise<string>) => {
  const served = serveSets<null>(['chrome'], { tools: () => stage.bridge.tools(), call: (name, args) => agent.call(name, args) });
  return async (name, args = {}) => {
    if (!served.tools().some((tool) => tool.name === name)) throw new Error(`${name} is not listed`);
    const result = await served.call(name, args, null);
    return `${result.isError === true ? 'error ' : ''}${textOf(result)}`;
  };
};

/** Where a client of these names brings its tab to the front. */
const show = async (call: (name: string, args?: Record<string, unknown>) => Promise<string>): Promise<void> => {
  const [, tabId] = /- (\d+) \([^)]*current, yours/.exec(await call('get_windows_and_tabs')) ?? [];
  expect(await call('chrome_switch_tab', { tabId: Number(tabId) })).not.toMatch(/^error/);
};

describeTabs(
  (how) => `mcp-chrome's tools in a ${how} tab`,
  ({ isShown }) => {
    test('read, fill, press, picture, run code, and close, in a tab of the session', async ({ stage }) => {
      const agent = stage.agent();
      const call = speakChrome(stage, agent);

      expect(await call('chrome_navigate', { url: `${stage.url}/sized.html`, background: true })).toContain('HTTP 200');
      if (isShown) await show(call);
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
      expect(await call('chrome_computer', { action: 'type', text: 'x' })).toMatch(/^error .*press a field first/);
      await call('chrome_fill_or_select', { selector: '#email', value: 'a@b.example' });
      await call('chrome_computer', { action: 'left_click', selector: '#email' });
      expect(await call('chrome_keyboard', { keys: 'End' })).not.toMatch(/^error/);
      expect(await call('chrome_computer', { action: 'type', text: 'c@d.example' })).toContain('c@d.example');
      const made = { base64Data: btoa('some bytes'), fileName: '../map.txt', multiple: true };
      const field = '<input type="file" id="file" onchange="this.files[0].text().then((text) => { document.title = text })">';
      await call('chrome_navigate', { url: `${stage.url}/says?text=${encodeURIComponent(field)}` });
      const handed = await call('chrome_upload_file', { selector: '#file', ...made });
      expect(handed).toMatch(/^Handed over 1 file[^]*map\.txt[^]*Ignored, for it means nothing here: multiple\.$/);
      expect(await call('chrome_read_page', { windowId: 999_999 })).toMatch(/^error .*No window 999999 shows a tab/);
      expect(JSON.stringify(agent.asked.at(-1))).toContain('map.txt (10 bytes)');
      await expect.poll(() => call('chrome_javascript', { code: 'return document.title' })).toContain('"some bytes"');
      expect(await call('chrome_navigate', { url: 'back' })).toContain('form.html');
      expect(await call('chrome_navigate', { url: 'back' })).toContain('sized.html');
      expect(await call('chrome_network_capture', { action: 'stop' })).toContain('/form.html 200 page');
      const [, tabId = ''] = /- (\d+) \((?:active, )?current, yours\)/.exec(await call('get_windows_and_tabs')) ?? [];
      expect(await call('chrome_close_tabs', { tabIds: [Number(tabId)] })).toMatch(/Closed tab \d+.*chrome_navigate opens one/);
      expect(agent.asked.map(({ title }) => title.split(' ')[0])).toEqual(expect.arrayContaining(['Click', 'Run']));
    });

    test('record the tab as a GIF, at a rate and after each call, saved whole', { tags: 'whole' }, async ({ stage }) => {
      const agent = stage.agent();
      const call = speakChrome(stage, agent);
      await call('chrome_navigate', { url: `${stage.url}/sized.html` });
      if (isShown) await show(call);
      const record = (args: Record<string, unknown>): Promise<string> => call('chrome_gif_recorder', args);

      expect(await record({ action: 'stop' })).toMatch(/^error .*not recorded/);
      expect(await record({ action: 'start', fps: 10, maxFrames: 3, durationMs: 60_000 })).toMatch(/^Recording/);
      await expect.poll(() => record({ action: 'status' })).toMatch(/^Recorded: 3 pictures/);
      const [, file = ''] = /as (.*\.gif)$/m.exec(await record({ action: 'stop', filename: '../tour.gif', width: 320, height: 240 })) ?? [];
      expect(file).toMatch(/[\\/]tour\.gif$/);
      expect(readFileSync(file, 'latin1')).toMatch(/^GIF89a[\s\S]*;$/);

      expect(await record({ action: 'auto_start' })).toMatch(/after each call/);
      await call('chrome_click_element', { selector: '#low' });
      await expect.poll(() => record({ action: 'status' })).toMatch(/^Recording after each call: 2 pictures/);
      expect(await record({ action: 'export', download: false })).toMatch(/As a GIF: \d+ bytes, \d+ × \d+\.$/);
      expect(await record({ action: 'export', ref: 'e1' })).toMatch(/^error .*chrome_upload_file/);
      expect(await record({ action: 'clear' })).toBe('The pictures are forgotten.');
      expect(await record({ action: 'status' })).toBe('This tab is not recorded.');
    });

    test('trace a load, and tell what it shows', async ({ stage, skip }) => {
      skip(!isWhole, 'the unit tests have what a recording tells: npm run test:whole');
      const agent = stage.agent();
      const call = speakChrome(stage, agent);
      await call('chrome_navigate', { url: `${stage.url}/sized.html` });
      if (isShown) await show(call);

      expect(await call('performance_analyze_insight')).toMatch(/^error .*no trace of this tab/);
      expect(await call('performance_start_trace', { reload: true })).toMatch(/performance_stop_trace ends it/);
      expect(await call('performance_start_trace')).toMatch(/^error .*is running/);
      const painted = "return performance.getEntriesByName('first-contentful-paint').length";
      await expect.poll(() => call('chrome_javascript', { code: painted })).toMatch(/\n1\n/);
      const said = await call('performance_stop_trace', { filenamePrefix: 'load' });
      const [, file = ''] = /^Saved as (.*load_.*\.json)$/m.exec(said) ?? [];
      expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ traceEvents: expect.arrayContaining([expect.anything()]) });
      expect(said).toMatch(/first contentful paint: \d+ ms[\s\S]*total blocking time: \d+ ms/);
      expect(await call('performance_analyze_insight', { insightName: 'Network' })).toMatch(/1 requests, \d+ bytes[\s\S]*sized\.html/);
      expect(await call('performance_analyze_insight', { insightName: 'Colours' })).toMatch(/is one of Metrics, LongTasks/);
      expect(await call('performance_start_trace', { autoStop: true, durationMs: 100 })).toMatch(/^Recorded\./);
    });
  },
);
