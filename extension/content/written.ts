/** What the place of a text, a line through it or a mark on it says, in signs: 10⁶ is not 106, and a price that is struck through is not the price. */
import type { SnapChild } from './api.ts';
import { isBlank } from './blank.ts';
import { outerOf } from './composed.ts';
import { plain } from './plain.ts';
import type { RareWays } from './rare-ways.ts';

/** `children` are what is in an element, and `before` is what stands before it in its line. */
export const written = (
  element: Element,
  style: CSSStyleDeclaration,
  ways: RareWays,
  children: readonly SnapChild[],
  before: SnapChild | undefined,
): readonly SnapChild[] => {
  const { localName } = plain(element);
  if (element instanceof MathMLElement) return inFormula(element, localName, children);
  if (localName === 'sup' && isUpper(element)) return [' ', ...children];
  if (localName === 'sup') return typeof before === 'string' && /\S$/.test(before) ? raised(children) : children;
  if (localName === 'rt') return children.every(isBlank) ? children : ['(', ...children, ')'];
  return (ways.lineThrough || STRUCK.has(localName)) && isStruck(style) ? struck(children) : children;
};

const STRUCK = new Set(['s', 'del', 'strike']);

/** The same for a name, which is one text: what comes before and after the text of an element. Nothing in an editor, which holds what was written. */
export const signsAround = (element: Element): readonly [string, string] => {
  const { localName } = plain(element);
  const isSign = localName === 'sup' || localName === 'rt' || STRUCK.has(localName);
  if (!isSign || (element instanceof HTMLElement && plain(element).isContentEditable)) return ['', ''];
  if (localName === 'rt') return ['(', ')'];
  if (localName === 'sup' && isUpper(element)) return [' ', ''];
  if (localName === 'sup') return isPower(plain(element).textContent ?? '') ? ['^', ''] : ['', ''];
  return ['~~', '~~'];
};

/** Whether a line is drawn through its text. */
export const isStruck = ({ textDecorationLine }: CSSStyleDeclaration): boolean => textDecorationLine.includes('line-through');

/** What goes on in one line by itself, between these signs. */
const struck = (children: readonly SnapChild[]): SnapChild[] => {
  const told: SnapChild[] = [];
  let line: SnapChild[] = [];
  const flush = (): void => {
    const isText = line.some((child) => typeof child === 'string' && /[\p{L}\p{N}]/u.test(child));
    const [from, to] = [line.findIndex((child) => !isBlank(child)), line.findLastIndex((child) => !isBlank(child))];
    const words = line.slice(from, to + 1);
    const inSigns = words.every((child) => typeof child === 'string') ? [`~~${words.join('')}~~`] : ['~~', ...words, '~~'];
    told.push(...(isText ? [...line.slice(0, from), ...inSigns, ...line.slice(to + 1)] : line));
    line = [];
  };
  for (const child of children) {
    if (typeof child === 'string' || child?.isInline === true) line.push(child);
    else {
      flush();
      told.push(child);
    }
  }
  flush();
  return told;
};

/** Whether it is the upper part of a fraction, as in 5 1/2. */
const isUpper = (element: Element): boolean => {
  const { nextSibling } = element;
  return nextSibling instanceof Text && /^\s*[/\u2044]/.test(nextSibling.data);
};

/** A number above another one is a power; a mark there, and the end of a number in words, are told as they stand. */
const raised = (children: readonly SnapChild[]): readonly SnapChild[] => {
  const text = children.every((child) => typeof child === 'string') ? children.join('').trim() : '';
  return isPower(text) ? ['^', ...inBrackets(children)] : children;
};

const isPower = (text: string): boolean => POWER.test(text.trim()) && !ENDING.test(text.trim());

const POWER = /^[-+−–]?[\p{L}\p{N}][\p{L}\p{N}+\-−–./]{0,11}$/u;
const ENDING = /^(?:st|nd|rd|th|er|ère|ème|tm|sm)$/i;

const inBrackets = (children: readonly SnapChild[]): readonly SnapChild[] => {
  const text = children.every((child) => typeof child === 'string') ? children.join('').trim() : ' ';
  return /^(?:[-+−–]?\p{N}+|[\p{L}.]|\p{P}|\p{S})$/u.test(text) ? children : ['(', ...children, ')'];
};

/** By which sign the parts of each follow one another: https://www.w3.org/TR/mathml-core/#script-and-limit-schemata */
const SIGNS: ReadonlyMap<string, readonly string[]> = new Map([
  ['msup', ['', '^']],
  ['mover', ['', '^']],
  ['msub', ['', '_']],
  ['munder', ['', '_']],
  ['msubsup', ['', '_', '^']],
  ['munderover', ['', '_', '^']],
  ['mfrac', ['', '/']],
]);

const inFormula = (element: MathMLElement, localName: string, children: readonly SnapChild[]): readonly SnapChild[] => {
  if (children.every(isBlank)) return children;
  const around = outerOf(element);
  const inside = localName === 'msqrt' ? ['√', ...inBrackets(children)] : children;
  if (/^(?:mtd|munder|munderover)$/.test(localName)) return [...inside, ' '];
  if (localName === 'mtr') return [...inside, '; '];
  if (around === null) return inside;
  const place = [...plain(around).children].indexOf(element);
  if (plain(around).localName === 'mroot' && place === 1) return ['^(1/', ...inside, ')'];
  const sign = SIGNS.get(plain(around).localName)?.[place];
  if (sign === undefined || (sign === '' && plain(around).localName !== 'mfrac')) return inside;
  return [sign, ...inBrackets(inside)];
};
