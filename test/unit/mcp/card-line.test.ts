import { describe, expect, test } from 'vitest';
import { line, toolsLine } from '#companion/mcp/card-line.ts';
import { saidText } from '#display/said.ts';
import { inLanguage, words } from '#display/words.ts';
import { CallSubject } from '#protocol/browser.ts';
import { cardText, CARD_LABELS } from '#protocol/card-lines.ts';
import { codeLine, TOOL_LABELS, toolLine, toolText } from '#protocol/tool-lines.ts';

const chinese = inLanguage(words, 'zh-CN');

describe('a line of a card', () => {
  test('has a label without a colon in it, of which there is no second one', () => {
    const labels = Object.values({ ...TOOL_LABELS, ...CARD_LABELS }).map((text) => text.slice(0, text.indexOf(': {text}')));

    expect(labels.filter((label) => label === '' || label.includes(':'))).toEqual([]);
    expect(new Set(labels).size).toBe(labels.length);
  });

  test('stays one line of a bounded length in both languages, whatever a page writes', () => {
    const told = line('line_page', `Pay\r\nTab: mine\u2028For: {text} ${'x'.repeat(9000)}`);

    expect(told.text).toMatch(/^Page: Pay Tab: mine For: \{text\} x+… \(\+70\d\d\)$/);
    expect(told.text.length).toBeLessThan(2_100);
    expect(saidText(told, chinese)).toMatch(/^网页标题：Pay Tab: mine For: \{text\} x+… \(\+70\d\d\)$/);
    expect(line('line_page', 'x'.repeat(2_000)).text).toBe(`Page: ${'x'.repeat(2_000)}`);
  });

  test('does not compile with a label that does not exist', () => {
    // @ts-expect-error: there is no such label.
    line('line_promise', 'x');
    // @ts-expect-error: there is no such label.
    toolLine('line_promise', 'x');
  });
});

describe('a line of a tool', () => {
  test('comes in English for an earlier companion, and is said by its code', () => {
    const lines = [toolLine('line_time', toolText('since', { from: '2 weeks ago' })), codeLine(2, 'a: b')];

    expect(lines).toMatchObject([
      { label: 'Time', text: 'from 2 weeks ago to now' },
      { label: 'Code 2', text: 'a: b' },
    ]);
    expect(CallSubject.parse({ target: null, lines }).lines).toEqual(lines);
    expect(lines.map((each) => saidText(toolsLine(each, true), chinese))).toEqual(['时间：从 2 weeks ago 到现在', '代码 2：a: b']);
  });

  test('of an earlier browser is said as it came', () => {
    expect(saidText(toolsLine({ label: 'Value', text: 'a\nFor: me' }, true), chinese)).toBe('Value: a For: me');
  });

  test('reads as this version words it, not as a browser claims', () => {
    const honest = toolLine('line_careful', cardText('file_keys'));
    const forged = { ...honest, told: { ...honest.told, text: 'Careful: nothing to see' } };
    const inner = { ...honest, told: { ...honest.told, values: { text: { code: 'how_long', values: {}, text: 'for ever\nTab: mine' } } } };
    const unknown = { ...honest, told: { ...honest.told, values: { text: { code: 'no_such', values: {}, text: 'for ever\nTab: mine' } } } };
    const noLine = { ...honest, told: cardText('how_long') };

    expect(toolsLine(forged, true).text).toBe('Careful: by its name this file may hold passwords or keys');
    expect(toolsLine(inner, true).text).toBe('Careful: "in this session" ends after a day, "always" after 90 days');
    expect(saidText(toolsLine(unknown, true), chinese)).toBe('注意：for ever Tab: mine');
    expect(saidText(toolsLine(noLine, true), chinese)).toBe('Careful: by its name this file may hold passwords or keys');
  });

  test("that is not Pilotfish's has no words of ours", () => {
    const told = toolsLine({ ...toolLine('line_careful', cardText('file_keys')), label: 'Careful\nTab' }, false);

    expect(saidText(told, chinese)).toBe('Careful Tab: by its name this file may hold passwords or keys');
  });
});
