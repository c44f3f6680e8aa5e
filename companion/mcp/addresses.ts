/** What an address leads to, as an agent writes it. */
import { isLoopbackPort } from '#protocol/loopback.ts';

/**
 * Whether an address leads back to this daemon, which the agent's browser must never reach. Without a scheme, the parser takes
 * "localhost:" for one, so both readings count.
 */
export const isOwnAddress = (text: string, port: number): boolean =>
  [URL.parse(text), URL.parse(`http://${text}`)].some((url) => url !== null && isLoopbackPort(url, port));

/**
 * The origin to which a navigation to `text` leads, for the policy; null for a blank page. A text that is not an address is
 * returned as it is, and is not an origin.
 */
export const originOfAddress = (text: string): string | null => {
  const given = text.trim();
  if (given === 'about:blank') return null;
  const url = urlOfAddress(given);
  return url === null || url.origin === 'null' ? given : url.origin;
};

/** What a browser makes of an address as an agent writes it. */
export const urlOfAddress = (text: string): URL | null => {
  const given = text.trim();
  return URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(given) ? given : `http://${given}`);
};
