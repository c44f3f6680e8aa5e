/** The gallery in a browser: shows the panel in one of its states. The tests and the pictures drive it by `gallery`. */
import { h, render } from 'preact';
import { CompanionError } from '#protocol/errors.ts';
import type { Route } from '#protocol/contract.ts';
import { PanelActions } from '#extension/sidepanel/actions.ts';
import { Drafts } from '#extension/sidepanel/drafts.ts';
import { createTranslate } from '#extension/sidepanel/i18n.ts';
import { Store } from '#extension/sidepanel/state.ts';
import { usualLook } from '#extension/shared/look.ts';
import { App } from '#extension/sidepanel/views/app.tsx';
import { answers } from './answers.ts';
import { galleryStates, type Recordings } from './states.ts';

export interface Gallery {
  readonly names: readonly string[];
  /** Draws a state anew; resolves when it is on the screen. */
  show(name: string, language: string): Promise<void>;
  /** What agents and people said, and what things are called, in a state: it is the same in every language. */
  said(name: string): readonly string[];
}

const painted = (): Promise<void> => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve())));

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
]);

const create = (logs: Recordings): Gallery => {
  const states = galleryStates(logs);
  return {
    names: Object.keys(states),
    said: (name) => wordsOf(states[name]?.state ?? null),
    show: async (name, language) => {
      const root = document.querySelector('#root');
      const wanted = states[name];
      if (root === null || wanted === undefined) throw new Error(`there is no state ${name}`);
      document.documentElement.lang = language;
      render(null, root);
      const store = new Store(wanted.state);
      const none = { load: async () => null, save: () => {}, remove: () => {} };
      const actions = new PanelActions({
        store,
        call: async (route: Route) => {
          const answer = answers.get(route);
          if (answer === undefined) throw new CompanionError('ROUTE_NOT_FOUND', route.path);
          return answer as never;
        },
        readBytes: async () => new Blob(),
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
          cancel: async () => {},
        },
        drafts: new Drafts(store, none),
        rights: async () => true,
        retry: () => {},
        open: () => {},
        log: { readEarlier: async () => {}, forgetEarlier: () => {}, seek: () => {} },
        newId: () => 'id',
        now: () => 0,
      });
      render(h(App, { panel: { store, actions }, t: createTranslate(language), look: usualLook }), root);
      await painted();
      for (const selector of wanted.press ?? []) {
        const found = document.querySelector<HTMLElement>(selector);
        if (found === null) throw new Error(`${name}: there is no ${selector}`);
        found.click();
        await painted();
      }
      const field = document.querySelector('textarea');
      if (wanted.type !== undefined && field !== null) {
        field.focus();
        field.value = wanted.type;
        field.dispatchEvent(new InputEvent('input', { bubbles: true }));
        await painted();
      }
    },
  };
};

declare global {
  interface Window {
    gallery?: Gallery;
  }
}

const recorded: unknown = JSON.parse(document.querySelector('#logs')?.textContent ?? '{}');
window.gallery = create(recorded as Recordings);
