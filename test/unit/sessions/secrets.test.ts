/** No secret that the daemon knows of gets into the history, the raw lines, the log, a card, a stream or an export, whole or in pieces. */
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import type { SessionSummary } from '#protocol/api.ts';
import type { SessionId } from '#protocol/ids.ts';
import { SearchQuery } from '#protocol/search.ts';
import { emptyView, type SessionView } from '#protocol/view.ts';
import { printableJson } from '#display/plain-text.ts';
import { toMarkdown } from '#protocol/session-markdown.ts';
import { writeReport } from '#companion/cli/doctor-report.ts';
import { Patcher } from '#companion/compat/patches.ts';
import { RealtimeConverter } from '#companion/compat/realtime.ts';
import { BLOT } from '#companion/lib/redact.ts';
import type { Sessions } from '#companion/sessions/sessions.ts';
import { sampleSession } from '#test/fixtures/samples.ts';
import { type Stage, test } from './stage.ts';

const STORED = ['s3cr3t', 'sk-ant-api03-stored-key-value'];
const OF_ENGINE = { DB_PASSWORD: 'hunter2', MY_SETTING: 'pl4nted by hand', SERVICE_URL: 'https://me:p4ssw0rd@host.example/x' };
const OF_MCP = { env: { ANY_NAME: 'mcp-env-12345' }, headers: { Authorization: 'Bearer mcp-bearer-6789' } };
const MCP_ARGUMENTS = ['-y', 'server', '--api-key', 'arg-secret-77', '--token=arg-token-88', 'postgres://u:addr-p4ss@h/db'];

const PLANTED = [
  ...STORED,
  'hunter2',
  'pl4nted by hand',
  'p4ssw0rd',
  'mcp-env-12345',
  'mcp-bearer-6789',
  'arg-secret-77',
  'arg-token-88',
  'addr-p4ss',
];

const codes = (text: string): string => Array.from(text, (character) => character.charCodeAt(0)).join(',');

/** Everything below a folder, as one text. */
const contentOf = (folder: string): string =>
  readdirSync(folder, { recursive: true })
    .map((name) => path.join(folder, String(name)))
    .filter((file) => statSync(file).isFile() && !/settings\.json|vault\.json/.test(file))
    .map((file) => readFileSync(file, 'latin1'))
    .join('\n');

/** Puts a card to the person and takes it back. */
const ask = async (sessions: Sessions, sessionId: SessionId, text: string): Promise<void> => {
  const withdrawn = new AbortController();
  const card = {
    kind: 'consent',
    title: text,
    detail: text,
    where: text,
    options: [{ optionId: 'once', label: 'Allow', kind: 'allow_once' }],
  } as const;
  const answered = sessions.ask(sessionId, { ...card, options: [...card.options] }, withdrawn.signal);
  withdrawn.abort();
  await answered;
};

const summaryOf = ({ sessionId, name, engine }: SessionView): SessionSummary => sampleSession({ id: sessionId, name, engineName: engine });

/** Plants the secrets; returns a session in a project that is trusted, whose agent has said hello. */
const plant = async (stage: Stage): Promise<SessionId> => {
  await stage.store.secrets.set('fake', 'apiKey', STORED[0] ?? '');
  await stage.store.secrets.set('fake', 'other', STORED[1] ?? '');
  stage.store.settings.change({ engines: { byName: { fake: { env: OF_ENGINE } }, custom: [] } });
  const rootPath = path.join(stage.home, 'project');
  mkdirSync(rootPath);
  writeFileSync(
    path.join(rootPath, '.mcp.json'),
    JSON.stringify({ mcpServers: { one: { command: 'npx', args: MCP_ARGUMENTS, ...OF_MCP } } }),
  );
  stage.store.settings.change({ allowedRoots: [stage.home] });
  const project = { id: 'p' as never, name: 'P', rootPath, createdAt: new Date().toISOString(), updatedAt: new Date().toISOString() };
  stage.store.projects.save(project);
  const { sessionId } = await stage.sessions.dispatch({ type: 'session.create', projectId: project.id, engine: 'fake' });
  const first = stage.turn(sessionId, 'say hello');
  await stage.until(sessionId, ({ requests }) => requests.some(({ request }) => request.kind === 'trust'));
  await stage.answer(sessionId, 'trust');
  await first;
  return sessionId;
};

