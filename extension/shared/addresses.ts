/** Which addresses the tools may open and which pages they may work on. Pure. */
import { insteadOf, withScheme } from '#protocol/addresses.ts';
import { CompanionError } from '#protocol/errors.ts';
import { isLoopbackPort } from '#protocol/loopback.ts';
import { ruleOf, type SiteRules } from '#protocol/sites.ts';

/** Chrome does not let extensions work on these pages. */
const STORES = new Set(['chromewebstore.google.com', 'microsoftedge.microsoft.com', 'addons.opera.com']);

/** The pages with all of a person's passwords. */
const PASSWORD_MANAGERS = new Set([
  'vault.bitwarden.com',
  'vault.bitwarden.eu',
  'my.1password.com',
  'my.1password.eu',
  'my.1password.ca',
  'app.dashlane.com',
  'lastpass.com',
  'www.lastpass.com',
  'passwords.google.com',
  'keepersecurity.com',
  'keepersecurity.eu',
  'app.nordpass.com',
  'pass.proton.me',
  'app.enpass.io',
  'web.roboform.com',
  'app.zohovault.com',
]);

/** What agents never see. */
export interface OffLimits {
  /** The daemon's port, which no page may ever reach. */
  readonly ownPort: number | null;
  /** What the person said about sites. */
  readonly sites: SiteRules;
}

/** An address as a model writes it, made ready to be opened. */
export const toAddress = (text: string, offLimits: OffLimits): string => {
  const url = URL.parse(withScheme(text, (plain) => URL.parse(plain)));
  if (url === null) throw new CompanionError('TOOL_ARGUMENTS', `"url" is not an address: "${text.slice(0, 200)}".`);
  if (url.href === 'about:blank') return url.href;
  refuse(url, offLimits, 'URL_NOT_ALLOWED');
  return url.href;
};

/** Throws when no tool may read or change the page at `address`. */
export const checkPage = (address: string, offLimits: OffLimits): void => {
  if (address === '' || address === 'about:blank') return;
  const url = siteAt(address);
  if (url === null) throw new CompanionError('TAB_RESTRICTED', 'It has no address.');
  refuse(url, offLimits, 'TAB_RESTRICTED');
};

/** Whether tools may read and change the page at `address`. */
export const isAllowedPage = (address: string, offLimits: OffLimits): boolean => {
  try {
    checkPage(address, offLimits);
    return true;
  } catch {
    return false;
  }
};

/** Whether the person has closed the site of an address to agents. */
export const isClosedSite = (address: string, { sites }: OffLimits): boolean => ruleOf(sites, siteAt(address)) === 'never';

/** A page that a site's scripts have made, at `blob:`, is that site's: https://w3c.github.io/FileAPI/#url */
const siteAt = (address: string): URL | null => {
  const url = URL.parse(address);
  return url?.protocol === 'blob:' ? (URL.parse(url.origin) ?? url) : url;
};

/** The origin for which consent is asked; an opaque origin has none. */
export const originOf = (address: string): string => URL.parse(address)?.origin ?? 'null';

/**
 * An address that an agent wrote is repeated to it. An address that a page chose is not, because a page's words have no place
 * in an error.
 */
const refuse = (url: URL, offLimits: OffLimits, code: 'TAB_RESTRICTED' | 'URL_NOT_ALLOWED'): void => {
  if (isClosedSite(url.href, offLimits)) throw new CompanionError('SITE_NOT_ALLOWED', 'The page is closed to agents.');
  const reason = whyRefused(url, offLimits.ownPort);
  if (reason === null) return;
  if (code === 'TAB_RESTRICTED') throw new CompanionError(code, `It ${reason}.`);
  const remedy = insteadOf(url);
  throw new CompanionError(code, `${url.href.slice(0, 200)}: it ${reason}.`, remedy === null ? {} : { remedy });
};

const whyRefused = (url: URL, ownPort: number | null): string | null => {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'is not a web page';
  if (ownPort !== null && isLoopbackPort(url, ownPort)) return 'is Pilotfish itself';
  const host = url.hostname.replace(/\.$/, '');
  if (STORES.has(host) || (host === 'chrome.google.com' && url.pathname.startsWith('/webstore'))) return 'is an extension store';
  return PASSWORD_MANAGERS.has(host) ? 'is a password manager' : null;
};
