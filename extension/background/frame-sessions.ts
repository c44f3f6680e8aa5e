/** The debugger's sessions of frames that run in processes of their own. */
import * as z from 'zod';
import type { Debugger } from './debugger.ts';

/** A page, or a frame in it that has a session of its own. */
export interface DebuggedPlace {
  readonly tabId: number;
  readonly sessionId?: string;
}

const FLAT = { waitForDebuggerOnStart: false, flatten: true } as const;

/** The frames in one place are told one by one, before it is answered. */
export const ATTACH_FRAMES = { ...FLAT, autoAttach: true, filter: [{ type: 'iframe' }] } as const;

/** All sessions of frames end. With a filter they would stay. */
export const DETACH_FRAMES = { ...FLAT, autoAttach: false } as const;

export const FrameAttached = z.object({ sessionId: z.string() });

/** Runs `work` with each of them, also of frames inside frames. */
export const withFrameSessions = async <T>(
  attached: Debugger,
  tabId: number,
  work: (frames: readonly Required<DebuggedPlace>[]) => Promise<T>,
): Promise<T> => {
  const frames: Required<DebuggedPlace>[] = [];
  const onEvent = (source: chrome.debugger.DebuggerSession, method: string, params?: object): void => {
    if (source.tabId !== tabId || method !== 'Target.attachedToTarget') return;
    const { data } = FrameAttached.safeParse(params);
    if (data !== undefined) frames.push({ tabId, sessionId: data.sessionId });
  };
  chrome.debugger.onEvent.addListener(onEvent);
  try {
    await attached.send('Target.setAutoAttach', ATTACH_FRAMES);
    // The frames in a frame come to the end of this list.
    for (const { sessionId } of frames) await attached.send('Target.setAutoAttach', ATTACH_FRAMES, sessionId);
    return await work(frames);
  } finally {
    chrome.debugger.onEvent.removeListener(onEvent);
    await attached.release('Target.setAutoAttach', DETACH_FRAMES);
  }
};