/** In pieces of one to three characters. */
const piecesOf = (text: string): string[] => {
  const pieces: string[] = [];
  for (let at = 0; at < text.length;) {
    const length = 1 + (pieces.length % 3);
    pieces.push(text.slice(at, at + length));
    at += length;
  }
  return pieces;
};

/** Everything by which an agent can say a secret. */
const sayings = (secret: string, at: number): object[] => {
  const [first = '', ...rest] = piecesOf(secret);
  const [half, other] = [secret.slice(0, secret.length / 2), secret.slice(secret.length / 2)];
  const change = { path: `src/${secret}.txt`, change: 'update', unified: `@@ -1 +1 @@\n-zander\n+${secret}` };
  const request = { kind: 'permission', title: `zander ${secret}`, detail: secret, where: secret, options: [] };
  const tool = { kind: 'tool', tool: 'Bash', toolKind: 'execute' };
  const delta = (itemId: string) => (text: string) => ({ type: 'item.delta', itemId: `${itemId}${at}`, text });
  const begin = (itemId: string, item: object) => ({ type: 'item.started', itemId: `${itemId}${at}`, item });
  const update = (itemId: string, patch: object) => ({ type: 'item.updated', itemId: `${itemId}${at}`, patch });
  const end = (itemId: string, patch = {}) => ({ type: 'item.completed', itemId: `${itemId}${at}`, status: 'completed', patch });
  return [
    begin('begun', { kind: 'message', role: 'assistant', text: `zander ${first}` }),
    ...rest.map(delta('begun')),
    end('begun'),
    begin('thought', { kind: 'thought', text: '' }),
    ...piecesOf(secret).slice(0, -1).map(delta('thought')),
    end('thought'),
    begin('tool', { ...tool, title: first, input: { id: secret, [secret]: { kind: [secret] } }, text: '' }),
    ...piecesOf(secret).map((_, count, pieces) => {
      const text = pieces.slice(0, count + 1).join('');
      return update('tool', { title: text, text: `zander ${text}`, input: { userId: text } });
    }),
    end('tool', { changes: [change] }),
    begin('output', { ...tool, title: 'a command', text: '' }),
    update('output', { text: `zander ${half}` }),
    ...piecesOf(other).map(delta('output')),
    end('output'),
    begin('final', { kind: 'message', role: 'assistant', text: '' }),
    ...piecesOf(secret).map(delta('final')),
    end('final', { text: `zander ${secret}` }),
    begin('plan', { kind: 'plan', entries: [{ content: secret, status: 'pending' }] }),
    { type: 'notice', level: 'warning', text: `zander ${secret}` },
    { type: 'retrying', text: secret },
    { type: 'malformed', line: secret, reason: secret },
    { type: 'request.opened', requestId: `r${at}`, request },
    { type: 'request.withdrawn', requestId: `r${at}` },
  ];
};

const hidden = (told: { events: object[]; lastWords?: string[] }): string => `tell ${Buffer.from(JSON.stringify(told)).toString('base64')}`;

/** What those see who follow a session from now on, by the way in which they do. */
const follow = ({ sessions }: Stage, sessionId: SessionId): Record<'stream' | 'realtime' | 'patches' | 'notifications', unknown[]> => {
  const seen = { stream: [] as unknown[], realtime: [] as unknown[], patches: [] as unknown[], notifications: [] as unknown[] };
  const converter = new RealtimeConverter();
  const patcher = new Patcher(emptyView(sessionId));
  sessions.subscribe(sessionId, (event, view) => {
    seen.stream.push(event);
    seen.realtime.push(...converter.convert(view, event));
    seen.patches.push(...patcher.patchTo(view));
  });
  sessions.subscribeNotices((notice) => seen.notifications.push(notice));
  return seen;
};

