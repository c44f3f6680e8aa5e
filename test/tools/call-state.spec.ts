/** What a call tells besides what it did: faults of the page, requests that failed, tabs that are gone. */
import { describe, expect } from 'vitest';
import { MachineLoad } from '#test/fixtures/machine-load.ts';
import { until } from '#test/fixtures/until.ts';
import { openShown, textOf } from './tool-stage.ts';
import { describeTabs, plainTest as test } from './tool-test.ts';

const PAGE = `<title>State</title>
<button id="broken" onclick="console.error('one'); fetch('/nowhere'); missing()">Broken</button>
<button id="opens" onclick="window.open('/article.html')">Opens</button>
<button id="later" onclick="setTimeout(() => window.open('/article.html'), 1500)">Later</button>
<button id="fine" onclick="document.title = 'Fine'">Fine</button>`;

describeTabs(
  (how) => `a call in a ${how} tab`,
  ({ open }) => {
    test('tells once which faults came of it, in a line', async ({ stage }) => {
      const agent = await open(stage, `says?text=${encodeURIComponent(PAGE)}`);

      expect(await agent.text('browser_click', { target: '#broken' })).toMatch(/\nState: 2 console errors; 1 failed request\.$/);
      expect(await agent.text('browser_click', { target: '#fine' })).not.toContain('State:');
    });

    test('stays short where the page has made its address and title as long as it likes', async ({ stage }) => {
      const code = "history.replaceState(null, '', '#state=' + '好'.repeat(9000)); document.title = 'Play ' + 'x'.repeat(50000)";
      const agent = await open(stage, `says?text=${encodeURIComponent(`${PAGE}<button id="long" onclick="${code}">Long</button>`)}`);

      const told = [
        await agent.text('browser_click', { target: '#long' }),
        await agent.text('browser_wait_for', { time: 0.1 }),
        await agent.text('browser_snapshot'),
        await agent.text('browser_read'),
        await agent.text('browser_reload'),
      ];

      for (const text of told) expect(text.length).toBeLessThan(1_500);
      expect(told[1]).toMatch(/\nurl: http\S+#state=… \(\d{5} characters\)\ntitle: Play … \(\d{4} characters\)\n/);
    });
  },
);

describe('a message of the page that no action has led to', () => {
  for (const [where, page] of Object.entries({
    'while no call was there': '<button onclick="setTimeout(() => alert(\'Saved\'), 1500)">Go</button>',
    'in a frame of it':
      "<button onclick=\"setTimeout(() => frames[0].postMessage('say', '*'), 1000)\">Go</button><iframe srcdoc=\"<script>onmessage = () => alert('Saved')</script>\"></iframe>",
  })) {
    test(`${where} is told with the next call, and holds up none`, async ({ stage }) => {
      const other = await stage.open('article.html');
      const agent = await stage.open(`says?text=${encodeURIComponent(page)}`);
      await agent.text('browser_click', { target: 'button' });
      await other.text('browser_wait_for', { time: 1.5 });

      const told = await agent.text('browser_click', { target: 'button' });

      expect(told).toMatch(/dialog: alert: "Saved" \(accepted\)/);
    });
  }

  test('of one that is loaded is told with it, and a question there at once', async ({ stage }) => {
    const agent = stage.agent();
    const says = (script: string): string => `${stage.url}/says?text=${encodeURIComponent(`<h1>Page</h1><script>${script}</script>`)}`;

    expect(await agent.text('browser_navigate', { url: says("alert('Hello')") })).toContain('dialog: alert: "Hello" (accepted)');
    const load = new MachineLoad();
    const startedAt = performance.now();
    expect(await agent.error('browser_navigate', { url: says("prompt('Name?')") })).toMatch(/^DIALOG_OPEN: .*browser_handle_dialog/);
    if (load.isQuiet) expect(performance.now() - startedAt).toBeLessThan(5_000);
    expect(await agent.text('browser_handle_dialog', { accept: true })).toContain('Answered.');
    expect(await agent.text('browser_snapshot')).toContain('# Page');
  });
});

describe('a tab of the session', () => {
  test('that a page opens after a call is told, and leaves the person what they see', async ({ stage }) => {
    // When the tabs of the test before close, Chromium may show the next one there is.
    await openShown(stage, 'article.html');
    const agent = await stage.open(`says?text=${encodeURIComponent(PAGE)}`);
    expect(await agent.text('browser_click', { target: '#later' })).not.toContain('opened');

    const told = await until(
      async () => {
        const text = await agent.text('browser_snapshot');
        return text.includes('State:') && text;
      },
      { what: 'the tab to be opened' },
    );

    const [, tabId] = /\nState: opened: tab (\d+)\.$/.exec(told) ?? [];
    expect(await agent.text('browser_tabs', { action: 'list' })).toMatch(new RegExp(`\n- ${tabId} \\(yours\\): `));
  });

  test('that somebody else closed is told, and one that a call closed is not', async ({ stage }) => {
    const agent = await stage.open(`says?text=${encodeURIComponent(PAGE)}`);
    const openTab = async (): Promise<number> =>
      Number(/It opened tab (\d+)/.exec(await agent.text('browser_click', { target: '#opens' }))?.[1]);
    await agent.text('browser_close', { tabId: await openTab() });
    const brief = await openTab();
    // The call that closes it may end before it is gone, or after that.
    let told = textOf(await agent.call('browser_evaluate', { function: 'close()', tabId: brief }));
    await until(
      async () => {
        if (!told.includes('State:')) told = await agent.text('browser_snapshot');
        return told.includes('State:');
      },
      { what: 'the tab to be gone' },
    );

    expect(told).toContain(`State: closed: tab ${brief}.`);
  });
});
