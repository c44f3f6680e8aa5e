/** Agent and daemon killed while a command of the agent runs: nothing of it goes on, though nobody comes after them. */
import { beforeEach, describe, expect } from 'vitest';
import { startConversation } from '#test/fixtures/conversation.ts';
import { test } from '#test/fixtures/stage.ts';
import { SLACK_MS } from '#test/fixtures/limits.ts';

/** Claude puts each command into a group of its own; this one would go on for hours. */
const COMMAND = 'sleep 7331';
const script = { parts: [{ tool: 'Bash', input: { command: `echo begun; ${COMMAND}`, description: 'Wait' } }] };

const isCommand = ({ command }: { command: string }): boolean => command === COMMAND;
const isAgent = ({ command }: { command: string }): boolean => command.includes('--input-format');

describe('nothing keeps running', () => {
  beforeEach(({ skip }) => skip(process.platform !== 'linux', 'processes are found by their environment in /proc'));

  test('when the daemon is killed and no other one comes', async ({ companion, home, model }) => {
    home.installClaude(model.url);
    model.script('wait', script);
    const daemon = await companion.startDaemon();
    const conversation = await startConversation(companion);
    await conversation.act('wait');
    await home.waitForProcesses((list) => list.some(isCommand));

    process.kill(daemon, 'SIGKILL');

    await home.waitForProcesses((list) => list.length === 0, 5_000 + SLACK_MS);
    conversation.close();
  });

  test('when the agent is killed, and the next turn works', async ({ companion, home, model }) => {
    home.installClaude(model.url);
    model.script('wait', script);
    model.script('go on', { parts: [{ text: 'Here I am again.' }] });
    await companion.startDaemon();
    const conversation = await startConversation(companion);
    await conversation.act('wait');
    await home.waitForProcesses((list) => list.some(isCommand));

    for (const { pid } of home.processes().filter(isAgent)) process.kill(pid, 'SIGKILL');

    await home.waitForProcesses((list) => !list.some((found) => isCommand(found) || isAgent(found)), 5_000 + SLACK_MS);
    await conversation.waitFor((view) => view.turns[0]?.status === 'failed');
    await conversation.act('go on');
    const view = await conversation.waitFor(({ turns }) => turns[1]?.durationMs !== null && turns[1] !== undefined);
    expect(view.turns[1]?.status).toBe('completed');
    conversation.close();
  });
});
