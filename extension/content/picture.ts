/** A page around the moment in which a picture of it is taken. */
import type { PictureOptions, PicturePlace, PictureScene, Target } from './api.ts';
import { nextFrame } from './frames.ts';
import { mask, unmask } from './mask.ts';
import { findTarget, pictured } from './target.ts';

export const beginPicture = async ({ target, isFullPage, isOfLastDrawn }: PictureOptions): Promise<PictureScene> => {
  const box = target === undefined ? undefined : boxOf(target);
  const isAsDrawn = isOfLastDrawn && !isFullPage && box?.isInView !== false;
  // Any other picture draws the page anew, but not its frames.
  if (mask() && (isAsDrawn || window !== top)) await nextFrame();
  const size = {
    width: innerWidth,
    height: innerHeight,
    scale: devicePixelRatio,
    fullWidth: document.documentElement.scrollWidth,
    fullHeight: document.documentElement.scrollHeight,
    scrollX,
    scrollY,
  };
  return box === undefined ? { size } : { size, box };
};

export const endPicture = ({ place }: { place?: PicturePlace }): void => {
  unmask();
  if (place !== undefined) pictured(place);
};

const boxOf = (target: Target): NonNullable<PictureScene['box']> => {
  const element = findTarget(target);
  element.scrollIntoView({ block: 'nearest', inline: 'nearest', behavior: 'instant' });
  const { x, y, width, height, right, bottom } = element.getBoundingClientRect();
  return { x, y, width, height, isInView: x >= 0 && y >= 0 && right <= innerWidth && bottom <= innerHeight };
};
