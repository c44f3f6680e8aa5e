import { describe, expect, test } from 'vitest';
import { type Attempt, type OnDaemonEnd, reachDaemon } from '#companion/reach/reach-daemon.ts';

const absent: Attempt<string> = { isAbsent: true, toError: () => new Error('nobody came up') };

/** Asks with these attempts, one after the other; the last one repeats. */
const reach = (attempts: readonly Attempt<string>[], onStart: (onEnd: OnDaemonEnd) => void, signal?: AbortSignal) => {
  let asked = 0;
  const answer = reachDaemon({
    ask: async () => attempts[Math.min((asked += 1), attempts.length) - 1] ?? absent,
    startDaemon: onStart,
    firstPauseMs: 1,
    longestPauseMs: 2,
    signal,
  });
  return { answer, asked: () => asked };
};

describe('reaching the daemon', () => {
  test('starts one daemon, however often nobody answers before it is up', async () => {
    let starts = 0;

    const { answer } = reach([absent, absent, absent, { answer: 'here' }], () => (starts += 1));

    expect(await answer).toBe('here');
    expect(starts).toBe(1);
  });

  test('asks once more when the daemon that it started has failed, since another may have come up', async () => {
    const failed = reach([absent], (onEnd) => onEnd(true, null));
    await expect(failed.answer).rejects.toThrow('nobody came up');
    expect(failed.asked()).toBe(2);

    expect(await reach([absent, { answer: 'another' }], (onEnd) => onEnd(true, null)).answer).toBe('another');
  });

  test('starts another when the one that it started has ended well without an answer', async () => {
    let starts = 0;

    const { answer } = reach([absent, absent, { answer: 'here' }], (onEnd) => {
      starts += 1;
      onEnd(false, null);
    });

    expect(await answer).toBe('here');
    expect(starts).toBe(2);
  });

  test('waits for one that has its place and is not ready, and starts no other', async () => {
    let starts = 0;
    const busy: Attempt<string> = { isAbsent: false, limitMs: 60_000, toError: () => new Error('never ready') };

    expect(await reach([busy, busy, { answer: 'ready' }], () => (starts += 1)).answer).toBe('ready');
    expect(starts).toBe(0);
  });

  test('ends with the reason of the caller who gives up', async () => {
    const stop = new AbortController();
    const { answer } = reach([absent], () => stop.abort(new Error('given up')), stop.signal);

    await expect(answer).rejects.toThrow('given up');
  });
});
