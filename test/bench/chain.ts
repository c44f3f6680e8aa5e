/** The loop that an agent runs, ours beside two peers, each over stdio: each call by itself, four of them at once, and what is read too early. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Companion } from '#test/fixtures/companion.ts';
import { SETTLE_CASES } from '#test/fixtures/settle-cases.ts';
import { findChromium } from '#test/fixtures/system-packages.ts';
import { type Agent, currentTab, startPlainStage } from '#test/tools/tool-stage.ts';
import type { Row } from './bench.ts';
import { type OurServer, startOurServer } from './our-server.ts';
import { installDevtoolsMcp, installPlaywrightMcp } from './peers.ts';
import { extensionProcesses, idleActivity, startTools } from './processes.ts';
import { compareSizes } from './sizes.ts';
import { type Figures, figures, interleave, timed } from './stats.ts';

const ROUNDS = 15;
const STOPS = 30;
const UNDER_WAY_MS = 150;
/** The debugger stays for 20 s after the last call. */
const LINGER_MS = 25_000;
const REST_SECONDS = 30;
/** Percent of a core. */
const REST_LIMIT = 0.2;

/** One agent's hands on one tab. */
interface Hands {
  open(url: string): Promise<unknown>;
  read(): Promise<string>;
  /** All of a page, whatever its length. */
  readWhole(): Promise<string>;
  click(ref: string): Promise<unknown>;
  type(ref: string, text: string): Promise<unknown>;
  picture(): Promise<unknown>;
  evaluate(code: string): Promise<unknown>;
  /** The ref in a text that was read of what follows `words`. */
  refOf(text: string, words: RegExp): string;
}

const STEPS = ['navigate', 'snapshot', 'click', 'type', 'evaluate', 'screenshot', 'form', 'chain'] as const;
type Step = (typeof STEPS)[number];

/** `form` is a screenshot, too. */
const NAMES: Partial<Record<Step, string>> = {
  form: 'screenshot of a form, whose card number and code ours does not show',
  chain: 'click, snapshot, type, snapshot',
};

/** Times are ratios to the best peer's. */
const GOALS: Record<Step, number> = {
  navigate: 0.6,
  snapshot: 1,
  click: 0.15,
  type: 1,
  evaluate: 0.05,
  screenshot: 1,
  form: 1,
  chain: 0.7,
};

export const benchChain = async (companion: Companion, report: (line: string) => void): Promise<Row[]> => {
  report('the loop that an agent runs');
  const stops = await stopped();
  const pages = await startPlainStage(0);
  const server = await startOurServer(companion);
  const cwd = mkdtempSync(path.join(tmpdir(), 'pf-bench-'));
  const playwright = await startTools(peer(cwd, installPlaywrightMcp(), '--headless', '--isolated', '--no-sandbox', '--executable-path'));
  const devtools = await startTools(
    peer(cwd, installDevtoolsMcp(), '--headless', '--isolated', '--chromeArg=--no-sandbox', '--executablePath'),
  );
  try {
    const hands = {
      hidden: await ourHands(server, pages.url, false),
      shown: await ourHands(server, pages.url, true),
      playwright: playwrightHands(playwright.call),
      devtools: devtoolsHands(devtools.call),
    };
    const rows: Row[] = [];
    for (const step of STEPS) {
      report(NAMES[step] ?? step);
      rows.push(...(await compare(pages.url, hands, step)));
    }
    const [ours, ...peers] = [hands.hidden, hands.playwright, hands.devtools].map((one) => ({
      open: one.open,
      whole: one.readWhole,
      byDefault: one.read,
    }));
    if (ours === undefined) throw new Error('nobody reads');
    rows.push(stops, ...(await compareFresh(pages.url, hands, report)));
    report('the size of snapshots');
    rows.push(...(await server.answering(() => compareSizes(pages.url, ours, peers))));
    report('the extension at rest');
    return [...rows, await restAfterwards(server.profileDir)];
  } finally {
    await Promise.all([server.close(), pages.close(), playwright.close(), devtools.close()]);
    rmSync(cwd, { recursive: true, force: true, maxRetries: 5 });
  }
};

type AllHands = Record<'hidden' | 'shown' | 'playwright' | 'devtools', Hands>;

