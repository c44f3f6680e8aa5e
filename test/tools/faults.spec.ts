import { readFileSync, readdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect } from 'vitest';
import type { CallSubject, ToolResult } from '#protocol/browser.ts';
import { CallId } from '#protocol/ids.ts';
import type { CallAccount } from '#protocol/link.ts';
import { NO_LOSS, quantile, tellFigure, times } from '#test/fixtures/figures.ts';
import { MachineLoad } from '#test/fixtures/machine-load.ts';
import { signal } from '#test/fixtures/signal.ts';
import { until } from '#test/fixtures/until.ts';
import { randomId } from '#companion/lib/random-id.ts';
import { type Agent, currentTab, ownTextOf, stopWorker, type ToolStage, textOf, refsInFrames } from './tool-stage.ts';
import { ownTest as test } from './tool-test.ts';
import { HANG_MS, SLACK_MS } from '#test/fixtures/limits.ts';

/** A stopped call waits this long for its page to let go of it; whether one clicks that got no processor time for longer is nothing it can know. */
const LET_GO_MS = 100;

const callId = (): CallId => CallId.parse(randomId('call'));

const clicks = (stage: ToolStage): Promise<number> =>
  stage.pageAt('settle.html').evaluate(() => Number(document.body.dataset['clicks'] ?? 0));

const isDone = (answer: string): boolean => answer.includes('Clicked.');

/**
 * Presses a button whose click takes a while, does `fault` when the page has it, and resolves with what the call says. A machine that has no
 * time for the page or for the host ends the call typed, at worst before it has begun.
 */
const pressWhile = async (
  stage: ToolStage,
  agent: Agent,
  fault: () => Promise<void> | void,
): Promise<{ answer: string; tookMs: number }> => {
  const before = await clicks(stage);
  const call = agent
    .call('browser_click', { target: '#fetch' })
    .then(ownTextOf, (error: unknown) => String((error as { code?: string }).code));
  await Promise.race([call, until(async () => (await clicks(stage)) > before, { what: 'the click' })]);
  const startedAt = performance.now();

  await fault();

  const answer = await call;
  const tookMs = performance.now() - startedAt;
  expect(answer).toMatch(/Clicked\.|^[A-Z_]+(?::|$)/);
  return { answer, tookMs };
};

const describeCall = (stage: ToolStage, agent: Agent, name: string, args: Record<string, unknown>): Promise<CallSubject> =>
  stage.bridge.describe({ sessionId: agent.sessionId, name, args }, { signal: new AbortController().signal });

/** The hosts that Chrome started in this stage. */
const hosts = (stage: ToolStage): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      try {
        return (
          readFileSync(`/proc/${name}/cmdline`, 'utf8').includes('chrome-extension://') &&
          readFileSync(`/proc/${name}/environ`, 'utf8').includes(stage.homeDir)
        );
      } catch {
        return false;
      }
    })
    .map(Number);

const connectedAt = (stage: ToolStage): number => stage.bridge.browsers()[0]?.connectedAt ?? 0;

