/** The tools in a real Chromium: built extension, built native messaging host, real bridge. Only the daemon around the bridge is the test itself; test/e2e/every-tool.spec.ts has the built one. */
import type { ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { chromium, type Page } from 'playwright-core';
import type { Grant, ToolResult } from '#protocol/browser.ts';
import type { SessionEvent } from '#protocol/events.ts';
import { CallId, SessionId, TurnId } from '#protocol/ids.ts';
import type { RequestBody } from '#protocol/requests.ts';
import { EXTENSION_ID, EXTENSION_ORIGIN, HOST_NAME } from '#protocol/version.ts';
import { emptyView, project } from '#protocol/view.ts';
import { Bridge } from '#companion/browser/bridge.ts';
import { LinkDoor } from '#companion/browser/link-door.ts';
import { readLinkKey } from '#companion/reach/link-key.ts';
import { nullLog } from '#companion/lib/log.ts';
import { createPaths, ensurePrivateDir } from '#companion/lib/paths.ts';
import { randomId } from '#companion/lib/random-id.ts';
import type { GrantBook } from '#companion/admission/grant-book.ts';
import type { SiteBook } from '#companion/admission/site-book.ts';
import { type CallerDeps, ToolCaller } from '#companion/mcp/caller.ts';
import { HandedFiles } from '#companion/projects/handed-files.ts';
import { Store } from '#companion/store/store.ts';
import { tools } from '#extension/tools/index.ts';
import { buildExtension, readBuiltExtension } from '#installer/build-extension.ts';
import { executable } from '#installer/build.ts';
import { comer, createAdmissions, createGrantBook, createSiteBook, openReception } from '#test/fixtures/admission.ts';
import { type TestBrowser, giveRights, killBrowser, openPanel, spawnBrowser, writePreferences } from '#test/fixtures/browser.ts';
import { compileCache } from '#test/fixtures/compile-cache.ts';
import { type Gate, createGate } from '#test/fixtures/gate.ts';
import { HANG_MS } from '#test/fixtures/limits.ts';
import { MachineLoad } from '#test/fixtures/machine-load.ts';
import type { Reusable } from '#test/fixtures/shared.ts';
import { until } from '#test/fixtures/until.ts';

const ROOT = path.resolve(import.meta.dirname, '..', '..');
const PAGES = path.join(ROOT, 'test', 'fixtures', 'pages');

/** A port nobody listens on, also no system gives it to a program that asks for any: what the extension is told is the daemon's. */
export const OWN_PORT = 29_999;

/** How long the tabs of one file may take to close before the next file gets another browser. */
const REST_MS = 20_000;

type Answer = 'once' | 'session' | 'always' | 'reject' | 'done';

/** One session as an agent has it. */
export interface Agent {
  readonly sessionId: SessionId;
  /** What the person was asked, oldest first. */
  readonly asked: readonly RequestBody[];
  /** What the person says to each question from now on. */
  answerWith(answer: (request: RequestBody) => Answer | Promise<Answer>): void;
  call(name: string, args?: Record<string, unknown>, options?: { signal?: AbortSignal; callId?: CallId }): Promise<ToolResult>;
  /** The text of a result; throws when it is an error. */
  text(name: string, args?: Record<string, unknown>): Promise<string>;
  /** The text of an error; throws when the call succeeded. */
  error(name: string, args?: Record<string, unknown>): Promise<string>;
  /** The ref that a snapshot gives to the first that matches, once there is one: frames come after their page. */
  ref(pattern: RegExp): Promise<string>;
}

/** What an agent meets: a bridge with browsers at its far end, and pages. */
export interface AgentStage {
  readonly bridge: Bridge;
  /** The same pages, on two origins. */
  readonly url: string;
  readonly otherUrl: string;
  readonly homeDir: string;
  /** The person's rules for sites. */
  readonly sites: SiteBook;
  /** What the person has allowed the agents for longer than a call. */
  readonly grants: GrantBook;
  /** The folder whose files the agents may hand to pages. */
  readonly projectDir: string;
  agent(name?: string): Agent;
  /** A new session with the page open in its current tab. */
  open(page: string): Promise<Agent>;
  /** The daemon's end of every link goes away. */
  dropHosts(): void;
}

/** With a browser that the test holds, too, to look at what a tool did. */
export interface ToolStage extends AgentStage {
  readonly browser: Pick<TestBrowser, 'context' | 'worker' | 'openPanel'>;
  /** The page of the newest tab whose address ends so. */
  pageAt(end: string): Page;
}

/** A new session whose page nobody sees, as where agents work. */
export const openHidden = (stage: AgentStage, page: string): Promise<Agent> => stage.open(page);

/** A new session with the page in front. */
export const openShown = async (stage: AgentStage, page: string): Promise<Agent> => {
  const agent = await stage.open(page);
  await agent.text('browser_tabs', { action: 'select', tabId: await currentTab(agent) });
  return agent;
};

/** The tab for calls of the session that name none. Not by a snapshot: the first one is the test's own. */
export const currentTab = async (agent: Pick<Agent, 'text'>): Promise<number> =>
  Number(/- (\d+) \([^)]*current, yours/.exec(await agent.text('browser_tabs', { action: 'list' }))?.[1]);

/** The refs in frames.html of what has such a name, when there are so many: a frame of another site loads in a process of its own, after the page. */
export const refsInFrames = (agent: Agent, name: string, count: number): Promise<string[]> =>
  until(
    async () => {
      const text = await agent.text('browser_snapshot');
      const refs = [...text.matchAll(new RegExp(`\\[(f\\d+e\\d+) (?:${name})\\]`, 'g'))].map(([, ref = '']) => ref);
      return refs.length === count && refs;
    },
    { what: `${count} frames with ${name}` },
  );

/** Stops the extension's worker as Chrome may at any time; a message from a page of the extension wakes it. */
export const stopWorker = async (stage: ToolStage): Promise<void> => {
  const page = await stage.browser.context.newPage();
  await page.goto(new URL('options.html', stage.browser.worker.url()).href);
  const session = await stage.browser.context.newCDPSession(page);
  await session.send('ServiceWorker.enable');
  await session.send('ServiceWorker.stopAllWorkers');
  await page.evaluate(() => chrome.runtime.sendMessage({ type: 'connection.get' }));
  await page.close();
};

/** Where the extension's own pages find the daemon's HTTP door. */
export interface Door {
  readonly port: number;
  readonly token: string;
}

/** The browser of a plain stage, with a second debugger that reads and changes pages and leaves them as hidden and as slow as they are. */
export const startToolStage = async (apiDoor?: Door, args: readonly string[] = []): Promise<ToolStage & Reusable> => {
  const plain = await startPlainStage(1, args, { apiDoor });
  const watcher = await chromium.connectOverCDP(await plain.debuggingAddress(0), { noDefaults: true, timeout: HANG_MS });
  const [context] = watcher.contexts();
  if (context === undefined) throw new Error('the browser has gone');
  context.setDefaultTimeout(HANG_MS);
  const worker = await until(() => context.serviceWorkers().find((one) => one.url().includes(EXTENSION_ID)), { what: 'the worker' });
  const first = new Set(context.pages());
  return {
    ...plain,
    browser: { context, worker, openPanel: (url) => openPanel(context, worker, path.join(plain.homeDir, profileName(0)), url) },
    open: async (page) => {
      const url = `${plain.url}/${page}`;
      const before = new Set(context.pages());
      const agent = await plain.open(page);
      // Playwright hears of a tab a little later than the agent.
      await until(() => context.pages().some((shown) => !before.has(shown) && shown.url() === url), { what: 'the new tab' });
      return agent;
    },
    pageAt: (end) => {
      const page = context.pages().findLast((candidate) => candidate.url().endsWith(end));
      if (page === undefined) throw new Error(`no tab shows ${end}`);
      return page;
    },
    tidy: () => {
      plain.tidy();
      // A tab may be gone by itself, or hang; nobody waits for it.
      for (const page of context.pages()) if (!first.has(page)) void page.close().catch(() => null);
    },
    rest: async () => {
      await until(() => context.pages().every((page) => first.has(page)), { timeoutMs: REST_MS, what: 'the tabs to be closed' });
    },
    close: async () => {
      await watcher.close();
      await plain.close();
    },
  };
};

export interface PlainStage extends AgentStage, Reusable {
  /** Where a debugger can reach the browser, should a test want to look. */
  debuggingAddress(index: number): Promise<string>;
  endBrowser(index: number): Promise<void>;
}

/** Browsers as users have them: nobody is attached, tabs in the background are hidden and slow. */
export const startPlainStage = async (
  profiles: number,
  args: readonly string[] = [],
  { hasRights = false, apiDoor, asksForMore = false }: { hasRights?: boolean; apiDoor?: Door | undefined; asksForMore?: boolean } = {},
): Promise<PlainStage> => {
  const link = await startLink(apiDoor, asksForMore);
  if (hasRights) giveRights(link.extensionDir);
  const browsers: ChildProcess[] = [];
  for (let index = 0; index < profiles; index += 1) {
    browsers.push(spawnBrowser({ extensionDir: link.extensionDir, profileDir: link.makeProfile(profileName(index)), env: link.env, args }));
    await until(() => link.stage.bridge.browsers().length === index + 1, { what: 'the extension to connect' });
  }
  const endBrowser = async (index: number): Promise<void> => {
    const browser = browsers[index];
    if (browser !== undefined) await killBrowser(browser);
  };
  return {
    ...link.stage,
    debuggingAddress: async (index) => {
      const file = path.join(link.stage.homeDir, profileName(index), 'DevToolsActivePort');
      const [port] = (await until(() => existsSync(file) && readFileSync(file, 'utf8'), { what: 'the debugging port' })).split('\n');
      return `http://127.0.0.1:${port}`;
    },
    endBrowser,
    tidy: link.tidy,
    close: async () => {
      for (const index of browsers.keys()) await endBrowser(index);
      await link.close();
    },
  };
};

const profileName = (index: number): string => `profile-${index}`;

interface Link {
  readonly stage: AgentStage;
  readonly extensionDir: string;
  readonly env: Record<string, string>;
  /** A profile folder in which Chrome finds the host. */
  makeProfile(name: string): string;
  /** Ends all sessions, and with them their tabs, and takes away what they have saved. */
  tidy(): void;
  close(): Promise<void>;
}

/** The files of the extension, built once for all stages of this process. */
let extension: Promise<Record<string, Buffer>> | undefined;

const builtExtension = async (): Promise<Record<string, Buffer>> => {
  const folder = mkdtempSync(path.join(tmpdir(), 'pf-extension-'));
  try {
    await buildExtension(folder);
    return await readBuiltExtension(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

const writeExtension = async (folder: string): Promise<void> => {
  extension ??= builtExtension();
  for (const [name, content] of Object.entries(await extension)) {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
};

/** The companion's half, in the test's own process, and the pages. */
const startLink = async ({ port, token }: Door = { port: OWN_PORT, token: 'test' }, asksForMore: boolean): Promise<Link> => {
  const homeDir = mkdtempSync(path.join(tmpdir(), 'pf-tools-'));
  const env = { ...cleanEnv(), HOME: homeDir, PILOTFISH_HOME: path.join(homeDir, 'pilotfish') };
  const extensionDir = path.join(homeDir, 'extension');
  await writeExtension(extensionDir);

  const paths = createPaths(env);
  ensurePrivateDir(paths.root);
  ensurePrivateDir(paths.socketDir);
  const sites = createSiteBook();
  const allowed = new Map<string, Grant>();
  const grants = createGrantBook(allowed);
  const bridge = new Bridge({
    tools: tools.map((tool) => tool.info),
    log: nullLog,
    sites: () => sites.rules(),
    grants: () => grants.holding(),
  });
  sites.subscribe(() => bridge.sitesChanged());
  grants.subscribe(() => bridge.grantsChanged());
  const door = new LinkDoor({ bridge, key: readLinkKey(paths), log: nullLog, receive: () => openReception(port, token) });
  const links = new Set<Socket>();
  const daemon = createServer();
  daemon.on('upgrade', (request, socket: Socket, head) => {
    links.add(socket);
    door.handleUpgrade(request, socket, head, null);
  });
  await new Promise<void>((resolve) => daemon.listen(paths.socket, resolve));
  const pages = await servePages();
  const store = new Store(paths, nullLog);
  const files = new HandedFiles({ store, paths });
  const downloadDir = path.join(homeDir, 'downloads');
  for (const dir of [paths.defaultWorkspace, downloadDir]) mkdirSync(dir, { recursive: true });

  const url = `http://127.0.0.1:${pages.port}`;
  const otherUrl = `http://localhost:${pages.port}`;
  const sessions = new Set<SessionId>();
  const agent = (name = 'Test'): Agent => {
    const created = createAgent({ bridge, sites, grants, files }, name, `Work on ${url} and ${otherUrl}`);
    sessions.add(created.sessionId);
    return created;
  };
  return {
    extensionDir,
    env,
    stage: {
      bridge,
      sites,
      grants,
      url,
      otherUrl,
      homeDir,
      projectDir: realpathSync(paths.defaultWorkspace),
      agent,
      open: async (page) => {
        const opened = agent();
        await opened.text('browser_navigate', { url: `${url}/${page}` });
        return opened;
      },
      dropHosts: () => {
        for (const socket of links) socket.destroy();
      },
    },
    tidy: () => {
      for (const sessionId of sessions) bridge.sessionEnded(sessionId);
      sessions.clear();
      allowed.clear();
      for (const name of readdirSync(downloadDir)) rmSync(path.join(downloadDir, name), { recursive: true, force: true });
    },
    makeProfile: (name) => {
      const profileDir = path.join(homeDir, name);
      registerHost(profileDir);
      prepareProfile(profileDir, downloadDir, asksForMore);
      return profileDir;
    },
    close: async () => {
      bridge.close();
      grants.close();
      store.close();
      await Promise.all([end(daemon), end(pages.server)]);
      rmSync(homeDir, { recursive: true, force: true, maxRetries: 5 });
    },
  };
};

interface AgentParts {
  readonly bridge: Bridge;
  readonly sites: SiteBook;
  readonly grants: GrantBook;
  readonly files: CallerDeps['files'];
}

/** The person of these tests says yes to all questions, unless told otherwise. */
const createAgent = ({ bridge, sites, grants, files }: AgentParts, name: string, prompt: string): Agent => {
  const sessionId = SessionId.parse(randomId('session'));
  const asked: RequestBody[] = [];
  let answer: (request: RequestBody) => Answer | Promise<Answer> = () => 'once';
  const caller = new ToolCaller({
    bridge: forSession(bridge, sessionId),
    sessions: {
      ask: async (_, request, signal) => {
        asked.push(request);
        const withdrawn = new Promise<null>((resolve) => signal.addEventListener('abort', () => resolve(null)));
        const optionId = await Promise.race([answer(request), withdrawn]);
        return optionId === null ? null : { optionId };
      },
      recordCall: () => ({ finish: () => {} }),
      recordEndedCall: () => {},
      subscribe: () => () => {},
      view: (id) => project(emptyView(id), begin(id, prompt)),
    },
    admissions: createAdmissions().admissions,
    files,
    sites,
    grants,
    port: () => OWN_PORT,
    log: nullLog,
  });
  bridge.sessionStarted(sessionId, name);
  const call: Agent['call'] = (tool, args = {}, options = {}) =>
    caller.call({
      sessionId,
      callId: options.callId ?? CallId.parse(randomId('call')),
      name: tool,
      args,
      signal: options.signal ?? new AbortController().signal,
      onProgress: () => {},
      comer: () => comer('nobody'),
    });
  const say = async (tool: string, args: Record<string, unknown> | undefined, isError: boolean): Promise<string> => {
    const result = await call(tool, args);
    const text = textOf(result);
    if ((result.isError === true) !== isError) throw new Error(`${tool} ${JSON.stringify(args)}: ${text}`);
    return text;
  };
  return {
    sessionId,
    asked,
    answerWith: (given) => {
      answer = given;
    },
    call,
    text: (tool, args) => say(tool, args, false),
    error: (tool, args) => say(tool, args, true),
    ref: (pattern) =>
      until(
        async () => {
          const text = await say('browser_snapshot', {}, false);
          const found = [...text.matchAll(/\[((?:f\d+)?e\d+) ([^\]]*)\]/g)].find((match) => pattern.test(match[2] ?? ''));
          if (found?.[1] === undefined) throw new Error(`nothing matches ${pattern} in:\n${text}`);
          return found[1];
        },
        { what: `what matches ${pattern}` },
      ),
  };
};

/** Each agent of these tests has a caller of its own, which hears of its own session only. */
const forSession = (bridge: Bridge, sessionId: SessionId): CallerDeps['bridge'] => ({
  tool: (name) => bridge.tool(name),
  tools: () => bridge.tools(),
  isBuilt: (name) => bridge.isBuilt(name),
  describe: (input, options) => bridge.describe(input, options),
  call: (input, options) => bridge.call(input, options),
  callOn: (origin, input, options) => bridge.callOn(origin, input, options),
  recall: (input, options) => bridge.recall(input, options),
  mark: (input, signal) => bridge.mark(input, signal),
  foreignBrowser: (id, browserId) => bridge.foreignBrowser(id, browserId),
  allowBrowser: (id, browser) => bridge.allowBrowser(id, browser),
  handTab: (id, browserId, tabId) => bridge.handTab(id, browserId, tabId),
  savedFiles: (id, signal) => bridge.savedFiles(id, signal),
  onDownloads: (listener) =>
    bridge.onDownloads((held) => {
      if (held.sessionId === sessionId) listener(held);
    }),
});

/** The person names the sites of the stage, so that no navigation between them is asked for. */
const begin = (sessionId: SessionId, text: string): SessionEvent => ({
  type: 'turn.started',
  turnId: TurnId.parse('turn_1'),
  prompt: { text, attachments: [] },
  sessionId,
  seq: 1,
  at: 0,
});

/** The text blocks of a result. */
export const textOf = (result: ToolResult): string =>
  result.content.map((block) => (typeof block['text'] === 'string' ? block['text'] : '')).join('\n');

/** An answer begins with what became of the call before it, when that was cut off: the text without that. */
export const ownTextOf = (result: ToolResult): string => textOf(result).replace(/^\w+, which was cut off before, .*\n/, '');

/** The environment that a test runner adds to is not what a browser starts with. */
const cleanEnv = (): Record<string, string> => ({ ...compileCache, PATH: process.env['PATH'] ?? '', LANG: 'C.UTF-8' });

/** The built executable is what Chrome starts, as where it is installed. */
const registerHost = (profileDir: string): void => {
  if (!existsSync(executable)) throw new Error(`${path.relative(ROOT, executable)} is not there: run \`npm run build\` first`);
  const dir = path.join(profileDir, 'NativeMessagingHosts');
  mkdirSync(dir, { recursive: true });
  const manifest = {
    name: HOST_NAME,
    description: 'Pilotfish',
    path: executable,
    type: 'stdio',
    allowed_origins: [`${EXTENSION_ORIGIN}/`],
  };
  writeFileSync(path.join(dir, `${HOST_NAME}.json`), JSON.stringify(manifest));
};

/**
 * Without developer mode an unpacked extension that reloads itself is switched off; a page may know the place, and begin many downloads unless the
 * browser asks for more than one, as it usually does.
 */
const prepareProfile = (profileDir: string, downloadDir: string, asksForMore: boolean): void =>
  writePreferences(profileDir, {
    download: { default_directory: downloadDir, prompt_for_download: false },
    profile: { default_content_setting_values: { ...(asksForMore ? {} : { automatic_downloads: 1 }), geolocation: 1 } },
  });

/** Files of test/fixtures/pages; `/says` answers with the markup it is given, of a `type` if one is, `/headers` with what it was asked with, `/auth` wants the name ann and the password map, `/to` sends on; `/cut-off/NAME` breaks off, `/breaks-off?text=MARKUP&when=KEY` when `/let-go?KEY` was asked for, `/unfinished` does not end; `/held?KEY` answers when `/let-go?KEY` was asked for; `/large?mb=N`, `/late-data?ms=N`, `/late-chunks?ms=N&count=N` and slow.html take their time; unknown paths are answered 404 with a page. */
const servePages = async (): Promise<{ server: Server; port: number }> => {
  const files = new Map(readdirSync(PAGES).map((name) => [`/${name}`, readFileSync(path.join(PAGES, name))]));
  const gates = new Map<string, Gate>();
  const gateOf = (key: string): Gate => {
    const gate = gates.get(key) ?? createGate();
    gates.set(key, gate);
    return gate;
  };
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost');
    const respond = (status: number, type: string, body: string | Buffer, headers: Readonly<Record<string, string>> = {}): void => {
      response.writeHead(status, { 'content-type': type, ...headers }).end(body);
    };
    if (url.pathname === '/late-data')
      return void delay(Number(url.searchParams.get('ms'))).then(() =>
        // Not taken from what another tab of the site has in memory: it is asked for each time.
        url.searchParams.has('script')
          ? respond(200, 'text/javascript', '', { 'cache-control': 'no-store' })
          : respond(200, 'text/plain', 'Late data'),
      );
    const passGate = async (key: string): Promise<void> => {
      const gone = new Promise<void>((resolve) => response.once('close', resolve));
      await gateOf(key).pass(gone);
    };
    if (url.pathname === '/held') return void passGate(url.search).then(() => respond(200, 'text/plain', ''));
    if (url.pathname === '/let-go') {
      gateOf(url.search).open();
      return respond(200, 'text/plain', '');
    }
    if (url.pathname === '/late-chunks') return void sendChunks(response, url.searchParams);
    if (url.pathname === '/slow.html')
      return void delay(700).then(() => respond(200, 'text/html', '<title>Slow</title><h1>Slow page</h1>'));
    const text = url.searchParams.get('text') ?? '';
    if (url.pathname === '/says') return respond(200, url.searchParams.get('type') ?? 'text/html; charset=utf-8', text);
    if (url.pathname === '/headers') return respond(200, 'application/json', JSON.stringify(request.headers));
    if (url.pathname === '/auth') return answerAuth(request.headers.authorization, response);
    if (url.pathname === '/to') return void response.writeHead(302, { location: text }).end();
    if (url.pathname === '/to-file') return void response.writeHead(302, { location: '/file/redirected.bin' }).end();
    if (url.pathname.startsWith('/attached/'))
      return void response.writeHead(200, { 'content-type': 'text/html', 'content-disposition': 'attachment' }).end('<p>some bytes</p>');
    if (url.pathname.startsWith('/file/')) return respond(200, 'application/octet-stream', 'some bytes');
    if (url.pathname.startsWith('/cut-off/')) {
      response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': '1000' });
      return void response.write('some bytes', () => response.destroy());
    }
    if (url.pathname === '/breaks-off' || url.pathname === '/unfinished') {
      response.writeHead(200, { 'content-type': 'text/html' }).flushHeaders();
      response.write(text);
      // A browser throws away what it has not parsed yet of a page that breaks off.
      if (url.pathname === '/breaks-off') return void passGate(`?${url.searchParams.get('when')}`).then(() => response.destroy());
      return undefined;
    }
    if (url.pathname === '/no-content') return void response.writeHead(204).end();
    // Whether a picture with text in it is broken off or loaded to its end depends on the instant at which its decoder sees it.
    if (url.pathname === '/missing.png') return void response.writeHead(404).end();
    if (url.pathname === '/never') return undefined;
    if (url.pathname === '/large') return respond(200, 'text/html', largePage(Number(url.searchParams.get('mb'))));
    if (url.pathname === '/to-own-port') return void response.writeHead(302, { location: `http://127.0.0.1:${OWN_PORT}/api/status` }).end();
    const file = files.get(url.pathname);
    return file === undefined
      ? respond(404, 'text/html', '<title>Not found</title><h1>Not found</h1>')
      : respond(200, 'text/html; charset=utf-8', file);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, port: (server.address() as AddressInfo).port };
};

/** A page of many paragraphs, each of which has a heading and a link. */
const largePage = (megabytes: number): string => {
  const part = `<h2>Part</h2><p>${'Words of a long page. '.repeat(40)}<a href="/form.html">Go on</a></p>\n`;
  return `<title>Large</title><h1>Large page</h1>${part.repeat((megabytes * 1_000_000) / part.length)}`;
};

const sendChunks = async (response: ServerResponse, wanted: URLSearchParams): Promise<void> => {
  const isStream = wanted.has('events');
  if (isStream) response.setHeader('content-type', 'text/event-stream');
  for (let left = Number(wanted.get('count')); left > 0; left -= 1) {
    response.write(isStream ? 'data: chunk\n\n' : 'chunk ');
    await delay(Number(wanted.get('ms')));
  }
  response.end();
};

const end = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });

const answerAuth = (authorization: string | undefined, response: ServerResponse): void => {
  if (authorization === `Basic ${btoa('ann:map')}`) response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Signed in</h1>');
  else response.writeHead(401, { 'www-authenticate': 'Basic realm="Charts"', 'content-type': 'text/html' }).end('<h1>No entry</h1>');
};

/**
 * For what is known a moment after an action, because something was due soon: a machine that holds the page up meanwhile makes it late for good.
 * The action is tried until it was not; settle.spec.ts tells the two apart by the page's own clock.
 */
export const untilInTime = (action: () => Promise<boolean>): Promise<true> =>
  until(async () => (await action()) || null, { what: 'an action that nothing else holds up' }).then(() => true);

/** Whether one of many clicks on the target takes less than this; on a machine that is busy all the time nothing can be said of them. */
export const clicksWithin = async (agent: Agent, target: string, limitMs: number): Promise<boolean> => {
  const load = new MachineLoad();
  for (let left = 20; left > 0; left -= 1) {
    const startedAt = performance.now();
    await agent.text('browser_click', { target });
    if (performance.now() - startedAt < limitMs) return true;
  }
  return !load.isQuiet;
};
