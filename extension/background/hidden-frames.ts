/** Frames that no picture of the page around them may show, and how they are kept out of it: closed ones, and such whose secret fields are not hidden. */
import type { OffLimits } from '#extension/shared/addresses.ts';
import { closedAmong, type Frame } from './documents.ts';
import { NO_FRAMES, putStyle } from './page-style.ts';
import type { WhyUndrawn } from '#extension/toolkit/page.ts';

export class HiddenFrames {
  readonly #tabId: number;
  readonly #offLimits: () => OffLimits;
  readonly #reasons = new Set<WhyUndrawn>();
  /** By the document around them: what draws them again. */
  readonly #styled = new Map<string, () => Promise<void>>();

  constructor(tabId: number, offLimits: () => OffLimits) {
    this.#tabId = tabId;
    this.#offLimits = offLimits;
  }

  /** Why there are any. */
  get reasons(): readonly WhyUndrawn[] {
    return [...this.#reasons];
  }

  get isAny(): boolean {
    return this.#styled.size > 0;
  }

  /** Draws none of the closed ones. */
  hideClosed(frames: readonly Frame[]): Promise<void> {
    return this.hide(closedAmong(frames, this.#offLimits()), frames, 'closed');
  }

  /** Draws no frame in a page that holds one of these: which element is whose, Chrome does not say. */
  async hide(hidden: readonly Frame[], frames: readonly Frame[], why: WhyUndrawn): Promise<void> {
    if (hidden.length > 0) this.#reasons.add(why);
    const parents = new Set(hidden.map(({ parentFrameId }) => parentFrameId));
    // What is in a hidden frame is hidden with it.
    const around = frames.filter((frame) => parents.has(frame.frameId) && !hidden.includes(frame) && !this.#styled.has(frame.documentId));
    const put = around.map(async (page) => this.#styled.set(page.documentId, await putStyle(this.#tabId, page, NO_FRAMES)));
    await Promise.all(put.map((style) => style.catch(() => null)));
  }

  /** Whether no closed frame has come since into a page whose frames are drawn. */
  areAllClosedIn(frames: readonly Frame[]): boolean {
    return closedAmong(frames, this.#offLimits()).every((frame) => this.has(frame, frames));
  }

  /** Whether the frame is not drawn, by a page around it. */
  has({ parentFrameId }: Frame, frames: readonly Frame[]): boolean {
    const parent = frames.find(({ frameId }) => frameId === parentFrameId);
    return parent !== undefined && (this.#styled.has(parent.documentId) || this.has(parent, frames));
  }

  async show(): Promise<void> {
    await Promise.all([...this.#styled.values()].map((remove) => remove()));
  }
}