describe('the browser stays usable when', () => {
  test('the host is killed while idle: it is back within 2 s', async ({ stage }) => {
    const beganAt = performance.now();
    const rounds = times(1, 100);
    const backMs: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const before = connectedAt(stage);
      const [pid] = hosts(stage);
      if (pid === undefined) throw new Error('a host runs');
      const startedAt = performance.now();

      signal(pid, 'SIGKILL');
      await until(() => connectedAt(stage) > before);
      backMs.push(performance.now() - startedAt);

      await until(() => hosts(stage).length === 1, { what: 'one host' });
    }
    tellFigure({
      fault: 'The native messaging host is killed (SIGKILL)',
      count: `${rounds} kills`,
      ...NO_LOSS,
      measured: `connected again: p95 ${Math.round(quantile(backMs, 0.95))} ms`,
      ms: performance.now() - beganAt,
    });
    expect(quantile(backMs, 0.95)).toBeLessThan(2_000 + SLACK_MS);
  });

  test('the host is killed during a call: the call goes on, once, and its answer arrives, or that it is not known where the way back is long', async ({
    stage,
  }) => {
    const agent = await stage.open('settle.html');
    const beganAt = performance.now();
    const load = new MachineLoad();
    const answers: string[] = [];
    for (let left = times(2, 200); left > 0; left -= 1) {
      const { answer } = await pressWhile(stage, agent, () => {
        for (const pid of hosts(stage)) signal(pid, 'SIGKILL');
      });
      answers.push(answer);
    }
    tellFigure({
      fault: 'The native messaging host is killed (SIGKILL) in the middle of a click',
      count: `${answers.length} times`,
      ...NO_LOSS,
      measured: `${answers.filter(isDone).length} calls were answered with what was done, the others said that it is not known${load.words()}`,
      ms: performance.now() - beganAt,
    });
    const pressed = await clicks(stage);
    expect(pressed).toBeLessThanOrEqual(answers.length);
    expect(pressed).toBeGreaterThanOrEqual(answers.filter(isDone).length);
    if (load.isQuiet) expect(answers.filter((answer) => !/Clicked\.|WORKER_RESTARTED|BROWSER_DISCONNECTED/.test(answer))).toEqual([]);
  });

  test('the daemon’s end of the link goes away: the extension dials again', async ({ stage }) => {
    const before = connectedAt(stage);

    stage.dropHosts();

    await until(() => connectedAt(stage) > before);
    expect(await (await stage.open('form.html')).text('browser_snapshot')).toContain('Create an account');
  });

  test('the worker is stopped while idle: sessions keep their tabs', { tags: 'whole' }, async ({ stage }) => {
    const agent = await stage.open('form.html');
    const tab = await currentTab(agent);
    const beganAt = performance.now();
    const rounds = times(1, 100);
    for (let round = 0; round < rounds; round += 1) {
      const before = connectedAt(stage);

      await stopWorker(stage);
      await until(() => connectedAt(stage) > before);

      expect(await currentTab(agent)).toBe(tab);
    }
    tellFigure({
      fault: "The extension's worker is stopped while nothing runs; each session keeps its tab",
      count: `${rounds} times`,
      ...NO_LOSS,
      ms: performance.now() - beganAt,
    });
  });

  test('the worker is stopped during a click: the call ends within 3 s, done or typed, and the click happened once at most', async ({
    stage,
  }) => {
    const agent = await stage.open('settle.html');
    const beganAt = performance.now();
    const load = new MachineLoad();
    const answers: string[] = [];
    const endedMs: number[] = [];
    for (let left = times(1, 200); left > 0; left -= 1) {
      const { answer, tookMs } = await pressWhile(stage, agent, () => stopWorker(stage));
      answers.push(answer);
      endedMs.push(tookMs);
    }
    tellFigure({
      fault: "The extension's worker is stopped in the middle of a click",
      count: `${answers.length} times`,
      ...NO_LOSS,
      measured: `${answers.filter(isDone).length} calls were answered with what was done, the others said that it is not known; they ended within ${Math.round(quantile(endedMs, 0.95))} ms (p95), ${Math.round(Math.max(...endedMs))} ms at most${load.words()}`,
      ms: performance.now() - beganAt,
    });
    expect(Math.max(...endedMs)).toBeLessThan(load.isQuiet ? 3_000 + SLACK_MS : HANG_MS);
    const pressed = await clicks(stage);
    expect(pressed).toBeLessThanOrEqual(answers.length);
    expect(pressed).toBeGreaterThanOrEqual(answers.filter(isDone).length);
    if (load.isQuiet) expect(answers.filter((answer) => !/Clicked\.|WORKER_RESTARTED|BROWSER_DISCONNECTED/.test(answer))).toEqual([]);
  });

  test('the worker is stopped during a snapshot: it is taken again', { tags: 'whole' }, async ({ stage }) => {
    const agent = await stage.open('settle.html');
    await stage.pageAt('settle.html').evaluate(() => {
      // The snapshot waits for a page that keeps changing.
      let count = 0;
      const timer = setInterval(() => {
        document.title = `Busy ${(count += 1)}`;
        if (count > 60) clearInterval(timer);
      }, 20);
    });
    const load = new MachineLoad();
    const call = agent.call('browser_snapshot');

    await stopWorker(stage);

    // Nobody waits for ever where the way back is long.
    const answer = textOf(await call);
    expect(answer).toMatch(load.isQuiet ? /Settling/ : /Settling|^[A-Z_]+: /);
    await until(async () => textOf(await agent.call('browser_snapshot')).includes('Settling'), { what: 'the page to be read' });
  });

  test('a call id is sent twice: it runs once and both get its answer', async ({ stage }) => {
    const agent = await stage.open('settle.html');
    const id = callId();

    const answers = await Promise.all([1, 2].map(() => agent.call('browser_click', { target: '#fetch' }, { callId: id })));
    const later = await agent.call('browser_click', { target: '#fetch' }, { callId: id });

    expect(await clicks(stage)).toBe(1);
    for (const answer of [...answers, later]) expect(textOf(answer)).toContain('Clicked.');
  });
});

