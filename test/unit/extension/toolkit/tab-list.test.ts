import { describe, expect, test } from 'vitest';
import { renderTabs } from '#extension/toolkit/tab-list.ts';
import type { TabRow } from '#extension/toolkit/tool.ts';

const tabs = (count: number): TabRow[] =>
  Array.from({ length: count }, (_, index) => ({
    tabId: index + 1,
    url: `https://example.org/${'a'.repeat(150)}/${index}`,
    title: `Page ${index} ${'b'.repeat(150)}`,
    isActive: false,
    windowId: 1,
    isPrivate: false,
    isOwn: false,
    isCurrent: false,
  }));

describe('the list of open tabs', () => {
  test('a short one shows every tab, with its title and address', () => {
    const list = renderTabs(tabs(3));

    expect(list).toMatchObject({ shown: 3, found: 3 });
    expect(list.text).toContain(`"Page 2 ${'b'.repeat(150)}" https://example.org/${'a'.repeat(150)}/2`);
  });

  test('one of 150 tabs stays under 16,000 characters, and counts what it leaves out', () => {
    const list = renderTabs(tabs(150));

    expect(list.text.length).toBeLessThan(16_000);
    expect(list).toMatchObject({ shown: 80, found: 150 });
  });

  test('the tabs of the session and those that the user sees are always in it', () => {
    const rows = tabs(150).map((row) => ({ ...row, isOwn: row.tabId > 145, isActive: row.tabId === 140 }));

    const { text } = renderTabs(rows);

    for (const tabId of [140, 146, 150]) expect(text).toContain(`- ${tabId} (`);
  });

  test('windows are told apart where there are several', () => {
    const [one, two] = tabs(2);
    const rows = [one, two].flatMap((row, index) => (row === undefined ? [] : [{ ...row, windowId: 7 + index }]));

    expect(renderTabs(rows).text).toMatch(/^- 1 \(window 7\): .*\n- 2 \(window 8\): /);
    expect(renderTabs(rows.slice(1)).text).toMatch(/^- 2: /);
  });

  test('those of private windows are marked', () => {
    const rows = tabs(2).map((row) => ({ ...row, isPrivate: row.tabId === 2 }));

    expect(renderTabs(rows).text).toMatch(/^- 1: .*\n- 2 \(private\): /);
  });

  test('what is looked for is found among all of them, in any case', () => {
    expect(renderTabs(tabs(150), 'PAGE 149')).toMatchObject({ shown: 1, found: 1 });
  });
});
