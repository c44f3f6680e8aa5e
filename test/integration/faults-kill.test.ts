/** Agent and daemon killed while something of the agent's runs: nothing of it goes on, though nobody comes after them. */
import { beforeEach, describe, expect } from 'vitest';
import { startConversation } from '#test/fixtures/conversation.ts';
import { countsOf, tellFigure, times } from '#test/fixtures/figures.ts';
import { emptyVerdict } from '#test/fixtures/ledger.ts';
import { LedgerStage } from '#test/fixtures/ledger-stage.ts';
import { signal } from '#test/fixtures/signal.ts';
import { test } from '#test/fixtures/stage.ts';
import { SLACK_MS } from '#test/fixtures/limits.ts';

/** Claude puts each command into a group of its own; this one would go on for hours. */
const COMMAND = 'sleep 7331';
const script = { parts: [{ tool: 'Bash', input: { command: `echo begun; ${COMMAND}`, description: 'Wait' } }] };

/** By which a daemon is ended; by the last one when native code fails. */
const ENDS: readonly NodeJS.Signals[] = ['SIGKILL', 'SIGTERM', 'SIGSEGV'];

const isCommand = ({ command }: { command: string }): boolean => command === COMMAND;
const isChild = ({ command }: { command: string }): boolean => command.includes('trap "" TERM');
const isAgent = ({ command }: { command: string }): boolean => command.includes('--input-format');

describe('nothing keeps running', () => {
  beforeEach(({ skip }) => skip(process.platform !== 'linux', 'processes are found by their environment in /proc'));

  test('when the daemon is killed and no other one comes', { tags: 'whole' }, async ({ companion, home, model }) => {
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

    for (const { pid } of home.processes().filter(isAgent)) signal(pid, 'SIGKILL');

    await home.waitForProcesses((list) => !list.some((found) => isCommand(found) || isAgent(found)), 5_000 + SLACK_MS);
    const failed = await conversation.waitFor((view) => view.turns[0]?.status === 'failed');
    expect(failed.turns[0]?.error).toMatchObject({ code: 'ENGINE_CRASHED', remedy: expect.any(String) });
    await conversation.act('go on');
    const view = await conversation.waitFor(({ turns }) => turns[1]?.durationMs !== null && turns[1] !== undefined);
    expect(view.turns[1]?.status).toBe('completed');
    conversation.close();
  });

  test('when the daemon ends, however, with five agents that have two children each', { tags: 'whole' }, async ({ companion, home }) => {
    const rounds = times(3, 100);
    const stage = new LedgerStage(companion);
    await companion.startDaemon();
    await stage.open(5);
    const startedAt = performance.now();

    let longestMs = 0;
    const left: string[] = [];
    for (let round = 0; round < rounds; round += 1) {
      await Promise.all(stage.clients.map((client) => client.send('family')));
      await home.waitForProcesses((list) => list.filter(isChild).length >= 10);
      const endedAt = performance.now();
      for (const pid of companion.daemons()) signal(pid, ENDS[round % ENDS.length] ?? 'SIGKILL');
      await home
        .waitForProcesses((list) => list.length === 0, 5_000 + SLACK_MS)
        .catch(() => left.push(...home.processes().map(({ command }) => command)));
      longestMs = Math.max(longestMs, performance.now() - endedAt);
      expect(left).toEqual([]);
      await companion.startDaemon();
      await Promise.all(stage.clients.map(async (client) => client.ended(await client.send('say'))));
    }
    const verdict = await stage.finish();

    tellFigure({
      fault:
        'The daemon ends (SIGKILL, SIGTERM, SIGSEGV as in a crash of its own) with five agents that have two children each, which heed no signal',
      count: `${rounds} times, ${stage.promised()}`,
      ...countsOf({ ...verdict, leftRunning: [...verdict.leftRunning, ...left] }),
      measured: `the last process was gone after ${Math.round(longestMs)} ms at most`,
      ms: performance.now() - startedAt,
    });
    expect(verdict).toEqual(emptyVerdict());
    expect(left).toEqual([]);
  });
});
