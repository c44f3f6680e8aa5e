/** Takes out of text what looks like a secret, where a page did not write it to be read. */
import { isSecretValue } from '#extension/content/secret-field.ts';
import { namesSecret } from '#extension/content/secret-words.ts';
import { BLOT } from '#extension/shared/hide-values.ts';

const ADDRESS_USER = /(?<=:\/\/)[^\s/@:]*:[^\s/@]+(?=@)/g;
const HEADER = /(?<=\b(?:set-cookie|cookie|(?:proxy-)?authorization)["']?\s*[:=]\s*["']?)[^\s"'][^\r\n"']*/gi;
const SCHEME = /(?<=\b(?:bearer|basic)\s+)[\w.~+/=-]{6,}/gi;
const KEY_BLOCK = /-----BEGIN [A-Z ]*PRIVATE KEY[\s\S]*?(?:-----END [A-Z ]*-----|$)/g;
/** A name with its value, which may be left out already, as in addresses, JSON, headers and code. */
const NAMED = /(?<![\w.-])([\w.[\]-]{1,60})(["']?\s*[=:]\s*["']?)(?:\[secret\]|[^\s"'&;,#})\]]+)/g;
const WORD = /[\w.-]{13,}|\b\d(?:[ -]?\d){12,18}\b/g;
/** Names that are a secret's only in an address or a header. */
const SECRET_PARAMETER = /^(?:sig|signature|sid|session|sessionid|session_id|auth|jwt|ticket|nonce|x-amz-[\w-]+|phpsessid|jsessionid)$/i;
/** The code that a login hands over by an address. */
const LOGIN_CODE = /(?<=[?&#]code=)[^\s&#"']{8,}/gi;

/** The text without values that are secret by their name or form. */
export const hideSecrets = (text: string): string =>
  hideNamed(
    text
      .replaceAll(KEY_BLOCK, BLOT)
      .replaceAll(ADDRESS_USER, BLOT)
      .replaceAll(HEADER, BLOT)
      .replaceAll(SCHEME, BLOT)
      .replaceAll(LOGIN_CODE, BLOT)
      .replaceAll(WORD, (word) => (isSecretValue(word) ? BLOT : word)),
  );

/** An address without secrets. One that holds some in encoded form, as JSON in a query does, is shown decoded. */
export const hideInAddress = (url: string): string => {
  const hidden = hideSecrets(url);
  const decoded = hideSecrets(decode(url));
  return decoded.split(BLOT).length > hidden.split(BLOT).length ? decoded : hidden;
};

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/** What follows a harmless name may hold another name: an address does. */
const hideNamed = (text: string): string => {
  const named = new RegExp(NAMED);
  let hidden = '';
  let from = 0;
  for (let found = named.exec(text); found !== null; found = named.exec(text)) {
    const [, name = '', joint = ''] = found;
    const valueAt = found.index + name.length + joint.length;
    if (SECRET_PARAMETER.test(name) || namesSecret(name)) {
      hidden += text.slice(from, valueAt) + BLOT;
      from = named.lastIndex;
    } else named.lastIndex = valueAt;
  }
  return hidden + text.slice(from);
};
