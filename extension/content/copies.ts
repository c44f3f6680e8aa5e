/** Where the page shows what a secret field holds outside of that field, for a picture. Text that is drawn by other means (a canvas, a picture, generated content) is not found. */
import { queryAll, shadowsIn } from './composed.ts';
import { hiderOfHeld } from './held-secrets.ts';
import { whileReading } from './memo.ts';
import { isOwn } from './own.ts';
import { plain } from './plain.ts';

type Tells = (text: string) => boolean;

/** The innermost elements around each copy. */
export const copiesOfHeld = (): HTMLElement[] =>
  whileReading(() => {
    const hide = hiderOfHeld();
    if (hide === null) return [];
    const tells: Tells = (text) => hide(text) !== text;
    const fields = queryAll('input:not([type="password" i]), textarea').filter(
      (field) => (field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement) && tells(field.value),
    );
    const alts = queryAll('img[alt], area[alt]').filter((element) => tells(plain(element).getAttribute('alt') ?? ''));
    const tops = [document.body, ...allShadows(document).flatMap((root) => [...root.children])];
    return [...new Set([...fields, ...alts, ...tops.flatMap((top) => innermost(top, tells))])].flatMap((element) => around(element));
  });

const allShadows = (root: Document | ShadowRoot): ShadowRoot[] => shadowsIn(root).flatMap((shadow) => [shadow, ...allShadows(shadow)]);

const innermost = (element: Element | null, tells: Tells): Element[] => {
  if (element === null || isOwn(element) || element.matches('script, style, noscript') || !tells(plain(element).textContent ?? ''))
    return [];
  const inner = [...plain(element).children].flatMap((child) => innermost(child, tells));
  const own = [...plain(element).childNodes].map((node) => (node instanceof Text ? node.data : ' ')).join('');
  return inner.length === 0 || tells(own) ? [element, ...inner] : inner;
};

/** Only elements of HTML have a style of their own that all within takes over. */
const around = (element: Element): HTMLElement[] => {
  const html = element instanceof HTMLElement ? element : plain(element).closest<HTMLElement>('div, p, span, body');
  return html === null ? [] : [html];
};
