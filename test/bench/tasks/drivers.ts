/** The three that are compared, each as a set of hands. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { findChromium } from '#test/fixtures/system-packages.ts';
import { type Agent, type AgentStage, startPlainStage } from '#test/tools/tool-stage.ts';
import type { Hands, Place, Thing, Which } from './task.ts';
import { installPlaywrightMcp } from '../peers.ts';

export interface Driver {
  readonly name: string;
  /** Opens an address and gives the hands for it. */
  open(url: string): Promise<Hands>;
  close(): Promise<void>;
}

type Call = (tool: string, args: Record<string, unknown>) => Promise<string>;

/** How a driver's tools are called, and how its snapshots are read. */
interface Dialect {
  snapshot(call: Call): Promise<string>;
  /** By another call where a snapshot cuts. */
  whole?(call: Call, ref: string): Promise<string>;
  things(text: string): Thing[];
  click(call: Call, ref: string): Promise<unknown>;
  clickWords?(call: Call, words: string): Promise<unknown>;
  type(call: Call, ref: string, text: string, submits: boolean): Promise<unknown>;
  choose(call: Call, ref: string, options: readonly string[]): Promise<unknown>;
  hover?(call: Call, ref: string): Promise<unknown>;
  drag?(call: Call, from: string, to: string): Promise<unknown>;
  press?(call: Call, key: string): Promise<unknown>;
  clickAt?(call: Call, place: Place): Promise<unknown>;
  dragAt?(call: Call, from: Place, to: Place): Promise<unknown>;
  dragWords?(call: Call, from: string, to: string): Promise<unknown>;
  scrollToEnd?(call: Call, selector: string): Promise<unknown>;
  waitFor(call: Call, text: string): Promise<unknown>;
  watch?(call: Call, seconds: number): Promise<string>;
}

/** A model that does not find what it looks for looks again. */
const LOOKS = 3;
const LOOK_AGAIN_MS = 400;

const createHands = (dialect: Dialect, call: Call): Hands => {
  const all = async (which: RegExp): Promise<Thing[]> =>
    dialect.things(await dialect.snapshot(call)).filter(({ line }) => which.test(line));
  const refOf = async (which: Which): Promise<string> => {
    if (!(which instanceof RegExp)) return which.ref;
    for (let look = 0; look < LOOKS; look += 1) {
      const [found] = await all(which);
      if (found !== undefined) return found.ref;
      await delay(LOOK_AGAIN_MS);
    }
    throw new Error(`nothing fits ${which}`);
  };
  const missing = (tool: string): never => {
    throw new Error(`no tool to ${tool}`);
  };
  return {
    text: () => dialect.snapshot(call),
    whole: async (which) => (dialect.whole === undefined ? dialect.snapshot(call) : dialect.whole(call, await refOf(which))),
    all,
    click: async (which) => void (await dialect.click(call, await refOf(which))),
    clickWords: async (words) => {
      const escaped = words.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
      // A field that holds the words is not meant.
      const [found] = await all(new RegExp(`^(?!textbox|searchbox|combobox)(?:|.*["\\s:])${escaped}["\\s]*(?:\\[[^\\]]*\\]\\s*)*$`));
      if (found !== undefined) await dialect.click(call, found.ref);
      else await (dialect.clickWords?.(call, words) ?? missing('press words'));
    },
    type: async (which, text, submits = false) => void (await dialect.type(call, await refOf(which), text, submits)),
    choose: async (which, options) => void (await dialect.choose(call, await refOf(which), options)),
    hover: async (which) => void (await (dialect.hover?.(call, await refOf(which)) ?? missing('hover'))),
    drag: async (from, to) => void (await (dialect.drag?.(call, await refOf(from), await refOf(to)) ?? missing('drag'))),
    press: async (key) => void (await (dialect.press?.(call, key) ?? missing('press keys'))),
    clickAt: async (place) => void (await (dialect.clickAt?.(call, place) ?? missing('press a place'))),
    dragAt: async (from, to) => void (await (dialect.dragAt?.(call, from, to) ?? missing('drag from a place'))),
    dragWords: async (from, to) => {
      const refs = await Promise.all([from, to].map(async (words) => (await all(new RegExp(`["\\s:]${words}["\\s]*$`)))[0]?.ref));
      const [source, goal] = refs;
      if (source !== undefined && goal !== undefined && dialect.drag !== undefined) await dialect.drag(call, source, goal);
      else await (dialect.dragWords?.(call, from, to) ?? missing('drag words'));
    },
    scrollToEnd: async (selector) => void (await (dialect.scrollToEnd?.(call, selector) ?? missing('scroll'))),
    waitFor: async (text) => void (await dialect.waitFor(call, text)),
    watch: async (seconds) => dialect.things((await dialect.watch?.(call, seconds)) ?? missing('watch')),
  };
};

