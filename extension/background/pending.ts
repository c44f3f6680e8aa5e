/** What a document has begun and not finished, asked in the page's own world; see content/pending.ts. Where that fails there is nothing to wait for. */
import * as z from 'zod';
import { beginPart, countPending, endPending, untilOver, watchAgain } from '#extension/content/pending.ts';
import { watchPending } from '#extension/content/watch-pending.ts';
import type { PageAsk } from '#extension/toolkit/page.ts';
import { keepNewest } from '#extension/shared/keep-newest.ts';
import { isStuck } from './alive.ts';
import { answered } from './answered.ts';
import type { PageDocument } from './inject.ts';
import { within } from './queue.ts';

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

/** The same of its numbers. */
const Told = z.object({ count: z.number(), errors: z.number(), asks: z.unknown() });
type Counted = z.infer<typeof Told>;

/** No page knows it, so no page can tell that it is watched by listening. */
const KEY = crypto.randomUUID();

/** Who watches each document: another call goes on with what the one before it has left there. */
const watching = new Map<string, Pending>();

/** What can watch is in these documents already, each by the content that it had then. */
const prepared = new Set<string>();
const MOST_PREPARED = 200;

/** A page with more frames shows advertisements in most of them. */
const MOST_FRAMES = 10;

/** One that takes longer to answer is busy with its own. */
const FRAME_MS = 100;

/** How code that runs in a document has it watched: one question less than to have that done before. */
export interface Watch {
  /** What begins the watching anew there; it gives false where that has to be put there. */
  readonly code: string;
  /** Puts it there. */
  put(): Promise<void>;
}

export class Pending {
  readonly #tabId: number;
  readonly #documents: readonly PageDocument[];
  /** Frames that are only watched for what they do for the page around them, with what resolves when they are. One that hangs is left out. */
  readonly #inner: Map<PageDocument, Promise<unknown>>;
  /** All in which it has put what watches. */
  #begun: readonly PageDocument[] = [];
  readonly beganAt = performance.now();
  /** Documents that the code which is run in them has watched. */
  readonly #byCode = new Set<PageDocument>();

  /** What the page told its console as errors, when it was last asked. */
  errors = 0;
  /** What it asked the person for in the browser's own words. */
  asks: readonly PageAsk[] = [];

  /** Frames that are only watched, and that have changed since then. */
  readonly changed = new Set<number>();

  /** Of `frames`, those that are not among the documents that are acted in. */
  constructor(tabId: number, documents: readonly PageDocument[], frames: readonly PageDocument[] = []) {
    const acted = new Set(documents.map(({ documentId }) => documentId));
    this.#tabId = tabId;
    const others = frames.filter(({ documentId }) => !acted.has(documentId) && !isStuck(documentId));
    this.#inner = new Map(others.slice(0, MOST_FRAMES).map((frame) => [frame, Promise.resolve()]));
    this.#documents = documents;
  }

  /** Whether it has opened a tab, which the browser may not have told of yet. */
  get hasOpened(): boolean {
    return this.asks.some(({ what, state }) => what === 'tab' && state === 'given');
  }

  /** With `isCode` the page's own document, where it was watched before, is watched by the code that runs in it: see `watchIn`. */
  async begin(isCode = false): Promise<void> {
    this.#begun = this.#all;
    for (const { documentId } of this.#begun) watching.set(documentId, this);
    for (const frame of this.#inner.keys()) this.#inner.set(frame, this.#run(frame, watchPending, true));
    if (isCode) for (const asked of this.#documents) if (asked.frameId === 0 && isPrepared(asked)) this.#byCode.add(asked);
    await Promise.all(this.#documents.filter((asked) => !this.#byCode.has(asked)).map((asked) => this.#watch(asked)));
  }

  /** How code that is about to run in a document has it watched; null where that has begun. */
  watchIn(documentId: string): Watch | null {
    const asked = [...this.#byCode].find((one) => one.documentId === documentId);
    if (asked === undefined) return null;
    return { code: `(${watchAgain.toString()})(${JSON.stringify(KEY)}, false)`, put: () => this.#watch(asked) };
  }

  /** Other content in the same document has nothing of it, and is known by another mark. */
  async #watch(asked: PageDocument): Promise<void> {
    if (isPrepared(asked) && (await this.#run(asked, watchAgain, false)) === true) return;
    await this.#run(asked, watchPending);
    const content = contentOf(asked);
    if (content === null) return;
    prepared.add(content);
    keepNewest(prepared, MOST_PREPARED);
  }

  get #all(): readonly PageDocument[] {
    return [...this.#documents, ...this.#inner.keys()];
  }

  /** By what the page's own document is asked for its count where it is asked anyway; null for another document. */
  watched(documentId: string, awaitsFrame: boolean): { key: string; awaitsFrame: boolean } | null {
    const isOwn = this.#documents.some((asked) => asked.frameId === 0 && asked.documentId === documentId);
    return isOwn ? { key: KEY, awaitsFrame } : null;
  }

  /** `awaitsFrame`: what moves with the next frame is not finished either. `told` is what the page's own document tells, where that was asked. */
  async count(awaitsFrame: boolean, told: Promise<unknown> | null = null): Promise<number> {
    const inFrames = Promise.all([...this.#inner].map(([frame, begun]) => this.#countIn(frame, begun)));
    const ask = (asked: PageDocument): Promise<Counted | null> => this.#run(asked, countPending, awaitsFrame);
    const toldOr = async (asked: PageDocument): Promise<Counted | null> => Told.safeParse(await told).data ?? ask(asked);
    const counts = await Promise.all(this.#documents.map((asked) => (told !== null && asked.frameId === 0 ? toldOr(asked) : ask(asked))));
    this.errors = counts.reduce((sum, asked) => sum + (asked?.errors ?? 0), 0);
    this.asks = counts.flatMap((asked) => Asks.parse(asked?.asks ?? []));
    return counts.reduce((sum, asked) => sum + (asked?.count ?? 0), 0) + (await inFrames).reduce((sum, count) => sum + count, 0);
  }

  async #countIn(frame: PageDocument, begun: Promise<unknown>): Promise<number> {
    let count: number | null = null;
    const asked = begun.then(() => this.#run(frame, countPending, false));
    const isTold = asked.then((told) => {
      count = told?.count ?? 0;
      if (told !== null && told.changes > 0) this.changed.add(frame.frameId);
      return true;
    });
    if (!(await within(isTold, FRAME_MS))) this.#inner.delete(frame);
    return count ?? 0;
  }

  /** A part of the action begins, of which is waited for what it puts off by up to this, or by as much as an action. */
  async beginPart(horizonMs = 0): Promise<void> {
    await Promise.all(this.#documents.map((asked) => this.#run(asked, beginPart, horizonMs)));
  }

  /** Resolves when all of it is finished. */
  async over(): Promise<void> {
    await Promise.all(this.#all.map((asked) => this.#run(asked, untilOver)));
  }

  async end(): Promise<void> {
    await answered();
    const own = this.#begun.filter(({ documentId }) => watching.get(documentId) === this);
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

/** By what the content of a document is known; null where it was not asked. */
const contentOf = ({ documentId, mark }: PageDocument): string | null => (mark === undefined ? null : `${documentId} ${mark}`);

const isPrepared = (asked: PageDocument): boolean => prepared.has(contentOf(asked) ?? '');
