/**
 * Marks the element that a request is about, while the person decides. The page cannot press the mark, learns nothing of what it stands
 * around, and neither covers nor removes it; pictures for agents are taken without it.
 */
import { unnoticed } from './changes.ts';
import { findTarget } from './target.ts';
import type { Target } from './api.ts';

/** Should nobody take it away, because the worker has died meanwhile. */
const LIMIT_MS = 600_000;

/** A page that fights against it is not fought for ever. */
const MAX_REPAIRS = 200;

/** The page may read this, so it says nothing of the element. */
const HOST =
  'all: initial !important; position: fixed !important; inset: 0 !important; width: auto !important; height: auto !important;' +
  'margin: 0 !important; padding: 0 !important; border: 0 !important; background: none !important; overflow: hidden !important;' +
  'pointer-events: none !important;';

const RING =
  'position: fixed; box-sizing: border-box; border: 3px solid #b26a00; border-radius: 6px; background: rgb(255 183 77 / 16%);' +
  'box-shadow: 0 0 0 2px #fff, 0 0 14px 4px rgb(178 106 0 / 55%);';

const marks = new Map<string, Mark>();

/** Shows a mark under a key, or without a target takes it away. */
export const mark = ({ key, target }: { key: string; target?: Target }): void => {
  marks.get(key)?.remove();
  marks.delete(key);
  if (target !== undefined) marks.set(key, new Mark(findTarget(target)));
};

/** Hides them for a picture; returns whether there was anything to hide. */
export const hideMarks = (): boolean => {
  for (const shown of marks.values()) shown.hide();
  return marks.size > 0;
};

export const showMarks = (): void => {
  for (const hidden of marks.values()) hidden.show();
};

class Mark {
  readonly #element: Element;
  readonly #host = document.createElement('div');
  readonly #ring = document.createElement('div');
  readonly #ending = new AbortController();
  readonly #watch = new MutationObserver(() => this.#repair());
  #repairs = 0;
  #isHidden = false;

  constructor(element: Element) {
    this.#element = element;
    // From this world a closed root is out of the page's reach.
    this.#host.attachShadow({ mode: 'closed' }).append(this.#ring);
    this.#ring.style.cssText = RING;
    this.show();
    const { signal } = this.#ending;
    // Whatever the page puts into the top layer after it would cover it.
    for (const type of ['toggle', 'fullscreenchange'])
      addEventListener(type, (event) => (event.target === this.#host ? undefined : this.#repair()), { capture: true, signal });
    const limit = setTimeout(() => this.remove(), LIMIT_MS);
    signal.addEventListener('abort', () => clearTimeout(limit));
    this.#follow();
  }

  show(): void {
    this.#isHidden = false;
    this.#place();
  }

  hide(): void {
    this.#isHidden = true;
    this.#watch.disconnect();
    unnoticed(() => this.#host.remove());
  }

  remove(): void {
    this.#ending.abort();
    this.hide();
  }

  /** Into the top layer, above whatever is there. */
  #place(): void {
    this.#watch.disconnect();
    unnoticed(() => {
      this.#host.remove();
      this.#host.style.cssText = HOST;
      this.#host.setAttribute('aria-hidden', 'true');
      this.#host.popover = 'manual';
      document.documentElement.append(this.#host);
      this.#host.showPopover();
    });
    this.#watch.observe(document.documentElement, { childList: true });
    this.#watch.observe(this.#host, { attributes: true });
    this.#draw();
  }

  #repair(): void {
    if (this.#isHidden || this.#ending.signal.aborted || this.#repairs === MAX_REPAIRS) return;
    this.#repairs += 1;
    this.#place();
  }

  /** The element may move. */
  #follow(): void {
    if (this.#ending.signal.aborted) return;
    this.#draw();
    requestAnimationFrame(() => this.#follow());
  }

  #draw(): void {
    const { x, y, width, height } = this.#element.getBoundingClientRect();
    const isThere = this.#element.isConnected && width + height > 0;
    Object.assign(this.#ring.style, {
      display: isThere ? 'block' : 'none',
      left: `${x - 5}px`,
      top: `${y - 5}px`,
      width: `${width + 10}px`,
      height: `${height + 10}px`,
    });
  }
}
