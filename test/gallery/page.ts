/** The gallery in a browser: shows the panel in one of its states. The tests and the pictures drive it by `gallery`. */
import { h, render } from 'preact';
import { OptionsPage } from '#extension/options/page.tsx';
import { createSay } from '#extension/options/texts.ts';
import type { ConnectionState } from '#extension/shared/messages.ts';
import type { Call } from '#extension/shared/wire.ts';
import { PanelActions } from '#extension/sidepanel/actions.ts';
import { Drafts } from '#extension/sidepanel/drafts.ts';
import { createTranslate } from '#extension/sidepanel/i18n.ts';
import { Store } from '#extension/sidepanel/state.ts';
import { usualLook } from '#extension/shared/look.ts';
import { App } from '#extension/sidepanel/views/app.tsx';
import type { Route } from '#protocol/contract.ts';
import type { SessionEvent } from '#protocol/events.ts';
import { allAnswers, callDouble, NOW } from './answers.ts';
import { galleryStates, PICTURE, talkOf, type GalleryState, type Recordings } from './states.ts';

export interface Gallery {
  readonly names: readonly string[];
  /** Draws a state anew; resolves when it is on the screen, with what the mouse has to click then. */
  show(name: string, language: string): Promise<readonly string[]>;
  /** Draws a conversation. */
  showLog(events: readonly SessionEvent[], language: string): Promise<void>;
  /** What agents and people said, and what things are called, in a state: it is the same in every language. */
  said(name: string): readonly string[];
}

const frame = (): Promise<void> => new Promise((resolve) => void requestAnimationFrame(() => resolve()));
const painted = async (): Promise<void> => {
  await frame();
  await frame();
};

/** What is on the page once it is. */
const appeared = async (selector: string): Promise<HTMLElement> => {
  for (;;) {
    const found = document.querySelector<HTMLElement>(selector);
    if (found !== null) return found;
    await frame();
  }
};

/** Does in a state what a person does to come there. */
const act = async ({ page, choose, key, press = [], type, into = 'textarea', until }: GalleryState): Promise<void> => {
  if (choose !== undefined) {
    const field = await appeared(choose);
    const chosen = new DataTransfer();
    chosen.items.add(new File(['{}'], 'tides.json', { type: 'application/json' }));
    if (field instanceof HTMLInputElement) field.files = chosen.files;
    field.dispatchEvent(new Event('change', { bubbles: true }));
  }
  if (key !== undefined) document.dispatchEvent(new KeyboardEvent('keydown', { ...key, bubbles: true }));
  for (const selector of press) {
    (await appeared(selector)).click();
    await painted();
  }
  if (type !== undefined) {
    const field = await appeared(into);
    field.focus();
    if (field instanceof HTMLTextAreaElement || field instanceof HTMLInputElement) field.value = type;
    field.dispatchEvent(new InputEvent('input', { bubbles: true }));
  }
  if (until !== undefined) await appeared(until);
  // The settings are one long page: what was pressed there has changed a part far below its top.
  if (page === 'settings' && (press.length > 0 || choose !== undefined) && until !== undefined)
    document.querySelector(until)?.scrollIntoView({ block: 'center' });
  await painted();
};

/** The styles of the options page hold only while it is shown. */
const styleFor = (page: 'panel' | 'settings'): void => {
  for (const link of document.querySelectorAll<HTMLLinkElement>('link[data-page]'))
    link.media = link.dataset['page'] === page ? 'all' : 'not all';
};

/** The texts in a value, but for those by which the panel says something of its own. */
const wordsOf = (value: unknown, key = '', isAsked = false): readonly string[] => {
  if (OURS.has(key) && !isAsked) return [];
  if (typeof value === 'string') return [value, ...value.split('\n')];
  if (Array.isArray(value)) return value.flatMap((each) => wordsOf(each, '', isAsked));
  return typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([name, each]) => wordsOf(each, name, isAsked || name === 'questions'))
    : [];
};

