/** Frames and tasks: waiting for the page to draw, where it is drawn at all. */

/** When no frame comes for this long the page is not being drawn, as in a hidden tab or a covered window. */
const FRAME_LIMIT_MS = 34;

/** A page that draws no frame for this long is not drawn at all. */
const REDRAW_MS = 3_000;

/** A page that was drawn so lately is taken for one that is drawn: to ask for a frame takes a tenth of the time in which a page is read. */
const FRESH_MS = 1_000;

let askedAt: number | null = null;
let drawnAt = -Infinity;

/** Called with every call from the worker, so that an action knows from the start whether the page is drawn. */
export const probeFrames = (): void => {
  if (askedAt !== null || performance.now() - drawnAt < FRESH_MS) return;
  askedAt = performance.now();
  requestAnimationFrame(() => {
    askedAt = null;
    drawnAt = performance.now();
  });
};

/** A tab that the browser has put to sleep and loaded again is in no window before it is shown, and draws no frame. */
const isInWindow = (): boolean => outerWidth > 0 || outerHeight > 0;

/** Whether frames are drawn. Where they are not, nothing moves either. */
export const isDrawn = (): boolean =>
  !document.hidden && isInWindow() && (askedAt === null || performance.now() - askedAt < FRAME_LIMIT_MS);

/** Resolves with the next frame; in a page that is not drawn, after the tasks that are waiting now. */
export const nextFrame = async (): Promise<void> => {
  probeFrames();
  if (isDrawn()) await frameWithin(FRAME_LIMIT_MS);
  await nextTask();
};

/** Resolves when a page that should be drawn was: it hears with that frame that it was scrolled or has another size, and changes in it or in a task after it. */
export const drawnAgain = async (): Promise<void> => {
  if (isInWindow()) await frameWithin(REDRAW_MS);
  await nextTask();
};

/** Resolves when a page has heard that it was scrolled: it does with a frame, and a busy one draws it late. */
export const heardOfScroll = (): Promise<void> => (document.hidden ? nextTask() : drawnAgain());

const frameWithin = (limitMs: number): Promise<void> =>
  new Promise((resolve) => {
    const limit = setTimeout(resolve, limitMs);
    requestAnimationFrame(() => {
      clearTimeout(limit);
      resolve();
    });
  });

/** Resolves after the tasks that are waiting now. Timers are slowed down in hidden tabs; messages are not. */
export const nextTask = (): Promise<void> =>
  new Promise((resolve) => {
    const channel = new MessageChannel();
    channel.port1.addEventListener('message', () => {
      channel.port1.close();
      resolve();
    });
    channel.port1.start();
    channel.port2.postMessage(null);
  });
