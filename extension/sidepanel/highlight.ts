/** Code as HTML with classes for its parts; a small set of languages, so that the panel stays small. */
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
import { escapeHtml } from './text.ts';

const languages = { bash, cpp, css, diff, go, ini, java, javascript, json, python, rust, sql, typescript, xml, yaml };
for (const [name, language] of Object.entries(languages)) hljs.registerLanguage(name, language);

/** Above this, colours are not worth the time they take. */
const MAX_UNITS = 40_000;

/** Escaped HTML in any case; coloured when the language is known and the code not huge. */
export const toHighlighted = (code: string, language: string, maxUnits = MAX_UNITS): string =>
  code.length <= maxUnits && hljs.getLanguage(language) !== undefined
    ? hljs.highlight(code, { language, ignoreIllegals: true }).value
    : escapeHtml(code);
