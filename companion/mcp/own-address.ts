/** Whether an address, as an agent writes it, leads back to this daemon, which the agent's browser must never reach. */
const LOOPBACK = /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|0\.0\.0\.0|\[::1?\]|\[::ffff:(?:7f[0-9a-f]{2}:[0-9a-f]{1,4}|0:0)\])\.?$/i;

/** The parser resolves odd spellings first; without a scheme, "localhost:80" would count as one. */
export const isOwnAddress = (text: string, port: number): boolean =>
  [URL.parse(text), URL.parse(`http://${text}`)].some(
    (url) => url !== null && Number(url.port || (url.protocol === 'https:' ? 443 : 80)) === port && LOOPBACK.test(url.hostname),
  );

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

export const isLoopback = ({ hostname }: URL): boolean => LOOPBACK.test(hostname);
