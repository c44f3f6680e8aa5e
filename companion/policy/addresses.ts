/** Whether a session may open an address by itself. What a page says must not choose where the agent goes: an address can carry what was read. Pure. */

/** The address, and what is known of the session that would open it. */
export interface AddressFacts {
  /** Scheme, host and port. */
  readonly origin: string;
  /** The address holds `user@` or `user:password@`, which may be a secret, or may make it look like another one. */
  readonly hasUser: boolean;
  /** It leads to this machine. */
  readonly isLoopback: boolean;
  /** The person named the origin, or the session opened it before it had read a page, or the person said yes to it. */
  readonly isKnown: boolean;
  /** Something that a page says is in the session. */
  readonly hasPageText: boolean;
  /** The session has opened a port of this machine already: that is the one of its task. */
  readonly hasLoopback: boolean;
}

export interface AddressDecision {
  readonly decision: 'allow' | 'ask';
  /** Says why, on the card and in the audit. */
  readonly rule: string;
}

export const decideAddress = (facts: AddressFacts): AddressDecision => {
  if (facts.hasUser) return { decision: 'ask', rule: 'an address with a name or a password in it is asked for each time' };
  if (facts.isKnown) return { decision: 'allow', rule: `${facts.origin} is known to this session` };
  if (facts.isLoopback && facts.hasLoopback) {
    return { decision: 'ask', rule: 'another port of this machine than the one of the task is asked for' };
  }
  return facts.hasPageText
    ? { decision: 'ask', rule: 'a page has been read, and neither you nor this session named this site before' }
    : { decision: 'allow', rule: 'no page has been read yet' };
};
