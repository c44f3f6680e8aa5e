import { describe, expect, test } from 'vitest';
import { unpaint } from '#companion/tui/paint.ts';
import { palettes, toCodes } from '#companion/tui/palettes.ts';
import { width } from '#companion/tui/text.ts';
import { outputLines } from '#companion/tui/views/output.ts';

const ESC = '\u001b';

describe('the output of a command', () => {
  test('has the colours in which it was printed, also where a line is broken', () => {
    const lines = outputLines(`plain ${ESC}[31mred ${ESC}[1mbold${ESC}[0m plain\n${ESC}[32m${'green '.repeat(8)}${ESC}[0m`, 26, true);

    expect(lines.map(unpaint)).toEqual(['  plain red bold plain', '  green green green green', '  green green green green ']);
    const [first = '', second = '', third = ''] = lines.map((line) => toCodes(line, palettes.terminal));
    expect(first).toContain(`${ESC}[0;90;31mred `);
    expect(first).toContain(`${ESC}[0;90;31;1mbold`);
    expect(first).toContain(`${ESC}[0;90m plain`);
    expect(second).toContain(`${ESC}[0;90;32mgreen green`);
    expect(third).toContain(`${ESC}[0;90;32mgreen green`);
  });

  test('shows its last lines, in the colour that began before them', () => {
    const lines = outputLines(`${ESC}[33m1\n2\n3\n4\n5\n6${ESC}[0m\n\n`, 40, false);

    expect(lines.map(unpaint)).toEqual(['  … 2 earlier lines', '  3', '  4', '  5', '  6']);
    expect(toCodes(lines[1] ?? '', palettes.terminal)).toContain(`${ESC}[0;90;33m3`);
  });

  test('commands nothing, whatever it contains, and is never wider than its place', () => {
    const hostile = `${ESC}]0;title\u0007${ESC}[2J${ESC}[38;2;255;0;0mred${ESC}[5;7m 你好😀${ESC}[?25l\ufdd0\ufdef${'x'.repeat(90)}`;

    for (const isExpanded of [true, false]) {
      for (const line of outputLines(hostile, 30, isExpanded)) {
        expect(width(line)).toBeLessThanOrEqual(30);
        // oxlint-disable-next-line no-control-regex -- only colours are left
        expect(toCodes(line, palettes.terminal).replaceAll(/\u001b\[[\d;]*m/gu, '')).not.toMatch(/[\u0000-\u001f\ufdd0-\ufdef]/u);
      }
    }
  });

  test('has no colours where there are to be none', () => {
    const [line = ''] = outputLines(`${ESC}[31mred${ESC}[36mcyan`, 40, true);

    expect(toCodes(line, palettes.none)).not.toMatch(/\[[\d;]*3\d/u);
  });
});
