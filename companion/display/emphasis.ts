/**
 * Bold words in a script without spaces. By the rules of CommonMark the signs beside a quotation mark or a bracket count only
 * next to a space, so `**“潮汐”**表` would keep its asterisks: https://github.com/commonmark/commonmark-spec/issues/650
 */
import type { TokenizerAndRendererExtension } from 'marked';

const STRONG = /^\*\*(?![\s*])((?:[^*`\\\n]|\\.|`[^`\n]+`)+?)(?<!\s)\*\*(?!\*)/;
const WIDE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
const MARK_AT_AN_END = /^[\p{P}\p{S}]|[\p{P}\p{S}]$/u;

/** Nobody writes more of it in one piece; no more is looked through for its end. */
const MAX_UNITS = 500;

export const wideStrong: TokenizerAndRendererExtension = {
  name: 'strong',
  level: 'inline',
  start: (source) => {
    const at = source.indexOf('**');
    return at === -1 ? undefined : at;
  },
  tokenizer(source) {
    const near = source.slice(0, MAX_UNITS);
    const [raw, text] = STRONG.exec(near) ?? [];
    if (raw === undefined || text === undefined || !MARK_AT_AN_END.test(text)) return undefined;
    if (!WIDE.test(text) && !WIDE.test(source.slice(raw.length, raw.length + 1))) return undefined;
    return { type: 'strong', raw, text, tokens: this.lexer.inlineTokens(text) };
  },
};
