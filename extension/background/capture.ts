/** Pictures of tabs: by captureVisibleTab when the tab is visible, otherwise by the debugger. */
import * as z from 'zod';
import type { Box, PicturePlace, ViewSize } from '#extension/content/api.ts';
import type { Picture } from '#extension/toolkit/page.ts';
import type { Debugger, Debuggers } from './debugger.ts';
import { type Crop, type Scaling, fitPicture, scaleFor } from './picture.ts';
import { pause, within } from './queue.ts';
import { isShown } from './tabs.ts';

const JPEG_QUALITY = 80;

/** Longer pages are cut here, because they could not be read if they were scaled down further. */
const MAX_HEIGHT = 12_000;

/** A large page takes a second for its picture. */
const FRAME_MS = 4_000;
const MAX_ANEW = 5;

/** A page that has other bars by then is not waited for. */
const MAX_LOOKS = 25;
const LOOK_MS = 8;

const Captured = z.object({ data: z.string() });
const Metrics = z.object({ cssVisualViewport: z.object({ zoom: z.number().optional() }) });

export interface CaptureRequest {
  readonly debuggers: Debuggers;
  readonly tabId: number;
  /** All of it is in a tab that the person sees. */
  readonly isSeen: boolean;
  readonly type: 'png' | 'jpeg';
  /** In pixels of the viewport. */
  readonly box: Box | null;
  readonly fullPage: boolean;
  readonly scaling: Scaling;
  readonly withoutDebugger: boolean;
  readonly size: ViewSize;
  readonly signal: AbortSignal;
}

type PictureForm = Pick<CaptureRequest, 'box' | 'fullPage' | 'scaling' | 'size'>;

/** There is no picture to be had as the person sees the tab. */
export class NotSeenError extends Error {}

export const capture = async (request: CaptureRequest): Promise<Picture> => {
  const { tabId, isSeen, type, box, size } = request;
  const mimeType = `image/${type}`;
  const seen = isSeen && request.scaling !== 'zoomed' ? await captureVisible(tabId, type) : null;
  if (seen === null && request.withoutDebugger) throw new NotSeenError();
  if (seen === null && isViewAsDrawn(request)) return captureView(request);
  const view = seen ?? (isPartOfView(request) ? (await captureView(request)).data : null);
  if (view === null) return { data: await captureByDebugger(request), mimeType };
  const crop: Crop | null = box === null ? null : scaleBox(box, size.scale);
  const whole = { width: size.width * size.scale, height: size.height * size.scale };
  const scaleOf = (width: number, height: number): number => scaleFor(request.scaling, size.scale, width, height);
  return { data: await fitPicture(view, mimeType, whole, crop, scaleOf), mimeType };
};

const scaleBox = ({ x, y, width, height }: Box, scale: number): Crop => ({
  x: x * scale,
  y: y * scale,
  width: width * scale,
  height: height * scale,
});

/** Null when the tab was not visible all the time, or Chrome's limit of two pictures a second is used up. */
const captureVisible = async (tabId: number, format: 'png' | 'jpeg'): Promise<string | null> => {
  const { windowId } = await chrome.tabs.get(tabId);
  // Chrome takes a picture of what the window shows, and the person may switch to another tab and back.
  let isOther = false;
  const onActivated = (info: { windowId: number; tabId: number }): void => {
    isOther ||= info.windowId === windowId && info.tabId !== tabId;
  };
  chrome.tabs.onActivated.addListener(onActivated);
  try {
    if (!(await isShown(tabId))) return null;
    const url = await chrome.tabs.captureVisibleTab(windowId, { format, quality: JPEG_QUALITY }).catch(() => null);
    return url === null || !(await isShown(tabId)) || isOther ? null : url.slice(url.indexOf(',') + 1);
  } finally {
    chrome.tabs.onActivated.removeListener(onActivated);
  }
};

/** A picture of what is in view, each of its pixels one of the screen; that it is small enough must be found out beside. */
export const captureView = async ({
  debuggers,
  tabId,
  type,
  signal,
}: Pick<CaptureRequest, 'debuggers' | 'tabId' | 'type' | 'signal'>): Promise<Picture> => {
  const data = await debuggers.with(tabId, signal, (attached) => captureDrawn(attached, paramsOf(type)));
  return { data, mimeType: `image/${type}` };
};

/** Whether a picture of the view as it is drawn is what is asked for. */
export const isViewAsDrawn = ({ box, fullPage, scaling, size }: PictureForm): boolean =>
  box === null && !fullPage && scaleFor(scaling, size.scale, size.width * size.scale, size.height * size.scale) === 1;

