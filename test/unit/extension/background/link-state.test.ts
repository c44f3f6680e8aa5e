import { describe, expect, it } from 'vitest';
import { ErrorBody } from '#protocol/errors.ts';
import { ConnectionState } from '#extension/shared/messages.ts';
import { pauseBefore, toState } from '#extension/background/link-state.ts';

const ending = { text: '', error: null, isRefused: false, hasSpoken: false };
const refusal: ErrorBody = { code: 'EXTENSION_TOO_OLD', message: 'Too old.', remedy: 'Update.' };

describe('a lost connection', () => {
  it('is told by its cause, each with something to do', () => {
    const states = [
      toState({ ...ending, text: 'Specified native messaging host not found.' }, 1),
      toState({ ...ending, text: 'Access to the specified native messaging host is forbidden.' }, 1),
      toState({ ...ending, text: 'Native host has exited.' }, 1),
      toState({ ...ending, text: 'Native host has exited.', hasSpoken: true }, 1),
      toState({ ...ending, error: refusal, isRefused: true, hasSpoken: true }, 1),
      toState({ ...ending, error: { ...refusal, code: 'DAEMON_START_FAILED' }, hasSpoken: true }, 1),
    ];

    expect(states.map(({ state }) => state)).toEqual([
      'host_missing',
      'host_forbidden',
      'host_crashed',
      'reconnecting',
      'refused',
      'host_crashed',
    ]);
    for (const state of states) {
      expect(ConnectionState.parse(state)).toEqual(state);
      if ('error' in state) expect(ErrorBody.parse(state.error).remedy).not.toBe('');
    }
  });

  it('is dialled again at once at first, then ever more seldom, and never given up', () => {
    const lost = toState(ending, 1);

    expect([1, 2, 3, 4, 7, 50, 10_000].map((attempt) => pauseBefore(attempt, lost))).toEqual([
      500, 1_000, 2_000, 4_000, 30_000, 30_000, 30_000,
    ]);
    expect(pauseBefore(1, toState({ ...ending, error: refusal, isRefused: true }, 1))).toBe(30_000);
  });
});