/** Everything that is kept or can be asked for afterwards. */
const keptOf = async (stage: Stage, sessionId: SessionId): Promise<Record<string, string>> => {
  const view = stage.sessions.view(sessionId);
  const report = path.join(stage.home, 'report.json');
  await writeReport({ env: {}, paths: stage.paths }, report, []);
  return {
    view: JSON.stringify(view),
    json: printableJson({ items: view.items }),
    markdown: toMarkdown(summaryOf(view), view.items),
    events: JSON.stringify(stage.events(sessionId)),
    search: JSON.stringify(stage.sessions.search(SearchQuery.parse({ q: 'zander', limit: 100 }))),
    audit: JSON.stringify(stage.store.audit.report(1000)),
    report: readFileSync(report, 'utf8'),
    'raw lines': view.turns.flatMap(({ turnId }) => stage.store.rawLines.read(sessionId, turnId)).join('\n'),
    files: contentOf(stage.paths.root),
  };
};

describe('ten planted secrets', () => {
  test('are found nowhere in what is kept, however the agent says them', async ({ stage }) => {
    const sessionId = await plant(stage);
    const said = PLANTED.map((secret) => `It is ${secret}, yes ${secret}.`).join(' ');

    for (const length of [1, 3, 7, 11, 100_000]) await stage.turn(sessionId, `spell ${length} ${codes(said)}`);

    await ask(stage.sessions, sessionId, said);
    const view = stage.sessions.view(sessionId);
    const exported = [printableJson({ items: view.items }), toMarkdown(summaryOf(view), view.items)].join('\n');
    const events = JSON.stringify(stage.events(sessionId));
    const raw = view.turns.flatMap(({ turnId }) => stage.store.rawLines.read(sessionId, turnId)).join('\n');
    const kept = contentOf(stage.paths.root);
    for (const secret of PLANTED) {
      expect(JSON.stringify(view), 'the view').not.toContain(secret);
      expect(exported, 'what is exported').not.toContain(secret);
      expect(events, 'the events').not.toContain(secret);
      expect(raw, 'the raw lines').not.toContain(secret);
      expect(kept, 'the files').not.toContain(secret);
    }
    const clean = PLANTED.map(() => 'It is [secret], yes [secret].').join(' ');
    const texts = view.items.flatMap(({ body }) => (body.kind === 'message' && body.role === 'assistant' ? [body.text] : []));
    expect(texts).toEqual(['hello', ...Array.from({ length: 5 }, () => clean)]);
    const pieces = raw.split('\n').flatMap((line) => /"text":"([^"]*)"/.exec(line)?.[1] ?? []);
    for (const secret of PLANTED) expect(pieces.join(''), 'the raw lines, put together').not.toContain(secret);
  });

  test('are found on no surface, in pieces of one to three characters, wherever an agent can say something', async ({ stage }) => {
    const sessionId = await plant(stage);
    const learned = 'l34rned-while-it-runs';
    await stage.store.secrets.set('steerable', 'apiKey', learned);
    const secrets = [...PLANTED, learned];
    const seen = follow(stage, sessionId);

    const error = { code: 'ENGINE_API_ERROR', message: secrets.join(' '), remedy: learned };
    const failed = { type: 'turn.completed', outcome: 'failed', error };
    await stage.turn(sessionId, hidden({ events: [...secrets.flatMap(sayings), failed] }));
    await stage.turn(sessionId, hidden({ events: [], lastWords: secrets.flatMap((secret) => piecesOf(`${secret} `)) }));
    stage.log.error('planted', { said: secrets.join(' ') });

    const shown = Object.entries(seen).map(([way, told]) => [way, JSON.stringify(told)] as const);
    const places = [...shown, ...Object.entries(await keptOf(stage, sessionId))];
    const leaks = places.flatMap(([place, text]) =>
      secrets.filter((secret) => text.includes(secret)).map((secret) => `${secret} in ${place}`),
    );
    expect(leaks).toEqual([]);
    expect(places.filter(([place, text]) => place !== 'audit' && !text.includes(BLOT)).map(([place]) => place)).toEqual([]);
    const ends = stage.sessions.view(sessionId).turns.map(({ error }) => error?.message ?? '');
    expect(ends.map((message) => message.includes(BLOT))).toEqual([false, true, true]);
  });
});
