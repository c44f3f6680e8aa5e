/** A small HTTP server with the routes the panel uses; the test decides what it knows and how it fails. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { EventEmitter, once } from 'node:events';
import type { SessionSummary } from '#protocol/api.ts';
import type { SessionEvent } from '#protocol/events.ts';
import { ItemId, SessionId } from '#protocol/ids.ts';
import { newestPage, pageBefore } from '#protocol/pages.ts';
import { emptyView, project as fold } from '#protocol/view.ts';
import type { Admission } from '#protocol/admission.ts';
import { sampleEngine, sampleProject, sampleSession } from '#test/fixtures/samples.ts';
import { within } from '#test/fixtures/within.ts';

interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}

export interface DaemonDouble {
  readonly port: number;
  /** Every request so far, streams included. */
  readonly received: Received[];
  token: string;
  epoch: string;
  /** From before conversations were read in parts. */
  isOld: boolean;
  projects: unknown[];
  /** What the dialogs of the system answer with, one after the other; without one the person chooses nothing. */
  picked: unknown[];
  sessions: unknown[];
  engines: unknown[];
  /** What is set for them. */
  setups: unknown[];
  admissions: Admission[];
  trusted: { path: string; trustedAt: string; files: string[] }[];
  readonly logs: Map<string, SessionEvent[]>;
  /** The default workspace is told when this is over. */
  workspaceGate: Promise<void>;
  /** Prompts are answered when this is over. */
  turnGate: Promise<void>;
  /** So many prompts have come. */
  turnCount: number;
  /** How the next prompts and answers are refused, one each. */
  readonly refusals: { status: number; code: string }[];
  /** The same for new sessions. */
  readonly sessionRefusals: { status: number; code: string }[];
  append(sessionId: string, event: SessionEvent): void;
  state(event: object): void;
  /** Writes raw bytes to every open stream of a session. */
  raw(sessionId: string, text: string): void;
  /** Cuts every open stream. */
  cut(): void;
  /** Resolves with the next request that matches, or the first one that did. */
  request(matches: (received: Received) => boolean): Promise<Received>;
  [Symbol.asyncDispose](): Promise<void>;
}

