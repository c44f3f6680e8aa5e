/** Highlights code in a small set of languages, so that panel and executable stay small. */
import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import cpp from 'highlight.js/lib/languages/cpp';
import css from 'highlight.js/lib/languages/css';
import diff from 'highlight.js/lib/languages/diff';
import go from 'highlight.js/lib/languages/go';
import ini from 'highlight.js/lib/languages/ini';
import java from 'highlight.js/lib/languages/java';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import python from 'highlight.js/lib/languages/python';
import rust from 'highlight.js/lib/languages/rust';
import sql from 'highlight.js/lib/languages/sql';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import yaml from 'highlight.js/lib/languages/yaml';

const languages = { bash, cpp, css, diff, go, ini, java, javascript, json, python, rust, sql, typescript, xml, yaml };
for (const [name, language] of Object.entries(languages)) hljs.registerLanguage(name, language);

/** Longer code is not highlighted, because it would take too long. */
const MAX_UNITS = 40_000;

/**
 * Escaped HTML: text, and spans whose class says what a part is (`hljs-keyword`). Null when the language is not known, or the code longer
 * than `maxUnits`.
 */
export const toHighlighted = (code: string, language: string, maxUnits = MAX_UNITS): string | null =>
  code.length <= maxUnits && hljs.getLanguage(language) !== undefined
    ? hljs.highlight(code, { language, ignoreIllegals: true }).value
    : null;

/** The language in the info string of a fence: `ts title=x` is `ts`. */
export const fenceLanguage = (info: string | undefined): string => /^[\w+#.-]+/.exec(info ?? '')?.[0] ?? '';