/** It is cut out here: for some parts the browser waits for a frame that never comes, though the page draws. */
const isPartOfView = ({ box, fullPage, scaling, size }: PictureForm): boolean =>
  box !== null && !fullPage && scaling !== 'zoomed' && isWithin(box, size);

const captureByDebugger = ({ debuggers, tabId, type, box, fullPage, scaling, size, signal }: CaptureRequest): Promise<string> =>
  debuggers.with(tabId, signal, async (attached) => {
    const area = areaOf(box, fullPage, size);
    const scale = scaleFor(scaling, size.scale, area.width * size.scale, area.height * size.scale);
    // The viewport as it is takes one frame; what is not in it is laid out anew, and takes several.
    const captureBeyondViewport = fullPage || (box !== null && !isWithin(box, size));
    // The browser counts from the left edge of the whole page.
    const cut = { ...area, x: area.x - size.fullLeft };
    const zoom = await zoomOf(attached);
    const params = { ...paramsOf(type), captureBeyondViewport, clip: { ...scaleBox(cut, zoom), scale } };
    const take = (): Promise<string> => captureDrawn(attached, params);
    const hasBars = size.clientWidth !== size.width || size.clientHeight !== size.height;
    if (!captureBeyondViewport || !hasBars) return take();
    // Without its scroll bars, which are not drawn then, the page would be laid out wider, and be elsewhere than in its own view.
    return attached.whileSized(inPixels(size, zoom), take).finally(() => untilLaidOut(tabId, size, signal));
  });

/** The page is laid out as it was only some time after the browser has said so, and who measures it sooner finds it without scroll bars. */
const untilLaidOut = async (tabId: number, { width, clientWidth }: ViewSize, signal: AbortSignal): Promise<void> => {
  for (let looks = 0; looks < MAX_LOOKS; looks += 1) {
    const [now] = await chrome.scripting.executeScript({ target: { tabId }, func: widthsNow, injectImmediately: true }).catch(() => []);
    if (now === undefined || (now.result?.inner === width && now.result.client === clientWidth)) return;
    await pause(LOOK_MS, signal);
  }
};

/** Runs inside the page. */
const widthsNow = (): { inner: number; client: number } => {
  const root = (document.compatMode === 'BackCompat' ? document.body : null) ?? document.documentElement;
  return { inner: innerWidth, client: root.clientWidth };
};

const inPixels = ({ clientWidth, clientHeight }: ViewSize, zoom: number): { width: number; height: number } => ({
  width: Math.round(clientWidth * zoom),
  height: Math.round(clientHeight * zoom),
});

const isWithin = ({ x, y, width, height }: Box, view: ViewSize): boolean =>
  x >= 0 && y >= 0 && x + width <= view.width && y + height <= view.height;

/** The browser cuts in pixels of a page that the person has not zoomed. */
const zoomOf = async (attached: Debugger): Promise<number> =>
  Metrics.parse(await attached.send('Page.getLayoutMetrics', {})).cssVisualViewport.zoom ?? 1;

const paramsOf = (type: CaptureRequest['type']): Record<string, unknown> => ({
  format: type,
  ...(type === 'jpeg' ? { quality: JPEG_QUALITY } : {}),
  optimizeForSpeed: true,
});

/**
 * A picture waits for a frame. A hidden tab on a busy machine may have stopped drawing, and for some parts of a page none comes before the picture is
 * asked for again: then it would wait for ever.
 */
const captureDrawn = async (attached: Debugger, params: Record<string, unknown>): Promise<string> => {
  await attached.draw();
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  const ask = (): void => void attached.send('Page.captureScreenshot', params).then(resolve, reject);
  const ended = promise.then(
    () => true,
    () => true,
  );
  ask();
  for (let times = 0; times < MAX_ANEW && !(await within(ended, FRAME_MS)); times += 1) {
    await attached.drawAnew();
    ask();
  }
  return Captured.parse(await promise).data;
};

/** What of the page a picture shows, and how large. */
export const placeOf = ({ box, fullPage, scaling, size }: PictureForm): PicturePlace => {
  const { x, y, width, height } = areaOf(box, fullPage, size);
  const scale = size.scale * scaleFor(scaling, size.scale, width * size.scale, height * size.scale);
  return { left: x, top: y, scale, pageWidth: size.width, scrolled: { x: size.scrollX, y: size.scrollY } };
};

const areaOf = (box: Box | null, fullPage: boolean, size: ViewSize): Box => {
  if (fullPage) return { x: size.fullLeft, y: 0, width: size.fullWidth, height: Math.min(size.fullHeight, MAX_HEIGHT) };
  if (box === null) return { x: size.scrollX, y: size.scrollY, width: size.width, height: size.height };
  return { x: box.x + size.scrollX, y: box.y + size.scrollY, width: Math.max(1, box.width), height: Math.max(1, box.height) };
};
