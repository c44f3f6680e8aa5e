/** Frames that are closed to agents, and how they are kept out of a picture of the page around them. */
import type { OffLimits } from '#extension/shared/addresses.ts';
import { closedAmong, type Frame, framesOf } from './documents.ts';
import { NO_FRAMES, putStyle } from './page-style.ts';

interface Hidden {
  readonly isAny: boolean;
  /** Whether no closed frame has come since into a page whose frames are drawn. */
  areAll(): Promise<boolean>;
  show(): Promise<void>;
}

/** Draws no frame in a page that holds a closed one: which element is whose, Chrome does not say. */
export const hideClosedFrames = async (tabId: number, frames: readonly Frame[], offLimits: () => OffLimits): Promise<Hidden> => {
  const around = pagesAround(frames, offLimits());
  const removals = await Promise.all(around.map((page) => putStyle(tabId, page, NO_FRAMES).catch(() => null)));
  const styled = new Set(around.filter((_, index) => removals[index] !== null).map(({ documentId }) => documentId));
  return {
    isAny: around.length > 0,
    areAll: async () => pagesAround(await framesOf(tabId), offLimits()).every(({ documentId }) => styled.has(documentId)),
    show: async () => {
      await Promise.all(removals.map((remove) => remove?.() ?? Promise.resolve()));
    },
  };
};

/** The pages that hold closed frames, each once. What is in a closed frame is hidden with it. */
const pagesAround = (frames: readonly Frame[], offLimits: OffLimits): Frame[] => {
  const closed = closedAmong(frames, offLimits);
  const parents = new Set(closed.map(({ parentFrameId }) => parentFrameId));
  return frames.filter((frame) => parents.has(frame.frameId) && !closed.includes(frame));
};
