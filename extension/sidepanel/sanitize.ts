/** The only way by which foreign HTML gets into the document. */
import createPurifier, { type Config, type DOMPurify } from 'dompurify';

const CONFIG = {
  ALLOWED_TAGS: (
    'a b blockquote br code del em h1 h2 h3 h4 h5 h6 hr i kbd li mark ol p ' +
    'pre s small span strong sub sup table tbody td th thead tr u ul'
  ).split(' '),
  ALLOWED_ATTR: ['align', 'class', 'href', 'start'],
  ALLOW_ARIA_ATTR: false,
  // The pattern for addresses would remove these attributes, which hold numbers and words.
  ADD_URI_SAFE_ATTR: ['align', 'start'],
  ALLOW_DATA_ATTR: false,
  ALLOWED_URI_REGEXP: /^(?:https?:\/\/|mailto:)/i,
  RETURN_DOM_FRAGMENT: true,
} as const satisfies Config;

const CLASS = /^(?:hljs(?:-[\w-]+)?|language-[\w+#.-]*|(?:function|class|inherited)_)$/;

const MATHS = {
  USE_PROFILES: { mathMl: true },
  FORBID_TAGS: ['annotation', 'annotation-xml', 'maction', 'semantics'],
  FORBID_ATTR: ['href', 'id', 'style', 'xlink:href'],
  ALLOW_ARIA_ATTR: false,
  ALLOW_DATA_ATTR: false,
  RETURN_DOM_FRAGMENT: true,
} as const satisfies Config;

let purifier: DOMPurify | null = null;

/** A fragment that loads nothing, runs nothing and links nowhere but to http, https and mail. */
export const sanitize = (html: string): DocumentFragment => {
  purifier ??= makePurifier();
  const fragment = purifier.sanitize(html, CONFIG);
  for (const link of fragment.querySelectorAll('a[href]')) {
    link.setAttribute('target', '_blank');
    link.setAttribute('rel', 'noopener noreferrer');
    // The text of a link may name another address.
    link.setAttribute('title', link.getAttribute('href') ?? '');
  }
  return fragment;
};

/** MathML that draws and does nothing else. */
export const sanitizeMaths = (mathMl: string): DocumentFragment => (purifier ??= makePurifier()).sanitize(mathMl, MATHS);

const makePurifier = (): DOMPurify => {
  const made = createPurifier(window);
  made.addHook('uponSanitizeAttribute', (_element, attribute) => {
    if (attribute.attrName === 'class')
      attribute.attrValue = attribute.attrValue
        .split(/\s+/)
        .filter((name) => CLASS.test(name))
        .join(' ');
  });
  return made;
};
