/** An agent of the user's own, added by name: claude behind its ACP adapter, through the built executable. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { agents } from '#test/fixtures/agents.ts';
import { isDaemon } from '#test/fixtures/companion.ts';
import { answerNext, answerOf, isDone, lastTurn } from '#test/fixtures/conversation.ts';
import { createGate } from '#test/fixtures/gate.ts';
import { cliVersion } from '#test/fixtures/clis.ts';
import { connectBrowserDouble, DOUBLE_PAGE } from '#test/fixtures/browser-double.ts';
import { waitForTranscript } from '#test/fixtures/installed-agent.ts';
import { isWhole } from '#test/fixtures/whole.ts';
import { checkEngine, test } from './acp-stage.ts';

const NAME = 'claude-agent-acp';
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const { tools } = agents.claude;

describe('an agent added by name', () => {
  test(
    'is checked when it is added, with its version, models and modes, and removed again',
    { tags: 'whole' },
    async ({ add, companion, home }) => {
      await add(NAME, { isByCommandLine: true });

      const info = await checkEngine(companion, 'mine');
      const { stdout: doctor } = await companion.run(['doctor']);
      const removed = await companion.run(['engine', 'remove', 'mine']);

      expect(info).toMatchObject({ status: 'ready', version: cliVersion(NAME), isCustom: true });
      expect(info.models.map(({ modelId }) => modelId)).toContain('sonnet');
      expect(info.models[0]?.efforts).toContain('high');
      expect(info.modes.map(({ modeId }) => modeId)).toEqual(['default', 'acceptEdits', 'plan', 'auto']);
      expect(doctor).toMatch(/^\[ok\] +Agent: mine 0\.100\.0 is ready, /m);
      expect(removed.stdout).not.toContain('mine');
      await home.waitForProcesses((list) => list.every(isDaemon));
    },
  );

  test('looks at a page, and clicks when it is allowed to', async ({ add, companion, skip }) => {
    skip(!isWhole, 'as every other agent does: npm run test:whole');
    const { model, converse } = await add(NAME);
    const call = (tool: string, input: Record<string, unknown>) => tools.mcp('pilotfish', tool, input);
    model.script('look at it', { parts: [call('browser_snapshot', {})] }, ({ toolText }) => ({
      parts: [{ text: `It said: ${toolText}` }],
    }));
    model.script('click on it', { parts: [call('browser_click', { element: 'Buy', target: 'e1' })] }, ({ toolText }) => ({
      parts: [{ text: `It said: ${toolText}` }],
    }));
    const browser = await connectBrowserDouble(companion);
    const conversation = await converse();

    await conversation.act('look at it');
    const looked = await conversation.waitFor((view) => view.turns.length === 1 && isDone(view));
    expect(answerOf(looked)).toContain(`browser_snapshot was done on ${DOUBLE_PAGE.title}`);
    expect(conversation.events().some(({ type }) => type === 'request.opened')).toBe(false);

    await conversation.act('click on it');
    await answerNext(companion, conversation, 'reject');
    const denied = await conversation.waitFor((view) => view.turns.length === 2 && isDone(view));
    expect(answerOf(denied)).toContain('CONSENT_DENIED');

    await conversation.act('click on it, please');
    await answerNext(companion, conversation, 'allow_once');
    const allowed = await conversation.waitFor((view) => view.turns.length === 3 && isDone(view));
    browser.close();
    expect(browser.calls.map(({ name }) => name)).toEqual(['browser_snapshot', 'browser_click']);
    expect(allowed.items.flatMap(({ body }) => (body.kind === 'tool' ? [body.toolKind] : []))).toEqual(['browser', 'browser', 'browser']);
  });

  test('asks before a command: denied, it does not run; allowed, it does', async ({ add, companion, skip }) => {
    skip(!isWhole, 'as the other one added by name does, in acp-services.test.ts: npm run test:whole');
    const { model, converse } = await add(NAME);
    model.script('make a file', { parts: [tools.shell('touch made.txt && echo made')] }, { parts: [{ text: 'So it is.' }] });
    const conversation = await converse();
    const made = path.join(conversation.rootPath, 'made.txt');

    await conversation.act('make a file');
    await answerNext(companion, conversation, 'reject');
    await conversation.waitFor((view) => view.turns.length === 1 && isDone(view));
    expect(existsSync(made)).toBe(false);

    await conversation.act('make a file, please');
    await answerNext(companion, conversation, 'allow_once');
    const view = await conversation.waitFor((next) => next.turns.length === 2 && isDone(next));
    expect(existsSync(made)).toBe(true);
    const calls = view.items.flatMap(({ body, status }) => (body.kind === 'tool' ? [{ status, text: body.text }] : []));
    expect(calls.map(({ status }) => status)).toEqual(['denied', 'completed']);
    expect(calls[1]?.text).toBe('made');
  });

  test('takes an image, its model and its mode, and shows its plan', async ({ add, skip }) => {
    skip(!isWhole, 'the recordings have all of it: npm run test:whole');
    const { model, converse } = await add(NAME);
    model.script(
      'plan what you see',
      { parts: [tools.plan?.([{ content: 'Look', status: 'in_progress' }]) ?? { text: '' }] },
      ({ body, model: asked }) => ({ parts: [{ text: `${asked} got ${JSON.stringify(body).split('"type":"image"').length - 1} image` }] }),
    );
    const conversation = await converse({ model: 'haiku', permissionMode: 'acceptEdits' });

    const image = { type: 'screenshot', name: 'Shot', mimeType: 'image/png', dataBase64: PNG };
    await conversation.act('plan what you see', { attachments: [image] });
    const view = await conversation.waitFor(isDone);

    expect(lastTurn(view)).toMatchObject({ status: 'completed', error: null });
    expect(answerOf(view)).toMatch(/haiku.* got 1 image/);
    expect(view.items.flatMap(({ body }) => (body.kind === 'plan' ? body.entries : []))).toEqual([
      { content: 'Look', status: 'in_progress' },
    ]);
    expect(view.items.some(({ body }) => body.kind === 'notice')).toBe(false);
  });

  test('is stopped in its answer, killed with the daemon, and resumes what was said', async ({ add, companion, home, skip }) => {
    skip(!isWhole, 'as every other agent does: npm run test:whole');
    const { model, converse, daemon } = await add(NAME);
    const gate = createGate();
    model.script('remember albatross', { parts: [{ text: 'I will.' }, { gate }] });
    model.script('another story', { parts: [{ text: 'Twice upon a time' }, { gate: createGate() }] });
    model.script('go on', { parts: [{ text: 'Here I am again.' }] });
    const conversation = await converse();

    await conversation.act('remember albatross');
    await conversation.waitFor((view) => answerOf(view).includes('I will.'));
    await companion.api.send('DELETE', `/agent/chat/${conversation.sessionId}/cancel`);
    const stopped = await conversation.waitFor(isDone);
    expect(lastTurn(stopped)?.status).toBe('cancelled');
    await waitForTranscript(home, 'remember albatross');

    await conversation.act('another story');
    await conversation.waitFor((view) => answerOf(view).includes('Twice upon a time'));
    process.kill(daemon, 'SIGKILL');
    await home.waitForProcesses((list) => list.every(({ pid }) => pid !== daemon));
    await companion.startDaemon();
    conversation.reconnect();
    const cut = await conversation.waitFor((view) => view.turns.length === 2 && isDone(view));
    expect(lastTurn(cut)?.status).toBe('interrupted');
    await home.waitForProcesses((list) => list.every(isDaemon));

    const before = model.requests.length;
    await conversation.act('go on');
    const resumed = await conversation.waitFor((view) => view.turns.length === 3 && isDone(view));
    expect(answerOf(resumed)).toContain('Here I am again.');
    expect(JSON.stringify(model.requests.slice(before).map(({ messages }) => messages))).toContain('albatross');
  });
});
