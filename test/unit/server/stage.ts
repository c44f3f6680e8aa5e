/** A running server with both doors over doubles of the rooms, in a folder of its own. */
import { Pairing } from '#companion/browser/pairing.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { request, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { FastifyInstance } from 'fastify';
import { test as base } from 'vitest';
import type { EngineInfo } from '#protocol/engines.ts';
import { BrowserId, type SessionId } from '#protocol/ids.ts';
import { EXTENSION_ORIGIN } from '#protocol/version.ts';
import { nullLog, type LogFields } from '#companion/lib/log.ts';
import type { ProjectInput } from '#protocol/api.ts';
import type { Preferences } from '#protocol/preferences.ts';
import { type InEnglish, inEnglish } from '#test/fixtures/audit.ts';
import { warningsIn } from '#protocol/warnings.ts';
import type { Caller } from '#companion/lib/peer.ts';
import { comer, createAdmissions, createSiteBook } from '#test/fixtures/admission.ts';
import { defaultPreferences } from '#test/fixtures/samples.ts';
import type { Comer } from '#companion/admission/comer.ts';
import type { Admissions } from '#companion/admission/admissions.ts';
import { Attachments } from '#companion/store/attachments.ts';
import { EngineProposals } from '#companion/catalogue/engine-proposals.ts';
import { Errands } from '#companion/desktop/errands.ts';
import { ToolCaller } from '#companion/mcp/caller.ts';
import { Tokens } from '#companion/mcp/tokens.ts';
import { startServer, type Server } from '#companion/server/server.ts';
import { lockSocket } from '#companion/server/single-instance.ts';
import {
  aStatus,
  createAttachedDouble,
  createBridgeDouble,
  createDesktopDouble,
  anEngine,
  createEnginesDouble,
  createEngineSetupsDouble,
  createGrantsDouble,
  noFiles,
  createProjectsDouble,
  createSessionsDouble,
  createTrustedDouble,
  createUsageDouble,
  type BridgeDouble,
  type SessionsDouble,
} from './room-doubles.ts';

interface Route {
  readonly method: string;
  readonly url: string;
}

export interface Stage {
  readonly server: Server;
  readonly base: string;
  readonly tokens: Tokens;
  readonly panelToken: string;
  readonly admissions: Admissions;
  readonly sessions: SessionsDouble;
  /** What was told to the engines' setups. */
  readonly engineChanges: readonly unknown[][];
  /** The agents that there are. */
  readonly engines: EngineInfo[];
  readonly bridge: BridgeDouble;
  readonly routes: readonly Route[];
  readonly audited: InEnglish[];
  /** What is kept of attachments. */
  readonly attached: ReturnType<typeof createAttachedDouble>;
  readonly attachments: Attachments;
  readonly attachmentsDir: string;
  /** What was opened on the desktop. */
  readonly opened: readonly unknown[][];
  readonly desktop: ReturnType<typeof createDesktopDouble>;
  readonly savedProjects: readonly ProjectInput[];
  readonly logged: { readonly event: string; readonly fields: LogFields }[];
  /** How many requests got past gate and scope into a handler. */
  handled(): number;
  stopped(): boolean;
  sessionToken(sessionId: SessionId): string;
  /** A request of the panel, unless told otherwise. */
  fetch(
    pathname: string,
    options?: { method?: string; body?: unknown; headers?: Record<string, string>; token?: string | null; signal?: AbortSignal },
  ): Promise<Response>;
}

