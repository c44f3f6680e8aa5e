/** A small stage for the session tests: a home of its own, a real store, the engine double as a real process. */
import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test as base } from 'vitest';
import type { Engine, McpAccess, ToolBridge } from '#companion/engines/engine.ts';
import { Git } from '#companion/git/git.ts';
import { KnownSecrets } from '#companion/lib/known-secrets.ts';
import { FileLog } from '#companion/lib/log.ts';
import { createPaths, type Paths } from '#companion/lib/paths.ts';
import { EngineCatalogue } from '#companion/catalogue/engine-catalogue.ts';
import { Sessions } from '#companion/sessions/sessions.ts';
import { Store } from '#companion/store/store.ts';
import { CompanionError } from '#protocol/errors.ts';
import type { SessionEvent } from '#protocol/events.ts';
import type { SessionId } from '#protocol/ids.ts';
import type { SessionView } from '#protocol/view.ts';
import { engineDouble } from '#test/fixtures/engine-double-codec.ts';

export interface Stage {
  readonly home: string;
  readonly paths: Paths;
  readonly engines: Engine[];
  log: FileLog;
  store: Store;
  sessions: Sessions;
  catalogue: EngineCatalogue;
  readonly tokens: { issued: string[]; revoked: string[] };
  toolBridge: ToolBridge | null;
  /** Lines the engine double noted: starts, prompts, what came in. */
  trace(): string[];
  /** Starts a daemon over the same home; `isCrash` leaves the old one's work as it is. */
  restart(how?: { isCrash?: boolean }): Promise<void>;
  create(engine?: string): Promise<SessionId>;
  /** Sends a prompt; resolves when it is accepted. */
  send(sessionId: SessionId, text: string, more?: { turnId?: string; delivery?: 'queue' | 'steer' }): Promise<string>;
  /** Resolves with the first view that fits. */
  until(sessionId: SessionId, fits: (view: SessionView) => boolean): Promise<SessionView>;
  /** Sends a prompt and resolves when nothing runs any more. */
  turn(sessionId: SessionId, text: string): Promise<SessionView>;
  /** Answers the oldest open request. */
  answer(sessionId: SessionId, optionId: string): Promise<unknown>;
  events(sessionId: SessionId): SessionEvent[];
}

const open = async (
  stage: Pick<Stage, 'paths' | 'engines' | 'tokens' | 'home'> & { toolBridge: ToolBridge | null },
): Promise<Pick<Stage, 'log' | 'store' | 'sessions' | 'catalogue'>> => {
  const known = new KnownSecrets();
  const log = new FileLog({ file: stage.paths.daemonLog, maxBytes: 1024 * 1024, known });
  const store = new Store(stage.paths, log, known);
  const catalogue = new EngineCatalogue({
    store,
    paths: stage.paths,
    log,
    // No login shell: the tests must not depend on the profile of who runs them.
    env: {
      PATH: process.env['PATH'],
      HOME: stage.home,
      SHELL: '/bin/false',
      FAKE_ALLOWED: 'let in',
      FAKE_FORBIDDEN: 'kept out',
      LOGIN_API_KEY: 'login-shell-5',
    },
    engines: stage.engines,
    fromCustom: ({ name, command, args }) => engineDouble({ name, command: [command, ...args] }),
    ending: new AbortController().signal,
  });
  const sessions = new Sessions({
    store,
    paths: stage.paths,
    log,
    engines: catalogue,
    git: new Git({ env: { PATH: process.env['PATH'], HOME: stage.home, GIT_CONFIG_NOSYSTEM: '1' }, projectRoots: () => [] }),
    now: Date.now,
    toolBridge: () => stage.toolBridge,
    mcpAccess: (): McpAccess => {
      const token = `token-of-${stage.tokens.issued.length}-that-is-long`;
      stage.tokens.issued.push(token);
      return {
        serverName: 'pilotfish',
        url: 'http://127.0.0.1:1/mcp',
        token,
        command: 'pilotfish',
        args: ['mcp'],
        env: {},
        timeoutMs: 1000,
      };
    },
    revokeMcpAccess: (sessionId) => stage.tokens.revoked.push(sessionId),
  });
  await sessions.begin();
  return { log, store, sessions, catalogue };
};

