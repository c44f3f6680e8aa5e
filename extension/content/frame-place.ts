/** Where a frame stands in the page around it, also one of another site. */
import type { Box, PageMethods, Point } from './api.ts';
import { queryAll } from './composed.ts';
import { windowIn } from './frame-window.ts';
import { newName } from './new-name.ts';
import { plain } from './plain.ts';

/** Windows of other sites tell which frames they have, too, but for those inside a shadow tree. */
export const indexInParent = (): number => Array.from({ length: parent.length }, (_, index) => parent[index]).indexOf(window);

/** What comes into the view is brought to this part of its height or width. */
const PART = 1 / 3;

export const fromFrame = ({ index, box, scrolls }: PageMethods['fromFrame']['options']): Box | null => {
  const frame = frameAt(index);
  if (frame === null) return null;
  const seen = inView(placeIn(frame, box));
  if (seen !== null || !scrolls) return seen;
  const { x, y } = placeIn(frame, box);
  scrollBy({ left: x - innerWidth * PART, top: y - innerHeight * PART, behavior: 'instant' });
  return inView(placeIn(frame, box));
};

/** The same the other way. */
export const intoFrame = ({ index, point }: PageMethods['intoFrame']['options']): Point | null => {
  const frame = frameAt(index);
  if (frame === null) return null;
  const { paddingLeft, paddingTop } = getComputedStyle(frame);
  const { x: left, y: top } = localPoint(frame, point);
  const [x, y] = [left - Number.parseFloat(paddingLeft), top - Number.parseFloat(paddingTop)];
  return x >= 0 && y >= 0 && x < frame.clientWidth && y < frame.clientHeight ? { x, y } : null;
};

/** However it is turned: the browser tells where in its target an event is, and the page hears none of a name that it does not know. */
const localPoint = (frame: HTMLElement, { x, y }: Point): Point => {
  const event = new MouseEvent(newName(), { clientX: x, clientY: y });
  frame.dispatchEvent(event);
  const { currentCSSZoom: zoom } = frame;
  return { x: event.offsetX / zoom, y: event.offsetY / zoom };
};

/** A frame may be elsewhere than its element says. */
export const namesFrame = ({ index, address }: PageMethods['namesFrame']['options']): boolean => {
  const frame = frameAt(index);
  const name = frame instanceof HTMLObjectElement ? 'data' : 'src';
  return frame !== null && URL.parse(plain(frame).getAttribute(name) ?? '', document.baseURI)?.href === address;
};

const frameAt = (index: number): HTMLElement | null => {
  const frame = queryAll('iframe, frame, object, embed').find((element) => windowIn(element) === window[index]);
  return window[index] !== undefined && frame instanceof HTMLElement ? frame : null;
};

/** What transforms a frame transforms what is in it. */
const placeIn = (frame: HTMLElement, { x, y, width, height }: Box): Box => {
  const outer = plain(frame).getBoundingClientRect();
  const { paddingLeft, paddingTop } = getComputedStyle(frame);
  const [across, down] = [outer.width / frame.offsetWidth, outer.height / frame.offsetHeight];
  return {
    x: outer.left + (frame.clientLeft + Number.parseFloat(paddingLeft) + x) * across,
    y: outer.top + (frame.clientTop + Number.parseFloat(paddingTop) + y) * down,
    width: width * across,
    height: height * down,
  };
};

const inView = (box: Box): Box | null => {
  const [x, y] = [Math.max(0, box.x), Math.max(0, box.y)];
  const [width, height] = [Math.min(innerWidth, box.x + box.width) - x, Math.min(innerHeight, box.y + box.height) - y];
  return width > 0 && height > 0 ? { x, y, width, height } : null;
};
