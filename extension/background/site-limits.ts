/** The person's rules for sites as the companion told them last: also in a worker that has just come, before there is a connection. */
import * as z from 'zod';
import { SiteRule, type SiteRules } from '#protocol/sites.ts';
import { Stored } from './stored.ts';

export class SiteLimits {
  readonly #stored = new Stored<SiteRules>('local', 'siteRules', z.record(z.string(), SiteRule), () => ({}));
  #rules: SiteRules | null = null;
  /** Resolves when the rules of the worker before this one are known; calls need not wait, for the companion tells the rules before the first. */
  readonly ready: Promise<unknown>;

  constructor() {
    this.ready = this.#stored.load().then((kept) => (this.#rules ??= kept));
    // Who waits for it is told.
    this.ready.catch(() => null);
  }

  get rules(): SiteRules {
    return this.#rules ?? {};
  }

  /** They hold at once. */
  tell(rules: SiteRules): Promise<void> {
    this.#rules = rules;
    return this.#stored.save(rules);
  }
}
