/** Whether a session may open an address by itself. What a page says must not choose where the agent goes: an address can carry what was read. Pure. */
import { inAudit } from '#protocol/audit-lines.ts';
import { cardText } from '#protocol/card-lines.ts';
import type { Said } from '#protocol/said.ts';

/** An address, and what is known of the session that would open it. */
export interface AddressFacts {
  /** The scheme, host and port of the address. */
  readonly origin: string;
  /** Whether the address contains `user@` or `user:password@`, which may be a secret or make it look like another one. */
  readonly hasUser: boolean;
  /** Whether it leads to this machine. */
  readonly isLoopback: boolean;
  /** Whether the person named or allowed the origin, or the session opened it before it had read a page. */
  readonly isKnown: boolean;
  /** Whether the session contains something that a page said. */
  readonly hasPageText: boolean;
  /** Whether the session has opened a port of this machine already, which then belongs to its task. */
  readonly hasLoopback: boolean;
  /** Whether the person wants to be asked each time. */
  readonly isAskedEachTime: boolean;
}

/** The origins that count as the same site as `origin` when its server sends a browser on: encrypted, and with or without `www.`. */
export const siteOf = (origin: string): string[] => {
  const url = URL.parse(origin);
  if (url === null) return [];
  const hosts = [url.host, url.host.startsWith('www.') ? url.host.slice(4) : `www.${url.host}`];
  return hosts.flatMap((host) => (url.protocol === 'http:' ? [`http://${host}`, `https://${host}`] : [`https://${host}`]));
};

/** The rule is for the audit, and why somebody is asked for their card. */
export type AddressDecision = { readonly decision: 'allow'; readonly rule: Said } | { readonly decision: 'ask'; readonly why: Said };

export const decideAddress = (facts: AddressFacts): AddressDecision => {
  if (facts.hasUser) return { decision: 'ask', why: cardText('why_user') };
  if (facts.isAskedEachTime) return { decision: 'ask', why: cardText('why_each_time') };
  if (facts.isKnown) return { decision: 'allow', rule: inAudit('rule_known', { origin: facts.origin }) };
  if (facts.isLoopback && facts.hasLoopback) return { decision: 'ask', why: cardText('why_port') };
  return facts.hasPageText ? { decision: 'ask', why: cardText('why_page') } : { decision: 'allow', rule: inAudit('rule_nothing_read') };
};
