/** Bodies of answers. Only Chrome's debugger has them, and only of what was asked for while it listened. */
import * as z from 'zod';
import { base64ToBytes } from '#extension/shared/base64.ts';
import type { RequestEntry, ResponseBody } from '#extension/toolkit/page.ts';
import type { Debuggers } from './debugger.ts';
import { orAborted, pause } from './queue.ts';

const MAX_SENT = 500;

/** What Chrome may hold for one tab. */
const LIMITS = { maxTotalBufferSize: 20_000_000, maxResourceBufferSize: 5_000_000 } as const;

/** How long an answer is waited for that is not there whole. */
const COMING_MS = 10_000;

/** Chrome reports a request twice, to extensions and to the debugger, within less than this. */
const SAME_MS = 2_000;

const Sent = z.object({
  requestId: z.string(),
  wallTime: z.number(),
  request: z.object({ url: z.string(), method: z.string() }),
});
const Ended = z.object({ requestId: z.string() });
const Body = z.object({ body: z.string(), base64Encoded: z.boolean() });

class SentRequest {
  readonly id: string;
  readonly url: string;
  readonly method: string;
  readonly at: number;
  #end = (): void => {};
  /** Resolves when the answer is there whole, or will never be. */
  readonly ended = new Promise<true>((resolve) => {
    this.#end = () => resolve(true);
  });

  constructor({ requestId, wallTime, request }: z.infer<typeof Sent>) {
    this.id = requestId;
    this.url = request.url;
    this.method = request.method;
    this.at = wallTime * 1000;
  }

  end(): void {
    this.#end();
  }
}

export class NetworkBodies {
  readonly #debuggers: Debuggers;
  /** The tabs whose bodies are kept. */
  readonly #tabs = new Map<number, SentRequest[]>();

  /** Made when the worker starts, for it registers listeners. */
  constructor(debuggers: Debuggers) {
    this.#debuggers = debuggers;
    chrome.debugger.onEvent.addListener(({ tabId }, method, params) => {
      const known = tabId === undefined ? undefined : this.#tabs.get(tabId);
      if (known !== undefined) take(known, method, params);
    });
    chrome.debugger.onDetach.addListener(({ tabId }) => {
      if (tabId === undefined) return;
      for (const sent of this.#tabs.get(tabId) ?? []) sent.end();
      this.#tabs.delete(tabId);
    });
  }

  /** The body of the answer to `request`, once it is there whole; null when it was not kept. From now on they are, for as long as the debugger stays. */
  of(tabId: number, { url, method, startedAt }: RequestEntry, signal: AbortSignal): Promise<ResponseBody | 'coming' | null> {
    return this.#debuggers.with(tabId, signal, async (attached) => {
      const known = this.#tabs.get(tabId);
      if (known === undefined) {
        this.#tabs.set(tabId, []);
        await attached.send('Network.enable', LIMITS);
        return null;
      }
      const asked = withoutHash(url);
      const away = ({ at }: SentRequest): number => Math.abs(at - startedAt);
      const [found] = known
        .filter((sent) => sent.method === method && withoutHash(sent.url) === asked && away(sent) < SAME_MS)
        .toSorted((one, other) => away(one) - away(other));
      if (found === undefined) return null;
      if (!(await orAborted(Promise.race([found.ended, pause(COMING_MS, signal).then(() => false)]), signal))) return 'coming';
      // Chrome may have had no room for it.
      const answer = Body.safeParse(await attached.send('Network.getResponseBody', { requestId: found.id }).catch(nullWhenNotKept));
      if (!answer.success) return null;
      const { body, base64Encoded } = answer.data;
      return base64Encoded ? fromBytes(body) : { text: body, sizeBytes: new TextEncoder().encode(body).length };
    });
  }
}

const take = (known: SentRequest[], method: string, params: unknown): void => {
  if (method === 'Network.requestWillBeSent') {
    const sent = Sent.safeParse(params);
    if (!sent.success) return;
    // What is sent on goes by the same id.
    known.findLast(({ id }) => id === sent.data.requestId)?.end();
    known.push(new SentRequest(sent.data));
    if (known.length > MAX_SENT) known.shift()?.end();
  } else if (method === 'Network.loadingFinished' || method === 'Network.loadingFailed') {
    const ended = Ended.safeParse(params);
    if (ended.success) known.findLast(({ id }) => id === ended.data.requestId)?.end();
  }
};

const withoutHash = (url: string): string => url.replace(/#.*$/s, '');

/** Chrome sends as bytes also what it does not know to be text. */
const fromBytes = (base64: string): ResponseBody => {
  const bytes = base64ToBytes(base64);
  return { text: readText(bytes), sizeBytes: bytes.length };
};

/** Null when the bytes are no text. */
export const readText = (bytes: BufferSource): string | null => {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return text.includes('\0') ? null : text;
  } catch {
    return null;
  }
};

const nullWhenNotKept = (error: unknown): null => {
  if (error instanceof Error && /No resource|No data found|evicted|not found/i.test(error.message)) return null;
  throw error;
};
