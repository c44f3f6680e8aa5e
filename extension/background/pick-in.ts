/** Lets the person point at an element of a page, in whatever frame it is. */
import type { PageMethods } from '#extension/content/api.ts';
import { answerComponents, answerReact } from '#extension/content/source.ts';
import type { PickedPlace } from '#extension/toolkit/page.ts';
import type { PageDocument } from './inject.ts';
import { fileName, originalPlace } from './source-map.ts';

interface Asked {
  readonly tabId: number;
  /** The page itself first, then the frames in it that may be read, as they are now. */
  readonly documents: () => Promise<readonly PageDocument[]>;
  /** What the person reads above the page. */
  readonly words?: string | undefined;
  readonly limitMs?: number | undefined;
}

/** Asks one document for what the person points at in it, until `ends`. */
type Ask = (document: PageDocument, options: PageMethods['pick']['options'], ends: AbortSignal) => Promise<PageMethods['pick']['result']>;

/** The pointer may be in any frame; the first one that notices it ends the search in all. */
export const pickIn = async ({ tabId, documents, words, limitMs }: Asked, ask: Ask): Promise<PickedPlace | null> => {
  const over = new AbortController();
  const sourceKey = crypto.randomUUID();
  const limit = limitMs === undefined ? {} : { limitMs };
  const { promise: picked, resolve, reject } = Promise.withResolvers<PickedPlace | null>();
  const known = new Set<string>();
  const askOne = async (document: PageDocument): Promise<void> => {
    const { frameId, documentId, url } = document;
    const options = { ...limit, sourceKey, ...(words === undefined || frameId !== 0 ? {} : { words }) };
    try {
      await letAnswerSource(tabId, document, sourceKey);
      const element = await ask(document, options, over.signal);
      if (element === null) return resolve(null);
      const source = await unbuilt(tabId, document, element.source);
      return resolve({ frameId, documentId, url, element: { ...element, source } });
    } catch (error) {
      // Frames come and go while the user looks around; only the page itself counts.
      return frameId === 0 ? reject(error) : undefined;
    }
  };
  const askNew = async (): Promise<void> => {
    const fresh = (await documents()).filter(({ documentId }) => !known.has(documentId));
    for (const document of fresh) {
      known.add(document.documentId);
      void askOne(document);
    }
  };
  // A click into a frame that has come since would else be the page's.
  const hear = (frame: { tabId: number; frameId: number }): void => {
    if (frame.tabId === tabId && frame.frameId !== 0) askNew().catch(reject);
  };
  chrome.webNavigation.onDOMContentLoaded.addListener(hear);
  try {
    await askNew();
    return await picked;
  } finally {
    chrome.webNavigation.onDOMContentLoaded.removeListener(hear);
    over.abort();
  }
};

/** Only the page's own world sees what frameworks write on elements; where it cannot be reached there is no source. */
const letAnswerSource = async (tabId: number, { documentId }: PageDocument, key: string): Promise<void> => {
  const target = { tabId, documentIds: [documentId] };
  const run = (func: (key: string) => void): Promise<unknown> =>
    chrome.scripting.executeScript({ target, func, args: [key], world: 'MAIN', injectImmediately: true }).catch(() => null);
  await Promise.all([run(answerReact), run(answerComponents)]);
};

/** A script that the page has loaded, or, by the address that React gives it, one that has run on the server. */
const BUILT = /^(about:\/\/React\/[^/]+\/(?=file:))?((?:https?|file):\/\/.+):(\d+):(\d+) (\(.*), as built\)$/;

/** A script that was made of a text, as webpack makes each module where it has no source maps: nobody can load it, but it has the name of its file. */
const NAMED = /^(webpack(?:-internal)?:\/\/\S+?)(:\d+:\d+ \(.*\))$/;

/** A place in what a build has made, told as the place that it was made from, where a source map tells that. */
const unbuilt = async (tabId: number, { documentId, url }: PageDocument, source: string): Promise<string> => {
  const [, name, rest = ''] = NAMED.exec(source) ?? [];
  if (name !== undefined) return `${fileName(name)}${rest}`;
  const [, onServer, script = '', line, column, who = ''] = BUILT.exec(source) ?? [];
  // The page itself is not asked for again.
  if (script === '' || script === url.replace(/#.*/, '')) return source;
  const target = { tabId, documentIds: [documentId] };
  const results = await chrome.scripting.executeScript({ target, func: fetchMap, args: [script, onServer !== undefined] }).catch(() => []);
  const map = results[0]?.result;
  const place = map === null || map === undefined ? null : originalPlace(map.url, map.text, { line: Number(line), column: Number(column) });
  return place === null ? source : `${place.file}:${place.line}:${place.column} ${who})`;
};

/**
 * Runs in the page, so that it can fetch what the page can, and no more. A map within the script has the script's address. What has run on the
 * server only that can read; that of Next has the map for who develops.
 */
const fetchMap = async (script: string, isOnServer: boolean): Promise<{ url: string; text: string } | null> => {
  const beatMs = 100;
  const mostSilent = 30;
  const mostBeats = 300;
  // How long it takes is a matter of its size and of the machine: it is given up when nothing more of it comes. Where the machine has no time for
  // anybody, these beats come late, too.
  const load = async (address: string): Promise<string> => {
    const ends = new AbortController();
    let [beats, silent] = [0, 0];
    const timer = setInterval(() => {
      beats += 1;
      silent += 1;
      if (silent > mostSilent || beats > mostBeats) ends.abort();
    }, beatMs);
    try {
      const response = await fetch(address, { signal: ends.signal });
      const parts = response.body?.pipeThrough(new TextDecoderStream()).getReader();
      let text = '';
      for (let part = await parts?.read(); part?.done === false; part = await parts?.read()) {
        silent = 0;
        text += part.value;
      }
      return response.ok ? text : '';
    } finally {
      clearInterval(timer);
    }
  };
  try {
    if (isOnServer) return { url: script, text: await load(`/__nextjs_source-map?filename=${encodeURIComponent(script)}`) };
    const address = [...(await load(script)).matchAll(/^\/\/[#@] sourceMappingURL=(\S+)\s*$/gm)].at(-1)?.[1];
    if (address === undefined) return null;
    const map = new URL(address, script);
    return { url: map.protocol === 'data:' ? script : map.href, text: await load(map.href) };
  } catch {
    return null;
  }
};
