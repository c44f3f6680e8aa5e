/** What the person picked, found again after its page has changed: by the element itself, by its place, or by what it says. */
import type { Again, Box, LookedAt, Mark } from './api.ts';
import { elementsOfBody, queryAll, shadowOf, shadowsIn } from './composed.ts';
import { secretsIn, wholeMarkupOf, withoutSecrets } from './markup.ts';
import { nameOf, shorten } from './name.ts';
import { byRef, refOf } from './refs.ts';
import { roleOf } from './roles.ts';

const MAX_BUILD_ERROR = 4_000;

/** What of an element and of what is inside it a change of styles changes; places and sizes of the page around it are not among them. */
const STYLES = [
  'display',
  'visibility',
  'opacity',
  'color',
  'background-color',
  'background-image',
  'border',
  'border-radius',
  'box-shadow',
  'font',
  'text-align',
  'text-decoration-line',
  'text-transform',
  'padding',
  'margin',
  'gap',
  'width',
  'height',
] as const;

/** Styles are computed for so many elements. */
const MAX_STYLED = 100;

/** So many canvases are looked at, each scaled to so many pixels in width and height. */
const MAX_PAINTED = 4;
const PAINTED_PX = 128;

/** Around a picked element, so that its surroundings are recognised. */
const MARGIN_PX = 12;

/** Looks at each of them; with `scrolls` one that is out of the view is brought into it. */
export const lookAgain = ({ marks, scrolls }: { marks: readonly Mark[]; scrolls: boolean }): Again => ({
  elements: marks.map((mark) => {
    const element = find(mark);
    return element === null ? null : lookAt(element, scrolls);
  }),
  buildError: buildErrorHere(),
});

/** An element that was put in the place of the picked one counts as it, unless the picked one stands elsewhere now. */
const find = (mark: Mark): Element | null => {
  const living = livingOf(mark.ref);
  if (living !== null) return living;
  const [placed = null, ...others] = matches(mark.selector);
  if (placed !== null && isAlike(placed, mark)) return placed;
  const alike = mark.name === '' ? [] : elementsOfBody().filter((element) => isAlike(element, mark));
  const [only] = alike;
  if (only !== undefined && alike.length === 1) return only;
  return others.length === 0 ? placed : null;
};

const livingOf = (ref: number): Element | null => {
  try {
    return byRef(ref);
  } catch {
    return null;
  }
};

const matches = (selector: string): Element[] => {
  try {
    return queryAll(selector);
  } catch {
    return [];
  }
};

const isAlike = (element: Element, { role, name }: Mark): boolean => {
  const own = roleOf(element);
  if ((own === '' ? element.localName : own) !== role) return false;
  return shorten(withoutSecrets(nameOf(element, own), secretsIn(element))) === name;
};

const lookAt = (element: Element, scrolls: boolean): LookedAt => {
  if (scrolls && viewOf(element) === null) element.scrollIntoView({ block: 'nearest', inline: 'nearest', behavior: 'instant' });
  return { ref: refOf(element), looks: looksOf(element), box: viewOf(element) };
};

/** The part of it in the view, with a little of what is around. */
const viewOf = (element: Element): Box | null => {
  const { left, top, right, bottom } = element.getBoundingClientRect();
  const [x, y] = [Math.max(0, left - MARGIN_PX), Math.max(0, top - MARGIN_PX)];
  const [width, height] = [Math.min(innerWidth, right + MARGIN_PX) - x, Math.min(innerHeight, bottom + MARGIN_PX) - y];
  const isIn = right > left && bottom > top && right > 0 && bottom > 0 && left < innerWidth && top < innerHeight;
  return isIn ? { x, y, width, height } : null;
};

/** A digest: the same as long as neither the markup nor the styles differ, nor what is painted, in shadow roots too. */
const looksOf = (element: Element): string => {
  const trees = [element, ...insideShadows(element)];
  const all = trees.flatMap((tree) => [tree, ...tree.querySelectorAll('*')]);
  const styled = all.slice(0, MAX_STYLED).map((inner) => {
    const style = getComputedStyle(inner);
    return STYLES.map((name) => style.getPropertyValue(name)).join(';');
  });
  const marked = trees.map((tree) => wholeMarkupOf(tree, secretsIn(tree)));
  const painted = all.filter((inner) => inner.localName === 'canvas').slice(0, MAX_PAINTED);
  return digest([...marked, ...styled, ...painted.map(paintedOn)].join('\n'));
};

/** What stands in the shadow roots of an element and of what is in it, to any depth. */
const insideShadows = (element: Element): Element[] => {
  const own = shadowOf(element);
  const roots = [...(own === null ? [] : [own]), ...shadowsIn(element)];
  return roots.flatMap(({ children }) => [...children]).flatMap((child) => [child, ...insideShadows(child)]);
};

/** What is painted on a canvas, in small; empty where it holds what is of another site, which nobody may read. */
const paintedOn = (canvas: Element): string => {
  if (!(canvas instanceof HTMLCanvasElement) || canvas.width === 0 || canvas.height === 0) return '';
  const context = new OffscreenCanvas(PAINTED_PX, PAINTED_PX).getContext('2d', { willReadFrequently: true });
  if (context === null) return '';
  try {
    context.drawImage(canvas, 0, 0, PAINTED_PX, PAINTED_PX);
    return context.getImageData(0, 0, PAINTED_PX, PAINTED_PX).data.join();
  } catch {
    return '';
  }
};

/** FNV-1a, twice with different beginnings: http://www.isthe.com/chongo/tech/comp/fnv/ */
const digest = (text: string): string =>
  [0x811c9dc5, 0x01000193]
    .map((start) => {
      let hash = start;
      for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193) >>> 0;
      return hash.toString(36);
    })
    .join('.');

/** What development servers draw above a page that they could not build: Vite and those built on it, Rsbuild, Next, webpack. */
const buildErrorHere = (): string | null => {
  const host = document.querySelector('vite-error-overlay, rsbuild-error-overlay');
  const portals = [...document.querySelectorAll('nextjs-portal')];
  const dialog = portals.flatMap((portal) => rootOf(portal)?.querySelector('[data-nextjs-dialog], [role="dialog"]') ?? [])[0];
  const overlay = document.querySelector('iframe#webpack-dev-server-client-overlay');
  const framed = overlay instanceof HTMLIFrameElement ? overlay.contentDocument?.body : undefined;
  const parts = host === null ? [] : [...(rootOf(host) ?? host).children];
  // What is not drawn has all that it holds for its text: Astro's overlay has its styles beside what it says.
  const drawn = host === null ? [dialog ?? framed] : parts.filter(({ localName }) => localName !== 'style' && localName !== 'script');
  const text = drawn.map((element) => (element instanceof HTMLElement || isOfFrame(element) ? element.innerText : '')).join('\n');
  if (host === null && dialog === undefined && framed == null) return null;
  const told = text
    .replaceAll(/\n\s*\n+/g, '\n')
    .trim()
    .slice(0, MAX_BUILD_ERROR);
  // The overlay of webpack stays in the page without a word once all is well.
  return told === '' && host === null ? null : told;
};

/** An element of another document is not one of this document's classes. */
const isOfFrame = (element: Element | null | undefined): element is HTMLElement => element != null && 'innerText' in element;

const rootOf = (host: Element): ShadowRoot | null =>
  host.shadowRoot ?? (host instanceof HTMLElement ? chrome.dom.openOrClosedShadowRoot(host) : null);
