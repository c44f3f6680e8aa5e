/** What an address leads to, as an agent writes it. */
import { withScheme } from '#protocol/addresses.ts';
import { isLoopbackPort } from '#protocol/loopback.ts';

/** Whether an address leads back to this daemon, which the agent's browser must never reach. */
export const isOwnAddress = (text: string, port: number): boolean => {
  const url = urlOfAddress(text);
  return url !== null && isLoopbackPort(url, port);
};

/**
 * The origin to which a navigation to `text` leads, for the policy; null for a blank page. A text that is not an address is
 * returned as it is, and is not an origin.
 */
export const originOfAddress = (text: string): string | null => {
  const given = text.trim();
  if (given === 'about:blank') return null;
  const url = urlOfAddress(given);
  // The origin of a `blob:` address is that of its site, and it is no page of it.
  return url === null || !/^https?:$/.test(url.protocol) ? given : url.origin;
};

/** What the browser makes of an address as an agent writes it. */
export const urlOfAddress = (text: string): URL | null => URL.parse(withScheme(text, (plain) => URL.parse(plain)));
