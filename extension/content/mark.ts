/** Marks the element that a request is about, while the person decides. */
import { plain } from './plain.ts';
import { findTarget } from './target.ts';
import { TopLayer } from './top-layer.ts';
import type { Target } from './api.ts';

/** Should nobody take it away, because the worker has died meanwhile. */
const LIMIT_MS = 600_000;

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

class Mark {
  readonly #element: Element;
  readonly #ring = document.createElement('div');
  readonly #layer: TopLayer;

  constructor(element: Element) {
    this.#element = element;
    this.#ring.style.cssText = RING;
    this.#layer = new TopLayer(this.#ring);
    const limit = setTimeout(() => this.remove(), LIMIT_MS);
    this.#layer.signal.addEventListener('abort', () => clearTimeout(limit));
    this.#follow();
  }

  remove(): void {
    this.#layer.remove();
  }

  /** The element may move. */
  #follow(): void {
    if (this.#layer.signal.aborted) return;
    this.#draw();
    requestAnimationFrame(() => this.#follow());
  }

  #draw(): void {
    const { x, y, width, height } = plain(this.#element).getBoundingClientRect();
    const isThere = plain(this.#element).isConnected && width + height > 0;
    Object.assign(this.#ring.style, {
      display: isThere ? 'block' : 'none',
      left: `${x - 5}px`,
      top: `${y - 5}px`,
      width: `${width + 10}px`,
      height: `${height + 10}px`,
    });
  }
}
