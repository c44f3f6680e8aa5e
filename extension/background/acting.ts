/** In which tabs agents act, as these tabs show it to the person, who can stop an agent there. */
import type { SessionId } from '#protocol/ids.ts';
import { languageOf, usualLook, watchLook } from '#extension/shared/look.ts';
import { ACTING_PORT } from '#extension/shared/ports.ts';
import type { ActingWords } from '#extension/content/api.ts';
import { orAborted } from './queue.ts';
import type { TabEvents } from './tab-events.ts';
import type { TabPage } from './tab-page.ts';

/** An agent thinks between two acts, and the frame should not come and go with each. */
const LINGER_MS = 6_000;

const texts = {
  en: { says: (who: string) => `${who} is acting on this page`, stop: 'Stop', stopping: 'Stopping…' },
  zh: { says: (who: string) => `${who} 正在操作此网页`, stop: '停止', stopping: '正在停止…' },
};

/** Who acts, and for which session. */
export interface Actor {
  readonly sessionId: SessionId;
  readonly name: string;
}

interface Options {
  readonly events: TabEvents;
  pageOf(tabId: number): TabPage;
  /** The person has pressed the button of a page. */
  onStop(sessionId: SessionId): void;
}

export class Acting {
  readonly #options: Options;
  readonly #tabs = new Map<number, ActedTab>();
  #look = usualLook;
  /** The tab that came into view last. */
  #activated = chrome.tabs.TAB_ID_NONE;

  /** Made when the worker starts, for it registers listeners. */
  constructor(options: Options) {
    this.#options = options;
    watchLook((look) => {
      this.#look = look;
      if (!look.acting) this.end();
    });
    options.events.onClosed((tabId) => this.release(tabId));
    chrome.tabs.onActivated.addListener(({ tabId }) => {
      this.#activated = tabId;
      for (const tab of this.#tabs.values()) tab.show();
    });
    chrome.runtime.onConnect.addListener((port) => this.#hear(port));
  }

  /** Runs `task`, during which and shortly after the tab shows who acts in it. Nothing waits for that. `known` is the tab as it was a moment ago. */
  async during<T>(tabId: number, actor: Actor, task: () => Promise<T>, known?: chrome.tabs.Tab): Promise<T> {
    if (!this.#look.acting) return task();
    const tab = this.#take(tabId, actor);
    tab.begin(this.#words(actor), known?.active === false && this.#activated !== tabId);
    try {
      return await task();
    } finally {
      tab.finish(() => this.release(tabId));
    }
  }

  /** Runs `task` while nothing of the extension's is in the page for a real pointer to meet. */
  async without<T>(tabId: number, signal: AbortSignal, task: () => Promise<T>): Promise<T> {
    const tab = this.#tabs.get(tabId);
    return tab === undefined ? task() : tab.without(signal, task);
  }

  /** The turn of the session is over. */
  rests(sessionId: SessionId): void {
    for (const [tabId, { actor }] of this.#tabs) if (actor.sessionId === sessionId) this.release(tabId);
  }

  release(tabId: number): void {
    this.#tabs.get(tabId)?.end();
    this.#tabs.delete(tabId);
  }

  end(): void {
    for (const tabId of this.#tabs.keys()) this.release(tabId);
  }

  #take(tabId: number, actor: Actor): ActedTab {
    const known = this.#tabs.get(tabId);
    if (known?.actor.sessionId === actor.sessionId && known.actor.name === actor.name) return known;
    if (known !== undefined) this.release(tabId);
    const taken = new ActedTab(tabId, actor, this.#options);
    this.#tabs.set(tabId, taken);
    return taken;
  }

  #words({ name }: Actor): ActingWords {
    const { says, stop, stopping } = texts[languageOf(this.#look, chrome.i18n.getUILanguage()).startsWith('zh') ? 'zh' : 'en'];
    return { says: says(name), stop, stopping };
  }

  /** A content script runs inside foreign pages: all it can say is that the agent which acts in its tab is to stop. */
  #hear(port: chrome.runtime.Port): void {
    if (port.name !== ACTING_PORT) return;
    const { id, frameId, tab } = port.sender ?? {};
    const acted = id === chrome.runtime.id && frameId === 0 && tab?.id !== undefined ? this.#tabs.get(tab.id) : undefined;
    if (acted === undefined) port.disconnect();
    else acted.hear(port);
  }
}

/** One tab, from the first act in it to the end of its frame. */
class ActedTab {
  readonly actor: Actor;
  readonly #tabId: number;
  readonly #options: Options;
  readonly #unwatch: () => void;
  /** Of the document that has the frame. */
  #port: chrome.runtime.Port | null = null;
  #showing: Promise<unknown> = Promise.resolve();
  #words: ActingWords | null = null;
  #uses = 0;
  #linger: ReturnType<typeof setTimeout> | undefined;
  #isStopped = false;

  constructor(tabId: number, actor: Actor, options: Options) {
    this.#tabId = tabId;
    this.actor = actor;
    this.#options = options;
    // The next page shows it, too.
    this.#unwatch = options.events.watch(tabId, ({ type }) => {
      if (type === 'ready') this.show();
    });
  }

  begin(words: ActingWords, isInBack: boolean): void {
    clearTimeout(this.#linger);
    this.#uses += 1;
    this.#words = words;
    // It is shown when the tab comes into view.
    if (!isInBack || this.#port !== null) this.show();
  }

  finish(over: () => void): void {
    this.#uses -= 1;
    if (this.#uses === 0) this.#linger = setTimeout(over, this.#isStopped ? 0 : LINGER_MS);
  }

  /** The document has the frame, and says what the person presses. */
  hear(port: chrome.runtime.Port): void {
    this.#port = port;
    port.onDisconnect.addListener(() => {
      if (this.#port === port) this.#port = null;
    });
    port.onMessage.addListener(() => {
      this.#isStopped = true;
      this.#options.onStop(this.actor.sessionId);
    });
    // It may have gone out of sight meanwhile.
    this.show();
  }

  async without<T>(signal: AbortSignal, task: () => Promise<T>): Promise<T> {
    const makeWay = (isMade: boolean): Promise<unknown> => this.#options.pageOf(this.#tabId).ask('makeWay', { isMade }).catch(nothing);
    await orAborted(makeWay(true), signal);
    try {
      return await task();
    } finally {
      void makeWay(false);
    }
  }

  end(): void {
    clearTimeout(this.#linger);
    this.#unwatch();
    this.#words = null;
    void this.#showing.then(() => this.#options.pageOf(this.#tabId).ask('acting', {})).catch(nothing);
  }

  /** Where nobody can see it a page has no frame, which each picture of the page would have to wait to be without. */
  show(): void {
    this.#showing = this.#showOrHide().catch(nothing);
  }

  /** A page that cannot be asked shows nothing, and what is done in it goes on. */
  async #showOrHide(): Promise<void> {
    const { active } = await chrome.tabs.get(this.#tabId);
    const words = active ? this.#words : null;
    if ((words === null) === (this.#port === null)) return;
    await this.#options.pageOf(this.#tabId).ask('acting', words === null ? {} : { words });
  }
}

const nothing = (): null => null;
