/**
 * Keeps a navigation on the sites that were agreed to, also when a server sends it on: the browser itself stops before it asks another one.
 * What a page does once it is there is not its business. https://developer.chrome.com/docs/extensions/reference/api/declarativeNetRequest
 */
import { originOf } from '#extension/shared/addresses.ts';
import { SentOnError } from '#extension/toolkit/page-error.ts';

const BLOCKED = 'net::ERR_BLOCKED_BY_CLIENT';

export class Barrier {
  /** Rules outlive a worker that was killed within a call. */
  readonly #ready = removeLeftOvers();
  #lastId = 0;

  /** Runs `load`, during which the tab opens pages of these origins only; null stands for all. */
  async around<T>(tabId: number, origins: readonly string[] | null, load: () => Promise<T>): Promise<T> {
    if (origins === null) return load();
    await this.#ready;
    const rules = this.#toRules(tabId, origins);
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
      await chrome.declarativeNetRequest.updateSessionRules({ removeRuleIds: rules.map(({ id }) => id) });
    }
  }

  #toRules(tabId: number, origins: readonly string[]): chrome.declarativeNetRequest.Rule[] {
    const { RuleActionType, ResourceType } = chrome.declarativeNetRequest;
    const here = { tabIds: [tabId], resourceTypes: [ResourceType.MAIN_FRAME] };
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

  #nextId(): number {
    return (this.#lastId += 1);
  }
}

const removeLeftOvers = async (): Promise<void> => {
  const rules = await chrome.declarativeNetRequest.getSessionRules();
  await chrome.declarativeNetRequest.updateSessionRules({ removeRuleIds: rules.map(({ id }) => id) });
};
