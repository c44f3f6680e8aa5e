/** What the person said about whole sites. It is asked before every other rule, and no permission goes beyond it. Pure. */
import type { ToolClass } from '#protocol/browser.ts';
import { ruleOf, type SiteRules } from '#protocol/sites.ts';

/** Why a call of this class may not run at any of these places (a frame, and the page around it), or null when the rules of sites let it. */
export const refuseBySite = (rules: SiteRules, toolClass: ToolClass, places: readonly string[]): string | null => {
  const found = places.map((place) => [place, ruleOf(rules, URL.parse(place))] as const);
  const closed = found.find(([, rule]) => rule === 'never');
  if (closed !== undefined) return `${closed[0]} is closed to agents`;
  const changes = toolClass === 'write' || toolClass === 'sensitive';
  const readOnly = changes ? found.find(([, rule]) => rule === 'read_only') : undefined;
  return readOnly === undefined ? null : `${readOnly[0]} is only to be read`;
};