describe('a stopped call', () => {
  test('ends within 200 ms, and its click never happens afterwards', async ({ stage }) => {
    const agent = await stage.open('settle.html');
    await agent.text('browser_click', { target: '#cover' });
    const abort = new AbortController();
    const call = agent.call('browser_click', { target: '#nothing' }, { signal: abort.signal });
    const before = await clicks(stage);
    const load = new MachineLoad();
    const startedAt = performance.now();

    abort.abort();

    expect(textOf(await call)).toContain('CALL_CANCELLED');
    expect(performance.now() - startedAt).toBeLessThan(load.isQuiet ? 200 + SLACK_MS : HANG_MS);
    // The tab's next call is answered once the page was told of the stop, too.
    await agent.text('browser_snapshot');
    await stage.pageAt('settle.html').evaluate(() => {
      const cover = document.getElementById('overlay');
      if (cover !== null) cover.style.display = 'none';
    });
    await agent.text('browser_snapshot');
    expect(await clicks(stage)).toBe(before);
  });

  test('never clicks after it has ended, whenever it is stopped', async ({ stage }) => {
    const agent = await stage.open('settle.html');
    await agent.text('browser_snapshot');
    const beganAt = performance.now();
    const rounds = times(5, 1_000);
    for (let round = 0; round < rounds; round += 1) {
      const abort = new AbortController();
      let abortedAt = Infinity;
      const call = agent.call('browser_click', { target: '#nothing' }, { signal: abort.signal });
      setTimeout(
        () => {
          abortedAt = performance.now();
          abort.abort();
        },
        (round * 17) % 40,
      );
      await call;
      const isHeldUp = performance.now() - abortedAt > LET_GO_MS;
      const atEnd = await clicks(stage);
      await stage.pageAt('settle.html').evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 20))));
      if (!isHeldUp) expect(await clicks(stage)).toBe(atEnd);
    }
    tellFigure({ fault: 'A click is stopped at any moment', count: `${rounds} times`, ...NO_LOSS, ms: performance.now() - beganAt });
  });

  test('that waited in the queue of its tab never runs', async ({ stage }) => {
    const agent = await stage.open('settle.html');
    const page = stage.pageAt('settle.html');
    const abort = new AbortController();
    const first = agent.call('browser_evaluate', { function: '() => new Promise((resolve) => { globalThis.release = resolve; })' });
    await page.waitForFunction(() => 'release' in globalThis);
    const queued = agent.call('browser_click', { target: '#nothing' }, { signal: abort.signal });

    abort.abort();

    expect(textOf(await queued)).toContain('CALL_CANCELLED');
    await page.evaluate(() => (globalThis as unknown as { release(): void }).release());
    await first;
    await agent.text('browser_snapshot');
    expect(await clicks(stage)).toBe(0);
  });
});

