/** What the person says about whole sites, whatever was allowed otherwise. */
import * as z from 'zod';

/** read_only: agents may look, and change nothing · never: agents neither open nor read it · ask: each time an agent opens it, the person is asked. */
export const SiteRule = z.enum(['read_only', 'never', 'ask']);
export type SiteRule = z.infer<typeof SiteRule>;

/** Rules by the names of their sites. */
export type SiteRules = Readonly<Record<string, SiteRule>>;

/** A site with its rule, as a person sees it. */
export const RuledSite = z.object({
  /** `example.org` with all that lies below it, by http and https and on every port; or one origin alone, `http://localhost:3000`. */
  site: z.string(),
  rule: SiteRule,
});
export type RuledSite = z.infer<typeof RuledSite>;

export const SiteInput = z.strictObject({ site: z.string().min(1).max(300), rule: SiteRule });
export type SiteInput = z.infer<typeof SiteInput>;

/** What is needed of a parsed address. */
interface Place {
  readonly protocol: string;
  readonly hostname: string;
  readonly origin: string;
}

/** The rule for a place: that of its origin, else that of the longest name which it lies below; null when there is none. */
export const ruleOf = (rules: SiteRules, place: Place | null): SiteRule | null => {
  const name = ruledNameOf(rules, place);
  return name === null ? null : (rules[name] ?? null);
};

/** The site under whose name the rule for a place stands. */
export const ruledNameOf = (rules: SiteRules, place: Place | null): string | null => {
  if (place === null || !/^https?:$/.test(place.protocol)) return null;
  const labels = toHostName(place).split('.');
  const names = [place.origin.replace(/\.(?=:|$)/, ''), ...labels.map((_, index) => labels.slice(index).join('.'))];
  return names.find((candidate) => Object.hasOwn(rules, candidate)) ?? null;
};

/** Whether a rule keeps agents from opening a site unasked. */
export const isBar = (rule: SiteRule | null): boolean => rule === 'never' || rule === 'ask';

export const hasBars = (rules: SiteRules): boolean => Object.values(rules).some(isBar);

/** A host, which may be written with a dot at its end. */
export const toHostName = ({ hostname }: Pick<Place, 'hostname'>): string => hostname.replace(/\.$/, '');
