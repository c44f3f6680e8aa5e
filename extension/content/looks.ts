/** How a thing looks that has no name: what tells one icon, box or shape from another. */
import { isTransparent } from './colors.ts';
import { plain } from './plain.ts';

/** Families of icon classes: what follows is the picture's name. */
const ICON_CLASS =
  /(?:^|\s)(?:ui-icon(?!-(?:circle-)?(?:arrow|caret|triangle))|fa[srlbd]?|fa-(?:solid|regular|brands)|glyphicon|mdi|bi|ti|ri|pi|bx[sl]?|la[srb]?|ion|lucide|feather|octicon|codicon|anticon|icons?|ico|svg-icon|material-icons?)[-_]+((?!(?:solid|regular|brands|fw|lg|xs|sm|md|xl|\d+x|icon)\b)[a-z][a-z\d_-]*)/i;

/** What a class says about the purpose of a button, where a word of it begins so. */
const TELLING =
  /(?:^|[-_]|btn|button|icon)(?:add|arrow|attach|back|bell|bin|bold|book|calendar|camera|cancel|cart|chat|check|chevron|clear|clock|close|collapse|compose|confirm|copy|cross|cut|delete|dismiss|dots|down|drag|edit|ellipsis|exit|expand|eye|favou?rite|file|filter|flag|folder|forward|fullscreen|gear|grip|hamburger|handle|heart|help|hide|home|important|info|italic|knob|left|like|link|list|lock|login|logout|mail|map|maximi[sz]e|menu|mic|minimi[sz]e|minus|more|move|mute|new|next|open|option|paste|pause|pen|phone|photo|pin|play|plus|prev|print|profile|redo|refresh|reload|remove|reply|reset|resi[sz]|retweet|right|save|scroll|search|send|setting|share|show|shuffle|skip|slider|sort|spam|star|stop|submit|swap|switch|sync|tag|thumb|toggle|trash|undo|unlock|up|upload|user|view|volume|zoom)/i;

const MAX_WORD = 40;

/** Words for an element without a name: its icon, else its id or a telling class, else the colour of its box. */
export const looksOf = (element: Element, style: CSSStyleDeclaration): string[] => {
  const icon = iconIn(element);
  if (icon !== '') return [iconWords(icon)];
  const hint = hintOf(element);
  if (hint !== '') return [hint];
  const color = colorName(style.backgroundColor);
  return color === '' ? [] : [color];
};

/** Words for a box or a shape that stands among others: what it is called in the page's code, colour, size and place. */
export const shapeOf = (element: Element, style: CSSStyleDeclaration): string[] => {
  const { left, top, width, height } = plain(element).getBoundingClientRect();
  const isShape = element instanceof SVGElement;
  const fill = colorName(isShape ? style.fill : style.backgroundColor);
  const color = fill === '' && isShape ? colorName(style.stroke) : fill;
  const place = `${Math.round(width)}×${Math.round(height)}@${Math.round(left + width / 2)},${Math.round(top + height / 2)}`;
  const icon = iconIn(element);
  const word = icon === '' ? hintOf(element) : iconWords(icon);
  // What is called by its colour has told that.
  const isTold = word.slice(1).toLowerCase() === color;
  return [word, isTold ? '' : color, place].filter((told) => told !== '');
};

/** The name of the one icon inside an element, by its class, its symbol or its file. */
const iconIn = (element: Element): string => {
  for (const part of [element, ...[...plain(element).querySelectorAll('i, span, svg, use, img, em')].slice(0, 6)]) {
    const own = plain(part);
    const reference = own.getAttribute('href') ?? own.getAttribute('xlink:href') ?? '';
    const found =
      own.getAttribute('data-icon') ??
      own.getAttribute('data-lucide') ??
      ICON_CLASS.exec(own.getAttribute('class') ?? '')?.[1] ??
      (own.localName === 'use' ? reference.slice(reference.indexOf('#') + 1) : null) ??
      (part instanceof HTMLImageElement ? stemOf(part.src) : null);
    const word = found === null ? '' : toWord(found);
    if (word !== '') return word;
  }
  return '';
};

/** A name of one word ends by itself. */
const iconWords = (icon: string): string => `icon ${icon.includes(' ') ? `"${icon}"` : icon}`;

const hintOf = (element: Element): string => {
  for (const name of ['data-action', 'data-testid', 'data-test', 'data-command', 'name', 'id']) {
    const word = toWord(plain(element).getAttribute(name) ?? '');
    if (word !== '' && !/\d{3}|[:]/.test(word)) return `${name === 'id' ? '#' : ''}${word}`;
  }
  const parts = [element, ...[...plain(element).children].slice(0, 2)];
  const classes = parts.flatMap((part) => (plain(part).getAttribute('class') ?? '').split(/\s+/));
  const telling = classes
    .filter((word) => TELLING.test(word.replaceAll(/([a-z])([A-Z])/g, '$1-$2')) && !/[\d:[\]/]/.test(word))
    .map(toWord);
  return telling.length === 0 ? '' : `.${telling.find((word) => word !== '') ?? ''}`.replace(/^\.$/, '');
};

/** Short and made of plain characters, or nothing: a page may write anything here. */
const toWord = (text: string): string => {
  const word = text.trim();
  return word.length <= MAX_WORD && /^[\p{L}\p{N}][\p{L}\p{N} ._/-]*$/u.test(word) ? word : '';
};

/** The name of a file without its folders, its ending and the hash that builders add. */
const stemOf = (url: string): string =>
  url.startsWith('data:') ? '' : (/([^/?#]+?)(?:[.-][\da-f]{8,})?\.\w+(?:[?#]|$)/.exec(url)?.[1] ?? '');

/** A colour in the words people use; nothing for one that does not paint. */
const colorName = (color: string): string => {
  const [red, green, blue] = (/^rgba?\(([^)]*)\)/.exec(color)?.[1] ?? '').split(/[\s,/]+/).map(Number);
  if (red === undefined || green === undefined || blue === undefined || isTransparent(color)) return '';
  const high = Math.max(red, green, blue);
  const low = Math.min(red, green, blue);
  const light = (high + low) / 510;
  if (high - low < 25 || light > 0.97 || light < 0.04) return light > 0.9 ? 'white' : light < 0.13 ? 'black' : 'gray';
  const hue = hueOf(red, green, blue, high, high - low);
  if (hue < 45 && hue >= 15 && light < 0.4) return 'brown';
  if ((hue >= 320 || hue < 15) && light > 0.72) return 'pink';
  if (hue >= 290 && hue < 320 && light < 0.4) return 'purple';
  return HUES.find(([limit]) => hue < limit)?.[1] ?? 'red';
};

const HUES: readonly (readonly [number, string])[] = [
  [15, 'red'],
  [45, 'orange'],
  [70, 'yellow'],
  [165, 'green'],
  [195, 'cyan'],
  [255, 'blue'],
  [290, 'purple'],
  [320, 'magenta'],
  [345, 'pink'],
];

const hueOf = (red: number, green: number, blue: number, high: number, span: number): number => {
  const sector = high === red ? (green - blue) / span : high === green ? 2 + (blue - red) / span : 4 + (red - green) / span;
  return (sector * 60 + 360) % 360;
};
