/** A style of the user's origin in a page, which no style of the page overrides: https://drafts.csswg.org/css-cascade-5/#cascade-sort */
import * as z from 'zod';
import type { PageDocument } from './inject.ts';

/** One key for each style: what is noted for one does not depend on others. */
const KEY = 'style ';

const Noted = z.object({ tabId: z.number(), css: z.string() });

/** Puts a style into a document; resolves with what takes it out again, and rejects where the document has gone. */
export const putStyle = async (tabId: number, { documentId }: PageDocument, rules: string): Promise<() => Promise<void>> => {
  // Chrome removes a style by its text, and must not take that of another call with it.
  const id = crypto.randomUUID();
  const css = `${rules} /* ${id} */`;
  const style: chrome.scripting.CSSInjection = { target: { tabId, documentIds: [documentId] }, css, origin: 'USER' };
  // It stays in the page when the extension ends now, and whoever starts next takes it out.
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
