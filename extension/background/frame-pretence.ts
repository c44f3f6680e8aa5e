/**
 * What a tab pretends, in frames of other sites: each runs in a process of its own, which hears nothing of what the page's session is told.
 */
import { commandsFor, type EmulationName } from './emulation.ts';
import { ATTACH_FRAMES, DETACH_FRAMES, FrameAttached } from './frame-sessions.ts';
import { within } from './queue.ts';

/** What each process must be told; of all else Chrome tells them itself. */
const TOLD_TO_EACH: readonly EmulationName[] = ['timezone', 'locale', 'agent', 'network', 'cpu'];

/** A frame that hangs answers nothing. */
const TOLD_MS = 1_500;

/** Sends a command to the debugger's session of a frame, or to that of the page. */
type Send = (method: string, params: Record<string, unknown>, sessionId?: string) => Promise<unknown>;

export class FramePretence {
  readonly #send: Send;
  readonly #ways: ReadonlyMap<EmulationName, Record<string, unknown>>;
  /** The sessions of the frames, and what says that each was told. */
  readonly #told = new Map<string, Promise<unknown>>();
  #isOn = false;

  /** `ways` is what the tab pretends at any time. */
  constructor(send: Send, ways: ReadonlyMap<EmulationName, Record<string, unknown>>) {
    this.#send = send;
    this.#ways = ways;
  }

  /** Whether it holds sessions of frames. */
  get isOn(): boolean {
    return this.#isOn;
  }

  /** The page was told of this; resolves when its frames were, too. */
  async follow(name: EmulationName): Promise<void> {
    if (!TOLD_TO_EACH.includes(name)) return;
    const isWanted = TOLD_TO_EACH.some((one) => this.#ways.has(one));
    if (this.#isOn) await allWithin([...this.#told.keys()].map((sessionId) => this.#tell(sessionId, name)));
    if (isWanted && !this.#isOn) await this.begin();
    else if (!isWanted && this.#isOn) {
      this.#isOn = false;
      await this.#send('Target.setAutoAttach', DETACH_FRAMES);
    }
  }

  /** From now on each frame is told as it comes; those that are there are told first. */
  async begin(): Promise<void> {
    if (!TOLD_TO_EACH.some((name) => this.#ways.has(name))) return;
    this.#isOn = true;
    await this.#send('Target.setAutoAttach', ATTACH_FRAMES);
    await allWithin([...this.#told.values()]);
  }

  /** For others, who are told of the frames that are there only when they come anew. */
  async renew(): Promise<unknown> {
    await this.#send('Target.setAutoAttach', DETACH_FRAMES);
    return this.#send('Target.setAutoAttach', ATTACH_FRAMES);
  }

  /** An event of the page's session, or of a frame's. */
  take(method: string, params: unknown): void {
    const session = /^Target\.(?:attachedTo|detachedFrom)Target$/.test(method) ? FrameAttached.safeParse(params).data : undefined;
    if (session === undefined) return;
    const { sessionId } = session;
    if (method === 'Target.detachedFromTarget') this.#told.delete(sessionId);
    else if (this.#isOn) this.#told.set(sessionId, this.#tellWhole(sessionId));
  }

  async #tellWhole(sessionId: string): Promise<void> {
    const telling = TOLD_TO_EACH.filter((name) => this.#ways.has(name)).map((name) => this.#tell(sessionId, name));
    // The frames in it.
    await Promise.all([...telling, this.#send('Target.setAutoAttach', ATTACH_FRAMES, sessionId).catch(() => null)]);
  }

  /** One that shares its process with the page, or with another frame, is refused what that has been told. */
  async #tell(sessionId: string, name: EmulationName): Promise<void> {
    for (const [method, params] of commandsFor(name, this.#ways.get(name) ?? null))
      await this.#send(method, params, sessionId).catch(() => null);
  }
}

const allWithin = (told: readonly Promise<unknown>[]): Promise<boolean> =>
  within(
    Promise.all(told).then(() => true),
    TOLD_MS,
  );
