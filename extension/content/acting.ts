/** Shows the person that an agent acts in this page: a frame around it, a pointer where the agent presses, and a bar whose button stops the agent. */
import { ACTING_PORT } from '#extension/shared/ports.ts';
import type { ActingWords, Point } from './api.ts';
import { TopLayer } from './top-layer.ts';

const COLOUR = '#0b6b80';

const FRAME = `position: fixed; inset: 0; box-sizing: border-box; border: 3px solid ${COLOUR}; box-shadow: inset 0 0 14px 2px rgb(11 107 128 / 45%);`;

const POINTER =
  `position: fixed; width: 18px; height: 22px; background: ${COLOUR}; filter: drop-shadow(0 0 1px #fff) drop-shadow(0 1px 2px rgb(0 0 0 / 60%));` +
  'clip-path: polygon(0 0, 0 82%, 24% 64%, 42% 100%, 58% 93%, 42% 58%, 76% 58%);';

const BAR =
  'position: fixed; left: 50%; transform: translateX(-50%); box-sizing: border-box; max-width: calc(100vw - 24px); display: flex; gap: 10px;' +
  'align-items: center; padding: 5px 6px 5px 14px; border-radius: 18px; background: #12343b; color: #fff; font: 13px/1.5 system-ui, sans-serif;' +
  'box-shadow: 0 0 0 1px rgb(255 255 255 / 60%), 0 2px 12px rgb(0 0 0 / 40%);';

const WORDS = 'overflow: hidden; text-overflow: ellipsis; white-space: nowrap;';

const BUTTON =
  'all: initial; flex: none; padding: 4px 14px; border-radius: 13px; background: #fff; color: #12343b; font: 600 13px/1.4 system-ui, sans-serif;' +
  'cursor: pointer; pointer-events: auto;';

/** How near the bar a press may be without the bar making room. */
const ROOM_PX = 90;

/** What a person's press on the button is made of; the page hears of none of it. */
const PRESSING = ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click', 'dblclick', 'touchstart', 'touchend'];

let shown: Acting | null = null;
let pressedAt: Point | null = null;

/** Shows that somebody acts here, or without words takes it away. */
export const acting = ({ words }: { words?: ActingWords }): void => {
  if (words === undefined) shown?.remove();
  else if (shown === null) shown = new Acting(words);
};

/** The agent presses here, or leaves its pointer here. */
export const pointAt = (point: Point): void => {
  pressedAt = point;
  shown?.point(point);
};

class Acting {
  readonly #frame = document.createElement('div');
  readonly #pointer = document.createElement('div');
  readonly #bar = document.createElement('div');
  readonly #text = document.createElement('span');
  readonly #button = document.createElement('button');
  readonly #words: ActingWords;
  readonly #layer: TopLayer;
  readonly #port: chrome.runtime.Port;
  #isPressed = false;

  constructor(words: ActingWords) {
    this.#words = words;
    this.#frame.style.cssText = FRAME;
    this.#pointer.style.cssText = POINTER;
    this.#bar.style.cssText = BAR;
    this.#text.style.cssText = WORDS;
    this.#button.style.cssText = BUTTON;
    this.#text.textContent = words.says;
    this.#button.textContent = words.stop;
    // No key reaches it: an agent that goes through the page by Tab does not meet it.
    this.#button.tabIndex = -1;
    this.#bar.append(this.#text, this.#button);
    this.#layer = new TopLayer(this.#frame, this.#pointer, this.#bar);
    this.#port = chrome.runtime.connect({ name: ACTING_PORT });
    // The worker or the extension has gone, and with it the agent's way to this page.
    this.#port.onDisconnect.addListener(() => this.remove());
    this.point(pressedAt);
    const { signal } = this.#layer;
    for (const type of PRESSING) addEventListener(type, (event) => this.#hear(event), { capture: true, passive: false, signal });
    addEventListener('pagehide', () => this.remove(), { signal });
  }

  point(point: Point | null): void {
    this.#pointer.style.display = point === null ? 'none' : 'block';
    if (point !== null) Object.assign(this.#pointer.style, { left: `${point.x}px`, top: `${point.y}px` });
    const isInTheWay = point !== null && point.y > innerHeight - ROOM_PX;
    Object.assign(this.#bar.style, isInTheWay ? { top: '14px', bottom: 'auto' } : { top: 'auto', bottom: '14px' });
  }

  remove(): void {
    if (shown === this) shown = null;
    pressedAt = null;
    this.#layer.remove();
    this.#port.disconnect();
  }

  /**
   * By the place and not by the target: behind a dialog of the page everything else is inert, and a press goes to the dialog. An agent's own
   * pointer finds nothing here, because the layer is hidden for it; the events of scripts are not trusted.
   */
  #hear(event: Event): void {
    if (!event.isTrusted || !this.#layer.isShown || !this.#isOver(event)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (event.type === 'pointerdown') this.#isPressed = event instanceof PointerEvent && event.button === 0;
    if (event.type === 'click' && this.#isPressed) this.#stop();
  }

  #isOver(event: Event): boolean {
    const { left, top, right, bottom } = this.#button.getBoundingClientRect();
    const touch = event instanceof TouchEvent ? event.changedTouches[0] : undefined;
    const at = event instanceof MouseEvent ? event : touch;
    return at !== undefined && at.clientX >= left && at.clientX <= right && at.clientY >= top && at.clientY <= bottom;
  }

  #stop(): void {
    this.#text.textContent = this.#words.stopping;
    this.#button.style.display = 'none';
    this.#port.postMessage('stop');
  }
}
