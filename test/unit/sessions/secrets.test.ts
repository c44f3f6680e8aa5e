/** No secret that the daemon knows of gets into the history, the raw lines, the log, a card or an export, whole or in pieces. */
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import type { SessionSummary } from '#protocol/api.ts';
import type { SessionId } from '#protocol/ids.ts';
import type { SessionView } from '#protocol/view.ts';
import { printableJson } from '#display/plain-text.ts';
import { toMarkdown } from '#protocol/session-markdown.ts';
import type { Sessions } from '#companion/sessions/sessions.ts';
import { sampleSession } from '#test/fixtures/samples.ts';
import { test } from './stage.ts';

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

describe('ten planted secrets', () => {
  test('are found nowhere in what is kept, however the agent says them', async ({ stage }) => {
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
    const said = PLANTED.map((secret) => `It is ${secret}, yes ${secret}.`).join(' ');

    const first = stage.turn(sessionId, `spell 100000 ${codes(said)}`);
    await stage.until(sessionId, ({ requests }) => requests.some(({ request }) => request.kind === 'trust'));
    await stage.answer(sessionId, 'trust');
    await first;
    for (const length of [1, 3, 7, 11]) await stage.turn(sessionId, `spell ${length} ${codes(said)}`);

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
    expect(texts).toEqual(Array.from({ length: 5 }, () => clean));
    const pieces = raw.split('\n').flatMap((line) => /"text":"([^"]*)"/.exec(line)?.[1] ?? []);
    for (const secret of PLANTED) expect(pieces.join(''), 'the raw lines, put together').not.toContain(secret);
  });
});
