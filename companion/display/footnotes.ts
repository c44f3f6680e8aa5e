/** Footnotes in the Markdown of agents: `[^1]` in a line, and `[^1]: …` where the note stands. */
import type { MarkedExtension, Tokens } from 'marked';

/** The sign of a note within a line, or the note itself. */
export interface Footnote extends Tokens.Generic {
  readonly type: 'footnoteSign' | 'footnote';
  readonly raw: string;
  readonly number: number;
}

const LABEL = String.raw`\[\^([^\]\s^]{1,60})\]`;
const DEFINED = new RegExp(`^ {0,3}${LABEL}:`, 'gm');
const SIGN = new RegExp(`^${LABEL}`);
const NOTE = new RegExp(String.raw`^ {0,3}${LABEL}:[ \t]*([^\n]*(?:\n(?![ \t]*(?:\n|$)| {0,3}\[\^)[^\n]+)*)(?:\n|$)`);

/** The labels of the notes that stand in a text. Without its note, `[^a-z]` is no sign of one. */
export const footnotesOf = (text: string): readonly string[] =>
  text.includes('[^') ? [...new Set([...text.matchAll(DEFINED)].map(([, label = '']) => label))] : [];

/** The lexer has the labels of its text, in their order. */
const numberOf = (lexer: object, label: string | undefined): number =>
  'footnotes' in lexer && Array.isArray(lexer.footnotes) ? lexer.footnotes.indexOf(label) + 1 : 0;

/** What marked needs to find footnotes; what they look like is told where they are drawn. */
export const footnotesReader: MarkedExtension = {
  extensions: [
    {
      name: 'footnote',
      level: 'block',
      tokenizer(source): Footnote | undefined {
        const [raw, label, text = ''] = NOTE.exec(source) ?? [];
        const number = numberOf(this.lexer, label);
        return raw === undefined || number === 0 ? undefined : { type: 'footnote', raw, number, tokens: this.lexer.inline(text) };
      },
    },
    {
      name: 'footnoteSign',
      level: 'inline',
      start: (source) => {
        const at = source.indexOf('[^');
        return at === -1 ? undefined : at;
      },
      tokenizer(source): Footnote | undefined {
        const [raw, label] = SIGN.exec(source) ?? [];
        const number = numberOf(this.lexer, label);
        return raw === undefined || number === 0 ? undefined : { type: 'footnoteSign', raw, number };
      },
    },
  ],
};
