import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { compileCache } from './test/fixtures/compile-cache.ts';
import { createReporter, RESULTS_VARIABLE } from './test/report.ts';

const results = process.env[RESULTS_VARIABLE];
const json: ['json', { outputFile: string }][] = results === undefined ? [] : [['json', { outputFile: `${results}/${process.pid}.json` }]];

// The processes of the tests, and what they start with their own environment.
Object.assign(process.env, compileCache);

/** Tests that measure, or that keep the whole machine busy. */
const ALONE = ['test/integration/{faults-*,one-daemon}.test.ts'];

// One group after the other, and few browsers at a time: a machine that is busy with the rest makes them slow, and slow means other faults.
export default defineConfig({
  test: {
    // A condition is waited for as long as a busy machine may take.
    expect: { poll: { timeout: 10_000, interval: 20 } },
    reporters: ['default', createReporter(), ...json],
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/unit/**/*.test.ts'],
          // For what hangs; a test that takes long only because the machine is busy goes on.
          testTimeout: 60_000,
          hookTimeout: 60_000,
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
          testTimeout: 120_000,
          hookTimeout: 120_000,
          // Real agents wait for their models and for each other about as long as they work.
          maxWorkers: 3,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: 'alone',
          include: ALONE,
          testTimeout: 120_000,
          hookTimeout: 120_000,
          fileParallelism: false,
          sequence: { groupOrder: 2 },
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['test/tools/**/*.spec.ts', 'test/e2e/**/*.spec.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          // A browser waits for its pages, its worker and the tests about half of the time.
          maxWorkers: 2,
          sequence: { groupOrder: 3 },
        },
      },
    ],
  },
});
