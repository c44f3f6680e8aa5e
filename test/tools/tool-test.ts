import { test as base } from 'vitest';
import { type PlainStage, type Reusable, type ToolStage, startPlainStage, startToolStage } from './tool-stage.ts';

/** A browser that the tests of a file share, one after the other: a start takes as long as ten of them. */
class Shared<S extends Reusable> {
  readonly #start: () => Promise<S>;
  #stage: Promise<S> | null = null;

  constructor(start: () => Promise<S>) {
    this.#start = start;
  }

  open(): Promise<S> {
    this.#stage ??= this.#start();
    return this.#stage;
  }

  /** The next test gets another one. */
  async close(): Promise<void> {
    const stage = this.#stage;
    this.#stage = null;
    await (await stage)?.close();
  }
}

/** Tests in a browser that lasts as long as their file. */
const sharing = <S extends Reusable>(start: () => Promise<S>) =>
  base.extend<{ shared: Shared<S>; stage: S }>({
    shared: [
      // oxlint-disable-next-line no-empty-pattern -- vitest reads the dependencies of a fixture from this pattern
      async ({}, use) => {
        const shared = new Shared(start);
        await use(shared);
        await shared.close();
      },
      { scope: 'file' },
    ],
    stage: async ({ shared, onTestFailed }, use) => {
      // What went wrong in one test must not go on in the next.
      onTestFailed(() => shared.close());
      const stage = await shared.open();
      await use(stage);
      stage.tidy();
    },
  });

export const test = sharing<ToolStage & Reusable>(() => startToolStage());

/** In a browser that nobody is attached to. */
export const plainTest = sharing<PlainStage>(() => startPlainStage(1));
