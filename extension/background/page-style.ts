/** A style of the user's origin in a page, which no style of the page overrides: https://drafts.csswg.org/css-cascade-5/#cascade-sort */
import * as z from 'zod';
import type { PageDocument } from './inject.ts';

/** One key for each style: what is noted for one does not depend on others. */
const KEY = 'style ';

const Noted = z.object({ tabId: z.number(), css: z.string() });

/** The elements that hold a page of their own. */
export const FRAME_OWNERS = new Set(['IFRAME', 'FRAME', 'OBJECT', 'EMBED', 'FENCEDFRAME', 'PORTAL', 'WEBVIEW']);

/**
 * A style by which no frame is drawn. What is not drawn, the browser cannot press. `pointer-events` alone is not enough: on a page that displays and hides a frame of another site all the
 * time, 2 of 300 clicks went into it. A transition comes before every style in the cascade, and would hold the change back.
 */
export const NO_FRAMES = `${[...FRAME_OWNERS].join(', ').toLowerCase()} {
  visibility: hidden !important; pointer-events: none !important; transition: none !important
}`;

/** Puts a style into a document; resolves with what takes it out again, and rejects where the document has gone. */
export const putStyle = async (tabId: number, { documentId }: PageDocument, rules: string): Promise<() => Promise<void>> => {
  // Chrome removes a style by its text, and must not take that of another call with it.
  const id = crypto.randomUUID();
  const css = `${rules} /* ${id} */`;
  const style: chrome.scripting.CSSInjection = { target: { tabId, documentIds: [documentId] }, css, origin: 'USER' };
  // It stays in the page when the extension ends now, and the worker that starts next takes it out.
  void chrome.storage.local.set({ [KEY + id]: { tabId, css } satisfies z.infer<typeof Noted> });
  const forget = (): void => void chrome.storage.local.remove(KEY + id);
  try {
    await chrome.scripting.insertCSS(style);
  } catch (error) {
    forget();
    throw error;
  }
  return async () => {
    await chrome.scripting.removeCSS(style).catch(ignoreGone);
    forget();
  };
};

/** Takes out what a worker left that ended in the middle of a call. */
export const removeLeftOverStyles = async (): Promise<void> => {
  const entries = Object.entries(await chrome.storage.local.get(null)).filter(([key]) => key.startsWith(KEY));
  await Promise.all(
    entries.map(async ([key, value]) => {
      const { success, data } = Noted.safeParse(value);
      if (success) await chrome.scripting.removeCSS({ target: { tabId: data.tabId }, css: data.css, origin: 'USER' }).catch(ignoreGone);
      await chrome.storage.local.remove(key);
    }),
  );
};

/** The document has gone, and its styles with it. */
const ignoreGone = (): null => null;
