import { describe, expect, test } from 'vitest';
import { toPlainOutput } from '#display/plain-text.ts';
import { toColouredSpans } from '#display/terminal-colours.ts';

const hues = (output: string): string[] => toColouredSpans(output).map(({ hue, text }) => `${hue} ${text}`);

describe('the colours of an output', () => {
  test('are those of the 16, of the 256 and of any other, as one of eight', () => {
    expect(hues('a\u001b[31mb\u001b[92mc\u001b[0md')).toEqual(['plain a', 'red b', 'green c', 'plain d']);
    expect(hues('\u001b[38;5;196mred\u001b[38;5;244mgrey\u001b[38;5;21mblue')).toEqual(['red red', 'grey grey', 'blue blue']);
    expect(hues('\u001b[38;2;255;200;0mamber\u001b[38:2:0:200:200mteal\u001b[39mx')).toEqual(['yellow amber', 'cyan teal', 'plain x']);
    expect(hues('\u009b35mmagenta\u001b[48;5;196m on red')).toEqual(['magenta magenta on red']);
  });

  test('may be told in parts of one parameter, as the standard has it, and those of an underline are no colour of the text', () => {
    expect(hues('\u001b[38:2::200:0:0ma\u001b[38:2:1:0:0:200:0:0mb\u001b[38:5:46mc')).toEqual(['red a', 'blue b', 'green c']);
    expect(hues('\u001b[32;58;5;1ma\u001b[58:2::200:0:0mb\u001b[48:5:1mc')).toEqual(['green abc']);
    expect(
      toColouredSpans('\u001b[4:3mcurly\u001b[4:0mnone\u001b[58;5;1mplain').map(({ text, isUnderlined, isItalic, isBold }) => [
        text,
        isUnderlined,
        isItalic || isBold,
      ]),
    ).toEqual([
      ['curly', true, false],
      ['noneplain', false, false],
    ]);
  });

  test('end with a sequence without a number, and one that is set twice ends at once', () => {
    expect(hues('\u001b[31ma\u001b[mb\u001b[31;0mc')).toEqual(['red a', 'plain bc']);
    expect(toColouredSpans('\u001b[1m\u001b[1ma\u001b[22mb').map(({ isBold }) => isBold)).toEqual([true, false]);
    expect(toColouredSpans('\u001b[1;22ma')[0]?.isBold).toBe(false);
  });

  test('of a link are kept, and its address and titles of windows are left out', () => {
    expect(hues('\u001b[34m\u001b]8;;https://example.org\u001b\\link\u001b]8;;\u001b\\ \u001b]0;31mtitle\u0007text')).toEqual([
      'blue link text',
    ]);
  });

  test('black and white stand for the text colour, so that they can be read on either ground', () => {
    expect(hues('\u001b[30mblack\u001b[97mwhite\u001b[38;2;255;255;255mx')).toEqual(['plain blackwhitex']);
  });

  test('bold, faint, italic and underlined are kept until they are ended', () => {
    expect(toColouredSpans('\u001b[1;4mtitle\u001b[22;24m, \u001b[2;3mnote')).toEqual([
      { hue: 'plain', text: 'title', isBold: true, isFaint: false, isItalic: false, isUnderlined: true },
      { hue: 'plain', text: ', ', isBold: false, isFaint: false, isItalic: false, isUnderlined: false },
      { hue: 'plain', text: 'note', isBold: false, isFaint: true, isItalic: true, isUnderlined: false },
    ]);
  });

  test('everything else is dropped as it is without colours', () => {
    const pieces = [
      '\u001b[31m',
      '\u001b[',
      '\u001b',
      'm',
      '31',
      '\u009b',
      '\r',
      '\n',
      '\u001b]0;title',
      '\u0007',
      '\ufdd0',
      '\ue001',
      'word',
      '\u001b[2K',
      ';',
      '\u001b[38;5;',
      '\u001b[999999;1m',
    ];
    let seed = 7;
    const random = (limit: number): number => (seed = (seed * 16_807) % 2_147_483_647) % limit;
    for (let round = 0; round < 2_000; round += 1) {
      const output = Array.from({ length: random(30) }, () => pieces[random(pieces.length)]).join('');

      const text = toColouredSpans(output)
        .map((span) => span.text)
        .join('');

      expect(text).toBe(toPlainOutput(output.replaceAll('\ufdd0', '')));
    }
  });

  test('cost no more than the length of the output, and a bounded number of spans', { tags: 'whole' }, () => {
    const spans = toColouredSpans('\u001b[31ma\u001b[32mb'.repeat(200_000));

    expect(spans.length).toBeLessThanOrEqual(4_001);
    expect(spans.map(({ text }) => text).join('')).toHaveLength(400_000);
    for (const output of [
      '\u001b[1m'.repeat(250_000),
      `\u001b[${'1;'.repeat(500_000)}m`,
      '\u001b['.repeat(500_000),
      '\u001b]8;'.repeat(250_000),
    ]) {
      const { user } = process.cpuUsage();
      toColouredSpans(output);
      expect(process.cpuUsage().user - user).toBeLessThan(2_000_000);
    }
    expect(toColouredSpans('\u001b[31mab\u001b[32mcd', 3).map(({ text }) => text)).toEqual(['ab', 'c']);
  });
});