export const startDaemonDouble = async (): Promise<DaemonDouble> => {
  const requests = new EventEmitter();
  const streams = new Map<string, Set<ServerResponse>>();
  const streamsOf = (name: string): Set<ServerResponse> => {
    const open = streams.get(name) ?? new Set();
    streams.set(name, open);
    return open;
  };
  const openStream = (name: string, response: ServerResponse): void => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.flushHeaders();
    streamsOf(name).add(response);
    response.once('close', () => streamsOf(name).delete(response));
  };
  const toFrame = (event: SessionEvent): string => `id: ${double.epoch}-${event.seq}\ndata: ${JSON.stringify(event)}\n\n`;

  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    const { method = '', url = '', headers } = request;
    const body: unknown = text === '' ? null : JSON.parse(text);
    const json = (status: number, value: unknown): void => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(value));
    };
    const refuse = (status: number, code: string): void =>
      json(status, { error: `refused with ${code}`, code, message: `refused with ${code}`, remedy: 'mend it' });
    const [pathOnly = '', search] = url.split('?');
    const [, root, kind, id, rest] = pathOnly.split('/');
    if (headers.authorization !== `Bearer ${double.token}`) refuse(401, 'UNAUTHORIZED');
    else if (url === '/api/events') openStream('state', response);
    else if (kind === 'agent-sessions' && id !== undefined && rest === 'events') {
      const log = double.logs.get(id);
      if (log === undefined) refuse(404, 'SESSION_NOT_FOUND');
      else {
        openStream(id, response);
        const [epoch, seq] = String(headers['last-event-id'] ?? `${double.epoch}-0`).split('-');
        const isKnown = epoch === double.epoch;
        if (!isKnown) response.write(`id: ${double.epoch}-0\nevent: resync\ndata: {}\n\n`);
        for (const event of log.slice(isKnown ? Number(seq) : 0)) response.write(toFrame(event));
      }
    } else if (rest === 'page' && id !== undefined) {
      const log = double.logs.get(id);
      const view = (log ?? []).reduce(fold, emptyView(SessionId.parse(id)));
      const query = new URLSearchParams(search);
      const before = query.get('before');
      const limit = Number(query.get('limit'));
      if (log === undefined) refuse(404, 'SESSION_NOT_FOUND');
      else if (double.isOld) refuse(404, 'ROUTE_NOT_FOUND');
      else {
        const page = before === null ? newestPage(view, limit) : pageBefore(view, ItemId.parse(before), limit);
        json(200, { ...page, epoch: double.epoch });
      }
    } else if (url.startsWith('/api/admissions')) {
      const id = url.slice('/api/admissions/'.length);
      if (method === 'DELETE') double.admissions = double.admissions.filter((each) => each.id !== id);
      if (method === 'POST') double.admissions = double.admissions.map((each) => (each.id === id ? { ...each, state: 'allowed' } : each));
      json(200, method === 'POST' ? double.admissions.find((each) => each.id === id) : { admissions: double.admissions });
    } else if (url.startsWith('/api/trust')) {
      const revoked = new URLSearchParams(url.split('?')[1]).get('path');
      if (method === 'DELETE') double.trusted = double.trusted.filter((project) => project.path !== revoked);
      json(200, { projects: double.trusted });
    } else if (url === '/api/engines') json(200, { engines: double.setups, warning: null });
    else if (root === 'api' && kind === 'engines' && method === 'PUT') {
      const refusal = double.refusals.shift();
      if (refusal === undefined) json(200, double.setups[0]);
      else refuse(refusal.status, refusal.code);
    } else if (kind === 'engines' && rest === 'login') {
      const refusal = double.refusals.shift();
      if (refusal === undefined) json(200, { success: true });
      else refuse(refusal.status, refusal.code);
    } else if (kind === 'engines') json(200, { engines: double.engines });
    else if (url === '/api/projects/default-workspace') void double.workspaceGate.then(() => json(200, { path: '/home/me/workspace' }));
    else if (url === '/api/projects') json(200, method === 'GET' ? { projects: double.projects } : { project: double.projects[0] });
    else if (url === '/agent/projects/pick-directory') json(200, double.picked.shift() ?? { success: false, cancelled: true });
    else if (url.startsWith('/api/folders')) json(200, { folders: ['/home/me/shop'] });
    else if (kind === 'projects' && method === 'DELETE') {
      double.projects = [];
      response.writeHead(204).end();
    } else if (url === '/api/agent-sessions') json(200, { sessions: double.sessions });
    else if (rest === 'files') json(200, { files: ['README.md', 'src/tides.ts'], isCut: false });
    else if (kind === 'projects' || rest === 'fork') {
      const session = toSession('made');
      const refusal = double.sessionRefusals.shift();
      if (refusal === undefined) {
        double.sessions.push(session);
        double.logs.set('made', []);
        json(201, { session });
      } else refuse(refusal.status, refusal.code);
    } else if (rest === 'items') {
      const refusal = double.refusals.shift();
      if (refusal === undefined) json(200, { text: 'so far', totalBytes: 6, isTruncated: false });
      else refuse(refusal.status, refusal.code);
    } else if (rest === 'turns' && method === 'DELETE') json(200, { cancelledCount: 1 });
    else if (rest === 'turns' || rest === 'requests') {
      if (rest === 'turns') double.turnCount += 1;
      if (rest === 'turns') await double.turnGate;
      const refusal = double.refusals.shift();
      if (refusal === undefined) json(200, rest === 'turns' ? { turnId: 'r', sessionId: id } : { success: true });
      else refuse(refusal.status, refusal.code);
    } else if (method === 'PATCH') json(200, { session: toSession(String(id)) });
    else if (method === 'DELETE') {
      response.writeHead(204);
      response.end();
    } else json(200, { success: true });
    double.received.push({ method, url, headers, body });
    requests.emit('received');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  const double: DaemonDouble = {
    port: (server.address() as AddressInfo).port,
    received: [],
    token: 'token-one',
    epoch: 'e1',
    isOld: false,
    projects: [project],
    picked: [],
    sessions: [],
    engines: [engine],
    setups: [setup],
    admissions: [],
    trusted: [],
    logs: new Map(),
    workspaceGate: Promise.resolve(),
    turnGate: Promise.resolve(),
    turnCount: 0,
    refusals: [],
    sessionRefusals: [],
    append(sessionId, event) {
      double.logs.get(sessionId)?.push(event);
      for (const response of streamsOf(sessionId)) response.write(toFrame(event));
    },
    state(event) {
      for (const response of streamsOf('state')) response.write(`data: ${JSON.stringify(event)}\n\n`);
    },
    raw(sessionId, text) {
      for (const response of streamsOf(sessionId)) response.write(text);
    },
    cut() {
      for (const open of streams.values()) for (const response of open) response.destroy();
    },
    async request(matches) {
      for (;;) {
        const found = double.received.find(matches);
        if (found !== undefined) return found;
        const seen = (): string => double.received.map(({ method, url }) => `${method} ${url}`).join(', ');
        await within(once(requests, 'received'), `a request after ${seen()}`);
      }
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return double;
};

const project = sampleProject({ name: 'shop', rootPath: '/home/me/shop' });

const engine = sampleEngine({
  models: [],
  modes: [
    { modeId: 'default', label: 'Ask first', isDangerous: false },
    { modeId: 'plan', label: 'Plan', isDangerous: false },
    { modeId: 'bypass', label: 'Bypass permissions', isDangerous: true },
  ],
});

const setup = {
  engine,
  isDisabled: false,
  settings: { args: [], envNames: [] },
  hasEndpoint: false,
  secrets: [{ name: 'ANTHROPIC_API_KEY', isSet: false }],
  hasOpenSecrets: false,
};

export const toSession = (id: string, change: Partial<SessionSummary> = {}): SessionSummary =>
  sampleSession({ id: SessionId.parse(id), name: id, ...change });
