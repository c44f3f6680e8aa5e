/** The frame around what the pointer is over, drawn above everything and out of the page's reach. */

const BOX =
  'all: initial; position: fixed; inset: auto; margin: 0; padding: 0; pointer-events: none; overflow: hidden; box-sizing: border-box;' +
  'border: 2px solid #0b6b80; border-radius: 3px; background: rgb(86 194 214 / 20%); z-index: 2147483647;';

export interface Outline {
  /** Null hides it. */
  show(element: Element | null): void;
  remove(): void;
}

export const createOutline = (): Outline => {
  const box = document.createElement('div');
  box.style.cssText = `${BOX} display: none;`;
  // In the top layer, above the page's own dialogs.
  box.popover = 'manual';
  document.documentElement.append(box);
  box.showPopover();
  return {
    show: (element) => {
      if (element === null) return void (box.style.display = 'none');
      const { x, y, width, height } = element.getBoundingClientRect();
      Object.assign(box.style, { display: 'block', left: `${x}px`, top: `${y}px`, width: `${width}px`, height: `${height}px` });
      return undefined;
    },
    remove: () => box.remove(),
  };
};
