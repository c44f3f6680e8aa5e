/** Agents that write too much, as real processes of the built companion: the turn ends once and typed, and nobody else is disturbed. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { describe, expect } from 'vitest';
import { answerOf } from '#test/fixtures/conversation.ts';
import { SLACK_MS } from '#test/fixtures/limits.ts';
import { memoryMb } from '#test/fixtures/memory.ts';
import { isWhole } from '#test/fixtures/whole.ts';
import { expectToWorkOn, test, turnsDone } from './hostile-stage.ts';

/** Enough to take a while. */
const MANY = isWhole ? 1_000_000 : 30_000;
/** More than a turn may have. */
const STEPS = isWhole ? 50_000 : 11_000;

/** Asks the daemon again and again, from a thread of its own, so that what this one does is not measured; the times in ms, shortest first. */
const watchAnswers = async (socketPath: string): Promise<{ times(): Promise<number[]> }> => {
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
         if (times.length === 1) parentPort.postMessage(null);
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
  // A thread may take long to begin.
  await once(worker, 'message');
  return {
    times: async () =>
      new Promise((resolve, reject) => {
        worker.on('message', resolve).on('error', reject);
        worker.postMessage('over');
      }),
  };
};

describe('an agent that writes', () => {
  test(
    'ten thousand malformed lines: told once, counted in the log, and its answer comes',
    { tags: 'whole' },
    async ({ companion, converse }) => {
      const conversation = await converse();

      await conversation.act('malformed 10000');
      const { view } = await turnsDone(conversation, 1);

      expect(view.turns[0]).toMatchObject({ status: 'completed', error: null });
      expect(view.items.filter(({ body }) => body.kind === 'notice')).toHaveLength(1);
      expect(answerOf(view)).toBe('still here');
      expect(readFileSync(companion.paths.daemonLog, 'utf8')).toContain('"count":10000');
      await expectToWorkOn(conversation);
    },
  );

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
    [`${MANY} pieces of an answer`, `chunks ${MANY}`, 'completed'],
    [`${MANY} lines nobody can read`, `malformed ${MANY}`, 'completed'],
    [`${STEPS} steps, which is far too many`, `updates ${STEPS}`, 'failed'],
  ] as const)(
    '%s: others are answered within 100 ms, and memory is bounded',
    async ([, prompt, status], { companion, converse, daemon, skip }) => {
      skip(!isWhole && !prompt.startsWith('chunks'), 'as one that writes pieces of an answer: npm run test:whole');
      const conversation = await converse();
      await expectToWorkOn(conversation);
      // Not followed: what is measured is the daemon alone.
      conversation.close();
      const answers = await watchAnswers(companion.paths.socket);

      await conversation.act(prompt);
      conversation.reconnect();
      const { view } = await turnsDone(conversation, 2);
      const times = await answers.times();

      expect(view.turns[1]?.status).toBe(status);
      if (status === 'failed') expect(view.turns[1]?.error?.code).toBe('ENGINE_OUTPUT_MALFORMED');
      expect(view.items.length).toBeLessThan(10_100);
      // Beside other work a test can tell only that nobody waits for the agent's end.
      expect(times.length).toBeGreaterThan(isWhole ? 20 : 2);
      if (isWhole) expect(times[Math.floor(times.length * 0.95)]).toBeLessThan(100);
      expect(times.at(-1)).toBeLessThan(100 + SLACK_MS);
      expect(memoryMb(daemon)).toBeLessThan(600);
    },
  );

  test('to stderr without end: nobody notices', { tags: 'whole' }, async ({ converse }) => {
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
