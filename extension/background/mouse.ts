/** The mouse of the debugger's Input domain. What it presses is checked by the debugger's own hit test, for the browser presses whatever is drawn there. */
import * as z from 'zod';
import { CompanionError } from '#protocol/errors.ts';
import type { Modifier, Point } from '#extension/content/api.ts';
import { originOf } from '#extension/shared/addresses.ts';
import { DocumentChangedError, PageError } from '#extension/toolkit/page-error.ts';
import type { Press } from '#extension/toolkit/page.ts';
import type { Debugger } from './debugger.ts';
import type { PageDocument } from './inject.ts';

const MODIFIER_BITS: Record<Modifier, number> = { Alt: 1, Control: 2, Meta: 4, Shift: 8 };
const BUTTON_BITS = { left: 1, right: 2, middle: 4 } as const;

const FRAME_OWNERS = new Set(['IFRAME', 'FRAME', 'OBJECT', 'EMBED', 'FENCEDFRAME', 'PORTAL', 'WEBVIEW']);

const FrameTree = z.object({ frameTree: z.object({ frame: z.object({ id: z.string(), loaderId: z.string() }) }) });
const Metrics = z.object({ cssLayoutViewport: z.object({ pageX: z.number(), pageY: z.number() }) });
const Located = z.object({ backendNodeId: z.number(), frameId: z.string() });
const Described = z.object({ node: z.object({ nodeName: z.string() }) });

/** Moves there, presses and lets go, as often as asked: on the page itself, and on no frame in it. */
export class Mouse {
  readonly #attached: Debugger;
  readonly #tabId: number;
  readonly #page: PageDocument;

  /** `page` is the document that may be pressed. */
  constructor(attached: Debugger, tabId: number, page: PageDocument) {
    this.#attached = attached;
    this.#tabId = tabId;
    this.#page = page;
  }

  async press(point: Point, { button, isDouble, modifiers }: Press): Promise<void> {
    // A hidden tab takes input only after seconds; with this it behaves as if it were shown.
    await this.#attached.send('Emulation.setFocusEmulationEnabled', { enabled: true });
    const common = { ...point, modifiers: modifiers.reduce((bits, modifier) => bits | MODIFIER_BITS[modifier], 0) };
    const send = (type: string, more: Record<string, unknown>): Promise<unknown> =>
      this.#attached.send('Input.dispatchMouseEvent', { type, ...common, ...more });
    await this.#checkFrames();
    const before = await this.#mainFrame();
    await send('mouseMoved', {});
    for (let clickCount = 1; clickCount <= (isDouble ? 2 : 1); clickCount += 1) {
      // The first press of two may have led to another page; then there is nothing to press twice.
      if (clickCount === 2 && (await this.#hasLeft(before))) return;
      await this.#checkHit(point, before);
      await this.#checkFrames();
      await send('mousePressed', { button, buttons: BUTTON_BITS[button], clickCount });
      await send('mouseReleased', { button, buttons: 0, clickCount });
    }
  }

  /**
   * A page may put a frame under the pointer between any check and the press, and the browser finds frames of other sites by what is
   * drawn. So there must be none of another origin at all.
   */
  async #checkFrames(): Promise<void> {
    const frames = (await chrome.webNavigation.getAllFrames({ tabId: this.#tabId })) ?? [];
    const own = frames.find(({ frameId }) => frameId === 0);
    if (own?.documentId !== this.#page.documentId) throw new DocumentChangedError();
    const foreign = frames.find(({ url }) => url !== '' && !url.startsWith('about:') && originOf(url) !== originOf(own.url));
    if (foreign === undefined) return;
    throw new PageError('TARGET_NOT_READY', `${FOREIGN_FRAME} ${USE_REF}`, `frame: ${foreign.url.slice(0, 300)}`);
  }

  /** The page's main frame, with the load that is shown in it. */
  async #mainFrame(): Promise<{ id: string; loaderId: string }> {
    return FrameTree.parse(await this.#attached.send('Page.getFrameTree', {})).frameTree.frame;
  }

  async #hasLeft(before: { loaderId: string }): Promise<boolean> {
    return (await this.#mainFrame()).loaderId !== before.loaderId;
  }

  /** Throws unless a press at `point` goes into the main frame's own document, and this is the same one as before. */
  async #checkHit({ x, y }: Point, before: { id: string; loaderId: string }): Promise<void> {
    const { pageX, pageY } = Metrics.parse(await this.#attached.send('Page.getLayoutMetrics', {})).cssLayoutViewport;
    const located = Located.parse(
      await this.#attached.send('DOM.getNodeForLocation', {
        x: Math.round(x + pageX),
        y: Math.round(y + pageY),
      }),
    );
    const [described, hasLeft] = await Promise.all([
      this.#attached.send('DOM.describeNode', { backendNodeId: located.backendNodeId }),
      this.#hasLeft(before),
    ]);
    if (hasLeft) throw new DocumentChangedError();
    const { nodeName } = Described.parse(described).node;
    if (located.frameId === before.id && !FRAME_OWNERS.has(nodeName.toUpperCase())) return;
    throw new CompanionError('TARGET_NOT_READY', `A frame with a page of its own is at this place. ${USE_REF}`);
  }
}

const FOREIGN_FRAME = 'The page holds a frame of another site, and a trusted click could go into it.';
const USE_REF = 'Click without "trusted"; for what is inside the frame, use its ref (f7e12), which is allowed by the address of the frame.';
