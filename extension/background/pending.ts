/** What a document has begun and not finished, asked in the page's own world; see content/pending.ts. Where that fails there is nothing to wait for. */
import * as z from 'zod';
import { countPending, endPending, untilOver } from '#extension/content/pending.ts';
import { watchPending } from '#extension/content/watch-pending.ts';
import type { PageAsk } from '#extension/toolkit/page.ts';
import { answered } from './answered.ts';
import type { PageDocument } from './inject.ts';

/** A page can answer in our place, so only what it may say is taken. */
const Asks = z
  .array(
    z
      .tuple([
        z.enum([
          'print',
          'tab',
          'the location',
          'notifications',
          'camera or microphone',
          'a picture of the screen',
          'the clipboard',
          'a file or folder of the computer',
        ]),
        z.enum(['waiting', 'given', 'refused']),
      ])
      .transform(([what, state]): PageAsk => ({ what, state })),
  )
  .max(20)
  .catch([]);

/** No page knows it, so no page can tell that it is watched by listening. */
const KEY = crypto.randomUUID();

/** Who watches each document: another call goes on with what the one before it has left there. */
const watching = new Map<string, Pending>();

/** A page with more frames shows advertisements in most of them. */
const MOST_FRAMES = 10;

export class Pending {
  readonly #tabId: number;
  readonly #documents: readonly PageDocument[];
  /** Those of them that are only watched for what they do for the page around them. */
  readonly #inner: readonly PageDocument[];
  readonly beganAt = Date.now();

  /** What the page told its console as errors, when it was last asked. */
  errors = 0;
  /** What it asked the person for in the browser's own words. */
  asks: readonly PageAsk[] = [];

  /** Of `frames`, those that are not among the documents that are acted in. */
  constructor(tabId: number, documents: readonly PageDocument[], frames: readonly PageDocument[] = []) {
    const acted = new Set(documents.map(({ documentId }) => documentId));
    this.#tabId = tabId;
    this.#inner = frames.filter(({ documentId }) => !acted.has(documentId)).slice(0, MOST_FRAMES);
    this.#documents = [...documents, ...this.#inner];
  }

  /** Whether it has opened a tab, which the browser may not have told of yet. */
  get hasOpened(): boolean {
    return this.asks.some(({ what, state }) => what === 'tab' && state === 'given');
  }

  async begin(): Promise<void> {
    for (const { documentId } of this.#documents) watching.set(documentId, this);
    await Promise.all(this.#documents.map((asked) => this.#run(asked, watchPending, this.#inner.includes(asked))));
  }

  /** `awaitsFrame`: what moves with the next frame is not finished either. */
  async count(awaitsFrame: boolean): Promise<number> {
    const counts = await Promise.all(this.#documents.map((asked) => this.#run(asked, countPending, awaitsFrame)));
    this.errors = counts.reduce((sum, asked) => sum + (asked?.errors ?? 0), 0);
    this.asks = counts.flatMap((asked) => Asks.parse(asked?.asks ?? []));
    return counts.reduce((sum, asked) => sum + (asked?.count ?? 0), 0);
  }

  /** Resolves when all of it is finished. */
  async over(): Promise<void> {
    await Promise.all(this.#documents.map((asked) => this.#run(asked, untilOver)));
  }

  async end(): Promise<void> {
    await answered();
    const own = this.#documents.filter(({ documentId }) => watching.get(documentId) === this);
    for (const { documentId } of own) watching.delete(documentId);
    await Promise.all(own.map((asked) => this.#run(asked, endPending)));
  }

  async #run<T, A extends unknown[]>(
    { documentId }: PageDocument,
    func: (key: string, ...more: A) => T | Promise<T>,
    ...more: A
  ): Promise<T | null> {
    const target = { tabId: this.#tabId, documentIds: [documentId] };
    return chrome.scripting.executeScript({ target, func, args: [KEY, ...more], world: 'MAIN', injectImmediately: true }).then(
      ([injected]) => injected?.result ?? null,
      () => null,
    );
  }
}