/** Ours, in a tab that nobody sees or in the one that is shown. */
export const startOurs = async (isShown: boolean): Promise<Driver> => {
  const stage = await startPlainStage(1);
  return {
    name: isShown ? 'ours, shown' : 'ours, hidden',
    open: async (url) => createHands(ours, await openOurs(stage, url, isShown)),
    close: () => stage.close(),
  };
};

const openOurs = async (stage: AgentStage, url: string, isShown: boolean): Promise<Call> => {
  const agent: Agent = stage.agent('Bench');
  await agent.text('browser_navigate', { url });
  if (isShown) {
    const tabId = Number(/(\d+) \([^)]*current/.exec(await agent.text('browser_tabs', { action: 'list' }))?.[1]);
    await agent.text('browser_tabs', { action: 'select', tabId });
  }
  return (tool, args) => agent.text(tool, args);
};

const ours: Dialect = {
  snapshot: (call) => call('browser_snapshot', {}),
  whole: (call, target) => call('browser_snapshot', { target }),
  things: (text) => [...text.matchAll(/\[((?:f\d+)?e\d+) ([^\]]*)\]/g)].map(([, ref = '', line = '']) => ({ ref, line })),
  click: (call, target) => call('browser_click', { target }),
  clickWords: (call, words) => call('browser_click', { target: `text=${words}` }),
  type: (call, target, text, submit) => call('browser_type', { target, text, submit }),
  choose: (call, target, values) => call('browser_select_option', { target, values }),
  hover: (call, target) => call('browser_hover', { target }),
  drag: (call, startTarget, endTarget) => call('browser_drag', { startTarget, endTarget }),
  press: (call, key) => call('browser_press_key', { key }),
  clickAt: async (call, place) => {
    await call('browser_take_screenshot', PICTURE);
    await call('browser_click', { ...place });
  },
  dragAt: async (call, from, to) => {
    await call('browser_take_screenshot', PICTURE);
    await call('browser_drag', { startX: from.x, startY: from.y, endX: to.x, endY: to.y });
  },
  dragWords: (call, from, to) => call('browser_drag', { startTarget: `text=${from}`, endTarget: `text=${to}` }),
  scrollToEnd: (call, target) => call('browser_scroll', { target, direction: 'bottom' }),
  waitFor: (call, text) => call('browser_wait_for', { text }),
  watch: (call, time) => call('browser_wait_for', { time }),
};

/** A pixel of it is one of the page. */
const PICTURE = { scale: 'css' };

export const startPlaywright = async (): Promise<Driver> => {
  const args = ['--headless', '--isolated', '--no-sandbox', '--executable-path', findChromium()];
  const { call, close } = await startServer(installPlaywrightMcp(), args);
  return {
    name: 'playwright',
    open: async (url) => {
      await call('browser_navigate', { url });
      return createHands(playwright, call);
    },
    close,
  };
};

