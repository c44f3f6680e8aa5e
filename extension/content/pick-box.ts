/** Lets the user draw a box over what the page shows, with the mouse or with the keyboard. While it lasts the page hears of none of that. */
import type { Box } from './api.ts';
import { windowIn } from './frame-window.ts';
import { TopLayer } from './top-layer.ts';

/** A person who walks away finds a page that works. */
const LIMIT_MS = 120_000;

/** A smaller box was a click, not a box. */
const MIN_PX = 5;

/** How far an arrow key moves the box, or with Shift its far corner. */
const STEP_PX = 10;

const VEIL = 'position: fixed; inset: 0; pointer-events: auto; cursor: crosshair; background: rgb(11 61 74 / 12%);';

const FRAME =
  'position: fixed; box-sizing: border-box; border: 2px solid #0b6b80; background: rgb(255 255 255 / 25%); pointer-events: none;' +
  'box-shadow: 0 0 0 1px #fff;';

const SWALLOWED = ['mousedown', 'mousemove', 'mouseup', 'click', 'auxclick', 'dblclick', 'contextmenu', 'touchstart', 'touchend'];

/** The box in CSS pixels of the view; null after Escape, an abort or the limit. */
export const pickBox = (signal: AbortSignal): Promise<Box | null> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve(null);
    // The keys are for the box, and would be heard in a frame only where one was used last.
    const { activeElement } = document;
    if (activeElement instanceof HTMLElement && windowIn(activeElement) !== null) activeElement.blur();
    const picker = new BoxPicker((box) => {
      clearTimeout(limit);
      signal.removeEventListener('abort', cancel);
      resolve(box);
    });
    const cancel = (): void => picker.finish(null);
    const limit = setTimeout(cancel, LIMIT_MS);
    signal.addEventListener('abort', cancel);
    return undefined;
  });

class BoxPicker {
  readonly #frame = document.createElement('div');
  readonly #layer: TopLayer;
  readonly #onBox: (box: Box | null) => void;
  #from: { x: number; y: number } | null = null;
  #box: Box | null = null;

  constructor(onBox: (box: Box | null) => void) {
    this.#onBox = onBox;
    const veil = document.createElement('div');
    veil.style.cssText = VEIL;
    this.#frame.style.cssText = `${FRAME} display: none;`;
    this.#layer = new TopLayer(veil, this.#frame);
    const options = { capture: true, passive: false, signal: this.#layer.signal };
    const swallow = (event: Event): void => {
      event.preventDefault();
      event.stopImmediatePropagation();
    };
    // A script of the page must not choose for the user.
    for (const type of SWALLOWED) addEventListener(type, (event) => event.isTrusted && swallow(event), options);
    for (const type of ['pointerdown', 'pointermove', 'pointerup'])
      addEventListener(
        type,
        (event) => {
          if (!event.isTrusted || !(event instanceof PointerEvent)) return;
          swallow(event);
          this.#hearPointer(event);
        },
        options,
      );
    addEventListener(
      'keydown',
      (event) => {
        if (event.isTrusted && this.#hearKey(event)) swallow(event);
      },
      options,
    );
  }

  finish(box: Box | null): void {
    if (this.#layer.signal.aborted) return;
    this.#layer.remove();
    this.#onBox(box);
  }

  #hearPointer({ type, button, clientX, clientY }: PointerEvent): void {
    const at = { x: within(clientX, innerWidth), y: within(clientY, innerHeight) };
    if (type === 'pointerdown' && button === 0) this.#from = at;
    if (this.#from === null) return;
    const { x, y } = this.#from;
    this.#show({ x: Math.min(x, at.x), y: Math.min(y, at.y), width: Math.abs(x - at.x), height: Math.abs(y - at.y) });
    if (type !== 'pointerup') return;
    this.#from = null;
    this.#take();
  }

  #hearKey({ key, shiftKey }: KeyboardEvent): boolean {
    const steps: Partial<Record<string, readonly [x: number, y: number]>> = {
      ArrowUp: [0, -STEP_PX],
      ArrowDown: [0, STEP_PX],
      ArrowLeft: [-STEP_PX, 0],
      ArrowRight: [STEP_PX, 0],
    };
    const step = steps[key];
    if (key === 'Escape') this.finish(null);
    else if (key === 'Enter') this.#take();
    else if (step !== undefined) this.#move(step, shiftKey);
    return key === 'Escape' || key === 'Enter' || step !== undefined;
  }

  #move([dx, dy]: readonly [number, number], isCorner: boolean): void {
    const middle = { x: innerWidth / 4, y: innerHeight / 4, width: innerWidth / 2, height: innerHeight / 2 };
    const { x, y, width, height } = this.#box ?? middle;
    if (isCorner) {
      const far = { width: within(width + dx, innerWidth - x), height: within(height + dy, innerHeight - y) };
      this.#show({ x, y, width: Math.max(STEP_PX, far.width), height: Math.max(STEP_PX, far.height) });
    } else this.#show({ x: within(x + dx, innerWidth - width), y: within(y + dy, innerHeight - height), width, height });
  }

  #take(): void {
    const box = this.#box;
    if (box !== null && box.width >= MIN_PX && box.height >= MIN_PX) this.finish(box);
  }

  #show(box: Box): void {
    this.#box = box;
    const { x, y, width, height } = box;
    Object.assign(this.#frame.style, { display: 'block', left: `${x}px`, top: `${y}px`, width: `${width}px`, height: `${height}px` });
  }
}

const within = (value: number, limit: number): number => Math.min(Math.max(0, value), limit);
