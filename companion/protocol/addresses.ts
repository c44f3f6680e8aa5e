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