/** `caller`: whom the private socket takes its next caller for. */
export const startStage = async ({ port = 0, caller }: { port?: number; caller?: () => Caller } = {}): Promise<{
  stage: Stage;
  stop: () => Promise<void>;
}> => {
  const folder = mkdtempSync(path.join(tmpdir(), 'pf-'));
  const audited: InEnglish[] = [];
  const savedProjects: ProjectInput[] = [];
  const opened: unknown[][] = [];
  const desktop = createDesktopDouble(opened);
  const logged: { event: string; fields: LogFields }[] = [];
  const write = (event: string, fields: LogFields = {}): void => void logged.push({ event, fields });
  const log = { ...nullLog, info: write, warn: write, error: write };
  const lock = await lockSocket({
    socket: path.join(folder, 'run', 'p.sock'),
    log,
    ...(caller === undefined ? {} : { identify: caller }),
  });
  if (lock === null) throw new Error('the socket is taken');
  const sessions = createSessionsDouble();
  const bridge = createBridgeDouble();
  const grants = createGrantsDouble();
  const sites = createSiteBook();
  const engineSetups = createEngineSetupsDouble();
  const engines = [anEngine];
  const tokens = new Tokens();
  const picked: unknown[] = [];
  const { admissions } = createAdmissions();
  const panelAdmission = admissions.meet(comer('browser_1'));
  admissions.decide(panelAdmission.id, true);
  const letClientIn = (name: string): Comer => {
    const client = comer(name, { kind: 'client', name, origin: 'program' });
    admissions.decide(admissions.meet(client).id, true);
    return client;
  };
  const attachmentsDir = path.join(folder, 'attachments');
  const attachments = new Attachments(attachmentsDir);
  const attached = createAttachedDouble();
  const routes: Route[] = [];
  let handled = 0;
  let isStopped = false;
  const settings: Preferences & { allowedRoots: readonly string[] } = { allowedRoots: [], ...defaultPreferences };
  const watchRoutes = (app: FastifyInstance): void => {
    app.addHook('onRoute', ({ method, url }) => {
      for (const one of [method].flat()) routes.push({ method: one, url });
    });
    app.addHook('preHandler', async () => {
      handled += 1;
    });
  };
  const server = await startServer(
    {
      paths: { defaultWorkspace: path.join(folder, 'workspace'), worktreesDir: path.join(folder, 'worktrees') },
      lock,
      log,
      onLogLine: () => () => {},
      sessions,
      projects: createProjectsDouble(savedProjects),
      engines: createEnginesDouble(engines),
      engineSetups,
      bridge,
      admissions,
      comers: { local: letClientIn, overLoopback: letClientIn, spoke: async () => {}, watch: () => () => true },
      pairing: new Pairing(),
      remoteDoor: { accept: (_, socket) => socket.end('HTTP/1.1 101 Switching Protocols\r\n\r\n'), close: () => {} },
      linkDoor: { handleUpgrade: (_, socket) => socket.end('HTTP/1.1 101 Switching Protocols\r\n\r\n') },
      tokens,
      caller: new ToolCaller({ bridge, sessions, grants, sites, admissions, files: noFiles, port: () => 0, log }),
      status: () => aStatus,
      warnings: () => warningsIn(aStatus),
      settings: { current: () => ({ ...settings, port }), change: (change) => Object.assign(settings, change) },
      usage: createUsageDouble(),
      proofs: { keep: (kept) => void picked.push(kept) },
      grants,
      sites,
      audit: {
        add: (record) => void audited.push(inEnglish(record)),
        report: () => ({ entries: [], entryCount: 0, fault: null }),
        calls: () => ({ entries: [] }),
      },
      trusted: createTrustedDouble(),
      attachments,
      attached,
      desktop,
      proposals: new EngineProposals(engineSetups),
      errands: new Errands(),
      requestShutdown: () => (isStopped = true),
    },
    watchRoutes,
  );
  const panelToken = tokens.issue({ type: 'panel', browserId: BrowserId.parse('browser_1'), admissionId: panelAdmission.id });
  const stage: Stage = {
    server,
    base: `http://127.0.0.1:${server.port}`,
    tokens,
    panelToken,
    admissions,
    sessions,
    engineChanges: engineSetups.changes,
    engines,
    bridge,
    routes,
    attached,
    attachments,
    attachmentsDir,
    audited,
    savedProjects,
    opened,
    desktop,
    logged,
    handled: () => handled,
    stopped: () => isStopped,
    sessionToken: (sessionId) => tokens.issue({ type: 'session', sessionId }),
    fetch: (pathname, { method = 'GET', body, headers = {}, token = panelToken, signal } = {}) =>
      fetch(`http://127.0.0.1:${server.port}${pathname}`, {
        method,
        headers: {
          ...(token === null ? {} : { authorization: `Bearer ${token}` }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        ...(signal === undefined ? {} : { signal }),
      }),
  };
  return {
    stage,
    stop: async () => {
      await server.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
};

// oxlint-disable-next-line no-empty-pattern -- vitest reads the pattern to know what a fixture needs
const lend = async ({}, use: (stage: Stage) => Promise<void>): Promise<void> => {
  const { stage, stop } = await startStage();
  await use(stage);
  await stop();
};

export const test = base.extend<{ stage: Stage }>({ stage: lend });

/** For tests that leave nothing behind, or must not: those of a file share one server. */
export const sharedTest = base.extend<{ stage: Stage }>({ stage: [lend, { scope: 'file' }] });

/** Writes bytes as they are and resolves with everything that comes back until the connection ends. */
export const sendRaw = (port: number, bytes: string | Buffer): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket: Socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.on('error', (error) =>
      'code' in error && error.code === 'ECONNRESET' ? resolve(Buffer.concat(chunks).toString()) : reject(error),
    );
    socket.on('close', () => resolve(Buffer.concat(chunks).toString()));
  });

/** A request over the private socket, as the terminal sends it. */
export const overSocket = (
  socketPath: string,
  pathname: string,
  { method = 'GET', headers = {}, body }: { method?: string; headers?: Record<string, string>; body?: unknown } = {},
): Promise<{ status: number; json: unknown }> =>
  new Promise((resolve, reject) => {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const sent = request(
      {
        socketPath,
        path: pathname,
        method,
        agent: false,
        headers: {
          ...headers,
          ...(text === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
        },
      },
      (response: IncomingMessage) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const answer = Buffer.concat(chunks).toString();
          resolve({ status: response.statusCode ?? 0, json: answer === '' ? null : (JSON.parse(answer) as unknown) });
        });
      },
    );
    sent.on('error', reject);
    sent.end(text);
  });

export const extensionOrigin = { origin: EXTENSION_ORIGIN };