describe('a tab that is in trouble gives a typed error within 2 s and holds up no other', () => {
  const inTime = async (call: Promise<ToolResult>): Promise<string> => {
    const startedAt = performance.now();
    const text = textOf(await call);
    expect(performance.now() - startedAt).toBeLessThan(2_000 + SLACK_MS);
    return text;
  };
  const others = async (stage: ToolStage): Promise<void> => {
    const agent = await stage.open('form.html');
    expect(await inTime(agent.call('browser_snapshot'))).toContain('Create an account');
    await agent.text('browser_close');
  };

  test('a dialog is open', async ({ stage }) => {
    const agent = await stage.open('settle.html');
    stage.pageAt('settle.html').on('dialog', () => {});

    expect(await inTime(agent.call('browser_click', { target: '#alert' }))).toContain('dialog: alert: "Stop!" (accepted)');
    await others(stage);

    expect(await agent.text('browser_snapshot')).toContain('Alert closed');
  });

  test('its script runs in a loop', { tags: 'whole' }, async ({ stage }) => {
    const agent = await stage.open('settle.html');

    // The loop takes longer than a busy machine may make the limit.
    expect(await inTime(agent.call('browser_click', { target: '#endless' }))).toContain('TOOL_TIMEOUT');
    await others(stage);
  });

  test('it is closed', async ({ stage }) => {
    const agent = await stage.open('settle.html');
    const tabId = await currentTab(agent);
    const call = agent.call('browser_click', { target: '#late' });
    await stage.browser.worker.evaluate((id) => chrome.tabs.remove(id), tabId);

    expect(await inTime(call)).toMatch(/^TAB_NOT_FOUND/);
  });

  test('it is closed in the middle of what takes its time', { tags: 'whole' }, async ({ stage }) => {
    for (const [name, args] of [
      ['browser_evaluate', { function: '() => new Promise(() => { document.title = 7; })' }],
      ['browser_press_key', { key: 'a', holdMs: 5_000 }],
    ] as const) {
      const page = `says?text=${encodeURIComponent('<body><script>onkeydown = () => { document.title = 7; };</script>')}`;
      const agent = await stage.open(page);
      const tabId = await currentTab(agent);
      const shown = stage.pageAt(page);
      const call = agent.call(name, args);
      await expect.poll(() => shown.title()).toBe('7');
      await stage.browser.worker.evaluate((id) => chrome.tabs.remove(id), tabId);

      expect(await inTime(call), name).toMatch(/^TAB_NOT_FOUND/);
    }
  });

  test('it crashes, at any moment of a call', { tags: 'whole' }, async ({ stage }) => {
    const rounds = times(2, 60);
    for (let round = 0; round < rounds; round += 1) {
      const agent = await stage.open('settle.html');
      const session = await stage.browser.context.newCDPSession(stage.pageAt('settle.html'));
      const call = agent.call('browser_click', { target: '#late' });
      await delay((round % 5) * 20);
      void session.send('Page.crash').catch(() => null);

      // That it does not answer, or is gone, is known a moment before why.
      expect(await inTime(call)).toMatch(/it crashed or was unloaded|DOCUMENT_CHANGED|TOOL_TIMEOUT/);
      await expect.poll(() => inTime(agent.call('browser_snapshot'))).toContain('it crashed or was unloaded');
      await others(stage);
      expect(await agent.text('browser_navigate', { url: `${stage.url}/form.html` })).toContain('HTTP 200');
      await agent.text('browser_close');
    }
  });

  test('it goes elsewhere', { tags: 'whole' }, async ({ stage }) => {
    const agent = await stage.open('settle.html');
    const call = agent.call('browser_click', { target: '#late' });
    await stage.pageAt('settle.html').goto(`${stage.url}/form.html`);

    expect(await inTime(call)).toMatch(/DOCUMENT_CHANGED|TARGET_NOT_FOUND|A page was loaded/);
  });

  test('Chrome has discarded it: it is loaded again', { tags: 'whole' }, async ({ stage }) => {
    const agent = await stage.open('form.html');
    const tabId = await currentTab(agent);
    await stage.browser.worker.evaluate((id) => chrome.tabs.discard(id), tabId);

    expect(await agent.text('browser_snapshot')).toContain('Create an account');
    expect(await agent.text('browser_evaluate', { function: 'innerWidth > 0 && innerHeight > 0' })).toContain('true');
    expect(await agent.text('browser_click', { target: '#email' })).toContain('Clicked.');
    for (const [tool, args] of [
      ['browser_hover', { target: '#email' }],
      ['browser_click', { target: '#email', trusted: true }],
      ['browser_drag', { startTarget: '#email', endTarget: 'select' }],
      ['browser_scroll', { direction: 'down' }],
      ['browser_resize', { width: 500, height: 400 }],
      ['browser_resize', {}],
    ] as const)
      expect(await inTime(agent.call(tool, args)), tool).not.toMatch(/^TOOL_TIMEOUT/);
    expect(await inTime(agent.call('browser_take_screenshot'))).toMatch(/^TOOL_FAILED: .*browser_tabs select/);
  });

  test(
    'a frame that the page has made hangs: nothing is looked for by words beside it, and what it holds is not told by the page',
    { tags: 'whole' },
    async ({ stage }) => {
      const inner = '<input type=password value=frame-st4ple><script>addEventListener(`message`, () => { for (;;); })</script>';
      const page = (onload: string): string => {
        const html = `<iframe sandbox="allow-scripts" srcdoc="${inner}" onload="${onload}"></iframe>
        <button onclick="this.textContent = 'Pressed'; frames[0].postMessage('', '*')">frame-st4ple</button>
        <button onclick="this.textContent = 'Pressed'">Go</button>`;
        return `${stage.url}/says?text=${encodeURIComponent(html)}`;
      };
      const agent = stage.agent();
      const hangs = /^TOOL_TIMEOUT.*A frame of the page hangs/;
      await agent.text('browser_navigate', { url: page("this.contentWindow.postMessage('', '*')") });

      expect(await agent.error('browser_click', { target: 'text=/frame-st/' })).toMatch(hangs);
      expect(await agent.error('browser_snapshot')).toMatch(hangs);

      await agent.text('browser_navigate', { url: page('') });
      const [, secret = '', go = ''] = /(e\d+) button "\[secret\]"[^]*?(e\d+) button "Go"/.exec(await agent.text('browser_snapshot')) ?? [];
      await agent.text('browser_click', { target: secret });
      expect(await agent.error('browser_click', { target: 'text=/frame-st/' })).toMatch(hangs);
      const beside = [await agent.text('browser_click', { target: go }), await agent.text('browser_snapshot')];
      for (const told of beside) expect(told).toContain('Pressed');
      for (const told of beside) expect(told).not.toContain('st4ple');
    },
  );

  test('a frame of another site in it hangs: it is read, and worked in, without that', { tags: 'whole' }, async ({ stage }) => {
    const inner = `${stage.otherUrl}/says?text=${encodeURIComponent('Inner<script>addEventListener("message", () => { for (;;); })</script>')}`;
    const onload = "document.title = 'loaded'; this.contentWindow.postMessage('', '*')";
    const page = `<button>Press</button><input onkeydown="this.value = event.key"><iframe src="${inner}" onload="${onload}"></iframe>`;
    const agent = stage.agent();
    await agent.text('browser_navigate', { url: `${stage.url}/says?text=${encodeURIComponent(page)}` });

    expect(await agent.text('browser_snapshot')).toContain('(not read:');
    expect(await agent.text('browser_click', { target: 'button' })).toContain('Clicked.');
    expect(await agent.text('browser_console_messages')).toContain('since the page was loaded');
    expect(textOf(await agent.call('browser_press_key', { target: 'input', key: 'F2' }))).not.toContain('TOOL_TIMEOUT');
  });

  test('Chrome discards it in the middle of a call: that is told, and its number still means it', { tags: 'whole' }, async ({ stage }) => {
    const agent = await stage.open('form.html');
    const tabId = await currentTab(agent);
    const waits = agent.call('browser_evaluate', { function: "() => { document.title = 'waits'; return new Promise(() => {}) }" });
    const page = stage.pageAt('form.html');
    await until(async () => (await page.title()) === 'waits', { what: 'the code' });
    const discarded = await stage.browser.worker.evaluate((id) => chrome.tabs.discard(id), tabId);

    expect(await inTime(waits)).toMatch(new RegExp(`^TAB_NOT_FOUND: .*put tab ${tabId} to sleep .* tab ${discarded?.id} now`));
    expect(await agent.text('browser_snapshot', { tabId })).toContain('Create an account');
  });

  test('it could not be loaded: why is told again to who looks', async ({ stage }) => {
    const agent = await stage.open('form.html');
    const url = 'http://127.0.0.1:9/port-that-is-closed';
    const why = /^NAVIGATION_FAILED: .*net::ERR_UNSAFE_PORT.*address: http:\/\/127\.0\.0\.1:9\/port-that-is-closed/s;
    expect(await agent.error('browser_navigate', { url })).toMatch(why);

    expect(await inTime(agent.call('browser_snapshot'))).toMatch(why);
    expect(await inTime(agent.call('browser_click', { target: 'h1' }))).toMatch(why);
    // Nobody is asked about what cannot be done, as they were about the address.
    for (const [tool, args] of [
      ['browser_evaluate', { function: '1' }],
      ['browser_press_key', { key: 'Enter' }],
    ] as const)
      expect(await inTime(agent.call(tool, args))).toMatch(why);
    expect(agent.asked.map(({ title }) => title)).toEqual(['Open http://127.0.0.1:9']);
  });

  test('its server broke off in the middle of the page', async ({ stage }) => {
    const agent = await stage.open('form.html');
    const half = "<title>Half</title><h1>The first half</h1><button>Go on</button><script>fetch('/let-go?half')</script>";
    const url = `${stage.url}/breaks-off?text=${encodeURIComponent(half)}&when=half`;

    expect(await inTime(agent.call('browser_navigate', { url }))).toContain('It broke off (net::ERR_');
    expect(await inTime(agent.call('browser_snapshot'))).toContain('The first half');
    expect(await inTime(agent.call('browser_click', { target: 'text=Go on' }))).toContain('Clicked.');
  });

  test('its server keeps the rest of the page back: that was waited for once', { tags: 'whole' }, async ({ stage }) => {
    const agent = await stage.open('form.html');
    const text = '<title>Half</title><h1>The first half</h1><button onclick="this.append(\'!\')">Go on</button>';
    await agent.text('browser_navigate', { url: `${stage.url}/unfinished?text=${encodeURIComponent(text)}` });
    const startedAt = performance.now();
    await agent.text('browser_snapshot');
    const waitedAt = performance.now();

    expect(await inTime(agent.call('browser_snapshot'))).toContain('The first half');
    expect(performance.now() - waitedAt).toBeLessThan((waitedAt - startedAt) / 2);
    expect(await inTime(agent.call('browser_click', { target: 'button' }))).toContain('target: [e1 button "Go on!"]');
    expect(await inTime(agent.call('browser_snapshot'))).toContain('Go on!');
  });

  test(
    'its server has answered and sends nothing of the page: that is told, and another one can be opened',
    { tags: 'whole' },
    async ({ stage }) => {
      const agent = await stage.open('form.html');
      const told = /^TOOL_TIMEOUT: .*has sent nothing of the page yet/;

      expect(await agent.error('browser_navigate', { url: `${stage.url}/unfinished` })).toMatch(told);
      expect(await inTime(agent.call('browser_click', { target: 'h1' }))).toMatch(told);
      expect(await agent.error('browser_snapshot')).toMatch(told);
      expect(await agent.error('browser_wait_for', { text: 'Anything', time: 1 })).toMatch(/^TOOL_TIMEOUT: .*did not come true/);
      expect(await inTime(agent.call('browser_navigate', { url: `${stage.url}/form.html` }))).toContain('HTTP 200');
    },
  );

  test(
    'each of its pages leads on to another one at once: one of them is read, and it can be left',
    { tags: 'whole' },
    async ({ stage }) => {
      const agent = await stage.open('form.html');
      const text = '<meta http-equiv="refresh" content="0"><h1>Once more</h1>';
      await agent.text('browser_navigate', { url: `${stage.url}/says?text=${encodeURIComponent(text)}` });

      // A busy machine may not get to read any of them in its short life.
      expect(textOf(await agent.call('browser_snapshot'))).toMatch(/# Once more|loads itself or another one again and again/);
      expect(await inTime(agent.call('browser_navigate', { url: `${stage.url}/form.html` }))).toContain('HTTP 200');
      expect(await inTime(agent.call('browser_snapshot'))).toContain('Create an account');
    },
  );

  test('it is not drawn, for a stylesheet never comes', { tags: 'whole' }, async ({ stage }) => {
    const agent = await stage.open('form.html');
    const text = '<link rel="stylesheet" href="/never"><h1>Unstyled</h1>';
    await agent.text('browser_navigate', { url: `${stage.url}/says?text=${encodeURIComponent(text)}` });

    const told = 'it waits for a stylesheet whose server does not answer';
    expect(await agent.error('browser_take_screenshot')).toContain(told);
    expect(await agent.error('browser_hover', { target: 'h1' })).toContain(told);
    await agent.text('browser_evaluate', { function: 'void window.stop()' });
    expect(await agent.text('browser_hover', { target: 'h1' })).toContain('The pointer is over it.');
    expect(await inTime(agent.call('browser_take_screenshot'))).toContain('Picture of tab');
  });

  test('it leads to a page whose server does not answer', { tags: 'whole' }, async ({ stage }) => {
    const agent = await stage.open(`says?text=${encodeURIComponent('<a href="/never">Away</a>')}`);
    const begun = stage.pageAt('Away%3C%2Fa%3E').waitForRequest(/never$/);
    await agent.text('browser_evaluate', { function: "void setTimeout(() => document.querySelector('a').click(), 100)" });
    await begun;
    const ask = (name: string, args: Record<string, unknown> = {}): Promise<string> => agent.error(name, args);

    for (const told of await Promise.all([ask('browser_evaluate', { function: '1' }), ask('browser_console_messages')]))
      expect(told).toContain('The page leads to another one whose server has not answered');
    expect(await agent.text('browser_navigate', { url: `${stage.url}/form.html` })).toContain('HTTP 200');
    expect(await agent.text('browser_evaluate', { function: 'location.pathname' })).toContain('/form.html');
  });

  test('the load that it was waiting for was cancelled', async ({ stage }) => {
    const agent = await stage.open('form.html');
    const begun = stage.pageAt('form.html').waitForRequest(/never$/);
    const cancelled = new AbortController();
    const call = agent.call('browser_navigate', { url: `${stage.url}/never` }, { signal: cancelled.signal });
    await begun;
    cancelled.abort();

    expect(textOf(await call)).toContain('CALL_CANCELLED');
    expect(await inTime(agent.call('browser_evaluate', { function: 'location.pathname' }))).toContain('/form.html');
    expect(await inTime(agent.call('browser_click', { target: '#email' }))).toContain('Clicked.');
    expect(await agent.text('browser_tabs', { action: 'list' })).not.toContain('/never');
  });

  test('Chrome does not discard it by itself while a session works in it', async ({ stage }) => {
    const agent = await stage.open('form.html');
    const tabId = await currentTab(agent);
    const isLeft = (): Promise<boolean> => stage.browser.worker.evaluate(async (id) => (await chrome.tabs.get(id)).autoDiscardable, tabId);

    expect(await until(async () => !(await isLeft()))).toBe(true);
  });

  test('it shows a page of the browser itself', { tags: 'whole' }, async ({ stage }) => {
    const page = await stage.browser.context.newPage();
    await page.goto('chrome://version');
    await page.bringToFront();
    const agent = stage.agent();

    expect(await inTime(agent.call('browser_snapshot'))).toContain('TAB_RESTRICTED');
    expect(await inTime(agent.call('browser_tabs', { action: 'list' }))).toContain('chrome://version');
    await page.close();
  });

  test('it shows the source of a page', async ({ stage }) => {
    const source = `view-source:${stage.url}/form.html`;
    const tabId = await stage.browser.worker.evaluate(async (url) => (await chrome.tabs.create({ url, active: false })).id ?? 0, source);
    const agent = stage.agent();
    // A tab is listed with the address that is to come.
    const isThere = (id: number): Promise<boolean> =>
      chrome.tabs.get(id).then(({ url = '', status }) => url.startsWith('view-source:') && status === 'complete');
    await until(() => stage.browser.worker.evaluate(isThere, tabId), { what: 'the source' });
    expect(await agent.text('browser_tabs', { action: 'list' })).toContain('view-source:');

    expect(await inTime(agent.call('browser_snapshot', { tabId }))).toContain('TAB_RESTRICTED');
    expect(await inTime(agent.call('browser_click', { target: 'h1', tabId }))).toContain('TAB_RESTRICTED');
    await stage.browser.worker.evaluate((id) => chrome.tabs.remove(id), tabId);
  });

  test('its first page, or the source of one, has not come yet', { tags: 'whole' }, async ({ stage }) => {
    const agent = stage.agent();
    const opened = (url: string): Promise<number> =>
      stage.browser.worker.evaluate(async (address) => (await chrome.tabs.create({ url: address, active: false })).id ?? 0, url);
    const page = `${stage.url}/held?first-page`;
    const [source, tabId] = [await opened(`view-source:${page}`), await opened(page)];

    expect(await inTime(agent.call('browser_snapshot', { tabId: source }))).toMatch(/^TAB_RESTRICTED/);
    expect(await agent.error('browser_snapshot', { tabId })).toMatch(
      /^TOOL_TIMEOUT: .*The server has not answered yet\. .*browser_wait_for/,
    );
    const waited = agent.text('browser_wait_for', { textGone: 'None of it', time: 30, tabId });
    await fetch(`${stage.url}/let-go?first-page`);

    expect(await waited).toMatch(/^It was so already/);
    for (const id of [source, tabId]) await stage.browser.worker.evaluate((one) => chrome.tabs.remove(one), id);
  });

  test('the debugger is detached by somebody else', { tags: 'whole' }, async ({ stage }) => {
    const agent = await stage.open('form.html');
    const detach = stage.browser.worker.evaluate(async () => {
      for (let round = 0; round < 200; round += 1) {
        const [target] = (await chrome.debugger.getTargets()).filter(
          ({ attached, tabId, url }) => attached && tabId !== undefined && url.endsWith('form.html'),
        );
        if (target?.tabId !== undefined) await chrome.debugger.detach({ tabId: target.tabId }).catch(() => null);
      }
    });

    const text = await inTime(agent.call('browser_take_screenshot', { fullPage: true }));
    await detach;

    expect(text).toMatch(/Picture of tab|TOOL_FAILED/);
    await others(stage);
  });
});

describe('what the user agreed to', () => {
  test('holds for that origin only: a tab that went elsewhere meanwhile is not touched', async ({ stage }) => {
    const agent = await stage.open('form.html');
    const args = { target: '#card' };
    const { target } = await describeCall(stage, agent, 'browser_click', args);
    if (target === null) throw new Error('a click has a page');
    const input = { sessionId: agent.sessionId, callId: callId(), name: 'browser_click', args, target };

    await agent.text('browser_navigate', { url: `${stage.otherUrl}/form.html` });
    const result = await stage.bridge.call(input, { signal: new AbortController().signal });

    expect(textOf(result)).toContain('DOCUMENT_CHANGED');
    expect(await agent.text('browser_snapshot')).not.toContain('Premium chosen');
  });

  test('is done in one go where the page is still on its site, once, and not where it has gone elsewhere', async ({ stage }) => {
    const agent = await stage.open('form.html');
    const args = { target: '#email', text: 'x', slowly: true };
    const typeOn = (origin: string, id = callId()): Promise<CallAccount> => {
      const input = { sessionId: agent.sessionId, callId: id, name: 'browser_type', args };
      return stage.bridge.callOn(origin, input, { signal: new AbortController().signal });
    };
    const id = callId();

    const { target, result } = await typeOn(stage.url, id);
    await agent.text('browser_navigate', { url: `${stage.otherUrl}/form.html` });
    const again = await typeOn(stage.url, id);
    const elsewhere = await typeOn(stage.url);

    expect(target).toMatchObject({ origin: stage.url, owner: 'session' });
    expect(result === undefined ? '' : textOf(result)).toContain('Typed');
    expect(again.result).toEqual(result);
    expect(elsewhere.result).toBeUndefined();
    expect(elsewhere.target).toMatchObject({ origin: stage.otherUrl });
    expect(await stage.pageAt('form.html').evaluate(() => document.querySelector<HTMLInputElement>('#email')?.value)).toBe('');
  });

  test('is not done in one go in a tab of the person', async ({ stage }) => {
    const agent = await stage.open('form.html');
    const theirs = await stage.browser.context.newPage();
    await theirs.goto(`${stage.url}/form.html?theirs`);
    const tabs = await stage.browser.worker.evaluate((url) => chrome.tabs.query({ url }), theirs.url());
    const args = { target: '#card', tabId: tabs[0]?.id };

    const { target, result } = await stage.bridge.callOn(
      stage.url,
      { sessionId: agent.sessionId, callId: callId(), name: 'browser_click', args },
      { signal: new AbortController().signal },
    );

    expect(target).toMatchObject({ origin: stage.url, owner: 'person' });
    expect(result).toBeUndefined();
  });

  test('is asked for the origin of the frame a ref is in', async ({ stage }) => {
    const agent = await stage.open('frames.html');
    const refs = await refsInFrames(agent, 'button "(?:Press me|Inline button)"', 3);

    const origins = await Promise.all(
      refs.map(async (target) => (await describeCall(stage, agent, 'browser_click', { target })).target?.origin),
    );

    expect(origins).toEqual([stage.url, stage.otherUrl, stage.url]);
  });

  test('is not asked where no page is concerned', async ({ stage }) => {
    const agent = await stage.open('form.html');
    const targetOf = async (tool: string, args = {}): Promise<unknown> => (await describeCall(stage, agent, tool, args)).target;

    expect(await targetOf('browser_tabs', { action: 'list' })).toBeNull();
    expect(await targetOf('browser_navigate', { url: stage.url })).toBeNull();
    expect(await targetOf('browser_snapshot')).toMatchObject({ origin: stage.url, title: 'Create an account' });
  });
});

describe('the extension', () => {
  test('answers no other extension and no web page', async ({ stage }) => {
    await stage.open('form.html');

    const answer = await stage.pageAt('form.html').evaluate(async () => {
      const runtime = (globalThis as { chrome?: { runtime?: { sendMessage?: unknown } } }).chrome?.runtime?.sendMessage;
      return runtime === undefined ? 'no way in' : 'a way in';
    });

    expect(answer).toBe('no way in');
    expect(
      await stage.browser.worker.evaluate(() => [
        chrome.runtime.onMessageExternal.hasListeners(),
        chrome.runtime.onConnectExternal.hasListeners(),
      ]),
    ).toEqual([false, false]);
    expect(chromeManifest(await stage.browser.worker.evaluate(() => chrome.runtime.getManifest()))).not.toHaveProperty(
      'externally_connectable',
    );
  });

  test('leaves nothing in the page that the page could see', { tags: 'whole' }, async ({ stage }) => {
    const agent = await stage.open('form.html');
    await agent.text('browser_snapshot');

    expect(await stage.pageAt('form.html').evaluate(() => 'pilotfishPage' in globalThis)).toBe(false);
  });

  test(
    'is reloaded during a call: the call ends typed and ran once at most, and the session goes on in its tab',
    { tags: 'whole' },
    async ({ stage }) => {
      const agent = await stage.open('settle.html');
      const before = connectedAt(stage);
      const load = new MachineLoad();
      const call = agent
        .call('browser_click', { target: '#fetch' })
        .then(textOf, (error: unknown) => String((error as { code?: string }).code));
      await until(async () => (await clicks(stage)) > 0);

      await stage.browser.worker.evaluate(() => chrome.runtime.reload()).catch(() => null);

      // Where the way back is long, that it is not known what became of the call is told in another way.
      const answer = await call;
      expect(answer).toMatch(load.isQuiet ? /WORKER_RESTARTED|BROWSER_DISCONNECTED|Clicked/ : /Clicked|^[A-Z_]+(?::|$)/);
      await until(() => connectedAt(stage) > before);
      expect(await clicks(stage)).toBe(1);
      expect(await agent.text('browser_click', { target: '#nothing' })).toContain('Clicked.');
      expect(await clicks(stage)).toBe(2);
    },
  );
});

const chromeManifest = (manifest: object): object => manifest;
