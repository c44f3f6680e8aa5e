/** How the pages of the extension look and which keys send, as this profile has it: kept by the browser, at once on every page. */
import * as z from 'zod';

export const Look = z.object({
  theme: z.enum(['system', 'light', 'dark']).default('system'),
  density: z.enum(['normal', 'compact']).default('normal'),
  textSize: z.enum(['small', 'normal', 'large', 'larger']).default('normal'),
  /** The language of the browser, or one that Pilotfish speaks. */
  language: z.enum(['system', 'en', 'zh']).default('system'),
  /** What Enter does in the composer: it sends, or makes a line while Ctrl or Cmd with Enter sends; `lines` does that once there are several lines. */
  enter: z.enum(['send', 'lines', 'line']).default('send'),
  /** Whether a page shows that an agent acts in it. */
  acting: z.boolean().default(true),
  /** Whether small pictures of a page are kept before and after each act of an agent in it. */
  pictures: z.boolean().default(false),
});
export type Look = z.infer<typeof Look>;

export const usualLook: Look = Look.parse({});

/** Key of the look in `chrome.storage.local`. */
const LOOK_KEY = 'look';

/** Those of this page who are called back. */
const watchers = new Set<(look: Look) => void>();

/** Changes a part of the look, and ends when this page has it. Of two changes made together, on one page or on two, neither takes back the other. */
export const changeLook = (part: Partial<Look>): Promise<void> =>
  navigator.locks.request(LOOK_KEY, async () => {
    const { [LOOK_KEY]: stored } = await chrome.storage.local.get(LOOK_KEY);
    const look = { ...read(stored), ...part };
    await chrome.storage.local.set({ [LOOK_KEY]: look });
    for (const onLook of watchers) onLook(look);
  });

/** Calls back with the look once it is read, and at each change on any page. Returns what ends that. */
export const watchLook = (onLook: (look: Look) => void): (() => void) => {
  const take = (value: unknown): void => onLook(read(value));
  watchers.add(onLook);
  const onChanged = (changes: Record<string, chrome.storage.StorageChange>): void => {
    const change = changes[LOOK_KEY];
    if (change !== undefined) take(change.newValue);
  };
  chrome.storage.local.onChanged.addListener(onChanged);
  void chrome.storage.local.get(LOOK_KEY).then((stored) => take(stored[LOOK_KEY]));
  return () => {
    watchers.delete(onLook);
    chrome.storage.local.onChanged.removeListener(onChanged);
  };
};

const read = (stored: unknown): Look => Look.catch(usualLook).parse(stored ?? {});

/** The tag of the language that is shown. */
export const languageOf = ({ language }: Look, ofBrowser: string): string => (language === 'system' ? ofBrowser : language);

/** Says it to the style sheets. */
export const applyLook = ({ theme, density, textSize }: Look, root: HTMLElement): void => {
  Object.assign(root.dataset, { theme, density, textSize });
};
