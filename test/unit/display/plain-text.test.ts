import { describe, expect, test } from 'vitest';
import { toVisible } from '#protocol/foreign-name.ts';
import { plainText, printableJson, toPlainOutput } from '#display/plain-text.ts';
import { palettes, toCodes } from '#companion/tui/palettes.ts';
import { clean } from '#companion/tui/text.ts';
import { cpuTimeMs } from '#test/fixtures/cpu-time.ts';
import { isWhole } from '#test/fixtures/whole.ts';

/** What must never come from content to a terminal: ESC, BEL and the rest of C0, DEL, C1, direction marks. */
const dangerous = /(?!\n)\p{Cc}|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

describe('plainText', () => {
  test.for([
    ['colours', 'a\u001b[31mred\u001b[0m', 'ared'],
    ['cursor and screen commands', '\u001b[2J\u001b[H\u001b[?1049hx\u001b[1;1H', 'x'],
    ['parameters with colons and intermediates', 'a\u001b[38:2:1:2:3mb\u001b[!pc\u001b[1 qd', 'abcd'],
    ['the window title by OSC 0', '\u001b]0;evil\u0007text', 'text'],
    ['links by OSC 8', '\u001b]8;;http://evil\u001b\\link\u001b]8;;\u001b\\', 'link'],
    ['the clipboard by OSC 52', '\u001b]52;c;ZXZpbA==\u0007text', 'text'],
    ['DCS, APC, PM and SOS', '\u001bPq#0\u001b\\a\u001b_G\u001b\\b\u001b^x\u001b\\c\u001bXx\u001b\\d', 'abcd'],
    ['8-bit forms', 'a\u009b31mb\u009d0;t\u009cc\u0090x\u009cd', 'abcd'],
    ['character set and keypad commands', '\u001b(0lqk\u001b)B\u001b=\u001b>\u001bc', 'lqk'],
    ['bells and backspaces', 'a\u0007b\u0008\u0008c\u007f', 'abc'],
    ['overrides of direction', 'user\u202etxt.exe\u202c \u2066x\u2069', 'usertxt.exe x'],
    ['invisible letters', 'a\u{e0041}\u{e0042}b\u200bc\ufeff', 'abc'],
    ['carriage returns', 'a\r\nb\rc', 'a\nb\nc'],
    ['tabs', 'a\tb', 'a    b'],
    ["the terminal UI's own marks", '\ufdd0a\ufdef', 'a'],
    ['lone surrogates', 'a\ud800b', 'a\ufffdb'],
  ] as const)('removes %s', ([, text, expected]) => {
    expect(plainText(text)).toBe(expected);
  });

  test('keeps what people write', () => {
    const text = 'Grüße, 你好, 日本語, 한국어, नमस्ते, emoji 😀 👩‍👩‍👧 ❤️, {bold}braces{/bold}\nand lines';

    expect(plainText(text)).toBe(text);
  });

  test('shows the text of a string that never ends, without its beginning', () => {
    expect(plainText('\u001b]0;title without an end')).toBe('0;title without an end');
  });

  test('costs as much as the text is long, also for a thousand beginnings without an end', () => {
    const hostile = ['\u001b]', '\u001bP', '\u009d', '\u001b[', '\u001b', '\u001b]0;x\u001b'].map((start) => start.repeat(300_000));
    const startedAt = cpuTimeMs();

    for (const text of hostile) expect(dangerous.test(plainText(text))).toBe(false);

    // Quadratic cost would be hours.
    expect(cpuTimeMs() - startedAt).toBeLessThan(5000);
  });
});

describe('output and text to approve', () => {
  test('terminal output loses its escapes and keeps its words', () => {
    expect(toPlainOutput('\u001b[31mred\u001b[0m \u001b]8;;https://x\u0007link\u001b]8;;\u001b\\ ok\u0007\n\ttab')).toBe(
      'red link ok\n\ttab',
    );
  });

  test('a line redrawn in place shows its last form', () => {
    expect(toPlainOutput('10 %\r50 %\r100 %\r\ndone\r\n')).toBe('100 %\ndone\n');
  });

  test('what hides or reorders text is shown by its code point', () => {
    expect(toVisible('rm \u202Egnp.txt\u202C\u200B')).toBe('rm ⟨U+202E⟩gnp.txt⟨U+202C⟩⟨U+200B⟩');
    expect(toVisible('line\n\ttab 你好 é')).toBe('line\n\ttab 你好 é');
    expect(toVisible('a\rb\u001b[2J\u{E0041}')).toBe('a⟨U+000D⟩b⟨U+001B⟩[2J⟨U+E0041⟩');
  });
});

describe('printableJson', () => {
  test('escapes what JSON leaves and reads back as the same value', () => {
    const value = { text: '\u009b31m\u202e\u{e0041}\u001b[0m\nline' };

    const json = printableJson(value);

    expect(dangerous.test(json)).toBe(false);
    expect(JSON.parse(json)).toEqual(value);
  });
});

const HOSTILE_STRINGS = isWhole ? 1_000_000 : 50_000;

describe(`${HOSTILE_STRINGS} hostile strings`, () => {
  test('bring no control to the terminal, through the command line or the terminal UI', () => {
    const pieces = [
      '\u001b',
      '\u001b[',
      '\u001b]',
      '\u001bP',
      '\u001b_',
      '\u001b^',
      '\u001b\\',
      '\u009b',
      '\u009d',
      '\u009c',
      '\u0090',
      '\u0007',
      '\u0000',
      '\u008d',
      '52;c;',
      '0;',
      '31m',
      '?1049h',
      '2J',
      ';',
      ':',
      ' ',
      '!',
      'p',
      'q',
      'A',
      'z',
      '~',
      '@',
      '\r',
      '\n',
      '\t',
      '\u007f',
      '\u202e',
      '\u2066',
      '\u2069',
      '\u200e',
      '\ufeff',
      '\u200d',
      '\ufe0f',
      '{bold}',
      '{/}',
      '你',
      '😀',
      '🇩',
      '🇪',
      'e\u0301',
      '\ud800',
      '\udc00',
      '\ufdd0',
      '\ufdef',
      '\u{e0041}',
      '\u2028',
      '\u0085',
    ];
    let seed = 20_261_121;
    const next = (): number => {
      seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
      return seed;
    };
    let failures = 0;

    for (let count = 0; count < HOSTILE_STRINGS; count += 1) {
      let text = '';
      for (let length = 1 + ((next() >>> 8) % 9); length > 0; length -= 1) text += pieces[(next() >>> 8) % pieces.length] ?? '';
      const plain = plainText(text);
      if (dangerous.test(plain)) failures += 1;
      // Every tenth goes the whole way to the screen, which segments it and is slower.
      if (count % 10 === 0) {
        const shown = toCodes(clean(text).replaceAll('\n', ''), palettes.terminal);
        if (dangerous.test(shown)) failures += 1;
      }
    }

    expect(failures).toBe(0);
  });

  test('leave only our own colour codes on a painted line', () => {
    const line = toCodes(`\ufdd1${clean('\u001b[2Jtext\u001b]52;c;x\u0007')}\ufdef`, palettes.terminal);

    expect(line).toBe('\u001b[0;90mtext\u001b[0m');
    expect(toCodes('a\u001b[2Jb\u009b', palettes.terminal)).toBe('a[2Jb');
  });
});