/** Errors, the names of modes and of answers, who answered, and codes: the panel has its own words for them. */
const OURS: ReadonlySet<string> = new Set([
  'error',
  'failure',
  'modes',
  'by',
  'status',
  'state',
  'kind',
  'optionId',
  'requestKind',
  'type',
  'outcome',
  'options',
  'result',
  'toolClass',
  'rule',
  'origin',
  'place',
]);

// What the pages keep in the browser: nothing here; and what the worker says.
const storage = {
  local: { get: async () => ({}), set: async () => {}, onChanged: { addListener: () => {}, removeListener: () => {} } },
};
const worker: ConnectionState = { state: 'connected', port: 1, token: 'token', companionVersion: '0.1.0' };
const commands = { getAll: async () => [{ name: '_execute_action', shortcut: 'Alt+P' }] };
Object.assign(globalThis, { chrome: { storage, commands, runtime: { sendMessage: async () => worker } } });

const create = (logs: Recordings): Gallery => {
  const states = galleryStates(logs);
  return {
    names: Object.keys(states),
    said: (name) => [
      ...wordsOf(states[name]?.state ?? null),
      ...wordsOf(allAnswers()),
      ...wordsOf([...(states[name]?.answers?.values() ?? [])]),
    ],
    show: async (name, language) => {
      const wanted = states[name];
      if (wanted === undefined) throw new Error(`there is no state ${name}`);
      await draw(wanted, language);
      return wanted.click ?? [];
    },
    showLog: (events, language) => draw({ state: talkOf(events) }, language),
  };
};

const draw = async (wanted: GalleryState, language: string): Promise<void> => {
  const root = document.querySelector('#root');
  if (root === null) throw new Error('the page has no root');
  document.documentElement.lang = language;
  render(null, root);
  // Where a state before has led is no place of this one.
  history.replaceState(null, '', location.pathname);
  scrollTo(0, 0);
  const store = new Store(wanted.state);
  // The wire, with what the daemon of the gallery answers.
  const call = ((route: Route, sent: { body?: unknown }) => callDouble(route, sent, wanted.answers)) as Call;
  const none = { load: async () => null, save: () => {}, remove: () => {}, change: () => {}, hear: () => {} };
  const actions = new PanelActions({
    store,
    call,
    readBytes: async () => new Blob([Uint8Array.from(atob(PICTURE), (sign) => sign.charCodeAt(0))]),
    local: none,
    page: {
      openSettings: async () => {},
      capture: async () => ({ state: 'nothing' }),
      watchTab: (onTab) => {
        onTab({ tabId: 1, title: 'Tide tables', url: 'https://tides.example/' });
        return () => {};
      },
      tabs: async () => [{ tabId: 1, title: 'Tide tables', url: 'https://tides.example/' }],
      tab: async () => null,
      actPictures: async (callIds) =>
        new Map(callIds.map((callId) => [callId, { callId, sessionId: 's1', at: NOW, before: PICTURE, after: PICTURE }])),
      keepPicturesOf: async () => {},
      sessionTabs: async () => [{ tabId: 1, title: 'Tide tables', url: 'https://tides.example/', isShown: true, debuggedFor: [] }],
      keep: async () => null,
      cancel: async () => {},
    },
    drafts: new Drafts(store, none),
    rights: async () => true,
    retry: () => {},
    wake: () => Promise.resolve(),
    open: () => {},
    log: { readEarlier: async () => {}, forgetEarlier: () => {}, seek: () => {} },
    newId: () => 'id',
    now: () => NOW,
  });
  const page = wanted.page ?? 'panel';
  const common = { panel: { store, actions }, t: createTranslate(language), look: usualLook };
  styleFor(page);
  render(
    page === 'panel' ? h(App, common) : h(OptionsPage, { ...common, call, readBytes: async () => new Blob(), say: createSay(language) }),
    root,
  );
  await painted();
  await act(wanted);
};

declare global {
  interface Window {
    gallery?: Gallery;
  }
}

const recorded: unknown = JSON.parse(document.querySelector('#logs')?.textContent ?? '{}');
window.gallery = create(recorded as Recordings);