export const test = base.extend<{ stage: Stage }>({
  // eslint-disable-next-line no-empty-pattern
  stage: async ({}, use) => {
    const home = realpathSync(mkdtempSync(path.join(tmpdir(), 'pilotfish-')));
    const paths = createPaths({ PILOTFISH_HOME: path.join(home, 'data') });
    const traceFile = path.join(home, 'trace');
    const env = { FAKE_TRACE: traceFile };
    const base = {
      home,
      paths,
      engines: [
        engineDouble({ env }),
        engineDouble({ name: 'steerable', env, capabilities: { canSteer: true } }),
        engineDouble({ name: 'dies', env: { ...env, FAKE_START: 'die' } }),
        engineDouble({ name: 'dies-once', env: { ...env, FAKE_START: `die-once:${path.join(home, 'died')}` } }),
        engineDouble({ name: 'never-ready', env: { ...env, FAKE_START: 'hang' }, startTimeoutMs: 400 }),
        engineDouble({ name: 'logged-out', env: { ...env, FAKE_START: 'logged-out' } }),
        engineDouble({ name: 'missing', command: [path.join(home, 'nowhere')] }),
      ] as Engine[],
      tokens: { issued: [], revoked: [] } as Stage['tokens'],
      toolBridge: null as ToolBridge | null,
    };
    const stage: Stage = Object.assign(base, await open(base), {
      trace: () => {
        try {
          return readFileSync(traceFile, 'utf8').trim().split('\n');
        } catch {
          return [];
        }
      },
      restart: async ({ isCrash = false } = {}) => {
        if (!isCrash) {
          await stage.sessions.close();
          stage.store.close();
          stage.log.close();
        }
        Object.assign(stage, await open(stage));
      },
      create: async (engine = 'fake') => (await stage.sessions.dispatch({ type: 'session.create', projectId: null, engine })).sessionId,
      send: async (sessionId: SessionId, text: string, { turnId, delivery }: { turnId?: string; delivery?: 'queue' | 'steer' } = {}) => {
        const reply = await stage.sessions.dispatch({
          type: 'turn.start',
          sessionId,
          prompt: { text, attachments: [] },
          ...(turnId === undefined ? {} : { turnId: turnId as never }),
          ...(delivery === undefined ? {} : { delivery }),
        });
        return String(reply.turnId);
      },
      until: async (sessionId: SessionId, fits: (view: SessionView) => boolean) => {
        const view = stage.sessions.view(sessionId);
        if (fits(view)) return view;
        return new Promise<SessionView>((resolve) => {
          const stop = stage.sessions.subscribe(sessionId, (_, seen) => {
            if (!fits(seen)) return;
            stop();
            resolve(seen);
          });
        });
      },
      turn: async (sessionId: SessionId, text: string) => {
        await stage.send(sessionId, text);
        return stage.until(sessionId, isIdle);
      },
      answer: async (sessionId: SessionId, optionId: string) => {
        const [open] = stage.sessions.view(sessionId).requests;
        if (open === undefined) throw new Error('Nothing is asked.');
        return stage.sessions.dispatch({ type: 'request.answer', sessionId, requestId: open.requestId, answer: { optionId }, by: 'test' });
      },
      events: (sessionId: SessionId) => stage.sessions.read(sessionId, 0, 100_000),
    });
    await use(stage);
    await stage.sessions.close();
    stage.store.close();
    stage.log.close();
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  },
});

/** Nothing runs and nothing waits. */
export const isIdle = (view: SessionView): boolean => view.status === 'idle' && view.turns.every((turn) => turn.status !== 'queued');

/** What the agent said, one line per message. */
export const said = (view: SessionView): string[] =>
  view.items.flatMap((item) => (item.body.kind === 'message' && item.body.role === 'assistant' ? [item.body.text] : []));

/** The code a rejected promise carries. */
export const codeOf = async (promise: Promise<unknown>): Promise<string> => {
  try {
    await promise;
    return 'none';
  } catch (error) {
    return error instanceof CompanionError ? error.code : String(error);
  }
};
