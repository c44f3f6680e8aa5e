import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { StoppedFrames } from '#extension/background/stopped-frames.ts';

const ORIGIN = 'https://shop.example';

interface Command {
  readonly autoAttach?: boolean;
  readonly filter?: unknown;
  readonly expression?: string;
}

/** Chrome's debugger with one frame of another site; a frame that was stopped stands still as long as its session lasts. */
class Chrome {
  readonly stopped = new StoppedFrames((method, params, sessionId) => this.#take(method, params, sessionId));
  readonly standing = new Set<string>();
  /** Whether the frame answers nothing. */
  hangs = false;

  #take(method: string, { autoAttach, filter, expression }: Command, sessionId: string | undefined): Promise<unknown> {
    if (sessionId !== undefined && this.hangs) return new Promise(() => {});
    if (method === 'Page.getFrameTree') {
      const url = sessionId === undefined ? `${ORIGIN}/` : 'https://pay.example/';
      return Promise.resolve({ frameTree: { frame: { url } } });
    }
    if (method === 'Target.setAutoAttach' && sessionId === undefined) {
      if (autoAttach === true) this.stopped.take('Target.attachedToTarget', { sessionId: 'frame' }, undefined);
      // It ends the sessions only where it is given no filter.
      else if (filter === undefined) this.standing.clear();
    }
    if (expression === 'debugger' && sessionId !== undefined) {
      this.standing.add(sessionId);
      this.stopped.take('Debugger.paused', {}, sessionId);
      // Answered when the frame goes on.
      return new Promise(() => {});
    }
    return Promise.resolve({});
  }
}

describe('frames that are stopped for real keys', () => {
  it('stand still while the keys are sent, and go on when that ends', async () => {
    const chrome = new Chrome();

    expect(await chrome.stopped.begin(ORIGIN, 2)).toBe(true);
    expect([...chrome.standing]).toEqual(['frame']);

    await chrome.stopped.end();

    expect([...chrome.standing]).toEqual([]);
  });

  it('are not waited for where one of them hangs: then no keys are sent', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const chrome = new Chrome();
    chrome.hangs = true;
    const begun = chrome.stopped.begin(ORIGIN, 2);
    await vi.advanceTimersByTimeAsync(3_000);

    expect(await begun).toBe(false);
  });
});
