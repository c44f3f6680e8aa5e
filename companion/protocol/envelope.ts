/** How the words of a page are told: between two tags of a name that no page knows, so that none can write its end and go on in our voice. */

/** A letter, a digit and five of both: no element of HTML is called so. */
const NAME = String.raw`[A-Za-z]\d[A-Za-z\d]{5}`;

export const toEnvelope = (name: string, origin: string, words: string): string => `<${name} untrusted ${origin}>\n${words}\n</${name}>`;

/** The tag that begins one, as the source of a pattern with the name in the group `envelope`. */
export const ENVELOPE_BEGIN = String.raw`<(?<envelope>${NAME}) untrusted [^\s>]*>`;

/** The tag that ends one, with the line break before it. */
export const ENVELOPE_END = String.raw`\n</${NAME}>`;
