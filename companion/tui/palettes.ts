/** How styles look on the terminal: four themes, and what a line becomes in one of them. */
import { pieces, type StyleName } from './paint.ts';
import { type OwnText } from './say.ts';

export type Palette = Readonly<Record<StyleName, string>>;

/**
 * A painted line as text with SGR codes, which are the only escapes that ever reach the terminal from a view: whatever
 * else is a control here, marks aside, is dropped a second time.
 */
export const toCodes = (line: string, palette: Palette): string => {
  const open: StyleName[] = [];
  let result = '';
  for (const piece of pieces(line)) {
    if (piece.type === 'text') {
      result += piece.text.replaceAll(/\p{Cc}/gu, '');
      continue;
    }
    if (piece.type === 'style') open.push(piece.style);
    else open.pop();
    const codes = open.map((style) => palette[style]).filter((code) => code !== '');
    result += `\u001b[${['0', ...codes].join(';')}m`;
  }
  return open.length > 0 ? `${result}\u001b[0m` : result;
};

/** The 16 colours of the terminal's own theme, so that light and dark both stay readable. */
const terminal: Palette = {
  title: '1',
  dim: '90',
  accent: '36',
  ok: '32',
  warning: '33',
  error: '31',
  user: '1;34',
  added: '32',
  removed: '31',
  selected: '7',
  danger: '1;37;41',
  strong: '1',
  border: '90',
  emphasis: '3',
  link: '4',
  keyword: '35',
  string: '32',
  number: '33',
  name: '34',
  red: '31',
  green: '32',
  yellow: '33',
  blue: '34',
  magenta: '35',
  cyan: '36',
};

/** The colours of terminals that have 8: there grey would be black. */
const poor: Palette = { ...terminal, dim: '', border: '' };

/** Only bold, italic, underlined and reverse. */
const none: Palette = {
  title: '1',
  dim: '',
  accent: '1',
  ok: '',
  warning: '1',
  error: '1',
  user: '1',
  added: '',
  removed: '',
  selected: '7',
  danger: '7',
  strong: '1',
  border: '',
  emphasis: '3',
  link: '4',
  keyword: '1',
  string: '',
  number: '',
  name: '',
  red: '',
  green: '',
  yellow: '',
  blue: '',
  magenta: '',
  cyan: '',
};

/** A colour of 24 bits (ISO 8613-6): `rgb('7aa2f7')`. */
export const rgb = (hex: string): string => `38;2;${[0, 2, 4].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)).join(';')}`;

/** Each of these can be read on its ground: the contrast is at least 4.5 to 1, and 3 to 1 for borders. */
const hues = {
  dark: {
    red: 'f28b82',
    green: '8fd18a',
    yellow: 'e5c07b',
    blue: '82aaff',
    magenta: 'c99df0',
    cyan: '6fd3d9',
    grey: '9aa0a6',
    line: '6b7178',
  },
  light: {
    red: 'b3261e',
    green: '1a6b2c',
    yellow: '7a5200',
    blue: '1a4fb4',
    magenta: '7b2d9b',
    cyan: '00606b',
    grey: '5f6368',
    line: '80868b',
  },
} as const;

const coloured = ({ red, green, yellow, blue, magenta, cyan, grey, line }: Readonly<Record<keyof typeof hues.dark, string>>): Palette => ({
  ...terminal,
  dim: rgb(grey),
  accent: rgb(cyan),
  ok: rgb(green),
  warning: rgb(yellow),
  error: rgb(red),
  user: `1;${rgb(blue)}`,
  added: rgb(green),
  removed: rgb(red),
  border: rgb(line),
  keyword: rgb(magenta),
  string: rgb(green),
  number: rgb(yellow),
  name: rgb(blue),
  red: rgb(red),
  green: rgb(green),
  yellow: rgb(yellow),
  blue: rgb(blue),
  magenta: rgb(magenta),
  cyan: rgb(cyan),
});

export const palettes = { terminal, dark: coloured(hues.dark), light: coloured(hues.light), none } as const satisfies Record<
  string,
  Palette
>;

export const themeNames = ['terminal', 'dark', 'light', 'none'] as const satisfies readonly (keyof typeof palettes)[];
export type ThemeName = (typeof themeNames)[number];

/** The palettes that Pilotfish brings. */
export const themes: readonly { readonly name: ThemeName; readonly label: OwnText }[] = [
  { name: 'terminal', label: "The terminal's own 16 colours" },
  { name: 'dark', label: 'Dark' },
  { name: 'light', label: 'Light' },
  { name: 'none', label: 'None' },
];

let own: ReadonlyMap<string, Palette> = new Map();

/** The person's own themes; one with the name of a built-in theme takes its place. */
export const setOwnThemes = (found: ReadonlyMap<string, Palette>): void => {
  own = found;
};

export const ownThemeNames = (): string[] => [...own.keys()];

/** The palette of this name; null where there is none. */
export const paletteNamed = (name: string): Palette | null => {
  const builtIn = themeNames.find((one) => one === name);
  return own.get(name) ?? (builtIn === undefined ? null : palettes[builtIn]);
};

/** Terminals that have 8 colours: the Linux console and older ones. */
const isPoor = (term: string): boolean => /^(?:linux|vt\d|ansi|cygwin|screen$|rxvt$)/.test(term);

/** `NO_COLOR` (https://no-color.org) goes before the theme in `PILOTFISH_THEME`, that before the one that was kept; without any the colours are those of the terminal. */
export const paletteFor = (env: NodeJS.ProcessEnv, kept: string | null = null): Palette => {
  if ((env['NO_COLOR'] ?? '') !== '') return none;
  const named = [env['PILOTFISH_THEME'], kept].map((name) => (name == null ? null : paletteNamed(name))).find((found) => found !== null);
  if (named !== undefined) return named;
  return isPoor(env['TERM'] ?? '') ? poor : terminal;
};
