import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { capture, NotSeenError } from '#extension/background/capture.ts';
import type { Debugger, Debuggers } from '#extension/background/debugger.ts';

/** A hidden tab whose picture comes once it has drawn so many times anew. */
const take = (
  framesLost: number,
  withoutDebugger = false,
  part: Partial<Parameters<typeof capture>[0]> = {},
): { picture: Promise<unknown>; drawnAnew: () => number; sent: unknown[] } => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const frame = Promise.withResolvers<{ data: string }>();
  let drawn = 0;
  const sent: unknown[] = [];
  const attached = {
    draw: () => Promise.resolve(),
    drawAnew: async () => {
      drawn += 1;
      if (drawn === framesLost) frame.resolve({ data: 'AAAA' });
    },
    send: (method: string, params: object) => {
      sent.push([method, 'clip' in params]);
      return method === 'Page.getLayoutMetrics' ? Promise.resolve({ cssVisualViewport: {} }) : frame.promise;
    },
  };
  if (framesLost === 0) frame.resolve({ data: 'AAAA' });
  const debuggers = { with: (_: number, __: AbortSignal, task: (given: Debugger) => unknown) => task(attached as unknown as Debugger) };
  const picture = capture({
    debuggers: debuggers as unknown as Debuggers,
    tabId: 1,
    isSeen: false,
    type: 'png',
    box: null,
    fullPage: false,
    scaling: 'css',
    withoutDebugger,
    size: {
      width: 100,
      height: 100,
      clientWidth: 100,
      clientHeight: 100,
      fullLeft: 0,
      fullWidth: 100,
      fullHeight: 100,
      scrollX: 0,
      scrollY: 0,
      scale: 1,
    },
    signal: new AbortController().signal,
    ...part,
  });
  return { picture, drawnAnew: () => drawn, sent };
};

describe('the picture of a hidden tab', () => {
  test('is there at once when the tab draws', async () => {
    const { picture, drawnAnew } = take(0);

    expect(await picture).toEqual({ data: 'AAAA', mimeType: 'image/png' });
    expect(drawnAnew()).toBe(0);
  });

  test('is cut here where a part in view is meant, which the browser does not always come to an end with', async () => {
    const cuts: number[][] = [];
    vi.stubGlobal('createImageBitmap', () => Promise.resolve({ width: 100, height: 100, close: () => {} }));
    vi.stubGlobal(
      'OffscreenCanvas',
      class {
        readonly width: number;
        readonly height: number;
        constructor(width: number, height: number) {
          this.width = width;
          this.height = height;
        }

        getContext = (): unknown => ({ drawImage: (_: unknown, ...cut: number[]) => cuts.push(cut) });
        convertToBlob = (): Promise<Blob> => Promise.resolve(new Blob(['part']));
      },
    );
    onTestFinished(() => void vi.unstubAllGlobals());
    const inView = take(0, false, { box: { x: 10, y: 20, width: 30, height: 40 } });

    expect(await inView.picture).toEqual({ data: btoa('part'), mimeType: 'image/png' });
    expect(inView.sent).toEqual([['Page.captureScreenshot', false]]);
    expect(cuts).toEqual([[10, 20, 30, 40, 0, 0, 30, 40]]);
    // What is below needs the browser to lay out more.
    const below = take(0, false, { box: { x: 10, y: 90, width: 30, height: 40 } });
    expect(await below.picture).toEqual({ data: 'AAAA', mimeType: 'image/png' });
    expect(below.sent).toContainEqual(['Page.captureScreenshot', true]);
  });

  test('is not taken where that must do without the debugger', async () => {
    await expect(take(0, true).picture).rejects.toThrow(NotSeenError);
  });

  test('comes after the tab was made to draw anew, when it has stopped', async () => {
    const { picture, drawnAnew, sent } = take(2);

    await vi.advanceTimersByTimeAsync(8_000);

    expect(await picture).toEqual({ data: 'AAAA', mimeType: 'image/png' });
    expect(drawnAnew()).toBe(2);
    // A frame may come only when the picture is asked for anew.
    expect(sent).toHaveLength(3);
  });
});
