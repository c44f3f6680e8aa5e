/** Background tasks with the real Claude Code, from the model's call to their end. */
import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { backgroundTasks, isUnasked, type SessionView } from '#protocol/view.ts';
import { answerOf, startConversation } from '#test/fixtures/conversation.ts';
import { createGate } from '#test/fixtures/gate.ts';
import type { ModelServer } from '#test/fixtures/model-server.ts';
import { createOpenApiClient } from '#test/fixtures/openapi-client.ts';
import { openTerminal } from '#test/fixtures/terminal.ts';
import { until } from '#test/fixtures/until.ts';
import { test } from '#test/fixtures/stage.ts';
import { isWhole } from '#test/fixtures/whole.ts';

const SETTINGS = { settings: { allowedTools: ['Bash'] } };

const isIdle = (view: SessionView): boolean => view.status === 'idle' && view.turns.length > 0;
const runsInBackground = (view: SessionView): boolean => isIdle(view) && backgroundTasks(view).length === 1;

/** The turn of its end is over, and its output was read: one does not wait for the other. */
const hasEnded = (view: SessionView): boolean => isIdle(view) && view.turns.length === 2 && backgroundTasks(view).length === 0;

/** A model that starts `command` in the background, and says so of its end. */
const scriptServer = (model: ModelServer, command: string): void => {
  model.script('<task-notification>', { parts: [{ text: 'The server has ended.' }] });
  model.script(
    'serve it',
    { parts: [{ tool: 'Bash', input: { command, description: 'Serve', run_in_background: true } }] },
    { parts: [{ text: 'It runs.' }] },
  );
};

