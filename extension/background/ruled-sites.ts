/** The sites that agents do not come to unasked, as rules of the browser. https://developer.chrome.com/docs/extensions/reference/api/declarativeNetRequest */
import { isBar, ruledNameOf, ruleOf, type SiteRules } from '#protocol/sites.ts';
import { PageError } from '#extension/toolkit/page-error.ts';

/** Above the number of labels that a name can have. */
const ORIGIN_PRIORITY = 200;

/** Which tabs the rules are for. */
interface Tabs {
  readonly tabId: number;
  /** Those that are there already. */
  readonly others: readonly number[];
}

/** Throws when an agent may not come from a page to an address unasked. */
export const checkWay = (rules: SiteRules, page: string, address: string): void => {
  const sites = new RuledSites(rules, page);
  if (sites.isBarred(address)) throw sites.toError(address);
};

export class RuledSites {
  readonly #rules: SiteRules;
  readonly #page: string;

  /** Who is on a site already may move in it. */
  constructor(rules: SiteRules, page: string) {
    this.#rules = rules;
    this.#page = page;
  }

  /** Whether an agent may not come to an address unasked. */
  isBarred(address: string): boolean {
    const name = this.#nameOf(address);
    return name !== null && isBar(this.#rules[name] ?? null) && name !== this.#nameOf(this.#page);
  }

  toRules({ tabId, others }: Tabs, nextId: () => number): chrome.declarativeNetRequest.Rule[] {
    const { RuleActionType, ResourceType } = chrome.declarativeNetRequest;
    const host = URL.parse(this.#page)?.hostname ?? '';
    const here = [{ tabIds: [tabId] }, ...(host === '' ? [] : [{ excludedTabIds: [...others, tabId], initiatorDomains: [host] }])];
    const own = this.#nameOf(this.#page);
    return Object.entries(this.#rules).flatMap(([name, rule]) =>
      here.map((tabs) => ({
        id: nextId(),
        // The rule of the longer name counts.
        priority: name.includes('/') ? ORIGIN_PRIORITY : name.split('.').length,
        action: { type: isBar(rule) && name !== own ? RuleActionType.BLOCK : RuleActionType.ALLOW },
        condition: {
          ...tabs,
          resourceTypes: [ResourceType.MAIN_FRAME],
          // The bar stands for the beginning of the address.
          ...(name.includes('/') ? { urlFilter: `|${name}/` } : { requestDomains: [name] }),
        },
      })),
    );
  }

  toError(to: string): PageError {
    const address = `address: ${to.slice(0, 300)}`;
    return ruleOf(this.#rules, URL.parse(to)) === 'never'
      ? new PageError('SITE_NOT_ALLOWED', 'It led to a site that is closed to agents, and the tab was kept from it.', address)
      : new PageError(
          'SITE_NOT_ALLOWED',
          'It led to a site for which the user is asked each time, and the tab was kept from it.',
          address,
          {
            remedy: 'Open the address with browser_navigate, and the user is asked.',
          },
        );
  }

  /** The name under which the rule for an address stands. */
  #nameOf(address: string): string | null {
    return ruledNameOf(this.#rules, URL.parse(address));
  }
}