/** One of our tabs at a time beside the peers, each of which has one: two tabs of a browser that are pictured in turns wait for each other's frames. */
const compare = async (url: string, { playwright, devtools, ...ours }: AllHands, step: Step): Promise<Row[]> => {
  const rows: Row[] = [];
  for (const name of ['hidden', 'shown'] as const) {
    const all = Object.entries({ ours: ours[name], playwright, devtools });
    const prepared = await Promise.all(all.map(async ([who, hands]) => [who, await prepare(hands, url, step)] as const));
    rows.push(toRow(step, name, await interleave(Object.fromEntries(prepared), ROUNDS)));
  }
  return rows;
};

const toRow = (step: Step, tab: 'hidden' | 'shown', times: Record<string, Figures>): Row => {
  const [best, reference] = (['playwright', 'devtools'] as const)
    .map((name): [Figures | undefined, string] => [times[name], name])
    .toSorted(([one], [two]) => (one?.p50 ?? 0) - (two?.p50 ?? 0))[0] ?? [undefined, ''];
  return {
    area: 'browser',
    what: `${NAMES[step] ?? step}, tab ${tab}, p50`,
    ours: `${times['ours']?.p50.toFixed(0)} ms`,
    reference: `${reference}: ${best?.p50.toFixed(0)} ms`,
    ratio: (times['ours']?.p50 ?? Number.NaN) / (best?.p50 ?? Number.NaN),
    goal: GOALS[step],
  };
};

