/** The order of test files: no long one is begun when all others are done, and works then on one core while the others rest. */
import path from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** What takes half a minute and more on two cores, longest first. Vitest goes by the size of the files, which says little of them. */
const LONG = [
  'test/integration/engines.test.ts',
  'test/integration/trust-agents.test.ts',
  'test/integration/acp-added.test.ts',
  'test/integration/context.test.ts',
  'test/integration/acp-services.test.ts',
  'test/integration/qwen.test.ts',
  'test/integration/codex-processes.test.ts',
  'test/integration/claude-turn.test.ts',
  'test/integration/terminal.test.ts',
  'test/integration/unending-agent.test.ts',
  'test/integration/finding.test.ts',
  'test/integration/faults-agent.test.ts',
  'test/e2e/panel-cards.spec.ts',
  'test/tools/boundary-frames.spec.ts',
  'test/tools/settle.spec.ts',
  'test/tools/faults.spec.ts',
  'test/tools/boundary-keys.spec.ts',
  'test/tools/browser-type-editors.spec.ts',
  'test/tools/panel-xss.spec.ts',
  'test/tools/downloads.spec.ts',
  'test/tools/browser-evaluate.spec.ts',
  'test/e2e/live-output.spec.ts',
  'test/e2e/background-task.spec.ts',
];

/** To be used as a sequencer of vitest. */
export class LongestFirst extends BaseSequencer {
  override async sort(specs: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(specs);
    return sorted.toSorted((a, b) => orderOf(a) - orderOf(b) || this.#rank(a) - this.#rank(b));
  }

  #rank({ moduleId }: TestSpecification): number {
    const name = path.relative(this.ctx.config.root, moduleId).split(path.sep).join('/');
    return (LONG.indexOf(name) + LONG.length + 1) % (LONG.length + 1);
  }
}

/** One project has one place among the groups. */
const orderOf = ({ project }: TestSpecification): number => project.config.sequence.groupOrder;
