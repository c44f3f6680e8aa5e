/**
 * Keeps a navigation on the sites that were agreed to, also when a server sends it on, and what an agent does in a page away from sites on which
 * a rule of the person stands: the browser itself stops before it asks them. https://developer.chrome.com/docs/extensions/reference/api/declarativeNetRequest
 */
import { hasBars, type SiteRules } from '#protocol/sites.ts';
import { originOf } from '#extension/shared/addresses.ts';
import { RequestSentOnError, SentOnError } from '#extension/toolkit/page-error.ts';
import { RuledSites } from './ruled-sites.ts';

const BLOCKED = 'net::ERR_BLOCKED_BY_CLIENT';

interface Kept<T> {
  work(): Promise<T>;
  /** Shows the page again that the tab showed before. */
  goBack(url: string): Promise<unknown>;
}

export class Barrier {
  /** Rules outlive a worker that was killed within a call. */
  readonly #ready = removeLeftOvers();
  #lastId = 0;

  /** Runs `load`, which begins with `address` and during which the tab opens pages of these origins only; null stands for all. */
  async around<T>(tabId: number, origins: readonly string[] | null, load: () => Promise<T>, address = ''): Promise<T> {
    if (origins === null) return load();
    await this.#ready;
    const type = chrome.declarativeNetRequest.ResourceType.MAIN_FRAME;
    const rules = [...this.#toRules(tabId, origins, type), ...this.#toUserRules(tabId, origins, address)];
    let sentOn: string | null = null;
    const note = (details: { tabId: number; frameId: number; url: string; error: string }): void => {
      if (details.tabId === tabId && details.frameId === 0 && details.error === BLOCKED) sentOn = details.url;
    };
    chrome.webNavigation.onErrorOccurred.addListener(note);
    try {
      await chrome.declarativeNetRequest.updateSessionRules({ addRules: rules });
      return await load();
    } catch (error) {
      // Another extension may have blocked it too, for reasons of its own.
      throw sentOn === null || origins.includes(originOf(sentOn)) ? error : new SentOnError(sentOn);
    } finally {
      chrome.webNavigation.onErrorOccurred.removeListener(note);
      // Not waited for: whatever the next call asks of the browser comes after it.
      void chrome.declarativeNetRequest.updateSessionRules({ removeRuleIds: rules.map(({ id }) => id) });
    }
  }

  /**
   * Runs `work`, in which the page makes a request, while what scripts of the tab ask for is of these origins only; null stands for all. Where a
   * server sends the request on to another one is not asked, and that is told as an error.
   */
  async aroundRequest<T>(tabId: number, origins: readonly string[] | null, work: () => Promise<T>): Promise<T> {
    if (origins === null) return work();
    await this.#ready;
    const type = chrome.declarativeNetRequest.ResourceType.XMLHTTPREQUEST;
    const rules = this.#toRules(tabId, origins, type);
    let sentOn: string | null = null;
    const note = ({ url, error }: { url: string; error: string }): void => {
      if (error === BLOCKED && !origins.includes(originOf(url))) sentOn = url;
    };
    chrome.webRequest.onErrorOccurred.addListener(note, {
      urls: ['<all_urls>'],
      tabId,
      types: [chrome.webRequest.ResourceType.XMLHTTPREQUEST],
    });
    try {
      await chrome.declarativeNetRequest.updateSessionRules({ addRules: rules });
      return await work();
    } catch (error) {
      throw sentOn === null ? error : new RequestSentOnError(sentOn);
    } finally {
      chrome.webRequest.onErrorOccurred.removeListener(note);
      await chrome.declarativeNetRequest.updateSessionRules({ removeRuleIds: rules.map(({ id }) => id) });
    }
  }

  /**
   * Runs `work`, during which the tab, and a tab that its page opens, come to no site that is closed or asked for each time, but the one they are on.
   * A tab that was stopped goes back to where it was, and that is told as an error.
   */
  async keepOff<T>(tabId: number, rules: SiteRules, { work, goBack }: Kept<T>): Promise<T> {
    if (!hasBars(rules)) return work();
    const [frame, tabs] = await Promise.all([chrome.webNavigation.getFrame({ tabId, frameId: 0 }), chrome.tabs.query({}), this.#ready]);
    // A page that could not be loaded has its address, and is not on its site.
    const page = frame === null || frame.errorOccurred ? '' : frame.url;
    const sites = new RuledSites(rules, page);
    const others = tabs.flatMap(({ id }) => (id === undefined || id === tabId ? [] : [id]));
    const addRules = sites.toRules({ tabId, others }, () => this.#nextId());
    const stopped = new Map<number, string>();
    const note = (details: { tabId: number; frameId: number; url: string; error: string }): void => {
      if (details.frameId !== 0 || details.error !== BLOCKED || others.includes(details.tabId)) return;
      if (sites.isBarred(details.url)) stopped.set(details.tabId, details.url);
    };
    chrome.webNavigation.onErrorOccurred.addListener(note);
    const done = await chrome.declarativeNetRequest
      .updateSessionRules({ addRules })
      .then(work)
      .then(
        (value) => ({ value }),
        (error: unknown) => ({ error }),
      );
    // A new tab may not have begun to load, and a page that is kept for going back is shown again without a request.
    for (const { id, url = '', pendingUrl = '' } of await chrome.tabs.query({})) {
      const to = [pendingUrl, url].find((address) => sites.isBarred(address));
      if (id !== undefined && to !== undefined && !others.includes(id)) stopped.set(id, to);
    }
    const [to] = stopped.values();
    const takeBack = (id: number): Promise<unknown> => (id === tabId ? goBack(page || 'about:blank') : chrome.tabs.remove(id));
    await Promise.all(stopped.keys().map((id) => takeBack(id).catch(() => null)));
    chrome.webNavigation.onErrorOccurred.removeListener(note);
    await chrome.declarativeNetRequest.updateSessionRules({ removeRuleIds: addRules.map(({ id }) => id) });
    if (to !== undefined) throw sites.toError(to);
    if ('error' in done) throw done.error;
    return done.value;
  }

  #toRules(
    tabId: number,
    origins: readonly string[],
    type: chrome.declarativeNetRequest.ResourceType,
  ): chrome.declarativeNetRequest.Rule[] {
    const { RuleActionType } = chrome.declarativeNetRequest;
    const here = { tabIds: [tabId], resourceTypes: [type] };
    return [
      { id: this.#nextId(), priority: 1, action: { type: RuleActionType.BLOCK }, condition: here },
      ...origins.map((origin) => ({
        id: this.#nextId(),
        priority: 2,
        action: { type: RuleActionType.ALLOW },
        // The bar stands for the beginning of the address.
        condition: { ...here, urlFilter: `|${origin}/` },
      })),
    ];
  }

  /** An address may hold a name and a password; the browser then asks with them, and no other address of the kind is let through. */
  #toUserRules(tabId: number, origins: readonly string[], address: string): chrome.declarativeNetRequest.Rule[] {
    const url = URL.parse(address);
    if (url === null || url.username + url.password === '' || !origins.includes(url.origin)) return [];
    const host = url.host.replaceAll(/[.[\]]/g, String.raw`\$&`);
    const { RuleActionType, ResourceType } = chrome.declarativeNetRequest;
    const regexFilter = `^${url.protocol}//[^/?#@]*@${host}/`;
    const condition = { tabIds: [tabId], resourceTypes: [ResourceType.MAIN_FRAME], regexFilter };
    return [{ id: this.#nextId(), priority: 2, action: { type: RuleActionType.ALLOW }, condition }];
  }

  #nextId(): number {
    return (this.#lastId += 1);
  }
}

const removeLeftOvers = async (): Promise<void> => {
  const rules = await chrome.declarativeNetRequest.getSessionRules();
  await chrome.declarativeNetRequest.updateSessionRules({ removeRuleIds: rules.map(({ id }) => id) });
};
