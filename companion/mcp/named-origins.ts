/** The origins that a person names in a prompt: in its text, and by the pages attached to it. Pure. */
import type { LoggedPrompt } from '#protocol/events.ts';
import type { AttachmentRef } from '#protocol/items.ts';

/** The kinds of attachments that contain text of a page. */
const FROM_PAGE = new Set<AttachmentRef['kind']>(['screenshot', 'element', 'selection', 'console', 'network', 'page']);

const ADDRESS = /\bhttps?:\/\/[^\s<>"'`)\]}]+/gi;

/**
 * A name with dots, or this machine, possibly with a port; not the end of a mail address or a part of a path. It begins where a word does, and
 * its parts have their length (https://www.rfc-editor.org/rfc/rfc1035#section-2.3.4): a long text without spaces would take seconds otherwise.
 */
const HOST =
  /(?<![\p{L}\p{N}_@./:-])(?:localhost|\[::1\]|(?:\d{1,3}\.){3}\d{1,3}(?![\p{L}\p{N}-]|\.[\p{L}\p{N}])|(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.)+\p{L}{2,})(?::\d{1,5})?(?![\w@])/giu;

/** Endings of file names that are domains too: `README.md` does not name a site. */
const FILE_END = /\.(?:md|rs|py|sh|pl|ps|cc|so|zip|mov)$/i;

/** Where a script without spaces between words, or its punctuation, meets one with them: an address ends or begins there. */
const SEAM =
  /(?<=[\x21-\x7e])(?=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\u3000-\u303f\uff00-\uffef])|(?<=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\u3000-\u303f\uff00-\uffef])(?=[\x21-\x7e])/gu;

/** Browsers read these as a dot in an address's host: a word of the host follows, not one of a script without spaces, nor the next address. */
const WIDE_DOT =
  /(?<=https?:\/\/[^\s/?#]{1,253})[\u3002\uff0e\uff61](?!https?:)(?=[\p{L}\p{N}])(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}])/giu;

/** Browsers read these as the plain letters and digits. */
const WIDE_LETTER = /(?<=https?:\/\/[^\s/?#]{0,253})[\uff10-\uff19\uff21-\uff3a\uff41-\uff5a]/giu;

/** The end of a Chinese or Japanese sentence, right after an address's host. */
const SENTENCE_END = /(?<=https?:\/\/[^\s/?#]{0,252}[\x21-\x7e])[\u3002\uff61]/giu;

/** Marks of prose and of Markdown right after an address's host, which end it; before an `@` they may belong to a password. */
const MARK =
  /(?<=https?:\/\/[^\s/?#]{1,253})[*|,;\u00ab\u00bb\u0964\u060c\u061b\u061f\u06d4\u2013\u2014\u2018-\u201f\u2026\u2039\u203a](?![^\s/?#]{0,253}@)/giu;

export const hasPageAttached = ({ attachments }: Pick<LoggedPrompt, 'attachments'>): boolean =>
  attachments.some(({ kind }) => FROM_PAGE.has(kind));

/** Of each prompt, which never changes: a long session has many, and each is asked at each address. */
const READ = new WeakMap<LoggedPrompt, ReadonlySet<string>>();

/** When a program wrote the text, the person did not say it; the text that was shown counts then. */
export const namedOrigins = (prompt: LoggedPrompt): ReadonlySet<string> => {
  const read = READ.get(prompt) ?? originsOfPrompt(prompt);
  READ.set(prompt, read);
  return read;
};

const originsOfPrompt = ({ text, displayText, attachments }: LoggedPrompt): Set<string> => {
  if (text === '') return new Set();
  const words = (displayText ?? text)
    .replaceAll(WIDE_LETTER, (letter) => letter.normalize('NFKC'))
    .replaceAll(WIDE_DOT, '.')
    .replaceAll(SENTENCE_END, ' ')
    .replaceAll(MARK, ' ');
  const apart = words.replaceAll(SEAM, ' ');
  const pages = attachments
    .filter(({ kind }) => FROM_PAGE.has(kind))
    .flatMap(({ name }) => name.replace(/\.(?:txt|png|jpe?g)$/, '').match(HOST) ?? []);
  return new Set([
    ...originsIn(words),
    ...(apart === words ? [] : originsIn(apart)),
    ...pages.flatMap((host) => originsOf(`http://${host}`)),
  ]);
};

const originsIn = (words: string): string[] => [
  ...(words.match(ADDRESS) ?? []).flatMap((address) => originsOf(address.replace(/[.,;:!?]+$/, ''))),
  ...(words.replaceAll(ADDRESS, ' ').match(HOST) ?? [])
    .filter((host) => !FILE_END.test(host))
    .flatMap((host) => originsOf(`http://${host}`)),
];

/** When a site is named without encryption, its encrypted address counts as named too. */
const originsOf = (address: string): string[] => {
  const url = URL.parse(address);
  if (url === null) return [];
  return url.protocol === 'http:' ? [url.origin, `https://${url.host}`] : [url.origin];
};
