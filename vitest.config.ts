import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { ALONE, ALONE_WHOLE, PROCESSES } from './test/files.ts';
import { compileCache } from './test/fixtures/compile-cache.ts';
import { HANG_MS, WHOLE_MS } from './test/fixtures/limits.ts';
import { isQuick, isWhole, WHOLE } from './test/fixtures/whole.ts';
import { createReporter, RESULTS_VARIABLE } from './test/report.ts';
import { LongestFirst } from './test/sequencer.ts';

const results = process.env[RESULTS_VARIABLE];
const json: ['json', { outputFile: string }][] = results === undefined ? [] : [['json', { outputFile: `${results}/${process.pid}.json` }]];

// The processes of the tests, and what they start with their own environment.
Object.assign(process.env, compileCache);

/** Longer than any single wait of a test, so that a test which hangs says what it waited for. In full, tests wait hundreds of times. */
const TEST_MS = isWhole ? WHOLE_MS : 3 * HANG_MS;

/** Tests that measure, or that keep the whole machine busy; in their short form only some do. */
const alone = isWhole ? ALONE_WHOLE : ALONE;

/**
 * Playwright's own record of frames throws, outside of any call of a test, when a frame goes to another process and back at once: its parent is
 * not in it then. Pages of the tests do that to find out whether a click can be led astray, and no test relies on that record.
 */
const isOfFrameRecord = ({ stack = '' }: { readonly stack?: string }): boolean =>
  stack.includes('playwright-core') && stack.includes('.frameAttached ');

// `npm test` runs `integration` and then `unit` beside `e2e`, and `alone` at the end. Few browsers at a time: with more of them pages come late.
// Files share their worker, whose time would else go into loading the same modules for each of them: no test changes a module's state.
export default defineConfig({
  test: {
    expect: { poll: { timeout: HANG_MS, interval: 20 } },
    onUnhandledError: (error) => !isOfFrameRecord(error),
    teardownTimeout: HANG_MS,
    sequence: { sequencer: LongestFirst },
    tags: [{ ...WHOLE, skip: !isWhole }],
    reporters: ['default', createReporter(), ...json],
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/unit/**/*.test.ts'],
          exclude: isQuick ? PROCESSES : [],
          testTimeout: TEST_MS,
          hookTimeout: TEST_MS,
          isolate: false,
          // Vitest would use one core of two; and some tests wait as long as they work.
          maxWorkers: Math.max(3, availableParallelism() - 1),
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: 'integration',
          include: ['test/integration/**/*.test.ts'],
          exclude: alone,
          testTimeout: TEST_MS,
          hookTimeout: TEST_MS,
          isolate: false,
          // As many browsers work beside them.
          maxWorkers: Math.max(2, availableParallelism()),
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: 'alone',
          include: alone,
          testTimeout: TEST_MS,
          hookTimeout: TEST_MS,
          fileParallelism: false,
          sequence: { groupOrder: 2 },
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['test/tools/**/*.spec.ts', 'test/e2e/**/*.spec.ts'],
          testTimeout: TEST_MS,
          hookTimeout: TEST_MS,
          isolate: false,
          // A browser waits a third of the time; but a third one beside two made pages late, on two cores.
          maxWorkers: 2,
          sequence: { groupOrder: 3 },
        },
      },
    ],
  },
});
