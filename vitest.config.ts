import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { compileCache } from './test/fixtures/compile-cache.ts';
import { HANG_MS } from './test/fixtures/limits.ts';
import { createReporter, RESULTS_VARIABLE } from './test/report.ts';

const results = process.env[RESULTS_VARIABLE];
const json: ['json', { outputFile: string }][] = results === undefined ? [] : [['json', { outputFile: `${results}/${process.pid}.json` }]];

// The processes of the tests, and what they start with their own environment.
Object.assign(process.env, compileCache);

/** Longer than any single wait of a test, so that a test which hangs says what it waited for. */
const TEST_MS = 3 * HANG_MS;

/** Tests that measure, or that keep the whole machine busy. */
const ALONE = ['test/integration/{faults-*,one-daemon}.test.ts'];

/**
 * Playwright's own record of frames throws, outside of any call of a test, when a frame goes to another process and back at once: its parent is
 * not in it then. Pages of the tests do that to find out whether a click can be led astray, and no test relies on that record.
 */
const isOfFrameRecord = ({ stack = '' }: { readonly stack?: string }): boolean =>
  stack.includes('playwright-core') && stack.includes('.frameAttached ');

// One group after the other, and few browsers at a time: a machine that is busy with the rest makes them slow, and slow means other faults.
export default defineConfig({
  test: {
    expect: { poll: { timeout: HANG_MS, interval: 20 } },
    onUnhandledError: (error) => !isOfFrameRecord(error),
    reporters: ['default', createReporter(), ...json],
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/unit/**/*.test.ts'],
          testTimeout: TEST_MS,
          hookTimeout: TEST_MS,
          // Most of the time went into loading the same modules for each file; no test changes a module's state.
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
          exclude: ALONE,
          testTimeout: TEST_MS,
          hookTimeout: TEST_MS,
          // Real agents wait for their models and for each other about as long as they work.
          maxWorkers: 3,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: 'alone',
          include: ALONE,
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
          // A browser waits for its pages, its worker and the tests about half of the time.
          maxWorkers: 2,
          sequence: { groupOrder: 3 },
        },
      },
    ],
  },
});
