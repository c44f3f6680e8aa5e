/** Takes secrets out of text: what looks like one, where a page did not write it to be read, and what is known to be one, wherever it stands. */
import { isSecretValue } from '#extension/content/secret-field.ts';
import { namesSecret } from '#extension/content/secret-words.ts';

/** The text that replaces a secret. */
const BLOT = '[secret]';

const ADDRESS_USER = /(?<=:\/\/)[^\s/@:]*:[^\s/@]+(?=@)/g;
const HEADER = /(?<=\b(?:set-cookie|cookie|(?:proxy-)?authorization)["']?\s*[:=]\s*["']?)[^\s"'][^\r\n"']*/gi;
const SCHEME = /(?<=\b(?:bearer|basic)\s+)[\w.~+/=-]{6,}/gi;
const KEY_BLOCK = /-----BEGIN [A-Z ]*PRIVATE KEY[\s\S]*?(?:-----END [A-Z ]*-----|$)/g;
/** A name with its value, as in addresses, JSON, headers and code. */
const NAMED = /(?<![\w.-])([\w.[\]-]{1,60})(["']?\s*[=:]\s*["']?)[^\s"'&;,#})\]]+/g;
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

/** The text without these values, as they are, in JSON (also within JSON), in addresses and in markup. Who alters a value first takes it out of reach. */
export const withoutValues = (text: string, values: Iterable<string>): string => hiderOf(values)(text);

/** The same for many texts. */
export const hiderOf = (values: Iterable<string>): ((text: string) => string) => {
  const forms = [...new Set([...values].flatMap(formsOf))].toSorted((one, other) => other.length - one.length);
  const patterns = new Map<string, RegExp>();
  const patternOf = (form: string): RegExp => {
    const pattern = patterns.get(form) ?? standingAlone(form);
    patterns.set(form, pattern);
    return pattern;
  };
  // Most texts hold none, and a pattern is dear to make.
  return (text) => forms.reduce((kept, form) => (kept.includes(form) ? kept.replaceAll(patternOf(form), BLOT) : kept), text);
};

const formsOf = (value: string): string[] => {
  const json = JSON.stringify(value).slice(1, -1);
  const inAddress = encodeURIComponent(value.toWellFormed());
  return [value, json, JSON.stringify(json).slice(1, -1), inAddress, inAddress.replaceAll('%20', '+'), escapeMarkup(value)];
};

const escapeMarkup = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** A short value is a part of other words and numbers by chance. */
const standingAlone = (value: string): RegExp => {
  const escaped = value.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
  return new RegExp(value.length < ALONE_BELOW ? `(?<![\\p{L}\\p{N}])${escaped}(?![\\p{L}\\p{N}])` : escaped, 'gu');
};

const ALONE_BELOW = 8;
