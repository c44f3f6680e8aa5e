/** The frame around what the pointer is over, drawn above everything and out of the page's reach. */

const BOX =
  'all: initial; position: fixed; inset: auto; margin: 0; padding: 0; pointer-events: none; overflow: hidden; box-sizing: border-box;' +
  'border: 2px solid #0b6b80; border-radius: 3px; background: rgb(86 194 214 / 20%); z-index: 2147483647;';

export class Outline {
  readonly #box = document.createElement('div');

  constructor() {
    this.#box.style.cssText = `${BOX} display: none;`;
    // In the top layer it is above the page's own dialogs.
    this.#box.popover = 'manual';
    document.documentElement.append(this.#box);
    this.#box.showPopover();
  }

  /** Draws the frame around the element; null hides it. */
  show(element: Element | null): void {
    if (element === null) {
      this.#box.style.display = 'none';
      return;
    }
    const { x, y, width, height } = element.getBoundingClientRect();
    Object.assign(this.#box.style, { display: 'block', left: `${x}px`, top: `${y}px`, width: `${width}px`, height: `${height}px` });
  }

  remove(): void {
    this.#box.remove();
  }
}
