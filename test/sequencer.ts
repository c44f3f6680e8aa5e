/** The order of test files: no long one is begun when all others are done, and works then on one core while the others rest. */
import path from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { LONG, PROCESSES } from './files.ts';

const FIRST = [...LONG, ...PROCESSES];

/** To be used as a sequencer of vitest. */
export class LongestFirst extends BaseSequencer {
  override async sort(specs: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(specs);
    return sorted.toSorted((a, b) => orderOf(a) - orderOf(b) || this.#rank(a) - this.#rank(b));
  }

  #rank({ moduleId }: TestSpecification): number {
    const name = path.relative(this.ctx.config.root, moduleId).split(path.sep).join('/');
    return (FIRST.indexOf(name) + FIRST.length + 1) % (FIRST.length + 1);
  }
}

/** One project has one place among the groups. */
const orderOf = ({ project }: TestSpecification): number => project.config.sequence.groupOrder;
