/** Addresses as agents write them. The daemon decides about an address and the extension opens it, so both must read it in the same way. */
import { isLoopback } from './loopback.ts';

/** Before a number, too, these are no names of hosts. */
const NO_HOSTS = /^(?:javascript|vbscript|data|blob|filesystem|file|about|chrome|edge|view-source|mailto|tel|sms):/i;

/** `example.com` means https, `localhost:8080` means http, and its name is not a scheme. `parse` is the parser of `URL`, which this room does not know. */
export const withScheme = (text: string, parse: (text: string) => { readonly hostname: string } | null): string => {
  const given = text.trim();
  // A path of the page that is shown, say `/login`, is no address, and no site of that name is meant.
  if (/^https?:/i.test(given) || /^(?:[/\\](?![/\\])|[.?#])/.test(given) || NO_HOSTS.test(given)) return given;
  if (/^[^/\\?#]+:\d+(?:[/\\?#]|$)/.test(given)) return `http://${given}`;
  // What stands before `://` is meant for a scheme, also where it can be none.
  if (/^[a-z][a-z0-9+.-]*:/i.test(given) || /^[^/\\?#]*:[/\\]{2}/.test(given)) return given;
  const plain = parse(`http://${given}`);
  return plain !== null && isLoopback(plain) ? `http://${given}` : `https://${given}`;
};

/** What does the same for an agent as an address of such a scheme does for a person. */
const INSTEAD: ReadonlyMap<string, string> = new Map([
  ['javascript:', 'Run code in a page with browser_evaluate.'],
  ['data:', 'Serve what it holds over http, on localhost say, or write it into a page with browser_evaluate.'],
  ['blob:', 'Only the page that has made it can read it: do that there, with browser_evaluate.'],
  ['view-source:', 'Open the page itself, and read its source with browser_evaluate: document.documentElement.outerHTML'],
  ['file:', 'Read a file of this machine without the browser, or serve its folder over http on localhost.'],
  ...['about:', 'chrome:', 'edge:', 'devtools:', 'chrome-extension:'].map(
    (scheme) => [scheme, 'Only the user opens pages of the browser itself: ask them with browser_ask_human.'] as const,
  ),
]);

/** What to do in place of opening an address that is none of the web; null where nothing does the same. */
export const insteadOf = ({ protocol, href }: { readonly protocol: string; readonly href: string }): string | null => {
  const instead = INSTEAD.get(protocol);
  if (instead === undefined) return null;
  return /^[a-z-]+:\d+(?:[/?#]|$)/.test(href) ? `${instead} A host of that name is written http://${href.slice(0, 200)}` : instead;
};