describe('a command that claude runs in the background', () => {
  test('outlives its turn, and its end brings a turn that nobody asked for', async ({ companion, home, model }) => {
    home.installClaude(model.url);
    scriptServer(model, 'until [ -e go ]; do sleep 0.1; done; echo served; exit 3');
    await companion.startDaemon();
    const conversation = await startConversation(companion, SETTINGS);

    await conversation.act('serve it');
    const running = await conversation.waitFor(runsInBackground);
    writeFileSync(path.join(conversation.rootPath, 'go'), '');
    const view = await conversation.waitFor(hasEnded);

    expect(running.turns.map(({ status }) => status)).toEqual(['completed']);
    expect(view.items.find(({ itemId }) => itemId === backgroundTasks(running)[0]?.itemId)).toMatchObject({
      status: 'failed',
      body: { exitCode: 3, text: expect.stringContaining('served') },
    });
    expect(view.turns.map(isUnasked)).toEqual([false, true]);
    expect(answerOf(view)).toContain('The server has ended.');
    conversation.close();
  });

  test('what it has written is read before it ends, and shown at its end', async ({ companion, home, model, skip }) => {
    skip(!isWhole, 'the panel shows it as well, in panel-cards.spec.ts: npm run test:whole');
    home.installClaude(model.url);
    scriptServer(model, 'echo listening on 8080; until [ -e go ]; do sleep 0.1; done; echo served');
    await companion.startDaemon();
    const conversation = await startConversation(companion, SETTINGS);
    await conversation.act('serve it');
    const [task] = backgroundTasks(await conversation.waitFor(runsInBackground));
    const url = `/api/agent-sessions/${conversation.sessionId}/items/${task?.itemId}/output`;
    const read = async () => companion.api.send('GET', url);

    await until(async () => JSON.stringify((await read()).json).includes('listening'));
    const api = createOpenApiClient((await companion.api.send('GET', '/openapi.json')).text, companion.api);
    const output = await api.call('readTask', { path: { sessionId: conversation.sessionId, itemId: task?.itemId ?? '' } });
    expect(output).toEqual({ text: 'listening on 8080\n', totalBytes: 18, isTruncated: false });
    expect(backgroundTasks(conversation.view())).toHaveLength(1);
    writeFileSync(path.join(conversation.rootPath, 'go'), '');
    const view = await conversation.waitFor(hasEnded);

    expect(view.items.find(({ itemId }) => itemId === task?.itemId)).toMatchObject({
      status: 'completed',
      body: { text: expect.stringMatching(/listening on 8080\n.*served/) },
    });
    expect(await read()).toMatchObject({ status: 404, json: { code: 'TASK_NOT_RUNNING' } });
    conversation.close();
  });

  test('ends when it is stopped by itself, while the conversation goes on', async ({ companion, home, model, skip }) => {
    skip(!isWhole, 'the panel stops one as well, in panel-cards.spec.ts: npm run test:whole');
    home.installClaude(model.url);
    scriptServer(model, 'touch runs; trap "touch ended" EXIT; until false; do sleep 0.1; done');
    model.script('hello', { parts: [{ text: 'Hello.' }] });
    await companion.startDaemon();
    const conversation = await startConversation(companion, SETTINGS);
    const inProject = (name: string): boolean => existsSync(path.join(conversation.rootPath, name));
    await conversation.act('serve it');
    const [task] = backgroundTasks(await conversation.waitFor(runsInBackground));
    await until(async () => inProject('runs'));

    const url = `/api/agent-sessions/${conversation.sessionId}/tasks/${task?.itemId}`;
    const api = createOpenApiClient((await companion.api.send('GET', '/openapi.json')).text, companion.api);
    await api.call('stopTask', { path: { sessionId: conversation.sessionId, itemId: task?.itemId ?? '' } });
    await conversation.waitFor((view) => backgroundTasks(view).length === 0);
    const again = await companion.api.send('DELETE', url);
    await conversation.act('hello');
    const view = await conversation.waitFor((seen) => isIdle(seen) && answerOf(seen).includes('Hello.'));

    expect(again).toMatchObject({ status: 404, json: { code: 'TASK_NOT_RUNNING' } });
    expect(view.items.find(({ itemId }) => itemId === task?.itemId)?.status).toBe('cancelled');
    expect(view.turns.map(({ status: ended }) => ended)).toEqual(['completed', 'completed']);
    await until(async () => inProject('ended'));
    conversation.close();
  });

  test(
    'is seen in the terminal while outputs are open, and stopped there by a key, while a turn goes on',
    { tags: 'whole' },
    async ({ companion, home, model }) => {
      home.installClaude(model.url);
      // The words are put together by the shell: what is shown of the command is not what it writes.
      scriptServer(model, 'echo "<b>tide</b> at $((3 + 4)) metres"; until [ -e the-tide-is-out ]; do sleep 0.2; done');
      const gate = createGate();
      model.script('write on', { parts: [{ text: 'The first half' }, { gate }, { text: ' and the second.' }] });
      const written = '<b>tide</b> at 7 metres';
      const serves = (): boolean => home.processes().some(({ command }) => command.includes('the-tide-is-out'));
      await companion.startDaemon();
      const conversation = await startConversation(companion, SETTINGS);
      await conversation.act('serve it');
      const running = await conversation.waitFor(runsInBackground);
      await until(serves, { what: 'the command' });
      await conversation.act('write on');
      using terminal = openTerminal([companion.executable], { env: companion.env, cwd: home.dir, columns: 140, rows: 40 });

      await terminal.waitFor('The first half');
      await terminal.waitFor('1 in the background: B stops it');
      expect(terminal.screen()).not.toContain(written);
      terminal.press('o');
      await terminal.waitFor(written);
      terminal.press('B');
      await terminal.waitFor(/■ Run: echo/);
      await until(() => !serves(), { what: 'the end of the command' });
      await until(() => !terminal.screen().includes('in the background'), { what: 'the screen to say so' });
      expect(conversation.view().turns.at(-1)?.status).toBe('running');
      gate.open();
      await terminal.waitFor('and the second.');

      const view = await conversation.waitFor(({ status }) => status === 'idle');
      expect(view.items.find(({ itemId }) => itemId === backgroundTasks(running)[0]?.itemId)?.status).toBe('cancelled');
      expect(view.turns.map(({ status }) => status)).not.toContain('cancelled');
      terminal.press('q');
      conversation.close();
    },
  );
});
