/** What a command sees that a real agent runs, and what its token is worth afterwards. */
import { appendFileSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { isDone } from '#test/fixtures/conversation.ts';
import { filesUnder } from '#test/fixtures/installed-agent.ts';
import { createSocketClient } from '#test/fixtures/socket-client.ts';
import { until } from '#test/fixtures/until.ts';
import { leftToWhole, subjects, test } from './engine-stage.ts';

/** Of no engine. */
const PLANTED = ['GITHUB_TOKEN', 'NPM_TOKEN', 'DATABASE_URL', 'PILOTFISH_TOKEN', 'CLAUDECODE', 'CLAUDE_CODE_SSE_PORT'];

describe.for(subjects.filter(({ missing }) => missing.commands === undefined && missing.process === undefined))('$name', (subject) => {
  // What every engine is given of the environment is in finding.test.ts, too.
  const costly = leftToWhole(subject);
  const own = costly === undefined ? test : test.skip;
  const long = costly === undefined ? '' : ` [missing: it ${costly}]`;

  own(`a command of it sees no secret, its token is dead when its session is${long}`, async ({ companion, setUp }) => {
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
