/** Background tasks with the real claude, from the model's call to the stop button's route. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import type { SessionView } from '#protocol/view.ts';
import { backgroundTasks, isUnasked } from '#protocol/view.ts';
import type { Companion } from '#test/fixtures/companion.ts';
import { answerOf, startConversation, type Conversation } from '#test/fixtures/conversation.ts';
import { test } from '#test/fixtures/world.ts';

const FINISHED = '<task-notification>';

const isIdle = (view: SessionView): boolean => view.status === 'idle' && view.turns.length > 0;

/** Starts the command in the background, with the user's permission. */
const runInBackground = async (companion: Companion, conversation: Conversation): Promise<void> => {
  await conversation.act('serve it');
  const { requests } = await conversation.waitFor((view) => view.requests.length > 0);
  const [request] = requests;
  const { status } = await companion.api.send(
    'POST',
    `/api/agent-sessions/${conversation.sessionId}/requests/${request?.requestId}`,
    { optionId: request?.request.options.find(({ kind }) => kind === 'allow_once')?.optionId },
  );
  expect(status).toBeLessThan(300);
};

describe('a command in the background', () => {
  test('outlives its turn, and its end brings a turn nobody asked for', async ({ companion, home, model }) => {
    home.installClaude(model.url);
    const command = 'until [ -e go ]; do sleep 0.1; done; echo served; exit 3';
    model.script(FINISHED, { parts: [{ text: 'The server has ended.' }] });
    model.script(
      'serve it',
      { parts: [{ tool: 'Bash', input: { command, description: 'Serve', run_in_background: true } }] },
      { parts: [{ text: 'It runs.' }] },
    );
    model.script('go on', { parts: [{ tool: 'Bash', input: { command: 'echo > go', description: 'Let it go' } }] }, { parts: [{ text: 'Let go.' }] });
    await companion.startDaemon();
    const conversation = await startConversation(companion, { settings: { options: { allowedTools: ['Bash'] } } });
    await runInBackground(companion, conversation);

    const running = await conversation.waitFor((view) => isIdle(view) && backgroundTasks(view).length === 1);
    expect(running.turns.map(({ status }) => status)).toEqual(['completed']);
    await conversation.act('go on');
    await conversation.waitFor((view) => view.requests.length > 0);
    const { requestId, request } = conversation.view().requests[0] ?? {};
    await companion.api.send('POST', `/api/agent-sessions/${conversation.sessionId}/requests/${requestId}`, {
      optionId: request?.options.find(({ kind }) => kind === 'allow_once')?.optionId,
    });
    const view = await conversation.waitFor((seen) => isIdle(seen) && backgroundTasks(seen).length === 0 && answerOf(seen).includes('has ended'));

    expect(view.items.find(({ itemId }) => itemId === backgroundTasks(running)[0]?.itemId)).toMatchObject({
      status: 'failed',
      body: { exitCode: 3, text: expect.stringContaining('served') },
    });
    expect(view.turns.some(isUnasked)).toBe(true);
    conversation.close();
  });
});
