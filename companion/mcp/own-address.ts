/** Whether an address leads back to this daemon: the agent's browser must never reach what controls the agent. */
const NAMES = /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|0\.0\.0\.0|\[::1?\]|\[::ffff:(?:7f[0-9a-f]{2}:[0-9a-f]{1,4}|0:0)\])\.?$/i;

/** `url` as an agent wrote it; the parser resolves the odd spellings of loopback addresses first. */
export const isOwnAddress = (url: string, port: number): boolean => {
  const parsed = URL.parse(url) ?? URL.parse(`http://${url}`);
  return parsed !== null && Number(parsed.port || defaultPort(parsed.protocol)) === port && NAMES.test(parsed.hostname);
};

const defaultPort = (protocol: string): string => (protocol === 'https:' ? '443' : '80');
