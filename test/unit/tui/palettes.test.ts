import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { keep, readKept } from '#companion/tui/kept.ts';
import { paletteFor, palettes, type Palette } from '#companion/tui/palettes.ts';

/** https://www.w3.org/TR/WCAG22/#dfn-relative-luminance */
const luminance = (rgb: readonly number[]): number => {
  const [red = 0, green = 0, blue = 0] = rgb.map((value) => (value <= 10 ? value / 3294 : ((value / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
};

const contrast = (one: readonly number[], other: readonly number[]): number => {
  const [low = 0, high = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
};

const coloursOf = (palette: Palette): [string, number[]][] =>
  Object.entries(palette).flatMap(([style, code]) => {
    const found = /38;2;(\d+);(\d+);(\d+)/u.exec(code);
    return found === null ? [] : [[style, found.slice(1).map(Number)]];
  });

describe('the themes of the terminal UI', () => {
  test.for([
    ['dark', [0x1e, 0x1e, 0x1e]],
    ['dark', [0, 0, 0]],
    ['light', [255, 255, 255]],
    ['light', [0xfa, 0xf4, 0xe6]],
  ] as const)('can be read: %s on %j', ([theme, ground]) => {
    const colours = coloursOf(palettes[theme]);

    expect(colours.length).toBeGreaterThan(15);
    const faint = colours.filter(([style, colour]) => contrast(colour, ground) < (style === 'border' ? 3 : 4.5));
    expect(faint).toEqual([]);
  });

  test('are chosen by the environment, and nothing goes before NO_COLOR', () => {
    expect(paletteFor({})).toBe(palettes.terminal);
    expect(paletteFor({ PILOTFISH_THEME: 'light' })).toBe(palettes.light);
    expect(paletteFor({ PILOTFISH_THEME: 'nosuch' })).toBe(palettes.terminal);
    expect(paletteFor({ PILOTFISH_THEME: 'dark', NO_COLOR: '1' })).toBe(palettes.none);
    expect(paletteFor({ NO_COLOR: '' })).toBe(palettes.terminal);
    expect(paletteFor({ PILOTFISH_THEME: '' }, 'light')).toBe(palettes.light);
    expect(paletteFor({ PILOTFISH_THEME: 'dark' }, 'light')).toBe(palettes.dark);
    expect(paletteFor({ NO_COLOR: '1' }, 'light')).toBe(palettes.none);
    expect(paletteFor({ TERM: 'linux' }).dim).toBe('');
  });

  test('are kept for the next start, also over a file that is damaged', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'pf-theme-'));
    try {
      const file = path.join(folder, 'home', 'tui.json');
      expect(readKept(file)).toEqual({});
      keep(file, { theme: 'light' });
      keep(file, { language: 'zh' });
      expect(readKept(file)).toEqual({ theme: 'light', language: 'zh' });

      for (const damage of ['', '{"theme":"__proto__"}', 'null', '{']) {
        writeFileSync(file, damage);
        expect(readKept(file)).toEqual({});
      }
      keep(file, { theme: 'none' });
      expect(readKept(file)).toEqual({ theme: 'none' });
      expect(readdirSync(path.dirname(file))).toEqual(['tui.json']);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
