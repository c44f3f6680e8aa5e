/** Attachments from the page in front of the user, as a page of the extension asks the worker for them. */
import { CompanionError } from '#protocol/errors.ts';
import type { SessionId } from '#protocol/ids.ts';
import { explainInFront } from '#protocol/front-faults.ts';
import { keepPicturesOf, readPictures, type ActPictures } from './act-pictures.ts';
import { CaptureAnswer, KeptPicked, SessionTabs, TabAnswer, type CaptureKind, type PageMessage, type PickedPlace } from './messages.ts';

/** A tab that can be named in a prompt. */
export interface OpenTab {
  readonly tabId: number;
  readonly title: string;
  readonly url: string;
}

/** The parts of the page of the settings, in their order. */
export const settingsParts = [
  'connection',
  'check',
  'agents',
  'permissions',
  'browser',
  'keyboard',
  'appearance',
  'notifications',
  'clients',
  'usage',
  'data',
] as const;
export type SettingsPart = (typeof settingsParts)[number];

export interface PageCapture {
  /** From the tab in front of the user, or from the one that is named. */
  capture(kind: CaptureKind, tabId?: number): Promise<CaptureAnswer>;
  /** The tabs of the window, the one in front of the user first. */
  tabs(): Promise<OpenTab[]>;
  /** Tells which tab is in front of the user, now and after each change; null where it is no page of the web. Returns what ends it. */
  watchTab(onTab: (tab: OpenTab | null) => void): () => void;
  /** Opens the page of the settings at one of its parts. */
  openSettings(part: SettingsPart): Promise<void>;
  /** How a picked element looks now; null when it is not there any more. */
  keep(picked: PickedPlace): Promise<KeptPicked>;
  /** Ends a capture that waits for the user to point at something. */
  cancel(): Promise<void>;
  /** Whose the tab in front of the user is, after handing it to the session or taking it back. */
  tab(act: 'look' | 'hand' | 'release', sessionId: SessionId): Promise<TabAnswer['owner']>;
  /** The pictures of these calls that are kept, by call. */
  actPictures(callIds: readonly string[]): Promise<ReadonlyMap<string, ActPictures>>;
  /** Lets go of the pictures of all sessions but these. */
  keepPicturesOf(sessionIds: ReadonlySet<string>): Promise<void>;
  /** The tabs in which a session works, after one of them was brought to the front or closed. */
  sessionTabs(sessionId: SessionId, act?: { type: 'show' | 'close'; tabId: number }): Promise<SessionTabs['tabs']>;
}

export const createPageCapture = (): PageCapture => {
  /** The window that contains the page of the extension. */
  const windowId = async (): Promise<number> => (await chrome.windows.getCurrent()).id ?? chrome.windows.WINDOW_ID_CURRENT;
  const send = (message: PageMessage): Promise<unknown> => chrome.runtime.sendMessage(message);
  return {
    capture: async (kind, tabId) => {
      const wanted = tabId === undefined ? {} : { tabId };
      const answer = CaptureAnswer.safeParse(await send({ type: 'context.capture', kind, windowId: await windowId(), ...wanted }));
      if (answer.success) return answer.data;
      throw new CompanionError('INTERNAL', explainInFront('worker_silent'), {
        remedy: explainInFront('reload_and_open'),
      });
    },
    keep: async (picked) => KeptPicked.parse(await send({ type: 'context.keep', picked })),
    tab: async (act, sessionId) => TabAnswer.parse(await send({ type: `tab.${act}`, sessionId, windowId: await windowId() })).owner,
    sessionTabs: async (sessionId, act) =>
      SessionTabs.parse(await send({ type: 'session.tabs', sessionId, ...(act === undefined ? {} : { act }) })).tabs,
    actPictures: async (callIds) => new Map((await readPictures(callIds)).map((pictures) => [pictures.callId, pictures])),
    keepPicturesOf,
    tabs: async () => {
      const open = await chrome.tabs.query({ windowId: await windowId() });
      return open.toSorted((one, other) => Number(other.active) - Number(one.active)).flatMap(toOpenTab);
    },
    watchTab: (onTab) => {
      let isOver = false;
      const look = async (): Promise<void> => {
        const active = await chrome.tabs.query({ active: true, windowId: await windowId() });
        if (!isOver) onTab(active.flatMap(toOpenTab)[0] ?? null);
      };
      // The next change of a tab asks again.
      const onChange = (): void => void look().catch(() => {});
      chrome.tabs.onActivated.addListener(onChange);
      chrome.tabs.onUpdated.addListener(onChange);
      onChange();
      return () => {
        isOver = true;
        chrome.tabs.onActivated.removeListener(onChange);
        chrome.tabs.onUpdated.removeListener(onChange);
      };
    },
    openSettings: async (part) => void (await chrome.tabs.create({ url: chrome.runtime.getURL(`options.html#${part}`) })),
    cancel: async () => void (await send({ type: 'context.cancel', windowId: await windowId() })),
  };
};

/** Only pages of the web can be named. */
const toOpenTab = ({ id, title = '', url = '' }: chrome.tabs.Tab): OpenTab[] =>
  id === undefined || !/^https?:/.test(url) ? [] : [{ tabId: id, title, url }];
