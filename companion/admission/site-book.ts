/** The sites about which the person has said what agents may do there. */
import type { AuditRecord } from '#protocol/audit.ts';
import { inAudit } from '#protocol/audit-lines.ts';
import { CompanionError } from '#protocol/errors.ts';
import { toHostName, type RuledSite, type SiteRule, type SiteRules } from '#protocol/sites.ts';
import { explain } from '#protocol/faults.ts';
import type { Said } from '#protocol/said.ts';

export interface SiteBookOptions {
  readonly settings: { current(): { readonly sites: SiteRules }; change(change: { sites: Record<string, SiteRule> }): unknown };
  readonly audit: { add(record: AuditRecord): void };
}

const RULES = { read_only: 'site_read_only', never: 'site_never', ask: 'site_ask' } as const;

export class SiteBook {
  readonly #options: SiteBookOptions;
  readonly #listeners = new Set<() => void>();

  constructor(options: SiteBookOptions) {
    this.#options = options;
  }

  rules(): SiteRules {
    return this.#options.settings.current().sites;
  }

  list(): RuledSite[] {
    return Object.entries(this.rules())
      .map(([site, rule]) => ({ site, rule }))
      .toSorted((one, other) => (one.site < other.site ? -1 : 1));
  }

  set(text: string, rule: SiteRule): void {
    const site = toSiteName(text);
    this.#keep({ ...this.rules(), [site]: rule }, inAudit(RULES[rule], { site }));
  }

  remove(text: string): void {
    const site = toSiteName(text);
    const { [site]: removed, ...rest } = this.rules();
    if (removed === undefined)
      throw new CompanionError('RULE_NOT_FOUND', site, { remedy: explain('see_them_with', { command: 'pilotfish sites' }) });
    this.#keep(rest, inAudit('site_no_rule', { site }));
  }

  /** Told whenever a rule was set or removed. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #keep(sites: Record<string, SiteRule>, result: Said): void {
    this.#options.settings.change({ sites });
    this.#options.audit.add({ kind: 'grant', by: inAudit('who_person'), what: inAudit('about_site'), origin: null, result });
    for (const listener of this.#listeners) listener();
  }
}

/** A site as a person writes it, made into its name; throws INPUT_INVALID for what names no site. */
const toSiteName = (text: string): string => {
  const given = text.trim();
  const isOrigin = /^https?:\/\//i.test(given);
  const url = URL.parse(isOrigin ? given : `http://${given}`);
  const isWhole =
    url?.pathname === '/' &&
    url.search === '' &&
    url.hash === '' &&
    url.username === '' &&
    !/[*?#]/.test(given) &&
    /(?:^|\.)[^._-][^.]*\.?$/.test(url.hostname);
  if (url !== null && isWhole && isOrigin) return url.origin;
  if (url !== null && isWhole && url.port === '' && !/[:/]/.test(given)) return toHostName(url);
  throw new CompanionError('INPUT_INVALID', explain('no_site', { name: given.slice(0, 200) }), {
    remedy: explain('give_site'),
  });
};
