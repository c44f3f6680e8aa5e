/** The mouse of the debugger's Input domain. What it presses is checked by the debugger's own hit test, for the browser presses whatever is drawn there. */
import * as z from 'zod';
import { CompanionError } from '#protocol/errors.ts';
import { BEGIN_PX, stepsAlong } from '#extension/shared/pointer-way.ts';
import type { Point } from '#extension/content/api.ts';
import { MOST_ASKED, OTHER_HOSTS, PLAIN_HOSTS } from '#extension/content/composed.ts';
import { DocumentChangedError } from '#extension/toolkit/page-error.ts';
import type { DragPauses, MovingPlace, Press } from '#extension/toolkit/page.ts';
import type { Debugger } from './debugger.ts';
import { documentIn, framesOf } from './documents.ts';
import type { PageDocument } from './inject.ts';
import { modifierBits } from './keyboard.ts';
import { FRAME_OWNERS, NO_FRAMES, putStyle } from './page-style.ts';
import { orAborted } from './queue.ts';

const BUTTON_BITS = { left: 1, right: 2, middle: 4 } as const;

/** The browser learns of a drawn frame by another way than of its picture, so the first picture may come before it. */
const PICTURES = 2;

/** How often the pointer follows what moves away from it. */
const MAX_TRIES = 8;

const MOVES_AWAY = `It moves away: the pointer came ${MAX_TRIES} times to where it had just been, and nothing was pressed.`;

/** Where a button is let go of that must not be let go of in the page. */
const OUTSIDE: Point = { x: -10, y: -10 };

const FRAME_HERE =
  'A frame with a page of its own is at this place. For what is inside it, use its ref (f7e12), which is allowed by the address of the frame.';

/** As a selector. */
const OWNERS = [...FRAME_OWNERS].join(',').toLowerCase();

const FRAMES_MOVE =
  'A frame on this page came, went or moved just now, and a trusted click could go into it. Wait until the page is at rest, or click without "trusted".';

/** Between what a page hears of a drag and what the debugger does. */
const CARRIED_MS = 1_000;

const Intercepted = z.object({ data: z.record(z.string(), z.unknown()) });
const FrameTree = z.object({ frameTree: z.object({ frame: z.object({ id: z.string(), loaderId: z.string() }) }) });
const Metrics = z.object({
  cssVisualViewport: z.object({ pageX: z.number(), pageY: z.number(), offsetX: z.number(), offsetY: z.number() }),
});
const Located = z.object({ backendNodeId: z.number(), frameId: z.string() });
const Described = z.object({ node: z.object({ nodeName: z.string() }) });

