/** The mouse of the debugger's Input domain. What it presses is checked by the debugger's own hit test, for the browser presses whatever is drawn there. */
import * as z from 'zod';
import { CompanionError } from '#protocol/errors.ts';
import type { Modifier, Point } from '#extension/content/api.ts';
import { DocumentChangedError } from '#extension/toolkit/page-error.ts';
import type { Press } from '#extension/toolkit/page.ts';
import type { Debugger } from './debugger.ts';
import type { PageDocument } from './inject.ts';

const MODIFIER_BITS: Record<Modifier, number> = { Alt: 1, Control: 2, Meta: 4, Shift: 8 };
const BUTTON_BITS = { left: 1, right: 2, middle: 4 } as const;

/**
 * While this holds no frame is drawn, so that none can be hit, however it came into the page: pages in other processes are found by
 * what is drawn, whatever their `pointer-events`. As the user's style it is stronger than any of the page's.
 */
const NO_FRAMES = ':is(iframe, frame, object, embed, fencedframe, portal, webview) { visibility: hidden !important; }';
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
  readonly #drawn: () => Promise<void>;

  /** `page` is the document that may be pressed; `drawn` resolves when it has been drawn anew. */
  constructor(attached: Debugger, tabId: number, page: PageDocument, drawn: () => Promise<void>) {
    this.#attached = attached;
    this.#drawn = drawn;
    this.#tabId = tabId;
    this.#page = page;
  }

  async press(point: Point, { button, isDouble, modifiers }: Press): Promise<void> {
    // A hidden tab takes input only after seconds; with this it behaves as if it were shown.
    await this.#attached.send('Emulation.setFocusEmulationEnabled', { enabled: true });
    const common = { ...point, modifiers: modifiers.reduce((bits, modifier) => bits | MODIFIER_BITS[modifier], 0) };
    const send = (type: string, more: Record<string, unknown>): Promise<unknown> =>
      this.#attached.send('Input.dispatchMouseEvent', { type, ...common, ...more });
    const css: chrome.scripting.CSSInjection = {
      target: { tabId: this.#tabId, documentIds: [this.#page.documentId] },
      css: NO_FRAMES,
      origin: 'USER',
    };
    await chrome.scripting.insertCSS(css).catch(changed);
    try {
      const before = await this.#mainFrame();
      await this.#drawn();
      await send('mouseMoved', {});
      for (let clickCount = 1; clickCount <= (isDouble ? 2 : 1); clickCount += 1) {
        // The first press of two may have led to another page; then there is nothing to press twice.
        if (clickCount === 2 && (await this.#hasLeft(before))) return;
        await this.#checkHit(point, before);
        await send('mousePressed', { button, buttons: BUTTON_BITS[button], clickCount });
        await send('mouseReleased', { button, buttons: 0, clickCount });
      }
    } finally {
      // The press may have led to another page.
      await chrome.scripting.removeCSS(css).catch(() => null);
    }
  }

  /** The page's main frame with the load that is shown in it, once it is certain that this is still the page that was agreed to. */
  async #mainFrame(): Promise<{ id: string; loaderId: string }> {
    const { frame } = FrameTree.parse(await this.#attached.send('Page.getFrameTree', {})).frameTree;
    const shown = await chrome.webNavigation.getFrame({ tabId: this.#tabId, frameId: 0 });
    if (shown?.documentId !== this.#page.documentId) throw new DocumentChangedError();
    return frame;
  }

  async #hasLeft(before: { loaderId: string }): Promise<boolean> {
    return FrameTree.parse(await this.#attached.send('Page.getFrameTree', {})).frameTree.frame.loaderId !== before.loaderId;
  }

  /** Throws unless a press at `point` goes into the main frame's own document, and this is the same one as before. */
  async #checkHit({ x, y }: Point, before: { id: string; loaderId: string }): Promise<void> {
    const { pageX, pageY } = Metrics.parse(await this.#attached.send('Page.getLayoutMetrics', {})).cssLayoutViewport;
    const located = Located.parse(
      await this.#attached.send('DOM.getNodeForLocation', {
        x: Math.round(x + pageX),
        y: Math.round(y + pageY),
        ignorePointerEventsNone: false,
      }),
    );
    const [described, tree] = await Promise.all([
      this.#attached.send('DOM.describeNode', { backendNodeId: located.backendNodeId }),
      this.#attached.send('Page.getFrameTree', {}),
    ]);
    if (FrameTree.parse(tree).frameTree.frame.loaderId !== before.loaderId) throw new DocumentChangedError();
    const { nodeName } = Described.parse(described).node;
    if (located.frameId === before.id && !FRAME_OWNERS.has(nodeName.toUpperCase())) return;
    throw new CompanionError('TARGET_NOT_READY', 'A frame with another page in it is at this place.', {
      remedy: 'Take a new browser_snapshot and click a ref inside the frame (f7e12): that is allowed by the address of the frame.',
    });
  }
}

const changed = (): never => {
  throw new DocumentChangedError();
};
