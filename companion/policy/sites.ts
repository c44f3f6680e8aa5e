/** What the person said about whole sites. It is asked before every other rule, and no permission goes beyond it. Pure. */
import { inAudit } from '#protocol/audit-lines.ts';
import type { ToolClass } from '#protocol/browser.ts';
import type { Said } from '#protocol/said.ts';
import { ruleOf, type SiteRules } from '#protocol/sites.ts';

/**
 * Why a call of this class may not run at any of these places (a frame, and the page around it), or null when the rules of sites let it. A
 * place is named by its origin: the rest of an address may be the page's own words.
 */
export const refuseBySite = (rules: SiteRules, toolClass: ToolClass, places: readonly string[]): Said | null => {
  const found = places.map((place) => URL.parse(place)).map((url) => [url?.origin, ruleOf(rules, url)] as const);
  const closed = found.find(([, rule]) => rule === 'never');
  if (closed !== undefined) return inAudit('rule_closed', { origin: closed[0] ?? '' });
  const changes = toolClass === 'write' || toolClass === 'sensitive';
  const readOnly = changes ? found.find(([, rule]) => rule === 'read_only') : undefined;
  return readOnly === undefined ? null : inAudit('rule_read_only', { origin: readOnly[0] ?? '' });
};