const playwright: Dialect = {
  snapshot: (call) => call('browser_snapshot', {}),
  things: (text) =>
    text.split('\n').flatMap((line) => {
      const ref = /\[ref=([a-z\d]+)\]/.exec(line)?.[1];
      const rest = line
        .replace(/^\s*- /, '')
        .replaceAll(/ \[(?:ref|cursor)=[^\]]*\]/g, '')
        .replace(/:$/, '');
      return ref === undefined ? [] : [{ ref, line: rest }];
    }),
  click: (call, target) => call('browser_click', { target }),
  type: (call, target, text, submit) => call('browser_type', { target, text, submit }),
  choose: (call, target, values) => call('browser_select_option', { target, values }),
  hover: (call, target) => call('browser_hover', { target }),
  drag: (call, startTarget, endTarget) => call('browser_drag', { startTarget, endTarget }),
  press: (call, key) => call('browser_press_key', { key }),
  waitFor: (call, text) => call('browser_wait_for', { text }),
  watch: (call, time) => call('browser_wait_for', { time }),
};

export const startDevtools = async (): Promise<Driver> => {
  const args = ['--headless', '--isolated', `--executablePath=${findChromium()}`, '--chromeArg=--no-sandbox'];
  const { call, close } = await startServer(installDevtoolsMcp(), args);
  let pageId = 1;
  const here: Call = (tool, given) => call(tool, { pageId, ...given });
  return {
    name: 'devtools',
    open: async (url) => {
      const pages = await call('new_page', { url });
      pageId = Number(/(\d+): [^\n]*\[selected\]/.exec(pages)?.[1] ?? pageId);
      return createHands(devtools, here);
    },
    close,
  };
};

const devtools: Dialect = {
  snapshot: (call) => call('take_snapshot', {}),
  things: (text) =>
    [...text.matchAll(/uid=(\S+) ([^\n]*)/g)].map(([, ref = '', line = '']) => ({ ref, line: line.replace(/ url="[^"]*"/, '').trim() })),
  click: (call, uid) => call('click', { uid }),
  type: async (call, uid, value, submits) => {
    await call('fill', { uid, value });
    if (submits) await call('press_key', { key: 'Enter' });
  },
  choose: async (call, uid, options) => {
    for (const value of options) await call('fill', { uid, value });
  },
  hover: (call, uid) => call('hover', { uid }),
  drag: (call, from_uid, to_uid) => call('drag', { from_uid, to_uid }),
  press: (call, key) => call('press_key', { key }),
  waitFor: (call, text) => call('wait_for', { text: [text] }),
};

const startServer = async (script: string, args: string[]): Promise<{ call: Call; close(): Promise<void> }> => {
  const client = new Client({ name: 'bench', version: '1.0.0' });
  // A peer writes its snapshots into the folder it is started in.
  const cwd = mkdtempSync(path.join(tmpdir(), 'pf-bench-'));
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [script, ...args], stderr: 'ignore', cwd }));
  return {
    call: async (name, given) => {
      const result = await client.callTool({ name, arguments: given });
      const text = (result.content as { text?: string }[]).map((block) => block.text ?? '').join('\n');
      if (result.isError === true) throw new Error(text);
      return text;
    },
    close: async () => {
      await client.close();
      rmSync(cwd, { recursive: true, force: true });
    },
  };
};

/** Path of the peer's command line script. */
const installDevtoolsMcp = (): string => {
  const version = '1.11.0';
  const folder = path.join(import.meta.dirname, '..', '..', '..', '.cache', 'bench', `chrome-devtools-mcp@${version}`);
  const script = path.join(folder, 'node_modules', 'chrome-devtools-mcp', 'build', 'src', 'bin', 'chrome-devtools-mcp.js');
  if (!existsSync(script)) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, 'package.json'), '{ "private": true }\n');
    execFileSync('npm', ['install', '--no-fund', '--no-audit', '--loglevel=error', `chrome-devtools-mcp@${version}`], {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  }
  return script;
};
