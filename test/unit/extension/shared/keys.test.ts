import { describe, expect, it } from 'vitest';
import { isClipboardChord, positionOf, readChord } from '#extension/shared/keys.ts';

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
    ['Shift+1', '!', ['Shift']],
    ['Shift+Digit9', '(', ['Shift']],
    ['KeyQ', 'q', []],
    ['Space', ' ', []],
    ['f12', 'F12', []],
    ['é', 'é', []],
    ['Shift', 'Shift', []],
    ['\n', 'Enter', []],
    ['Control+\t', 'Tab', ['Control']],
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

describe('where a key is', () => {
  it.each([
    ['(', 'Digit9', 57],
    ["'", 'Quote', 222],
    ['#', 'Digit3', 51],
    ['.', 'Period', 190],
    ['_', 'Minus', 189],
    ['A', 'KeyA', 65],
    ['ArrowDown', 'ArrowDown', 40],
  ])('%s', (key, code, keyCode) => {
    expect(positionOf(key)).toEqual({ code, keyCode });
  });

  it('is never that of another key', () => {
    const named = [
      'PageUp',
      'PageDown',
      'End',
      'Home',
      'ArrowLeft',
      'ArrowUp',
      'ArrowRight',
      'ArrowDown',
      'Insert',
      'Delete',
      'Meta',
      'ContextMenu',
    ];
    const taken = new Set(named.map((key) => positionOf(key).keyCode));
    const signs = [...Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index)), 'é', 'ß', '中', '😀'];

    expect(signs.filter((sign) => taken.has(positionOf(sign).keyCode))).toEqual([]);
  });
});
