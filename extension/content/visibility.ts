/** What a sighted user can see. Text that is there for machines only is told apart: it is where instructions to a model are hidden. */

/** Whether an element takes part in the page at all; what it draws may still be transparent or out of view. */
export const isRendered = (element: Element): boolean =>
  element.getAttribute('aria-hidden') !== 'true' && getComputedStyle(element).display !== 'none';

/** Whether an element has a place on the page, in view or not. */
export const isVisible = (element: Element): boolean => {
  const rect = element.getBoundingClientRect();
  return rect.width > 0 && rect.height > 0 && element.checkVisibility({ visibilityProperty: true });
};

/** Whether text in an element with this style cannot be seen, judged by the element alone; `background` is what it is drawn on. */
export const isTextInvisible = (element: Element, style: CSSStyleDeclaration, background: string | null): boolean => {
  if (style.opacity === '0' || style.fontSize === '0px') return true;
  if (isTransparent(style.color) && style.getPropertyValue('-webkit-background-clip') !== 'text') return true;
  if (background !== null && style.color === background) return true;
  if (Number.parseFloat(style.textIndent) < -900) return true;
  return (style.position === 'absolute' || style.position === 'fixed') && isOffCanvas(element, style);
};

/** Whether a computed colour paints nothing. */
export const isTransparent = (color: string): boolean => color === 'transparent' || /^rgba\(.*,\s*0\)$/.test(color);

/** Clipped to nothing, or placed where no scrolling leads. */
const isOffCanvas = (element: Element, style: CSSStyleDeclaration): boolean => {
  const rect = element.getBoundingClientRect();
  if (style.overflow !== 'visible' && (rect.width <= 1 || rect.height <= 1)) return true;
  if (/^rect\((?:0|1)px,? (?:0|1)px,? (?:0|1)px,? (?:0|1)px\)$/.test(style.clip)) return true;
  if (/^inset\((?:50|100)%\)$/.test(style.clipPath)) return true;
  return rect.right + scrollX <= 0 || rect.bottom + scrollY <= 0;
};
