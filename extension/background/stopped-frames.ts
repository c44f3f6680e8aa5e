/**
 * Frames that are stopped while real keys are sent. The focus decides where keys go, and a page or a frame can lead it into the frame at any moment;
 * no style keeps it out. A frame that runs in a process of its own is stopped by the debugger, as at a breakpoint: it runs no script and takes no
 * input, and a key that is led there is lost. A frame in the page's own process cannot be stopped without the page.
 */
import * as z from 'zod';
import { originOf } from '#extension/shared/addresses.ts';
import { ATTACH_FRAMES, DETACH_FRAMES, FrameAttached } from './frame-sessions.ts';
import { DOCUMENTS } from './held-frames.ts';

/** Sends a command to the debugger's session of a frame, or to that of the page. */
type Send = (method: string, params: Record<string, unknown>, sessionId?: string) => Promise<unknown>;

/** A frame that has not stopped by then is busy, and no keys are sent. */
const STOP_MS = 1_000;

/** A frame that hangs does not answer, also not where it is. */
const FIND_MS = 2_000;

interface FrameNode {
  frame: { url: string };
  childFrames?: FrameNode[] | undefined;
}
const FrameNode: z.ZodType<FrameNode> = z.lazy(() =>
  z.object({ frame: z.object({ url: z.string() }), childFrames: z.array(FrameNode).optional() }),
);
const FrameTree = z.object({ frameTree: FrameNode });

export class StoppedFrames {
  readonly #send: Send;
  /** What to do when Chrome says that a frame has stopped, by the session of the frame. */
  readonly #sessions = new Map<string, PromiseWithResolvers<void>>();
  #areFound = false;
  #stoppedCount = 0;
  #hasFailed = false;

  constructor(send: Send) {
    this.#send = send;
  }

  /** Stops all frames that it can; resolves with whether none of another origin is left, where the tab has `count` frames. One that hangs cannot be stopped. */
  begin(origin: string, count: number): Promise<boolean> {
    const late = new Promise<false>((resolve) => setTimeout(() => resolve(false), FIND_MS + STOP_MS));
    return Promise.race([this.#stopAll(origin, count), late]);
  }

  async #stopAll(origin: string, count: number): Promise<boolean> {
    await this.#look();
    // The frames in a frame come to the end of this list.
    for (const sessionId of this.#sessions.keys()) await this.#look(sessionId);
    const [own = [], ...others] = await Promise.all([undefined, ...this.#sessions.keys()].map((sessionId) => this.#urls(sessionId)));
    this.#areFound = true;
    const isOwn = (url: string): boolean => url === '' || url.startsWith('about:') || originOf(url) === origin;
    if (!own.every(isOwn) || own.length + others.flat().length !== count) return false;
    const stopped = await Promise.all(
      [...this.#sessions.keys()].map((sessionId, index) => {
        const urls = others[index] ?? [];
        // In a frame of another site the page's own runs in the process of the page, which would stand still, too.
        return urls.every(isOwn) && originOf(urls[0] ?? '') === origin ? this.#keep(sessionId) : this.#stop(sessionId);
      }),
    );
    return stopped.every(Boolean) && this.areAll;
  }

  /** Whether all of them stand still, and none has come since. */
  get areAll(): boolean {
    return this.#areFound && this.#stoppedCount > 0 && !this.#hasFailed;
  }

  /** The frames go on. */
  async end(): Promise<void> {
    await this.#send('Target.setAutoAttach', DETACH_FRAMES);
  }

  /** An event of the page's session, or of a frame's. */
  take(method: string, params: unknown, sessionId: string | undefined): void {
    if (method === 'Target.attachedToTarget') {
      this.#hasFailed ||= this.#areFound;
      this.#sessions.set(FrameAttached.parse(params).sessionId, Promise.withResolvers());
    }
    if (method === 'Debugger.resumed') this.#hasFailed = true;
    if (method === 'Debugger.paused' && sessionId !== undefined) {
      this.#stoppedCount += 1;
      this.#sessions.get(sessionId)?.resolve();
    }
  }

  /** No other page begins to load in it meanwhile. That ends with the session. */
  async #keep(sessionId: string): Promise<true> {
    await this.#send('Fetch.enable', { patterns: [DOCUMENTS] }, sessionId);
    return true;
  }

  async #stop(sessionId: string): Promise<boolean> {
    await this.#keep(sessionId);
    await this.#send('Debugger.enable', {}, sessionId);
    // Answered when the frame goes on, or at once where it shares its process with one that stands still, of which only one is told.
    const answered = this.#send('Runtime.evaluate', { expression: 'debugger' }, sessionId).catch(() => null);
    const stopped = Promise.race([answered, this.#sessions.get(sessionId)?.promise]).then(() => true);
    return Promise.race([stopped, new Promise<false>((resolve) => setTimeout(() => resolve(false), STOP_MS))]);
  }

  async #look(sessionId?: string): Promise<void> {
    await this.#send('Target.setAutoAttach', ATTACH_FRAMES, sessionId);
  }

  /** The addresses of the frames in one process. */
  async #urls(sessionId?: string): Promise<string[]> {
    const { frameTree } = FrameTree.parse(await this.#send('Page.getFrameTree', {}, sessionId));
    const collect = ({ frame, childFrames = [] }: FrameNode): string[] => [frame.url, ...childFrames.flatMap(collect)];
    return collect(frameTree);
  }
}
