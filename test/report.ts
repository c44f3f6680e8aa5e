/**
 * The end of a run's report: the slowest files, and each file and test that was left out with its reason; a test without a reason fails the
 * run.
 */
import path from 'node:path';
import type { Reporter, TestCase, TestModule, Vitest } from 'vitest/node';
import { PROCESSES } from './files.ts';
import { isQuick, WHOLE } from './fixtures/whole.ts';

/** Names a folder in which each run of vitest leaves its results as JSON. */
export const RESULTS_VARIABLE = 'PILOTFISH_TEST_RESULTS';

/** How many of the slowest files are named. */
const SLOWEST = 10;

/** What an engine does not have stands in the test's name. */
const IN_NAME = /^(?<name>.*) \[missing: (?<reason>.*)\]$/;

/** What a test says by its condition where most of them ask for Linux. */
const ELSEWHERE = process.platform === 'linux' ? undefined : 'not for this system';

/** To be used as a reporter of vitest. */
export const createReporter = (): Reporter => {
  let isPartOnly = false;
  return {
    onInit: (vitest: Vitest) => {
      // With `-t` the rest is left out because the person said so.
      isPartOnly = vitest.config.testNamePattern !== undefined;
    },
    onTestRunEnd: (modules: readonly TestModule[]) => {
      if (modules.length > SLOWEST) console.log(`\nSlowest files:\n${slowest(modules).join('\n')}`);
      if (isQuick) console.log(`\nFiles left out, which spend their time with processes (npm run test:unit):\n  ${PROCESSES.join('\n  ')}`);
      const left = isPartOnly ? [] : modules.flatMap((module) => [...module.children.allTests('skipped')].map(toLeft));
      if (left.length === 0) return;
      const byReason = Map.groupBy(left, ({ reason }) => reason ?? 'does not say why');
      const parts = [...byReason].map(([reason, some]) => `  ${reason}\n${some.map(({ name }) => `    ${name}`).join('\n')}`);
      console.log(`\nTests left out: ${left.length}\n${parts.join('\n')}\n`);
      const unexplained = left.filter(({ reason }) => reason === undefined).length;
      if (unexplained === 0) return;
      console.error(
        `Failed: ${unexplained} of them without a reason. Give \`skip\` one, or name what they need in test/fixtures/system-packages.ts.`,
      );
      process.exitCode = 1;
    },
  };
};

const slowest = (modules: readonly TestModule[]): string[] =>
  modules
    .map((module) => {
      const { duration, collectDuration } = module.diagnostic();
      return { name: module.relativeModuleId, ms: duration + collectDuration };
    })
    .toSorted((a, b) => b.ms - a.ms)
    .slice(0, SLOWEST)
    .map(({ name, ms }) => `${(ms / 1000).toFixed(1).padStart(7)} s  ${name.split(path.sep).join('/')}`);

const toLeft = (test: TestCase): { name: string; reason: string | undefined } => {
  const inName = IN_NAME.exec(test.fullName)?.groups;
  const result = test.result();
  const note = result.state === 'skipped' ? result.note : undefined;
  return {
    name: `${test.module.relativeModuleId}: ${inName?.['name'] ?? test.fullName}`,
    reason: inName?.['reason'] ?? note ?? (test.tags.includes(WHOLE.name) ? WHOLE.description : ELSEWHERE),
  };
};
