/** What development servers say in the consoles of pages in which something was picked; see content/build-console.ts. No debugger listens. */
import { isLoopback } from '#protocol/loopback.ts';
import { buildErrorsTold, endBuildErrors } from '#extension/content/build-console.ts';
import { hideSecrets } from '#extension/toolkit/hide-secrets.ts';
import type { PageDocument } from './inject.ts';
import type { TabEvents } from './tab-events.ts';

/** So long after something was picked or looked at the page is listened to: a prompt about it, and its turn, take their time. */
const HEARD_MS = 1_800_000;

const MAX_CHARS = 4_000;

/** No page knows it, so no page can tell that it is listened to. */
const KEY = crypto.randomUUID();

type Shown = Pick<PageDocument, 'documentId' | 'url'>;

export class BuildErrors {
  /** The tabs that are listened to, each with what ends that. */
  readonly #heard = new Map<number, ReturnType<typeof setTimeout>>();

  /** Registers listeners, so it is made when the worker starts. */
  constructor(events: Pick<TabEvents, 'onArrived' | 'onClosed'>) {
    events.onArrived((tabId, landing) => {
      if (this.#heard.has(tabId)) void read(tabId, landing);
    });
    events.onClosed((tabId) => {
      clearTimeout(this.#heard.get(tabId));
      this.#heard.delete(tabId);
    });
  }

  /** What stands in the console of one of these documents, null where that is nothing; what they say from now on is kept. */
  async told(tabId: number, documents: readonly Shown[]): Promise<string | null> {
    clearTimeout(this.#heard.get(tabId));
    this.#heard.set(
      tabId,
      setTimeout(() => void this.#end(tabId), HEARD_MS),
    );
    const told = await Promise.all(documents.map((shown) => read(tabId, shown)));
    return told.find((text) => text !== null) ?? null;
  }

  async #end(tabId: number): Promise<void> {
    this.#heard.delete(tabId);
    const target = { tabId, allFrames: true };
    // The tab may have been closed, or show what nobody may ask.
    await chrome.scripting.executeScript({ target, func: endBuildErrors, args: [KEY], world: 'MAIN' }).catch(() => null);
  }
}

/** Only what comes from this machine is listened to. A page can answer in our place, so nothing but a text is taken. */
const read = async (tabId: number, { documentId, url }: Shown): Promise<string | null> => {
  const address = URL.parse(url);
  if (address === null || (address.protocol !== 'about:' && !isLoopback(address))) return null;
  const [injected] = await chrome.scripting
    .executeScript({
      target: { tabId, documentIds: [documentId] },
      func: buildErrorsTold,
      args: [KEY],
      world: 'MAIN',
      injectImmediately: true,
    })
    // It has gone.
    .catch(() => []);
  const text = typeof injected?.result === 'string' ? hideSecrets(injected.result.slice(0, MAX_CHARS)) : '';
  return text === '' ? null : text;
};
