/** A page around the moment in which a picture of it is taken. */
import type { PictureOptions, PicturePlace, PictureScene, RefBox, Region, Target } from './api.ts';
import { isAsAnswered } from './changes.ts';
import { bodyOf } from './composed.ts';
import { nextFrame } from './frames.ts';
import { isMasked, mask, unmask } from './mask.ts';
import { noteParts } from './pictured-parts.ts';
import { plain } from './plain.ts';
import { livingRefs } from './refs.ts';
import { isOperable, roleOf } from './roles.ts';
import { takeSnapshot } from './snapshot.ts';
import { isReversed } from './scroll-way.ts';
import { findTarget, pictured, placeInPage } from './target.ts';
import { hideLayers, showLayers } from './top-layer.ts';
import { isVisible } from './visibility.ts';

export const beginPicture = async (options: PictureOptions): Promise<PictureScene> => {
  const isUntouched = isAsAnswered();
  const { target, region, isFullPage, isOfLastDrawn, hasRefs = false } = options;
  const seen = options.box === undefined ? undefined : { ...options.box, isInView: true };
  const box = target !== undefined ? boxOf(target) : region !== undefined ? boxIn(region) : seen;
  const isAsDrawn = isOfLastDrawn && !isFullPage && box?.isInView !== false;
  // Any other picture draws the page anew, but not its frames.
  const hasHidden = [mask(), hideLayers('picture')].includes(true);
  if (hasHidden && (isAsDrawn || window !== top)) await nextFrame();
  const { clientWidth, clientHeight } = seenRoot();
  const scroller = document.scrollingElement ?? document.documentElement;
  const { scrollWidth, scrollHeight } = scroller;
  const size = {
    width: innerWidth,
    height: innerHeight,
    clientWidth,
    clientHeight,
    scale: devicePixelRatio,
    fullLeft: isReversed(scroller, true) ? clientWidth - scrollWidth : 0,
    fullWidth: scrollWidth,
    fullHeight: scrollHeight,
    scrollX,
    scrollY,
  };
  return { size, isPlain: isUntouched && !hasHidden, ...(box === undefined ? {} : { box }), ...(hasRefs ? { refs: refsToDraw() } : {}) };
};

/** What tells the size between the scroll bars: a page without a doctype tells it of its body. https://drafts.csswg.org/cssom-view/#dom-element-clientwidth */
const seenRoot = (): Element => (document.compatMode === 'BackCompat' ? bodyOf(document) : null) ?? document.documentElement;

/** Of what a snapshot would give a ref. A box around others says nothing. */
const refsToDraw = (): RefBox[] => {
  takeSnapshot(null, false);
  const seen = livingRefs().filter(({ element }) => isVisible(element) && !(element instanceof HTMLIFrameElement));
  const innermost = seen.filter(({ element }) => isOperable(roleOf(element)) || !seen.some((other) => isInside(element, other.element)));
  return innermost.map(({ ref, element }) => {
    const { x, y, width, height } = plain(element).getBoundingClientRect();
    return { ref, x: x + scrollX, y: y + scrollY, width, height };
  });
};

const isInside = (outer: Element, inner: Element): boolean => outer !== inner && plain(outer).contains(inner);

const boxIn = ({ from, to }: Region): NonNullable<PictureScene['box']> => {
  const [one, other] = [placeInPage(from), placeInPage(to)];
  const [left, top] = [Math.min(one.x, other.x), Math.min(one.y, other.y)];
  const width = Math.max(1, Math.abs(one.x - other.x));
  const height = Math.max(1, Math.abs(one.y - other.y));
  return { x: left - scrollX, y: top - scrollY, width, height, isInView: false };
};

export const endPicture = ({ place }: { place?: PicturePlace }): boolean => {
  const wasMasked = isMasked();
  unmask();
  showLayers('picture');
  if (place !== undefined) {
    pictured(place);
    void noteParts();
  }
  return wasMasked;
};

const boxOf = (target: Target): NonNullable<PictureScene['box']> => {
  const element = findTarget(target);
  plain(element).scrollIntoView({ block: 'nearest', inline: 'nearest', behavior: 'instant' });
  const { x, y, width, height, right, bottom } = plain(element).getBoundingClientRect();
  return { x, y, width, height, isInView: x >= 0 && y >= 0 && right <= innerWidth && bottom <= innerHeight };
};
