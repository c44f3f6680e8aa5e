/** Files and commands of an agent that leaves them to its client: done by us, in the project only, and gone with the turn. */
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import type { SessionView } from '#protocol/view.ts';
import { isDaemon } from '#test/fixtures/companion.ts';
import { answerNext, answerOf, isDone, lastTurn } from '#test/fixtures/conversation.ts';
import type { Part } from '#test/fixtures/model-server.ts';
import { until } from '#test/fixtures/until.ts';
import { isWhole } from '#test/fixtures/whole.ts';
import { outsideOf, test } from './acp-stage.ts';

/** Its tools, each a service we do for it. */
const read = (file: string): Part => ({ tool: 'mcp__acp__Read', input: { file_path: file } });
const write = (file: string, content: string): Part => ({ tool: 'mcp__acp__Write', input: { file_path: file, content } });
const edit = (file: string, before: string, after: string): Part => ({
  tool: 'mcp__acp__Edit',
  input: { file_path: file, old_string: before, new_string: after },
});
const run = (command: string): Part => ({ tool: 'mcp__acp__Bash', input: { command, description: 'a command', timeout: 60_000 } });

const callsOf = (view: SessionView) => view.items.flatMap(({ body, status }) => (body.kind === 'tool' ? [{ ...body, status }] : []));

describe('an agent that works through its client', () => {
  test('makes, reads and changes files of the project', async ({ add, companion, skip }) => {
    skip(!isWhole, 'what it may not reach goes the same way: npm run test:whole');
    const { model, converse } = await add('claude-code-acp');
    const conversation = await converse();
    const file = path.join(conversation.rootPath, 'deep', 'note.txt');
    model.script(
      'write it',
      { parts: [write(file, 'line one\nline two\n')] },
      { parts: [edit(file, 'line two', 'line 2')] },
      { parts: [read(file)] },
      ({ toolText }) => ({ parts: [{ text: `It has: ${toolText}` }] }),
    );

    await conversation.act('write it');
    await answerNext(companion, conversation, 'allow_once');
    await answerNext(companion, conversation, 'allow_once');
    const view = await conversation.waitFor(isDone);

    expect(readFileSync(file, 'utf8')).toBe('line one\nline 2\n');
    expect(answerOf(view)).toContain('line one\nline 2');
    expect(callsOf(view).map(({ toolKind, status }) => [toolKind, status])).toEqual([
      ['edit', 'completed'],
      ['edit', 'completed'],
      ['read', 'completed'],
    ]);
    expect(callsOf(view)[0]?.changes?.[0]).toMatchObject({ path: file, change: 'add' });
  });

  test('reaches nothing outside, by path, by dots or by links', { tags: 'whole' }, async ({ add, companion, home }) => {
    const { model, converse } = await add('claude-code-acp');
    const conversation = await converse({ permissionMode: 'acceptEdits' });
    const outside = outsideOf(home);
    writeFileSync(path.join(outside, 'secret'), 'the secret');
    symlinkSync(outside, path.join(conversation.rootPath, 'link'));
    const ways = [
      path.join(outside, 'secret'),
      `${conversation.rootPath}/../outside/secret`,
      path.join(conversation.rootPath, 'link/secret'),
    ];
    model.script('get out', ...ways.flatMap((way) => [{ parts: [read(way)] }, { parts: [write(way, 'changed')] }]), ({ body }) => ({
      parts: [{ text: JSON.stringify(body['messages']).includes('the secret') ? 'Got it.' : 'No way.' }],
    }));

    await conversation.act('get out');
    while (!isDone(await conversation.waitFor((view) => isDone(view) || view.requests.length > 0))) {
      await answerNext(companion, conversation, 'allow_once');
    }
    const view = conversation.view();

    expect(readFileSync(path.join(outside, 'secret'), 'utf8')).toBe('the secret');
    expect(answerOf(view)).toContain('No way.');
    // It shows each of them as done; the refusals are told beside them.
    const notices = view.items.flatMap(({ body }) => (body.kind === 'notice' ? [body.text] : []));
    expect(notices).toHaveLength(ways.length);
    for (const way of ways) expect(notices.join('\n')).toContain(way);
  });

  test('runs a command when it may, in the project, with its output in the call', async ({ add, companion, skip }) => {
    skip(!isWhole, 'as every other agent does, and the process is ended by unit tests: npm run test:whole');
    const { model, converse } = await add('claude-code-acp');
    model.script('run it', { parts: [run('pwd; echo done > made.txt; seq 1 20000; exit 3')] }, { parts: [{ text: 'It ran.' }] });
    const refused = await converse();
    const conversation = await converse();
    const made = path.join(conversation.rootPath, 'made.txt');

    await refused.act('run it');
    await answerNext(companion, refused, 'reject');
    await refused.waitFor(isDone);
    expect(existsSync(made)).toBe(false);

    await conversation.act('run it');
    await answerNext(companion, conversation, 'allow_once');
    const view = await conversation.waitFor(isDone);

    expect(existsSync(made)).toBe(true);
    const [call] = callsOf(view);
    expect(call).toMatchObject({ toolKind: 'execute', exitCode: 3 });
    // It asks for the last 32,000 bytes and no more.
    expect(call?.text).toMatch(/\n19999\n20000\n/);
    expect(Buffer.byteLength(call?.text ?? '')).toBeLessThan(40_000);
    expect(call?.text).not.toContain(conversation.rootPath);
  });

  test('its command ends with the turn that is stopped, and with the daemon that is killed', async ({ add, companion, home, skip }) => {
    skip(!isWhole, 'as the commands of every other agent do: npm run test:whole');
    const { model, converse, daemon } = await add('claude-code-acp');
    model.script('follow it', { parts: [run('tail -f /dev/null & tail -f /dev/null')] }, { parts: [{ text: 'It has ended.' }] });
    const conversation = await converse();
    const tails = () => home.processes().filter(({ command }) => command === 'tail -f /dev/null');

    await conversation.act('follow it');
    await answerNext(companion, conversation, 'allow_once');
    await until(() => tails().length === 2, { what: 'the command' });
    await companion.api.send('DELETE', `/agent/chat/${conversation.sessionId}/cancel`);
    const stopped = await conversation.waitFor(isDone);
    expect(lastTurn(stopped)?.status).toBe('cancelled');
    await home.waitForProcesses(() => tails().length === 0);

    const next = await converse();
    await next.act('follow it');
    await answerNext(companion, next, 'allow_once');
    await until(() => tails().length === 2, { what: 'the command' });
    process.kill(daemon, 'SIGKILL');
    await home.waitForProcesses((list) => list.length === 0);
    expect(home.processes().filter(isDaemon)).toEqual([]);
  });
});
