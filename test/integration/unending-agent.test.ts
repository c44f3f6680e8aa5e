/** Agents that do not end, as real processes of the built companion: the turn ends once and typed, nothing is left, and the session works on. */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect } from 'vitest';
import { isDaemon, type Companion } from '#test/fixtures/companion.ts';
import { answerOf, type Conversation } from '#test/fixtures/conversation.ts';
import { SLACK_MS } from '#test/fixtures/limits.ts';
import { signal } from '#test/fixtures/signal.ts';
import { isWhole } from '#test/fixtures/whole.ts';
import { expectToWorkOn, sharedTest, test, turnsDone } from './hostile-stage.ts';

const cancel = (companion: Companion, conversation: Conversation) =>
  companion.api.send('DELETE', `/agent/chat/${conversation.sessionId}/cancel`);

const SILENCE_MS = 1_000;

/** Says how long the agent may be silent from now on: as long as it likes, so that a slow start is no silence, unless that is what is tested. */
const limitSilence = async (companion: Companion, { sessionId }: Conversation, maxSilenceMs: number | null): Promise<void> => {
  const { status } = await companion.api.send('PATCH', `/agent/sessions/${sessionId}`, { maxSilenceMs });
  expect(status).toBe(200);
};

const isAgent = ({ command }: { command: string }): boolean => command.endsWith('hostile-engine-double.ts');
const isFamily = ({ command }: { command: string }): boolean => command.includes('sleep 600') || command.includes('eval "$STAY"');

describe('an agent that does not end', () => {
  sharedTest.for([
    ['says nothing', 'silent'],
    ['is stopped by a signal', 'stopped'],
    ['closes its stdin', 'unread'],
  ])(
    'and %s: hung is told a second after the limit, and it is gone in five',
    async ([, prompt = ''], { stage: { companion, home, converse }, skip }) => {
      skip(!isWhole && prompt !== 'silent', 'nobody hears of it either, as of one that says nothing: npm run test:whole');
      const conversation = await converse();
      await expectToWorkOn(conversation);
      const [agent] = home.processes().filter(isAgent);

      await limitSilence(companion, conversation, SILENCE_MS);
      await conversation.act(prompt);
      const { view, tookMs } = await turnsDone(conversation, 2);
      await limitSilence(companion, conversation, null);

      expect(view.turns[1]).toMatchObject({ status: 'failed', error: { code: 'ENGINE_HUNG' } });
      // The interrupt that nobody hears is given two seconds.
      expect(tookMs).toBeLessThan(SILENCE_MS + 2_000 + 1_000 + SLACK_MS);
      await home.waitForProcesses((list) => list.every(({ pid }) => pid !== agent?.pid), 5_000 + SLACK_MS);
      await expectToWorkOn(conversation);
    },
  );

  sharedTest('and closes its stdout: told without waiting for the limit, and it is gone', async ({ stage: { home, converse } }) => {
    const conversation = await converse();
    await expectToWorkOn(conversation);
    const [agent] = home.processes().filter(isAgent);

    await conversation.act('mute');
    const { view } = await turnsDone(conversation, 2);

    expect(view.turns[1]).toMatchObject({ status: 'failed', error: { code: 'ENGINE_OUTPUT_TRUNCATED' } });
    await home.waitForProcesses((list) => list.every(({ pid }) => pid !== agent?.pid), 5_000 + SLACK_MS);
    await expectToWorkOn(conversation);
  });

  sharedTest.for(['deaf', 'stopped', 'unread', 'silent'])(
    '(%s) and is stopped by the user: cancelled once, gone in five seconds',
    async (prompt, { stage: { companion, home, converse }, skip }) => {
      skip(!isWhole && prompt !== 'deaf', 'it hears as little as one that is deaf: npm run test:whole');
      const conversation = await converse();
      await expectToWorkOn(conversation);
      const [agent] = home.processes().filter(isAgent);
      await conversation.act(prompt);
      await conversation.waitFor((view) => answerOf(view).endsWith('now'));

      await cancel(companion, conversation);
      const { view, tookMs } = await turnsDone(conversation, 2);

      expect(view.turns[1]?.status).toBe('cancelled');
      expect(tookMs).toBeLessThan(2_000 + SLACK_MS);
      await home.waitForProcesses((list) => list.every(({ pid }) => pid !== agent?.pid), 5_000 + SLACK_MS);
      await expectToWorkOn(conversation);
    },
  );
});

describe.skipIf(process.platform !== 'linux')('an agent with a family of three that heeds no signal', () => {
  sharedTest(
    'stopped by the user, all of it is gone in five seconds',
    { tags: 'whole' },
    async ({ stage: { companion, home, converse } }) => {
      const conversation = await converse();
      await conversation.act('family');
      await conversation.waitFor((view) => answerOf(view) === 'here we are');
      await home.waitForProcesses((list) => list.filter(isFamily).length >= 3);

      await cancel(companion, conversation);
      await turnsDone(conversation, 1);

      await home.waitForProcesses((list) => !list.some((found) => isFamily(found) || isAgent(found)), 5_000 + SLACK_MS);
      await expectToWorkOn(conversation);
    },
  );

  test('the daemon, its watchers and the agent killed at one instant: the next daemon ends the rest', async ({
    companion,
    home,
    converse,
    daemon,
  }) => {
    const conversation = await converse();
    await conversation.act('family');
    await conversation.waitFor((view) => answerOf(view) === 'here we are');
    await home.waitForProcesses((list) => list.filter(isFamily).length >= 3);
    const [agent] = home.processes().filter(isAgent);

    // As the kernel does it when memory runs out: nobody is left to clear away.
    for (const pid of [...watchersOf(agent?.pid ?? 0), daemon, ...(agent === undefined ? [] : [agent.pid])]) signal(pid, 'SIGKILL');
    await home.waitForProcesses((list) => !list.some((found) => isDaemon(found) || isAgent(found)));
    const left = home.processes().filter(isFamily).length;
    await companion.startDaemon();

    expect(left).toBeGreaterThanOrEqual(3);
    await home.waitForProcesses((list) => list.every(isDaemon), 5_000 + SLACK_MS);
    expect(readdirSync(companion.paths.runsDir).filter((name) => name.startsWith('run_'))).toEqual([]);
    conversation.reconnect();
    await turnsDone(conversation, 1);
    expect(conversation.view().turns[0]?.status).toBe('interrupted');
    await expectToWorkOn(conversation);
  });
});

/** The shells that wait for the end of the daemon; they have no home, and name the group they watch. */
const watchersOf = (group: number): number[] =>
  readdirSync('/proc')
    .map(Number)
    .filter((pid) => {
      try {
        return pid > 0 && new RegExp(`pilotfish-sweeper\0${group}\0`).test(readFileSync(`/proc/${pid}/cmdline`, 'utf8'));
      } catch {
        return false;
      }
    });
