/** What a document has begun and not finished, asked in the page's own world; see content/pending.ts. Where that fails there is nothing to wait for. */
import { countPending, endPending, untilOver, watchAnswers, watchErrors, watchTasks } from '#extension/content/pending.ts';
import type { PageDocument } from './inject.ts';

/** No page knows it, so no page can tell that it is watched by listening. */
const KEY = crypto.randomUUID();

export class Pending {
  readonly #tabId: number;
  readonly #documents: readonly PageDocument[];

  /** What the page told its console as errors, when it was last asked. */
  errors = 0;

  constructor(tabId: number, documents: readonly PageDocument[]) {
    this.#tabId = tabId;
    this.#documents = documents;
  }

  async begin(): Promise<void> {
    const watches = [watchTasks, watchAnswers, watchErrors];
    await Promise.all(this.#documents.flatMap((asked) => watches.map((watch) => this.#run(asked, watch))));
  }

  async count(): Promise<number> {
    const counts = await Promise.all(this.#documents.map((asked) => this.#run(asked, countPending)));
    this.errors = counts.reduce((sum, asked) => sum + (asked?.errors ?? 0), 0);
    return counts.reduce((sum, asked) => sum + (asked?.count ?? 0), 0);
  }

  /** Resolves when all of it is finished. */
  async over(): Promise<void> {
    await Promise.all(this.#documents.map((asked) => this.#run(asked, untilOver)));
  }

  async end(): Promise<void> {
    await Promise.all(this.#documents.map((asked) => this.#run(asked, endPending)));
  }

  async #run<T>({ documentId }: PageDocument, func: (key: string) => T | Promise<T>): Promise<T | null> {
    const target = { tabId: this.#tabId, documentIds: [documentId] };
    return chrome.scripting.executeScript({ target, func, args: [KEY], world: 'MAIN', injectImmediately: true }).then(
      ([injected]) => injected?.result ?? null,
      () => null,
    );
  }
}
