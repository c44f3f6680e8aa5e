/** Names at the end of a run each test that was left out, and why; one that does not say why fails the run. */
import type { Reporter, TestCase, TestModule, Vitest } from 'vitest/node';

/** What an engine does not have stands in the test's name. */
const IN_NAME = /^(?<name>.*) \[missing: (?<reason>.*)\]$/;

const toLine = (test: TestCase): { line: string; isExplained: boolean } => {
  const inName = IN_NAME.exec(test.fullName)?.groups;
  const result = test.result();
  const note = result.state === 'skipped' ? result.note : undefined;
  const reason = inName?.['reason'] ?? note;
  const name = `${test.module.relativeModuleId}: ${inName?.['name'] ?? test.fullName}`;
  return { line: `  ${name}\n    ${reason ?? 'does not say why'}`, isExplained: reason !== undefined };
};

/** To be used as a reporter of vitest. */
export const createLeftOutReporter = (): Reporter => {
  let isPartOnly = false;
  return {
    onInit: (vitest: Vitest) => {
      // With `-t` the rest is left out because the person said so.
      isPartOnly = vitest.config.testNamePattern !== undefined;
    },
    onTestRunEnd: (modules: readonly TestModule[]) => {
      const left = isPartOnly ? [] : modules.flatMap((module) => [...module.children.allTests('skipped')].map(toLine));
      if (left.length === 0) return;
      console.log(`\nTests left out: ${left.length}\n${left.map(({ line }) => line).join('\n')}\n`);
      if (left.some(({ isExplained }) => !isExplained)) process.exitCode = 1;
    },
  };
};
