/** Bodies of answers. Only Chrome's debugger has them, and only of what was asked for while it listened. */
import * as z from 'zod';
import type { RequestEntry, ResponseBody } from '#extension/toolkit/page.ts';
import type { Debuggers } from './debugger.ts';

const MAX_SENT = 500;

/** What Chrome may hold for one tab. */
const LIMITS = { maxTotalBufferSize: 20_000_000, maxResourceBufferSize: 5_000_000 } as const;

/** Chrome reports a request twice, to extensions and to the debugger, within less than this. */
const SAME_MS = 2_000;

const Sent = z.object({
  requestId: z.string(),
  wallTime: z.number(),
  request: z.object({ url: z.string(), method: z.string() }),
});
const Body = z.object({ body: z.string(), base64Encoded: z.boolean() });

interface SentRequest {
  readonly id: string;
  readonly url: string;
  readonly method: string;
  readonly at: number;
}

export class NetworkBodies {
  readonly #debuggers: Debuggers;
  /** The tabs whose bodies are kept. */
  readonly #tabs = new Map<number, SentRequest[]>();

  /** Made when the worker starts, for it registers listeners. */
  constructor(debuggers: Debuggers) {
    this.#debuggers = debuggers;
    chrome.debugger.onEvent.addListener(({ tabId }, method, params) => {
      if (tabId === undefined || method !== 'Network.requestWillBeSent') return;
      const sent = Sent.safeParse(params);
      const known = this.#tabs.get(tabId);
      if (!sent.success || known === undefined) return;
      const { requestId: id, wallTime, request } = sent.data;
      known.push({ id, url: request.url, method: request.method, at: wallTime * 1000 });
      if (known.length > MAX_SENT) known.shift();
    });
    chrome.debugger.onDetach.addListener(({ tabId }) => {
      if (tabId !== undefined) this.#tabs.delete(tabId);
    });
  }

  /** The body of the answer to `request`; null when it was not kept. From now on they are, for as long as the debugger stays. */
  of(tabId: number, { url, method, startedAt }: RequestEntry, signal: AbortSignal): Promise<ResponseBody | null> {
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
      // It is still under way, or Chrome had no room for it.
      const answer = Body.safeParse(await attached.send('Network.getResponseBody', { requestId: found.id }).catch(nullWhenNotKept));
      if (!answer.success) return null;
      const { body, base64Encoded } = answer.data;
      return base64Encoded ? fromBytes(body) : { text: body, sizeBytes: new TextEncoder().encode(body).length };
    });
  }
}

const withoutHash = (url: string): string => url.replace(/#.*$/s, '');

/** Chrome sends as bytes also what it does not know to be text. */
const fromBytes = (base64: string): ResponseBody => {
  const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
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
