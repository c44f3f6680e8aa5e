import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { capture, NotSeenError } from '#extension/background/capture.ts';
import type { Debugger, Debuggers } from '#extension/background/debugger.ts';

/** A hidden tab whose picture comes once it has drawn so many times anew. */
const take = (framesLost: number, withoutDebugger = false): { picture: Promise<unknown>; drawnAnew: () => number } => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const frame = Promise.withResolvers<{ data: string }>();
  let drawn = 0;
  const attached = {
    draw: () => Promise.resolve(),
    drawAnew: async () => {
      drawn += 1;
      if (drawn === framesLost) frame.resolve({ data: 'AAAA' });
    },
    send: () => frame.promise,
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
  });
  return { picture, drawnAnew: () => drawn };
};

describe('the picture of a hidden tab', () => {
  test('is there at once when the tab draws', async () => {
    const { picture, drawnAnew } = take(0);

    expect(await picture).toEqual({ data: 'AAAA', mimeType: 'image/png' });
    expect(drawnAnew()).toBe(0);
  });

  test('is not taken where that must do without the debugger', async () => {
    await expect(take(0, true).picture).rejects.toThrow(NotSeenError);
  });

  test('comes after the tab was made to draw anew, when it has stopped', async () => {
    const { picture, drawnAnew } = take(2);

    await vi.advanceTimersByTimeAsync(8_000);

    expect(await picture).toEqual({ data: 'AAAA', mimeType: 'image/png' });
    expect(drawnAnew()).toBe(2);
  });
});
