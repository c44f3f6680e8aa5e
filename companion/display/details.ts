/** What an agent folds away with `<details>` is shown open, below its summary in bold: nothing of an answer is hidden. */
import type { TokenizerAndRendererExtension } from 'marked';

/** With any other attribute it is a tag like all others, and those are text. */
const DETAILS = /^ {0,3}<\/?details(?: open(?:="")?)?>[ \t]*\n*/i;
const SUMMARY = /^ {0,3}<summary>([^\n]{1,500}?)<\/summary>[ \t]*\n*/i;

const END = /^<\/details>[ \t]*(?:\n|$)/i;

const unfoldedBlock: TokenizerAndRendererExtension = {
  name: 'details',
  level: 'block',
  tokenizer(source) {
    const raw = DETAILS.exec(source)?.[0];
    if (raw !== undefined) return { type: 'space', raw };
    const [whole, text] = SUMMARY.exec(source) ?? [];
    if (whole === undefined || text === undefined) return undefined;
    return { type: 'paragraph', raw: whole, text, tokens: [{ type: 'strong', raw: text, text, tokens: this.lexer.inlineTokens(text) }] };
  },
};

/** The end of one that was written in a line with its text. */
const unfoldedEnd: TokenizerAndRendererExtension = {
  name: 'detailsEnd',
  level: 'inline',
  start: (source) => {
    const at = source.indexOf('</details>');
    return at === -1 ? undefined : at;
  },
  tokenizer(source) {
    const raw = END.exec(source)?.[0];
    return raw === undefined ? undefined : { type: 'text', raw, text: '' };
  },
};

export const unfoldedDetails: readonly TokenizerAndRendererExtension[] = [unfoldedBlock, unfoldedEnd];
