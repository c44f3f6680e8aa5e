/** Agents that misbehave, as real processes of the built companion: the turn ends once and typed, nobody else is disturbed, and the session works on. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { describe, expect } from 'vitest';
import type { SessionView } from '#protocol/view.ts';
import { isDaemon, type Companion } from '#test/fixtures/companion.ts';
import { answerOf, startConversation, type Conversation } from '#test/fixtures/conversation.ts';
import { test as base } from '#test/fixtures/stage.ts';
import { SLACK_MS } from '#test/fixtures/slack.ts';

const SCRIPT = path.join(import.meta.dirname, '..', 'fixtures', 'hostile-engine-double.ts');
const HANG_MS = 2_000;
const test = base.extend<{ daemon: number; converse: () => Promise<Conversation> }>({
  daemon: [
    async ({ companion }, use) => {
      const custom = [{ name: 'hostile', command: process.execPath, args: [SCRIPT], dialect: 'acp' }];
      companion.writeSettings({ hangMs: HANG_MS, engines: { byName: {}, custom } });
      await use(await companion.startDaemon());
    },
    { auto: true },
  ],
  converse: async ({ companion }, use) => {
    const opened: Conversation[] = [];
    await use(async () => {
      const conversation = await startConversation(companion, { engine: 'hostile' });
      opened.push(conversation);
      return conversation;
    });
    for (const conversation of opened) conversation.close();
  },
});

/** Resolves with the view after that many turns, and how long it took from the call. */
const turnsDone = async (conversation: Conversation, count: number): Promise<{ view: SessionView; tookMs: number }> => {
  const startedAt = performance.now();
  const view = await conversation.waitFor(
    ({ turns, status }) => turns.length === count && status === 'idle' && turns.every(({ durationMs }) => durationMs !== null),
    60_000,
  );
  return { view, tookMs: performance.now() - startedAt };
};

/** Each turn ended once, nothing is open, and the next prompt is answered. */
const expectToWorkOn = async (conversation: Conversation): Promise<void> => {
  const before = conversation.view().turns.length;
  await conversation.act('say and on');
  const { view } = await turnsDone(conversation, before + 1);
  expect(view.turns.at(-1)).toMatchObject({ status: 'completed', error: null });
  expect(answerOf(view).endsWith('and on')).toBe(true);
  expect(view.items.filter(({ status }) => status === 'running')).toEqual([]);
  const ends = conversation.events().flatMap((event) => (event.type === 'turn.completed' ? [event.turnId] : []));
  expect(new Set(ends).size).toBe(ends.length);
  expect(ends).toHaveLength(before + 1);
};

const cancel = (companion: Companion, conversation: Conversation) =>
  companion.api.send('DELETE', `/agent/chat/${conversation.sessionId}/cancel`);

const isAgent = ({ command }: { command: string }): boolean => command.endsWith('hostile-engine-double.ts');
const isFamily = ({ command }: { command: string }): boolean => command.includes('sleep 600') || command.includes('eval "$STAY"');

const memoryMb = (pid: number): number => Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;

/** Asks the daemon again and again, from a thread of its own, so that what this one does is not measured; the times in ms, shortest first. */
const watchAnswers = (socketPath: string): { times(): Promise<number[]> } => {
  const worker = new Worker(
    `const { parentPort, workerData } = require('node:worker_threads');
     const { request } = require('node:http');
     let isOver = false;
     const times = [];
     parentPort.on('message', () => { isOver = true; });
     const ask = () => new Promise((resolve, reject) => {
       const at = performance.now();
       request({ socketPath: workerData, path: '/api/status', agent: false }, (answer) => answer.resume().on('end', () => {
         times.push(performance.now() - at);
         resolve();
       })).on('error', reject).end();
     });
     const next = async () => {
       await ask();
       if (!isOver) return setTimeout(next, 10);
       parentPort.postMessage(times.sort((a, b) => a - b));
       parentPort.close();
     };
     next();`,
    { eval: true, workerData: socketPath },
  );
  return {
    times: async () =>
      new Promise((resolve, reject) => {
        worker.on('message', resolve).on('error', reject);
        worker.postMessage('over');
      }),
  };
};

