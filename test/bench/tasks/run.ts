/**
 * `npm run bench -- tasks [name…]`: who solves which task, each with three seeds; ours in a hidden tab and in one that is shown. What is in
 * frames and shadow roots stands in a table of its own.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Driver, startDevtools, startOurs, startPlaywright } from './drivers.ts';
import { PORT, frames } from './frames.ts';
import { kinds } from './kinds.ts';
import { writeTasks } from '../results.ts';
import { type Hands, type Kind, type Task, createRandom } from './task.ts';

const SEEDS = [1, 2, 3];

/** A task that takes longer is not solved. */
const LIMIT_MS = 20_000;

const INTRODUCTION =
  'Pages in the manner of MiniWoB++, each with three seeds and a script in place of a model (`npm run bench -- tasks`): whether the tools of each can do the task, in a tab that is hidden and in one that is shown.';

/** A page says that it is done a moment after the last action. */
const REWARD_MS = 1_500;

/** So many tasks later it is told again how far this is. */
const TOLD_EACH = 10;

export const taskNames: readonly string[] = kinds.map(({ name }) => name);

export const runTasks = async (names: readonly string[], report: (line: string) => void): Promise<void> => {
  const chosen = kinds.filter(({ name }) => names.length === 0 || names.includes(name));
  const pages = await servePages();
  const table = new Map(chosen.map(({ name }) => [name, new Array<string>()]));
  const totals: string[] = [];
  try {
    for (const start of [() => startOurs(false), () => startOurs(true), startPlaywright, startDevtools]) {
      const driver = await start();
      let solved = 0;
      for (const [index, kind] of chosen.entries()) {
        if (index % TOLD_EACH === 0) report(`${driver.name}: ${index} of ${chosen.length} tasks tried, ${solved} solved`);
        const fault = await firstFault(driver, kind, pages);
        if (fault === null) solved += 1;
        table.get(kind.name)?.push(fault === null ? 'yes' : `no, seed ${fault.seed}`);
        if (fault !== null) report(`${driver.name}: ${kind.name}: ${fault.why.slice(0, 300)}`);
      }
      totals.push(`${driver.name} ${solved}/${chosen.length}`);
      await driver.close();
    }
  } finally {
    pages.close();
  }
  const framed = new Set(frames.map(({ name }) => name));
  const isFramed = ([name]: readonly [string, ...unknown[]]): boolean => framed.has(name);
  const [inFrames = [], others = []] = [true, false].map((wanted) => [...table].filter((row) => isFramed(row) === wanted));
  const told = [toTable('task', others), toTable('frames and shadow roots', inFrames)].join('\n\n');
  const solved = `Solved with all seeds: ${totals.join(', ')}.`;
  console.log(`\n${told}\n\n${solved}`);
  // A run of some of them says nothing of the rest.
  if (names.length === 0) writeTasks(`${INTRODUCTION} Run on ${new Date().toISOString().slice(0, 10)}.\n\n${solved}\n\n${told}`);
};

const toTable = (what: string, rows: readonly (readonly [string, readonly string[]])[]): string =>
  [
    `| ${what} | ours, hidden | ours, shown | playwright | devtools |`,
    '|---|---|---|---|---|',
    ...rows.map(([name, cells]) => `| ${name} | ${cells.join(' | ')} |`),
  ].join('\n');

/** Null when it was solved with all seeds. After one that was not the others are not tried, with any driver: each may take the whole time. */
const firstFault = async (driver: Driver, kind: Kind, pages: Pages): Promise<{ seed: number; why: string } | null> => {
  for (const seed of SEEDS) {
    const why = await attempt(driver, kind, seed, pages);
    if (why !== null) return { seed, why };
  }
  return null;
};

/** Why it was not solved; null when it was. */
const attempt = async (driver: Driver, kind: Kind, seed: number, pages: Pages): Promise<string | null> => {
  const task = kind.make(createRandom(seed));
  const { url, reward } = pages.add(task);
  const over = new AbortController();
  const solve = async (): Promise<void> => task.solve(whileOpen(await driver.open(url), over.signal));
  try {
    await within(LIMIT_MS, solve());
    return (await within(REWARD_MS, reward)) ? null : 'the page says that it is wrong';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    over.abort(new Error('the time of the task is over'));
  }
};

/** A script that took too long would go on in the page of the next task. */
const whileOpen = (hands: Hands, over: AbortSignal): Hands =>
  new Proxy(hands, {
    get: (target, name) => {
      over.throwIfAborted();
      return Reflect.get(target, name);
    },
  });

const within = <T>(ms: number, work: Promise<T>): Promise<T> => {
  const limit = Promise.withResolvers<never>();
  const timer = setTimeout(() => limit.reject(new Error(`nothing after ${ms} ms`)), ms);
  return Promise.race([work, limit.promise]).finally(() => clearTimeout(timer));
};

interface Pages {
  /** Serves a task; `reward` is what its page says. */
  add(task: Task): { url: string; reward: Promise<boolean> };
  close(): void;
}

const servePages = async (): Promise<Pages> => {
  const tasks = new Map<string, { html: string; end(isRight: boolean): void }>();
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
    const task = tasks.get(searchParams.get('id') ?? '');
    if (pathname === '/reward') task?.end(searchParams.get('ok') === '1');
    const html = pathname === '/inner' ? searchParams.get('html') : pathname === '/' ? task?.html : '';
    response.writeHead(task === undefined && pathname !== '/inner' ? 404 : 200, { 'content-type': 'text/html; charset=utf-8' });
    response.end(html?.replaceAll(PORT, String(request.socket.localPort)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    add: ({ goal, html }) => {
      const id = String(tasks.size + 1);
      const { promise, resolve } = Promise.withResolvers<boolean>();
      tasks.set(id, { html: frame(id, goal, html), end: resolve });
      return { url: `http://127.0.0.1:${port}/?id=${id}`, reward: promise };
    },
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
};

/** The goal above, the task below, as in MiniWoB++. */
const frame = (id: string, goal: string, html: string): string => `<!doctype html>
<html><head><title>Task</title><style>body{font:14px sans-serif;margin:8px}#query{background:#ffc;padding:6px}#area{width:360px}</style></head>
<body><div id="query">${goal}</div><script>
const done = (isRight) => void fetch('/reward?id=${id}&ok=' + (isRight ? 1 : 0), { method: 'POST', keepalive: true });
const $ = (selector) => document.querySelector(selector);
const on = (selector, type, hear) => document.querySelectorAll(selector).forEach((element) => element.addEventListener(type, hear));
</script><div id="area">${html}</div></body></html>`;