/** One timed round of a step; what is not the step itself is done outside the clock. */
const prepare = async (hands: Hands, url: string, step: Step): Promise<() => Promise<number>> => {
  const page = `${url}/${step === 'screenshot' ? 'article' : 'form'}.html`;
  await hands.open(page);
  if (step === 'screenshot') return () => timed(() => hands.picture());
  if (step === 'evaluate') return () => timed(() => hands.evaluate('() => document.title'));
  const refs = async (): Promise<[string, string]> => {
    const text = await hands.read();
    return [hands.refOf(text, /button "Close"/), hands.refOf(text, /textbox "E-?mail/i)];
  };
  return async () => {
    if (step === 'navigate') return timed(() => hands.open(page));
    const [button, field] = await refs();
    switch (step) {
      case 'snapshot':
        return timed(() => hands.read());
      case 'click':
        return timed(() => hands.click(button));
      case 'type':
        return timed(() => hands.type(field, 'ada@example.org'));
      case 'form':
        return timed(() => hands.picture());
      case 'chain':
        return timed(async () => {
          await hands.click(button);
          await hands.read();
          await hands.type(field, 'ada@example.org');
          await hands.read();
        });
    }
  };
};

const compareFresh = async (url: string, hands: AllHands, report: (line: string) => void): Promise<Row[]> => {
  const counts = { hidden: 0, shown: 0, playwright: 0, devtools: 0 };
  const names = Object.entries(SETTLE_CASES).flatMap(([action, cases]) => Object.keys(cases).map((name) => [action, name] as const));
  for (const [index, [action, name]] of names.entries()) {
    report(`what is read too early, ${index + 1} of ${names.length}: ${name}`);
    for (const who of ['hidden', 'shown', 'playwright', 'devtools'] as const) {
      const one = hands[who];
      await one.open(`${url}/settle-cases.html?case=${name}`);
      let text = await one.read();
      if (action === 'click') await one.click(one.refOf(text, /button "Go"/));
      if (action === 'type') await one.type(one.refOf(text, /textbox "Field"/), 'pilot');
      if (action !== 'navigate') text = await one.read();
      if (!text.includes('Fresh')) counts[who] += 1;
    }
  }
  const [best, reference] = counts.playwright <= counts.devtools ? [counts.playwright, 'playwright'] : [counts.devtools, 'devtools'];
  return (['hidden', 'shown'] as const).map((who) => ({
    area: 'browser',
    what: `stale reads of ${names.length} right after an action, tab ${who}`,
    ours: `${counts[who]}`,
    reference: `${reference}: ${best}`,
    ratio: counts[who] === best ? 1 : counts[who] / best,
    goal: 1,
  }));
};

/** How soon a call that waits has ended when it is stopped; past the connection, for a call that its client has cancelled is not answered there. */
const stopped = async (): Promise<Row> => {
  const stage = await startPlainStage(1);
  try {
    const { p50, p99 } = figures(await timesToStop(await stage.open('form.html')));
    return {
      area: 'browser',
      what: 'a call that waits, from the stop to its end, p99',
      ours: `${p99.toFixed(0)} ms (p50 ${p50.toFixed(0)} ms)`,
      reference: 'the limit: 200 ms',
      ratio: p99 / 200,
      goal: 1,
    };
  } finally {
    await stage.close();
  }
};

const timesToStop = async (agent: Agent): Promise<number[]> => {
  const times: number[] = [];
  for (let round = 0; round < STOPS; round += 1) {
    const stop = new AbortController();
    const call = agent.call('browser_wait_for', { text: 'What never comes' }, { signal: stop.signal }).catch(() => null);
    await new Promise((resolve) => setTimeout(resolve, UNDER_WAY_MS));
    times.push(
      await timed(() => {
        stop.abort();
        return call;
      }),
    );
  }
  return times;
};

/** What the extension uses when its agents have worked for minutes and call nothing any more. */
const restAfterwards = async (profileDir: string): Promise<Row> => {
  await new Promise((resolve) => setTimeout(resolve, LINGER_MS));
  const processes = extensionProcesses(profileDir);
  if (processes.length === 0) throw new Error('no process of the extension is there');
  const used = await Promise.all(processes.map((pid) => idleActivity(pid, REST_SECONDS)));
  const percent = used.reduce((sum, { cpuPercent }) => sum + cpuPercent, 0);
  return {
    area: 'idle',
    what: 'extension after all this, no call under way, processor',
    ours: `${percent.toFixed(2)} %`,
    reference: `the limit: ${REST_LIMIT.toFixed(2)} %`,
    ratio: percent / REST_LIMIT,
    goal: 1,
  };
};

const peer = (cwd: string, script: string, ...args: string[]) => ({
  file: process.execPath,
  args: [script, ...args, findChromium()],
  env: { PATH: process.env['PATH'] ?? '', HOME: cwd },
  cwd,
});

type Call = (name: string, args: object) => Promise<string>;

const ourHands = async (server: OurServer, url: string, isShown: boolean): Promise<Hands> => {
  const call = await server.connect();
  const hands: Hands = {
    open: (address) => call('browser_navigate', { url: address }),
    read: () => call('browser_snapshot', {}),
    readWhole: () => call('browser_snapshot', { maxTokens: 100_000 }),
    click: (target) => call('browser_click', { target }),
    type: (target, text) => call('browser_type', { target, text }),
    picture: () => call('browser_take_screenshot', {}),
    evaluate: (code) => call('browser_evaluate', { function: code }),
    refOf: (text, words) => found(text, new RegExp(`\\[(e\\d+) ${words.source}`, words.flags)),
  };
  // The peers ask nobody; ours asks once, and not on the clock.
  await server.answering(async () => {
    await hands.open(`${url}/form.html`);
    await hands.click(hands.refOf(await hands.read(), /button "Close"/));
    await hands.type(hands.refOf(await hands.read(), /textbox "E-?mail/i), 'ada@example.org');
    await hands.evaluate('() => document.title');
    if (isShown) await call('browser_tabs', { action: 'select', tabId: await currentTab({ text: (name, args = {}) => call(name, args) }) });
  });
  return hands;
};

const playwrightHands = (call: Call): Hands => ({
  open: (url) => call('browser_navigate', { url }),
  read: () => call('browser_snapshot', {}),
  readWhole: () => call('browser_snapshot', {}),
  click: (target) => call('browser_click', { target, element: 'it' }),
  type: (target, text) => call('browser_type', { target, element: 'it', text }),
  picture: () => call('browser_take_screenshot', { type: 'jpeg' }),
  evaluate: (code) => call('browser_evaluate', { function: code }),
  refOf: (text, words) => found(text, new RegExp(`${words.source}.*?\\[ref=(\\w+)\\]`, words.flags)),
});

const devtoolsHands = (call: Call): Hands => ({
  open: (url) => call('navigate_page', { pageId: 1, type: 'url', url }),
  read: () => call('take_snapshot', { pageId: 1 }),
  readWhole: () => call('take_snapshot', { pageId: 1 }),
  click: (uid) => call('click', { pageId: 1, uid }),
  type: (uid, value) => call('fill', { pageId: 1, uid, value }),
  picture: () => call('take_screenshot', { pageId: 1, format: 'jpeg' }),
  evaluate: (code) => call('evaluate_script', { pageId: 1, function: code }),
  refOf: (text, words) => found(text, new RegExp(`uid=(\\w+) ${words.source}`, words.flags)),
});

const found = (text: string, pattern: RegExp): string => {
  const ref = pattern.exec(text)?.[1];
  if (ref === undefined) throw new Error(`nothing matches ${pattern} in:\n${text}`);
  return ref;
};
