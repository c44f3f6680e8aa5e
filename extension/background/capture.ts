/** Pictures of tabs: by captureVisibleTab where the tab is seen, by the debugger where it is not. */
import * as z from 'zod';
import type { Box, ViewSize } from '#extension/content/api.ts';
import type { Picture } from '#extension/toolkit/page.ts';
import { withDebugger } from './debugger.ts';
import { type Crop, fitPicture, limitScale } from './picture.ts';

const JPEG_QUALITY = 80;

/** Longer pages end here: scaled further they could not be read. */
const MAX_HEIGHT = 12_000;

const Captured = z.object({ data: z.string() });

export interface CaptureRequest {
  readonly tabId: number;
  readonly type: 'png' | 'jpeg';
  /** In pixels of the viewport. */
  readonly box: (Box & { isInView?: boolean }) | null;
  readonly fullPage: boolean;
  readonly size: ViewSize;
  readonly signal: AbortSignal;
}

export const capture = async (request: CaptureRequest): Promise<Picture> => {
  const { tabId, type, box, fullPage, size } = request;
  const mimeType = `image/${type}`;
  const isPart = fullPage || (box !== null && box.isInView === false);
  const seen = isPart ? null : await captureVisible(tabId, type);
  if (seen === null) return { data: await captureByDebugger(request), mimeType };
  const crop: Crop | null = box === null ? null : scaleBox(box, size.scale);
  return { data: await fitPicture(seen, mimeType, { width: size.width * size.scale, height: size.height * size.scale }, crop), mimeType };
};

const scaleBox = ({ x, y, width, height }: Box, scale: number): Crop => ({
  x: x * scale,
  y: y * scale,
  width: width * scale,
  height: height * scale,
});

/** Null when the tab is not shown all the time, or Chrome's limit of two a second is used up. */
const captureVisible = async (tabId: number, format: 'png' | 'jpeg'): Promise<string | null> => {
  const { windowId } = await chrome.tabs.get(tabId);
  // Chrome pictures whatever the window shows, and the person may turn to another tab and back.
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

const isShown = async (tabId: number): Promise<boolean> => {
  const { active, windowId } = await chrome.tabs.get(tabId);
  return active && (await chrome.windows.get(windowId)).state !== 'minimized';
};

const captureByDebugger = ({ tabId, type, box, fullPage, size, signal }: CaptureRequest): Promise<string> =>
  withDebugger(tabId, signal, async (attached) => {
    const area = areaOf(box, fullPage, size);
    const scale = limitScale(area.width * size.scale, area.height * size.scale);
    // A hidden tab draws no frame to be pictured, and the command waits for seconds; a tab that is being cast draws.
    await attached.send('Page.startScreencast', { format: 'jpeg', quality: 1, maxWidth: 16, maxHeight: 16 });
    const captured = await attached.send('Page.captureScreenshot', {
      format: type,
      ...(type === 'jpeg' ? { quality: JPEG_QUALITY } : {}),
      captureBeyondViewport: true,
      clip: { ...area, scale },
    });
    return Captured.parse(captured).data;
  });

const areaOf = (box: Box | null, fullPage: boolean, size: ViewSize): Box => {
  if (fullPage) return { x: 0, y: 0, width: size.fullWidth, height: Math.min(size.fullHeight, MAX_HEIGHT) };
  if (box === null) return { x: size.scrollX, y: size.scrollY, width: size.width, height: size.height };
  return { x: box.x + size.scrollX, y: box.y + size.scrollY, width: Math.max(1, box.width), height: Math.max(1, box.height) };
};
