/** Which addresses the tools may open and which pages they may work on (S33). Pure. */
import { CompanionError } from '#protocol/errors.ts';

/** Chrome lets no extension touch these. */
const STORES = ['https://chromewebstore.google.com', 'https://microsoftedge.microsoft.com', 'https://addons.opera.com'];

/** Where all of a person's passwords are. */
const PASSWORD_MANAGERS = [
  'https://vault.bitwarden.com',
  'https://vault.bitwarden.eu',
  'https://my.1password.com',
  'https://my.1password.eu',
  'https://my.1password.ca',
  'https://app.dashlane.com',
  'https://lastpass.com',
  'https://www.lastpass.com',
  'https://passwords.google.com',
  'https://keepersecurity.com',
  'https://keepersecurity.eu',
  'https://app.nordpass.com',
  'https://pass.proton.me',
  'https://app.enpass.io',
  'https://web.roboform.com',
  'https://app.zohovault.com',
];

const LOOPBACK = /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|0\.0\.0\.0|\[::1?\]|\[::ffff:(?:7f[0-9a-f]{2}:[0-9a-f]{1,4}|0:0)\])\.?$/i;

/** An address as a model writes it, ready to be opened; `ownPort` is the daemon's, which no page may ever reach. */
export const toAddress = (text: string, ownPort: number | null): string => {
  const given = text.trim();
  const url = URL.parse(given) ?? URL.parse(`https://${given}`);
  // "localhost:8080" parses as a scheme of its own.
  const fixed = url !== null && !/^[a-z][a-z0-9+.-]*:\/\//i.test(given) && url.protocol !== 'about:' ? URL.parse(`http://${given}`) : url;
  if (fixed === null) throw new CompanionError('TOOL_ARGUMENTS', `"url" is not an address: "${given}".`);
  if (fixed.href === 'about:blank') return fixed.href;
  refuse(fixed, ownPort, 'URL_NOT_ALLOWED');
  return fixed.href;
};

/** Throws when no tool may read or change the page at `address`. */
export const checkPage = (address: string, ownPort: number | null): void => {
  if (address === '' || address === 'about:blank') return;
  const url = URL.parse(address);
  if (url === null) throw new CompanionError('TAB_RESTRICTED', address);
  refuse(url, ownPort, 'TAB_RESTRICTED');
};

/** The origin a consent is for; opaque ones have none of their own. */
export const originOf = (address: string): string => URL.parse(address)?.origin ?? 'null';

const refuse = (url: URL, ownPort: number | null, code: 'TAB_RESTRICTED' | 'URL_NOT_ALLOWED'): void => {
  const stop = (reason: string): never => {
    throw new CompanionError(code, reason);
  };
  if (url.protocol !== 'http:' && url.protocol !== 'https:') stop(`${url.href.slice(0, 200)} is not a web page.`);
  if (isOwnAddress(url, ownPort)) stop(`${url.origin} is Pilotfish itself.`);
  if (STORES.includes(url.origin) || (url.origin === 'https://chrome.google.com' && url.pathname.startsWith('/webstore'))) {
    stop(`${url.origin} is an extension store.`);
  }
  if (PASSWORD_MANAGERS.includes(url.origin)) stop(`${url.origin} is a password manager.`);
};

const isOwnAddress = (url: URL, ownPort: number | null): boolean =>
  ownPort !== null && Number(url.port || (url.protocol === 'https:' ? 443 : 80)) === ownPort && LOOPBACK.test(url.hostname);
