/** What a command sees that a real agent runs, what its token is worth afterwards, and what the doors of the built daemon tell of a stored key. */
import { appendFileSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import jsonPatch, { type Operation } from 'fast-json-patch';
import { describe, expect } from 'vitest';
import { WebSocket } from 'ws';
import { isDone } from '#test/fixtures/conversation.ts';
import { filesUnder } from '#test/fixtures/installed-agent.ts';
import { createSocketClient } from '#test/fixtures/socket-client.ts';
import type { Companion } from '#test/fixtures/companion.ts';
import { test as plain } from '#test/fixtures/stage.ts';
import { until } from '#test/fixtures/until.ts';
import { WHOLE } from '#test/fixtures/whole.ts';
import { leftToWhole, subjects, test } from './engine-stage.ts';

/** Of no engine. */
const PLANTED = ['GITHUB_TOKEN', 'NPM_TOKEN', 'DATABASE_URL', 'PILOTFISH_TOKEN', 'CLAUDECODE', 'CLAUDE_CODE_SSE_PORT'];

describe.for(subjects.filter(({ missing }) => missing.commands === undefined && missing.process === undefined))('$name', (subject) => {
  // What every engine is given of the environment is in finding.test.ts, too.
  const costly = leftToWhole(subject);
  const own = costly === undefined ? test : test.skip;
  const long = costly === undefined ? '' : ` [missing: it ${costly}]`;

  const tags = subject.name === 'claude' ? [] : [WHOLE.name];
  own(`a command of it sees no secret, its token is dead when its session is${long}`, { tags }, async ({ companion, setUp }) => {
    const { model, agent, converse } = await setUp(subject, { isOverheard: true });
    // Codex has its commands run by a login shell: what that one's own profile says is not of us.
    appendFileSync(
      path.join(companion.home.dir, '.bash_profile'),
      PLANTED.map((name) => `[ -n "$PILOTFISH_RUN" ] || export ${name}=planted-${name}\n`).join(''),
    );
    model.script('look around', { parts: [subject.shell('env > seen.txt')] }, { parts: [{ text: 'Seen.' }] });
    const conversation = await converse();
    const seen = path.join(conversation.rootPath, 'seen.txt');

    await conversation.act('look around');
    await conversation.waitFor((view) => view.requests.length > 0);
    const token = tokenIn([agent?.said() ?? '', ...[...filesUnder(companion.paths.runsDir).values()].map(String)]);
    const status = (await companion.api.send('GET', '/api/status')).json as { port: number };
    const loopback = createSocketClient(status.port);
    const knock = async () =>
      (await loopback.send('POST', '/mcp', { jsonrpc: '2.0', id: 1, method: 'ping' }, { authorization: `Bearer ${token}` })).status;
    const alive = await knock();
    const [open] = conversation.view().requests;
    const allow = open?.request.options.find(({ kind }) => kind === 'allow_once');
    await companion.api.send('POST', `/api/agent-sessions/${conversation.sessionId}/requests/${open?.requestId}`, {
      optionId: allow?.optionId,
    });
    await conversation.waitFor(isDone);
    await companion.api.send('DELETE', `/api/agent-sessions/${conversation.sessionId}`);

    const environment = readFileSync(seen, 'utf8');
    expect(environment).toContain('HOME=');
    expect(environment).not.toContain(token);
    expect(environment).not.toContain('planted-');
    expect(alive).not.toBe(401);
    expect(await until(async () => (await knock()) === 401, { what: 'the end of the token' })).toBe(true);
    expect([...filesUnder(companion.home.dir)].filter(([, content]) => content.includes(token)).map(([file]) => file)).toEqual([]);
  });
});

/** The token of the run: said to the agent, or in the file it was given. */
const tokenIn = (texts: readonly string[]): string => {
  const found = texts.map((text) => /Bearer ([\w-]{43})/.exec(text)?.[1]).find((token) => token !== undefined);
  if (found === undefined) throw new Error('no token was given to the agent');
  return found;
};

const STORED = 'sk-stored-key-4711-of-ann';

/** The texts in what came, one after the other: a secret may be cut in two anywhere. */
const textsIn = (value: unknown): string =>
  typeof value === 'string'
    ? value
    : typeof value === 'object' && value !== null
      ? Object.entries(value)
          .filter(([name]) => ['text', 'content', 'value', 'data', 'delta', 'patch', 'message'].includes(name) || /^\d+$/.test(name))
          .map(([, part]) => textsIn(part))
          .join('')
      : '';

/** Everybody who can follow a session over the wire, as bytes and as the text that a reader puts together. */
const followAll = (companion: Companion, sessionId: string, signal: AbortSignal) => {
  const streams = [`/agent/chat/${sessionId}/stream`, `/api/agent-sessions/${sessionId}/events`].map((url) => ({ url, raw: '', text: '' }));
  for (const stream of streams)
    void (async () => {
      for await (const event of companion.api.events(stream.url, signal)) {
        stream.raw += JSON.stringify(event);
        stream.text += textsIn(event.data);
      }
    })().catch(() => null);
  const patches = { url: 'patches', raw: '', text: '' };
  const document = { entries: [] as unknown[], status: 'idle' };
  const socket = new WebSocket(`ws+unix:${companion.paths.socket}:/api/agent-sessions/${sessionId}/stream`, 'pilotfish.v1');
  socket.on('error', () => null);
  socket.on('message', (data: Buffer) => {
    const message = JSON.parse(data.toString()) as { JsonPatch?: Operation[] };
    if (message.JsonPatch !== undefined) jsonPatch.applyPatch(document, message.JsonPatch, true);
    patches.raw += data.toString();
    patches.text = JSON.stringify(document);
  });
  signal.addEventListener('abort', () => socket.terminate());
  return [...streams, patches];
};

describe('a stored key that an agent says letter by letter', () => {
  plain('is told by no door of the daemon, to nobody who follows and to nobody who asks later', async ({ companion }) => {
    const agent = path.join(import.meta.dirname, '..', 'fixtures', 'echo-agent-double.sh');
    const custom = [{ name: 'echo', command: '/bin/bash', args: [agent, path.join(companion.home.dir, 'notes')], dialect: 'acp' }];
    companion.writeSettings({ engines: { byName: { echo: { env: { SERVICE_KEY: STORED } } }, custom } });
    await companion.startDaemon();
    const made = async (url: string, body: unknown): Promise<Record<string, { id: string }>> =>
      (await companion.api.send('POST', url, body)).json as Record<string, { id: string }>;
    const rootPath = path.join(companion.home.dir, 'project');
    mkdirSync(rootPath);
    const projectId = (await made('/agent/projects', { name: 'Test', rootPath }))['project']?.id;
    const id = (await made(`/agent/projects/${projectId}/sessions`, { engineName: 'echo' }))['session']?.id ?? '';
    const over = new AbortController();
    const followers = followAll(companion, id, over.signal);
    const spelled = Array.from(`zander,${STORED},yes,`).join('.');

    await companion.api.send('POST', `/api/agent-sessions/${id}/turns`, { text: `spell one ${spelled}` });

    const isTold = ({ text, raw }: { text: string; raw: string }): boolean =>
      `${text}${raw}`.includes('[secret]') && /echo one|echo spell/.test(raw);
    await until(() => followers.every(isTold), { what: 'the whole answer at each door' });
    over.abort();
    const later = await Promise.all(
      [
        `/agent/chat/${id}/history`,
        `/agent/chat/${projectId}/messages`,
        `/api/agent-sessions/${id}`,
        `/api/agent-sessions/${id}/export`,
        '/agent/search?q=zander',
      ].map(async (url) => ({ url, raw: (await companion.api.send('GET', url)).text, text: '' })),
    );
    const stored = [...filesUnder(companion.paths.root)].filter(([file]) => !/settings\.json/.test(file));
    const leaks = [...followers, ...later].filter(({ raw, text }) => raw.includes(STORED) || text.includes(STORED));
    expect(leaks.map(({ url }) => url)).toEqual([]);
    expect(later.filter(({ raw }) => !raw.includes('[secret]')).map(({ url }) => url)).toEqual([]);
    expect(stored.filter(([, content]) => content.includes(STORED)).map(([file]) => file)).toEqual([]);
  });
});