/** The pointer of a real mouse: on the page itself, and not on a frame in it. */
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

  /** Leaves the pointer at a place. */
  async move(point: Point, moving?: MovingPlace): Promise<void> {
    await this.#attached.focus();
    await this.#withoutFrames(point, async (checkFrames) => {
      for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
        const at = moving === undefined ? point : await moving.now();
        await this.#checkHit(at, await this.#mainFrame());
        await this.#checkDocument();
        await checkFrames();
        await this.#attached.send('Input.dispatchMouseEvent', { type: 'mouseMoved', ...at });
        // It may have gone on between the look and the move.
        if (moving === undefined || (await moving.isReached())) return;
      }
    });
  }

  /** Presses at a place, moves after `grip`, and lets go at another place after `rest`, which says whether the browser's own drag and drop came of it. */
  async drag(from: Point, way: readonly Point[] | (() => Promise<Point>), { grip, rest }: DragPauses): Promise<void> {
    await this.#attached.focus();
    const held = { button: 'left', clickCount: 1 };
    await this.#withoutFrames(from, async (checkFrames) => {
      const before = await this.#mainFrame();
      await this.#attached.send('Input.dispatchMouseEvent', { type: 'mouseMoved', ...from });
      await this.#checkHit(from, before);
      await this.#checkDocument();
      await checkFrames();
      const carried = new Carried(this.#attached);
      await carried.begin();
      const move = async (at: Point): Promise<void> => {
        await this.#checkLoad(before);
        if (carried.isHeld) await carried.over(at);
        else await this.#attached.send('Input.dispatchMouseEvent', { type: 'mouseMoved', button: 'left', buttons: 1, ...at });
      };
      let end = OUTSIDE;
      try {
        await this.#attached.send('Input.dispatchMouseEvent', { type: 'mousePressed', ...held, buttons: 1, ...from });
        await grip();
        const known = typeof way === 'function' ? [await this.#begun(from, move).then(way)] : way;
        const goal = known.at(-1) ?? from;
        for (const at of wayTo(from, known)) await move(at);
        const isCarried = await rest();
        await move(goal);
        await this.#checkLoad(before);
        end = goal;
        if (isCarried) await carried.drop(goal);
      } finally {
        await carried.end();
        await this.#attached.release('Input.dispatchMouseEvent', { type: 'mouseReleased', ...held, buttons: 0, ...end });
      }
    });
  }

  /** Moves a little, so that the page knows that it is a drag. */
  async #begun(from: Point, move: (at: Point) => Promise<void>): Promise<void> {
    for (const at of stepsAlong(from, [{ x: from.x, y: from.y + BEGIN_PX }])) await move(at);
  }

  /** Moves to a place, presses and releases, as often as asked; once more where the page says that the press came to something else, and kept it from that. */
  async press(point: Point, press: Press): Promise<void> {
    const { place, isMoving = false } = press;
    await this.#attached.focus();
    await this.#withoutFrames(point, async (checkFrames) => {
      const before = await this.#mainFrame();
      await this.#checkHit(point, before);
      let at = point;
      for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
        if (tries > 1 && place !== undefined) at = await place.now();
        await this.#attached.send('Input.dispatchMouseEvent', { type: 'mouseMoved', ...at, modifiers: modifierBits(press.modifiers) });
        if (place !== undefined && (isMoving || tries > 1)) at = await place.now();
        await this.#pressAt(at, press, before, checkFrames);
        if (place === undefined || (await place.isReached())) return;
      }
      throw new CompanionError('TARGET_NOT_READY', MOVES_AWAY);
    });
  }

  async #pressAt(
    at: Point,
    { button, count, modifiers, isMoving = false }: Press,
    before: { id: string; loaderId: string },
    checkFrames: () => Promise<void>,
  ): Promise<void> {
    const send = (type: string, buttons: number, clickCount: number): Promise<unknown> =>
      this.#attached.send('Input.dispatchMouseEvent', { type, ...at, modifiers: modifierBits(modifiers), button, buttons, clickCount });
    for (let clickCount = 1; clickCount <= count; clickCount += 1) {
      // A press before it may have led to another page, where nothing may be pressed.
      if (clickCount > 1 && (await this.#hasLeft(before))) return;
      await this.#checkHit(at, before);
      await this.#checkDocument();
      await checkFrames();
      const pressed = send('mousePressed', BUTTON_BITS[button], clickCount);
      // What moves would be elsewhere with the next frame.
      if (!isMoving) await pressed;
      await Promise.all([pressed, send('mouseReleased', 0, clickCount)]);
    }
  }

  /**
   * Runs `press` while no frame in the page is drawn. A page may put a frame at `point` between any check and the press, and the browser finds
   * frames of other sites by what is drawn last. The style holds for frames that come later too.
   */
  async #withoutFrames(point: Point, press: (checkFrames: () => Promise<void>) => Promise<void>): Promise<void> {
    const atRest = (await this.#frames()).places;
    // Later a frame at the place would not be found, and what lies below it would be pressed.
    await this.#checkHit(point, await this.#mainFrame());
    const removeStyle = await putStyle(this.#tabId, this.#page, NO_FRAMES).catch(() => {
      throw new DocumentChangedError();
    });
    // A press that was given up may still be on its way, so the style stays until every command has been answered.
    const remove = async (): Promise<void> => {
      await this.#attached.idle();
      await removeStyle();
    };
    try {
      // The style takes effect when the page is drawn, and a screenshot makes a hidden tab draw.
      await this.#attached.draw();
      for (let taken = 0; taken < PICTURES; taken += 1) {
        await this.#attached.send('Page.captureScreenshot', { format: 'jpeg', quality: 1, optimizeForSpeed: true });
        await this.#checkFrames(atRest);
      }
      await press(() => this.#checkFrames(atRest));
    } catch (error) {
      void remove();
      throw error;
    }
    await remove();
  }

  /** Throws unless the frames are where they were, and none is drawn: a style that was inserted is not always in force at once. */
  async #checkFrames(atRest: string): Promise<void> {
    const { places, areDrawn } = await this.#frames();
    if (areDrawn || places !== atRest) throw new CompanionError('TARGET_NOT_READY', FRAMES_MOVE);
  }

  /** The frames in the page now, and which of them lie at a place. A large page is searched whole only where the browser knows of more frames. */
  async #frames(point: Point | null = null): Promise<FramesShown> {
    const shown = await this.#search(point, MOST_ASKED);
    if (shown.foundOnly === null) return shown;
    const inner = (await framesOf(this.#tabId)).filter(({ parentFrameId }) => parentFrameId === this.#page.frameId);
    return inner.length === shown.foundOnly ? shown : this.#search(point, Infinity);
  }

  async #search(point: Point | null, mostAsked: number): Promise<FramesShown> {
    const target = { tabId: this.#tabId, documentIds: [this.#page.documentId] };
    const args: Parameters<typeof framesShown> = [OWNERS, [OTHER_HOSTS, PLAIN_HOSTS], mostAsked, point];
    const [shown] = await chrome.scripting.executeScript({ target, func: framesShown, args, injectImmediately: true }).catch(() => []);
    if (shown?.result === undefined || shown.result === null || shown.documentId !== this.#page.documentId)
      throw new DocumentChangedError();
    return shown.result;
  }

  async #checkDocument(): Promise<void> {
    const { documentId } = await documentIn(this.#tabId, 0);
    if (documentId !== this.#page.documentId) throw new DocumentChangedError();
  }

  /** The page's main frame, with the load that is shown in it. */
  async #mainFrame(): Promise<{ id: string; loaderId: string }> {
    return FrameTree.parse(await this.#attached.send('Page.getFrameTree', {})).frameTree.frame;
  }

  /** The press may have led to another page, on which nothing may be dropped. */
  async #checkLoad(before: { loaderId: string }): Promise<void> {
    if (await this.#hasLeft(before)) throw new DocumentChangedError();
  }

  async #hasLeft(before: { loaderId: string }): Promise<boolean> {
    return (await this.#mainFrame()).loaderId !== before.loaderId;
  }

  /**
   * Throws unless the main frame's own document is drawn at `point`, and this is the same one as before. A frame of another site that ignores the
   * pointer counts as drawn: what the page puts over the target in the last moment is not pressed through. A frame of the page's own site is.
   */
  async #checkHit({ x, y }: Point, before: { id: string; loaderId: string }): Promise<void> {
    // Of the layout viewport Chrome tells how far it is from the page's left edge, also where the page begins at its right one.
    const { cssVisualViewport: view } = Metrics.parse(await this.#attached.send('Page.getLayoutMetrics', {}));
    const located = Located.parse(
      await this.#attached.send('DOM.getNodeForLocation', {
        x: Math.round(x + view.pageX - view.offsetX),
        y: Math.round(y + view.pageY - view.offsetY),
        ignorePointerEventsNone: true,
      }),
    );
    const [described, hasLeft] = await Promise.all([
      this.#attached.send('DOM.describeNode', { backendNodeId: located.backendNodeId }),
      this.#hasLeft(before),
    ]);
    if (hasLeft) throw new DocumentChangedError();
    const { nodeName } = Described.parse(described).node;
    if (located.frameId === before.id && !FRAME_OWNERS.has(nodeName.toUpperCase())) return;
    if ((await this.#frames({ x, y })).areOwnHere) return;
    throw new CompanionError('TARGET_NOT_READY', FRAME_HERE);
  }
}

/** As far as just before the end, where a page may still make room. */
const wayTo = (from: Point, way: readonly Point[]): Point[] => {
  const to = way.at(-1) ?? from;
  const start = way.at(-2) ?? from;
  const length = Math.hypot(to.x - start.x, to.y - start.y);
  const whole = length > 1 ? (length - 1) / length : 0;
  const before = { x: start.x + (to.x - start.x) * whole, y: start.y + (to.y - start.y) * whole };
  return stepsAlong(from, [...way.slice(0, -1), before]);
};

/**
 * What the browser's own drag and drop carries. Chrome shows it to the person's hand, unless it is told to leave it to us, and then it takes no
 * press of the mouse until it was dropped or given up.
 */
class Carried {
  readonly #attached: Debugger;
  readonly #taken: Promise<unknown>;
  readonly #unhear: () => void;
  #content: unknown = null;
  #isOver = false;

  constructor(attached: Debugger) {
    this.#attached = attached;
    const { promise, resolve } = Promise.withResolvers<unknown>();
    this.#taken = promise;
    this.#unhear = attached.hear((method, params) => {
      if (method !== 'Input.dragIntercepted') return;
      this.#content = Intercepted.parse(params).data;
      resolve(this.#content);
    });
  }

  get isHeld(): boolean {
    return this.#content !== null;
  }

  async begin(): Promise<void> {
    await this.#attached.send('Input.setInterceptDrags', { enabled: true });
  }

  async over(point: Point): Promise<void> {
    if (!this.#isOver) await this.#send('dragEnter', point);
    this.#isOver = true;
    await this.#send('dragOver', point);
  }

  /** The page may know of it before it is here. */
  async drop(point: Point): Promise<void> {
    await orAborted(this.#taken, AbortSignal.timeout(CARRIED_MS));
    await this.over(point);
    await this.#send('drop', point);
    this.#content = null;
  }

  /** Gives up what was not dropped. */
  async end(): Promise<void> {
    this.#unhear();
    if (this.isHeld) await this.#attached.release('Input.dispatchDragEvent', this.#at('dragCancel', OUTSIDE));
    await this.#attached.release('Input.setInterceptDrags', { enabled: false });
  }

  async #send(type: string, point: Point): Promise<void> {
    await this.#attached.send('Input.dispatchDragEvent', this.#at(type, point));
  }

  #at(type: string, point: Point): Record<string, unknown> {
    return { type, ...point, data: this.#content };
  }
}

interface FramesShown {
  /** Where those of other sites in the viewport are. */
  readonly places: string;
  /** Any of them, of any site. */
  readonly areDrawn: boolean;
  /** Whether there is one at the place, and all that are there hold the page's own site. */
  readonly areOwnHere: boolean;
  /** How many show a page of those that were found, where more elements could hold some; null where all were asked. */
  readonly foundOnly: number | null;
}

/**
 * Runs inside the page, so it may use nothing from outside itself. Frames in closed shadow trees are found too, where not more than `mostAsked` plain
 * elements could hold one.
 */
const framesShown = (owners: string, [other, plain]: readonly [string, string], mostAsked: number, point: Point | null): FramesShown => {
  const places: string[] = [];
  const here: boolean[] = [];
  let [areDrawn, found, isAll] = [false, 0, true];
  const visit = (root: Document | ShadowRoot): void => {
    for (const element of root.querySelectorAll(owners)) {
      const isFrame = element instanceof HTMLIFrameElement || element instanceof HTMLFrameElement || element instanceof HTMLObjectElement;
      if (isFrame && element.contentWindow !== null) found += 1;
      // What is outside the flat tree is not drawn and has no style.
      areDrawn ||= getComputedStyle(element).visibility === 'visible';
      const { left, top, right, bottom } = element.getBoundingClientRect();
      const isShown = right > Math.max(left, 0) && bottom > Math.max(top, 0) && left < innerWidth && top < innerHeight;
      // Of another origin, the browser gives a frame's document to nobody. One that is sandboxed is of another origin, too.
      const isOwn = element instanceof HTMLIFrameElement && element.contentDocument !== null;
      if (isShown && !isOwn) places.push([left, top, right, bottom].map(Math.round).join(' '));
      if (point !== null && left <= point.x && point.x <= right && top <= point.y && point.y <= bottom) here.push(isOwn);
    }
    for (const [hosts, most] of [
      [other, Infinity],
      [plain, mostAsked],
    ] as const) {
      const all = root.querySelectorAll(hosts);
      isAll &&= all.length <= most;
      for (let at = 0; at < Math.min(all.length, most); at += 1) {
        const host = all.item(at);
        const shadow = host instanceof HTMLElement ? chrome.dom.openOrClosedShadowRoot(host) : null;
        if (shadow !== null) visit(shadow);
      }
    }
  };
  visit(document);
  return { places: places.join(), areDrawn, areOwnHere: here.length > 0 && here.every(Boolean), foundOnly: isAll ? null : found };
};
