/** The debugger's sessions of frames that run in processes of their own. */
import * as z from 'zod';
import type { Debugger } from './debugger.ts';
import { within } from './queue.ts';

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
const FrameSeen = FrameAttached.extend({ targetInfo: z.object({ url: z.string() }) });

/** A frame that has a session of its own, with the address that it shows. */
export interface FrameSession {
  readonly place: Required<DebuggedPlace>;
  readonly url: string;
}

/** A frame that hangs answers nothing. */
const HANGS_MS = 1_500;

const isDone = (): boolean => true;
const isNotDone = (): boolean => false;

/** Runs `work` with each of them that answers, also of frames inside frames. */
export const withFrameSessions = async <T>(
  attached: Debugger,
  tabId: number,
  work: (frames: readonly FrameSession[]) => Promise<T>,
): Promise<T> => {
  const frames: FrameSession[] = [];
  const onEvent = (source: chrome.debugger.DebuggerSession, method: string, params?: object): void => {
    if (source.tabId !== tabId || method !== 'Target.attachedToTarget') return;
    const { data } = FrameSeen.safeParse(params);
    if (data !== undefined) frames.push({ place: { tabId, sessionId: data.sessionId }, url: data.targetInfo.url });
  };
  chrome.debugger.onEvent.addListener(onEvent);
  try {
    await attached.send('Target.setAutoAttach', ATTACH_FRAMES);
    const answering: FrameSession[] = [];
    // The frames in a frame come to the end of this list.
    for (let seen = 0; seen < frames.length;) {
      const next = frames.slice(seen);
      seen = frames.length;
      const answers = next.map(({ place }) =>
        attached.send('Target.setAutoAttach', ATTACH_FRAMES, place.sessionId).then(isDone, isNotDone),
      );
      const areThere = await Promise.all(answers.map((answer) => within(answer, HANGS_MS)));
      answering.push(...next.filter((_, index) => areThere[index]));
    }
    return await work(answering);
  } finally {
    chrome.debugger.onEvent.removeListener(onEvent);
    await attached.release('Target.setAutoAttach', DETACH_FRAMES);
  }
};
