/** Which of the rarer ways to hide something, or to strike it through, are used in a page at all: to ask each element for all of them takes as long as all else that is asked of it. */
import { onceInReading } from './memo.ts';
import { plain } from './plain.ts';

export interface RareWays {
  readonly contentVisibility: boolean;
  readonly contain: boolean;
  /** Letters that are drawn as dots. */
  readonly dots: boolean;
  readonly clipPath: boolean;
  readonly maskImage: boolean;
  readonly filter: boolean;
  readonly backfaceVisibility: boolean;
  /** Drawn at no size, or nearly. */
  readonly shrinking: boolean;
  readonly lineThrough: boolean;
}

export const NO_WAYS: RareWays = {
  contain: false,
  contentVisibility: false,
  dots: false,
  clipPath: false,
  maskImage: false,
  filter: false,
  backfaceVisibility: false,
  shrinking: false,
  lineThrough: false,
};
const ALL_WAYS: RareWays = {
  contain: true,
  contentVisibility: true,
  dots: true,
  clipPath: true,
  maskImage: true,
  filter: true,
  backfaceVisibility: true,
  shrinking: true,
  lineThrough: true,
};

/** What each sheet uses, by its number of rules when it was read. */
const used = new WeakMap<CSSStyleSheet, { readonly length: number; readonly ways: RareWays }>();

/** Those of a document or a shadow tree, and those that come in from around it. */
export const waysIn = (root: Document | ShadowRoot, around: RareWays): RareWays =>
  [...root.styleSheets, ...root.adoptedStyleSheets].reduce((ways, sheet) => both(ways, waysOf(sheet)), both(around, inlineIn(root)));

/** The same, with all that comes in, of the tree of an element. */
export const waysAround = onceInReading((tree: Document | ShadowRoot): RareWays => {
  const outer = tree instanceof ShadowRoot ? plain(tree.host).getRootNode() : null;
  return waysIn(tree, outer instanceof Document || outer instanceof ShadowRoot ? waysAround(outer) : NO_WAYS);
});

const both = (one: RareWays, other: RareWays): RareWays => ({
  contentVisibility: one.contentVisibility || other.contentVisibility,
  contain: one.contain || other.contain,
  dots: one.dots || other.dots,
  clipPath: one.clipPath || other.clipPath,
  maskImage: one.maskImage || other.maskImage,
  filter: one.filter || other.filter,
  backfaceVisibility: one.backfaceVisibility || other.backfaceVisibility,
  shrinking: one.shrinking || other.shrinking,
  lineThrough: one.lineThrough || other.lineThrough,
});

/** By one look at the elements with a style of their own: the browser, asked for each word in turn, takes as long as for all else that is asked of a form. */
const inlineIn = (root: Document | ShadowRoot): RareWays => {
  const styled = [...root.querySelectorAll('[style]')].map((element) => plain(element).getAttribute('style'));
  const all = styled.join(';').toLowerCase();
  const isIn = (name: string): boolean => all.includes(name);
  return {
    contentVisibility: isIn('content-visibility'),
    contain: isIn('contain'),
    dots: isIn('text-security') || isIn('password') || isIn('dotsfont') || root.querySelector('font[face], [font-family]') !== null,
    clipPath: isIn('clip-path'),
    maskImage: isIn('mask'),
    filter: isIn('opacity(') || isIn('blur('),
    backfaceVisibility: isIn('backface'),
    shrinking: ['scale', 'matrix', 'rotatex', 'rotatey', 'rotate3d'].some(isIn),
    lineThrough: isIn('line-through'),
  };
};

/** Of a sheet of another site nobody knows. */
const waysOf = onceInReading((sheet: CSSStyleSheet): RareWays => {
  try {
    const rules = sheet.cssRules;
    // One that a script has made may have been written anew.
    const known = sheet.ownerNode === null && sheet.ownerRule === null ? undefined : used.get(sheet);
    if (known?.length === rules.length) return known.ways;
    const ways = waysAmong(rules);
    used.set(sheet, { length: rules.length, ways });
    return ways;
  } catch {
    return ALL_WAYS;
  }
});

const waysAmong = (rules: CSSRuleList): RareWays => {
  let ways = NO_WAYS;
  for (const rule of rules) {
    if (rule instanceof CSSStyleRule || rule instanceof CSSKeyframeRule || rule instanceof CSSNestedDeclarations)
      ways = both(ways, waysBy(rule.style));
    if (rule instanceof CSSImportRule && rule.styleSheet !== null) ways = both(ways, waysOf(rule.styleSheet));
    if (rule instanceof CSSStyleRule || rule instanceof CSSGroupingRule || rule instanceof CSSKeyframesRule)
      ways = both(ways, waysAmong(rule.cssRules));
  }
  return ways;
};

const DOTS = /text-security|password|dotsfont/i;

const waysBy = (style: CSSStyleDeclaration): RareWays => {
  const says = (...names: readonly string[]): string => names.map((name) => style.getPropertyValue(name)).join(' ');
  return {
    contentVisibility: /hidden|var\(/.test(says('content-visibility')),
    contain: /paint|strict|content|var\(/.test(says('contain')),
    // A font may be named in one place and used in another.
    dots: DOTS.test(style.cssText),
    clipPath: /[a-z]\(/.test(says('clip-path')),
    maskImage: /gradient\(|var\(/.test(says('mask-image', 'mask', '-webkit-mask')),
    filter: /opacity\(|blur\(|var\(/.test(says('filter')),
    backfaceVisibility: /hidden|var\(/.test(says('backface-visibility')),
    shrinking: mayShrink(says('transform', 'rotate'), says('scale')),
    lineThrough: /line-through|var\(/.test(says('text-decoration-line', 'text-decoration')),
  };
};

/** In many sheets something is enlarged a little, as under the pointer. */
const mayShrink = (transform: string, scale: string): boolean => {
  const [, factors = scale] = /scale\w*\(([^)]*)/.exec(transform) ?? [];
  return (
    /var\(|calc\(|matrix|rotate[xy3]|\b[xy] /i.test(`${transform} ${scale}`) ||
    factors.split(/[\s,]+/).some((factor) => Math.abs(Number.parseFloat(factor)) < NEARLY_NONE)
  );
};

const NEARLY_NONE = 0.1;

/** A shadow tree begins at this element; null inside a tree. */
export const treeBegunAt = (element: Element): ShadowRoot | null => {
  const { parentNode } = plain(element);
  return parentNode instanceof ShadowRoot ? parentNode : null;
};
