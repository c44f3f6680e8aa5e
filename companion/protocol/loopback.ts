/** Addresses that lead back to this machine. The daemon refuses its own, and so does the extension. */
const LOOPBACK = /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|0\.0\.0\.0|\[::1?\]|\[::ffff:(?:7f[0-9a-f]{2}:[0-9a-f]{1,4}|0:0)\])\.?$/i;

/** What is needed of a `URL`, which this room does not know. */
interface Address {
  readonly protocol: string;
  readonly hostname: string;
  readonly port: string;
}

/** The parser of `URL` has resolved odd spellings like `127.1` and `0x7f000001` already. */
export const isLoopback = ({ hostname }: Pick<Address, 'hostname'>): boolean => LOOPBACK.test(hostname);

/** Whether `url` leads to the program that listens on `port` of this machine. */
export const isLoopbackPort = (url: Address, port: number): boolean =>
  isLoopback(url) && Number(url.port || (url.protocol === 'https:' ? 443 : 80)) === port;