describe('an agent that writes', () => {
  test('ten thousand malformed lines: told once, counted in the log, and its answer comes', async ({ companion, converse }) => {
    const conversation = await converse();

    await conversation.act('malformed 10000');
    const { view } = await turnsDone(conversation, 1);

    expect(view.turns[0]).toMatchObject({ status: 'completed', error: null });
    expect(view.items.filter(({ body }) => body.kind === 'notice')).toHaveLength(1);
    expect(answerOf(view)).toBe('still here');
    expect(readFileSync(companion.paths.daemonLog, 'utf8')).toContain('"count":10000');
    await expectToWorkOn(conversation);
  });

  test('a line of 100 MB: refused within a second and 64 MB', async ({ converse, daemon }) => {
    const conversation = await converse();
    await expectToWorkOn(conversation);
    const before = memoryMb(daemon);

    await conversation.act('line 100000000');
    const { view, tookMs } = await turnsDone(conversation, 2);

    expect(view.turns[1]).toMatchObject({ status: 'failed', error: { code: 'ENGINE_OUTPUT_MALFORMED' } });
    expect(tookMs).toBeLessThan(1_000 + SLACK_MS);
    expect(memoryMb(daemon) - before).toBeLessThan(64);
    await expectToWorkOn(conversation);
  });

  test.for([
    ['a million pieces of an answer', 'chunks 1000000', 'completed'],
    ['a million lines nobody can read', 'malformed 1000000', 'completed'],
    ['fifty thousand steps, which is far too many', 'updates 50000', 'failed'],
  ] as const)(
    '%s: others are answered within 100 ms, and memory is bounded',
    async ([, prompt, status], { companion, converse, daemon }) => {
      const conversation = await converse();
      await expectToWorkOn(conversation);
      // Not followed: what is measured is the daemon alone.
      conversation.close();
      const answers = watchAnswers(companion.paths.socket);

      await conversation.act(prompt);
      conversation.reconnect();
      const { view } = await turnsDone(conversation, 2);
      const times = await answers.times();

      expect(view.turns[1]?.status).toBe(status);
      if (status === 'failed') expect(view.turns[1]?.error?.code).toBe('ENGINE_OUTPUT_MALFORMED');
      expect(view.items.length).toBeLessThan(10_100);
      expect(times.length).toBeGreaterThan(20);
      expect(times[Math.floor(times.length * 0.95)]).toBeLessThan(100);
      expect(times.at(-1)).toBeLessThan(100 + SLACK_MS);
      expect(memoryMb(daemon)).toBeLessThan(600);
    },
  );

  test('to stderr without end: nobody notices', async ({ converse }) => {
    const conversation = await converse();

    await conversation.act('stderr');
    const { view } = await turnsDone(conversation, 1);

    expect(view.turns[0]?.status).toBe('completed');
    await expectToWorkOn(conversation);
  });

  test.for(['half', 'end'])('and ends well in the midst (%s): cut, not done', async (prompt, { converse }) => {
    const conversation = await converse();

    await conversation.act(prompt);
    const { view } = await turnsDone(conversation, 1);

    expect(view.turns[0]).toMatchObject({ status: 'failed', error: { code: 'ENGINE_OUTPUT_TRUNCATED' } });
    expect(answerOf(view)).toBe(prompt === 'half' ? 'whole' : '');
    await expectToWorkOn(conversation);
  });
});

describe('an agent that does not end', () => {
  test.for([
    ['says nothing', 'silent'],
    ['is stopped by a signal', 'stopped'],
    ['closes its stdin', 'unread'],
  ])('and %s: hung is told a second after the limit, and it is gone in five', async ([, prompt = ''], { home, converse }) => {
    const conversation = await converse();
    await expectToWorkOn(conversation);
    const [agent] = home.processes().filter(isAgent);

    await conversation.act(prompt);
    const { view, tookMs } = await turnsDone(conversation, 2);

    expect(view.turns[1]).toMatchObject({ status: 'failed', error: { code: 'ENGINE_HUNG' } });
    // The interrupt that nobody hears is given two seconds.
    expect(tookMs).toBeLessThan(HANG_MS + 2_000 + 1_000 + SLACK_MS);
    await home.waitForProcesses((list) => list.every(({ pid }) => pid !== agent?.pid), 5_000);
    await expectToWorkOn(conversation);
  });

  test('and closes its stdout: told without waiting for the limit, and it is gone', async ({ home, converse }) => {
    const conversation = await converse();
    await expectToWorkOn(conversation);
    const [agent] = home.processes().filter(isAgent);

    await conversation.act('mute');
    const { view } = await turnsDone(conversation, 2);

    expect(view.turns[1]).toMatchObject({ status: 'failed', error: { code: 'ENGINE_OUTPUT_TRUNCATED' } });
    await home.waitForProcesses((list) => list.every(({ pid }) => pid !== agent?.pid), 5_000);
    await expectToWorkOn(conversation);
  });

  test.for(['deaf', 'stopped', 'unread', 'silent'])(
    '(%s) and is stopped by the user: cancelled once, gone in five seconds',
    async (prompt, { companion, home, converse }) => {
      const conversation = await converse();
      await expectToWorkOn(conversation);
      const [agent] = home.processes().filter(isAgent);
      await conversation.act(prompt);
      await conversation.waitFor((view) => answerOf(view).endsWith('now'));

      await cancel(companion, conversation);
      const { view, tookMs } = await turnsDone(conversation, 2);

      expect(view.turns[1]?.status).toBe('cancelled');
      expect(tookMs).toBeLessThan(2_000 + SLACK_MS);
      await home.waitForProcesses((list) => list.every(({ pid }) => pid !== agent?.pid), 5_000);
      await expectToWorkOn(conversation);
    },
  );
});

describe.skipIf(process.platform !== 'linux')('an agent with a family of three that heeds no signal', () => {
  test('stopped by the user, all of it is gone in five seconds', async ({ companion, home, converse }) => {
    const conversation = await converse();
    await conversation.act('family');
    await conversation.waitFor((view) => answerOf(view) === 'here we are');
    await home.waitForProcesses((list) => list.filter(isFamily).length >= 3);

    await cancel(companion, conversation);
    await turnsDone(conversation, 1);

    await home.waitForProcesses((list) => !list.some((found) => isFamily(found) || isAgent(found)), 5_000);
    await expectToWorkOn(conversation);
  });

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
    for (const pid of [...watchersOf(agent?.pid ?? 0), daemon, agent?.pid ?? 0]) process.kill(pid, 'SIGKILL');
    await home.waitForProcesses((list) => !list.some((found) => isDaemon(found) || isAgent(found)));
    const left = home.processes().filter(isFamily).length;
    await companion.startDaemon();

    expect(left).toBeGreaterThanOrEqual(3);
    await home.waitForProcesses((list) => list.every(isDaemon), 5_000);
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
