/** The side panel with a session of ten thousand messages: opened on a daemon that has not read it, and while an agent streams into it. */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import type { InstallReport } from '#protocol/setup.ts';
import { launchBrowser } from '#test/fixtures/browser.ts';
import { createCompanion, type Companion } from '#test/fixtures/companion.ts';
import { createHome } from '#test/fixtures/home.ts';
import { writeLongSession } from '#test/fixtures/long-session.ts';
import { until } from '#test/fixtures/until.ts';
import type { Row } from './bench.ts';
import { extensionProcesses, footprint } from './processes.ts';
import { figures } from './stats.ts';

const AGENT = path.join(import.meta.dirname, '..', 'fixtures', 'echo-agent-double.sh');
const TURNS = 5_000;
const ROUNDS = 7;
/** Ten seconds of two hundred pieces each. */
const PIECES = 2_000;

export const benchPanel = async (report: (line: string) => void): Promise<Row[]> => {
  report(`a session of ${(TURNS * 2).toLocaleString('en')} messages in the side panel`);
  const home = createHome();
  const companion = createCompanion(home, { isPortable: false });
  const custom = [{ name: 'echo', command: '/bin/bash', args: [AGENT, path.join(home.dir, 'notes')], dialect: 'acp' }];
  companion.writeSettings({ engines: { byName: {}, custom } });
  writeLongSession(companion.paths, TURNS, 'echo');
  const { extension } = JSON.parse((await companion.run(['install', '--json'])).stdout) as InstallReport;
  const profileDir = path.join(home.dir, '.config', 'chromium');
  const browser = await launchBrowser({ extensionDir: extension.path, profileDir, env: home.env });
  try {
    await companion.startDaemon();
    const rootPath = path.join(home.dir, 'project');
    mkdirSync(rootPath);
    const { project } = (await companion.api.send('POST', '/api/projects', { name: 'Bench', rootPath })).json as {
      project: { id: string };
    };
    await companion.api.send('PATCH', '/api/agent-sessions/long-voyage', { projectId: project.id });
    const { page, disconnect } = await browser.openPanel();
    const opened: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      await companion.stopDaemon();
      await page.reload();
      opened.push(await open(page));
      if (round < ROUNDS - 1) await page.getByRole('button', { name: 'New session' }).first().click();
    }
    const frames = await streamed(page, companion);
    const heapMb = await heldMb(page);
    const processMb = extensionMb(profileDir);
    await disconnect();
    const { p50 } = figures(opened);
    report(
      `opened in ${opened.map(Math.round).join(', ')} ms; ${frames.length} frames, the longest ${frames
        .toSorted((a, b) => b - a)
        .slice(0, 5)
        .map(Math.round)
        .join(', ')} ms`,
    );
    return [
      row('10,000 messages, from the press to the newest page, a daemon that has not read them yet, p50', p50, 300, 'ms'),
      row('while 200 pieces a second stream in, the longest frame', Math.max(...frames), 50, 'ms'),
      row('its memory then, the heap of its scripts', heapMb, 150, 'MB'),
      row('its memory then, all of its process (PSS)', processMb, 150, 'MB'),
    ];
  } finally {
    await browser.close();
    await companion.stopDaemon();
    await home.remove();
  }
};

const row = (what: string, value: number, limit: number, unit: string): Row => ({
  area: 'panel',
  what,
  ours: `${Math.round(value)} ${unit}`,
  reference: `the limit: ${limit} ${unit}`,
  ratio: value / limit,
  goal: 1,
});

/** Presses the session in the list; how long it took until its newest part was painted, as the page itself saw it. */
const open = async (page: Page): Promise<number> => {
  await page.getByRole('button', { name: /^Sessions/ }).click();
  const session = page.getByRole('button', { name: /Long voyage/ }).first();
  await session.waitFor();
  return session.evaluate(async (button, last) => {
    const frame = (): Promise<number> => new Promise((resolve) => void requestAnimationFrame(resolve));
    const startedAt = performance.now();
    (button as HTMLElement).click();
    while (document.querySelector('[role=log]')?.textContent.includes(last) !== true) await frame();
    await frame();
    return performance.now() - startedAt;
  }, `That is all of tide ${TURNS}.`);
};

/** How long each frame took while an agent streams. Its end is asked of the daemon: to look for it in the page takes the page's own time, 25 ms each time. */
const streamed = async (page: Page, { api }: Companion): Promise<number[]> => {
  await page.evaluate(() => {
    const frames: number[] = [];
    Object.assign(globalThis, { frames });
    let last = performance.now();
    const note = (at: number): void => {
      frames.push(at - last);
      last = at;
      requestAnimationFrame(note);
    };
    requestAnimationFrame(note);
  });
  await page.getByRole('textbox', { name: 'Message' }).fill(`stream s ${PIECES}`);
  await page.keyboard.press('Enter');
  for (const isIdle of [false, true]) await until(async () => (await isResting(api)) === isIdle, { timeoutMs: 120_000 });
  return page.evaluate(() => (globalThis as unknown as { frames: number[] }).frames);
};

const isResting = async (api: Companion['api']): Promise<boolean> => {
  const { sessions } = (await api.send('GET', '/api/agent-sessions')).json as { sessions: { status: string }[] };
  return sessions.every(({ status }) => status === 'idle');
};

/** What its scripts hold once what they no longer need is gone. */
const heldMb = async (page: Page): Promise<number> => {
  const debug = await page.context().newCDPSession(page);
  await debug.send('HeapProfiler.collectGarbage');
  const { usedSize } = await debug.send('Runtime.getHeapUsage');
  return usedSize / 2 ** 20;
};

/** Memory of the processes in which this browser's extension runs: the panel, and the worker when it shares one. */
const extensionMb = (profileDir: string): number =>
  extensionProcesses(profileDir).reduce((sum, pid) => {
    try {
      return sum + footprint(pid).pssMb;
    } catch {
      // It has ended meanwhile.
      return sum;
    }
  }, 0);
