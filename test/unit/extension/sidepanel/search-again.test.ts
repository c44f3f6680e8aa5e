import { describe, expect, test as base, vi } from 'vitest';
import { CompanionError, type ErrorBody } from '#protocol/errors.ts';
import type { SearchAnswer } from '#protocol/search.ts';
import { searchUntilWhole } from '#extension/sidepanel/search-again.ts';

const answer = (indexing: SearchAnswer['indexing']): SearchAnswer => ({ titles: [], hits: [], next: null, indexing });

const createStage = () => {
  const answers: (SearchAnswer | CompanionError)[] = [];
  const found: SearchAnswer[] = [];
  const failed: ErrorBody[] = [];
  let asked = 0;
  const begin = () =>
    searchUntilWhole(
      () => {
        asked += 1;
        const next = answers.shift() ?? answer(null);
        return next instanceof CompanionError ? Promise.reject(next) : Promise.resolve(next);
      },
      { found: (each) => found.push(each), failed: (each) => failed.push(each) },
    );
  return { answers, found, failed, begin, asked: () => asked };
};

const test = base.extend<{ stage: ReturnType<typeof createStage> }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads the pattern to know what a fixture needs
  stage: async ({}, use) => {
    vi.useFakeTimers();
    await use(createStage());
    vi.useRealTimers();
  },
});

describe('a search', () => {
  test('looks again by itself until all is read in, and then no more', async ({ stage }) => {
    stage.answers.push(answer({ done: 0, total: 2 }), answer({ done: 1, total: 2 }));

    stage.begin();
    await vi.advanceTimersByTimeAsync(60_000);

    expect(stage.found.map(({ indexing }) => indexing?.done ?? null)).toEqual([0, 1, null]);
    expect(stage.asked()).toBe(3);
  });

  test('is over when other words are typed: neither asked again nor shown', async ({ stage }) => {
    stage.answers.push(answer({ done: 0, total: 2 }));
    stage.begin()();
    const end = stage.begin();
    await vi.advanceTimersByTimeAsync(200);
    end();
    await vi.advanceTimersByTimeAsync(60_000);

    expect([stage.asked(), stage.found.length]).toEqual([1, 1]);
  });

  test('says why it failed', async ({ stage }) => {
    stage.answers.push(new CompanionError('INPUT_INVALID', 'no words'));

    stage.begin();
    await vi.advanceTimersByTimeAsync(60_000);

    expect(stage.failed).toMatchObject([{ code: 'INPUT_INVALID' }]);
  });
});
