import { describe, expect, it } from 'vitest';
import { isClipboardChord, readChord } from '#extension/shared/keys.ts';

describe('a chord as models write it', () => {
  it.each([
    ['Enter', 'Enter', []],
    ['enter', 'Enter', []],
    ['return', 'Enter', []],
    ['+', '+', []],
    ['Control++', '+', ['Control']],
    ['ctrl+shift+a', 'A', ['Control', 'Shift']],
    ['ControlOrMeta+z', 'z', ['Control']],
    ['Control+K', 'k', ['Control']],
    ['Alt+KeyN', 'n', ['Alt']],
    ['K', 'K', []],
    ['KeyQ', 'q', []],
    ['Space', ' ', []],
    ['f12', 'F12', []],
    ['é', 'é', []],
    ['Shift', 'Shift', []],
  ])('%s', (text, key, modifiers) => {
    expect(readChord(text, false)).toEqual({ key, modifiers });
  });

  it('is that of a Mac on a Mac', () => {
    expect(readChord('ControlOrMeta+A', true)).toEqual({ key: 'a', modifiers: ['Meta'] });
  });

  it.each(['', 'Enterr', 'Hyper+a', 'Control+', '__proto__'])('is none: "%s"', (text) => {
    expect(readChord(text, false)).toBeNull();
  });

  it.each(['Control+c', 'Meta+V', 'Control+Shift+V', 'Shift+Insert', 'Control+Insert', 'Shift+Delete', 'Control+x'])(
    'is about the clipboard: %s',
    (text) => {
      const chord = readChord(text, false);
      expect(chord !== null && isClipboardChord(chord)).toBe(true);
    },
  );
});
