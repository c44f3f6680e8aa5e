import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

const css = readFileSync(path.join(import.meta.dirname, '../../../../extension/sidepanel/sidepanel.css'), 'utf8');

/** The colours by name, in one theme: a colour stands for both, or there is one for each. */
const colours = (theme: 'light' | 'dark'): ReadonlyMap<string, string> => {
  const block = css.slice(css.indexOf(':root {'), css.indexOf('}', css.indexOf(':root {')));
  const found = block.matchAll(/--([\w-]+): (?:light-dark\()?(#[0-9a-f]{6})(?:, (#[0-9a-f]{6})\))?;/g);
  return new Map([...found].map(([, name = '', light = '', dark = light]) => [name, theme === 'light' ? light : dark]));
};

const themes = { light: colours('light'), dark: colours('dark') };

/** Relative luminance and contrast as WCAG 2.2 defines them. */
const luminance = (colour: string): number => {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((start) => Number.parseInt(colour.slice(start, start + 2), 16) / 255)
    .map((part) => (part <= 0.040_45 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
};

const contrast = (one: string, other: string): number => {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].toSorted((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
};

describe.each(Object.entries(themes))('in the %s theme', (_, theme) => {
  test.each(['grey', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan'])(
    '%s of a command can be read on the ground of an output',
    (hue) => {
      const name = new RegExp(`\\.hue-${hue} \\{\\s*color: var\\(--([\\w-]+)\\)`).exec(css)?.[1] ?? '';

      expect(contrast(theme.get(name) ?? '#000000', theme.get('sunken') ?? '#000000')).toBeGreaterThanOrEqual(4.5);
    },
  );
});
