/**
 * Frames that do not load yet: while real keys are sent no frame of another site may come, for the page could lead the focus there. Their
 * requests wait in the browser and go on afterwards as they were, those of forms too. https://chromedevtools.github.io/devtools-protocol/tot/Fetch/
 */
import * as z from 'zod';
import { originOf } from '#extension/shared/addresses.ts';

type Send = (method: string, params: Record<string, unknown>) => Promise<unknown>;

/** Asks to be told of each page and each frame that is to be loaded. */
export const DOCUMENTS = { urlPattern: '*', resourceType: 'Document' };

const Paused = z.object({ frameId: z.string(), resourceType: z.string(), request: z.object({ url: z.string() }) });
const Top = z.object({ frameTree: z.object({ frame: z.object({ id: z.string() }) }) });

export class HeldFrames {
  readonly #send: Send;
  readonly #origin: string;
  readonly #held: unknown[] = [];
  #top: string | null = null;
  #isOver = false;

  /** Frames of `origin` load as ever. */
  constructor(send: Send, origin: string) {
    this.#send = send;
    this.#origin = origin;
  }

  /** `patterns` are those of the requests that are answered in place of their server. */
  async begin(patterns: readonly object[]): Promise<void> {
    this.#top = Top.parse(await this.#send('Page.getFrameTree', {})).frameTree.frame.id;
    // A page that is busy may answer after the call has ended, when nobody would let go any more.
    if (this.#isOver) return;
    await this.#send('Fetch.enable', { patterns: [...patterns, DOCUMENTS] });
  }

  /** Whether a request that Chrome tells of waits from now on. */
  take(params: unknown): boolean {
    const paused = Paused.safeParse(params).data;
    if (paused === undefined || paused.resourceType !== DOCUMENTS.resourceType || paused.frameId === this.#top) return false;
    if (originOf(paused.request.url) === this.#origin) return false;
    this.#held.push(params);
    return true;
  }

  /** What has waited goes its way by `answer`. */
  async end(patterns: readonly object[], answer: (params: unknown) => Promise<void>): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#held.map(answer));
    await (patterns.length === 0 ? this.#send('Fetch.disable', {}) : this.#send('Fetch.enable', { patterns }));
  }
}
