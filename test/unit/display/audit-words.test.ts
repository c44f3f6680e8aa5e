import { describe, expect, test } from 'vitest';
import { auditLines } from '#display/audit.ts';
import { actResult, auditBy, auditFault, auditResult, auditSubject } from '#display/audit-words.ts';
import { inLanguage, words } from '#display/words.ts';
import type { AuditEntry } from '#protocol/audit.ts';

const zh = inLanguage(words, 'zh-CN');
const en = inLanguage(words, 'en');

describe('the words of the audit', () => {
  test.each([
    ['the person', '本人'],
    ['the panel of browser-1', 'browser-1 的侧边栏'],
    ['the agent Claude Code', '智能体 Claude Code'],
    ['the agent of the session', '会话的智能体'],
    ['the program from outside "Cursor", program 12', '外部程序“Cursor”（program 12）'],
    ['a terminal, process 12 (/usr/bin/bash)', '终端，进程 12（/usr/bin/bash）'],
    ['a program of an agent, process 12 (unknown program)', '智能体启动的程序，进程 12（未知程序）'],
    ['a page of browser-1', 'browser-1 中的网页'],
    ['somebody new', 'somebody new'],
  ])('%s is %s', (by, chinese) => {
    expect(auditBy(by, zh)).toBe(chinese);
    expect(auditBy(by, en)).toBe(by);
  });

  test('a person reads why a call came to nothing, and neither a code nor the rule', () => {
    expect(actResult('denied: TARGET_NOT_FOUND: No element has this ref or selector. e4 was never given out.', en)).toBe(
      'No element has this ref or selector',
    );
    expect(actResult('TARGET_NOT_FOUND: No element', zh)).toBe('没有元素符合此引用或选择器');
    expect(actResult('allowed: write on https://tides.example was allowed to Claude Code always', en)).toBe('allowed');
    expect(actResult('denied: NO_SUCH_CODE: x', zh)).toBe('已拒绝（NO_SUCH_CODE）');
    expect(actResult('done', zh)).toBe('完成');
  });

  test.each([
    ['allowed: reading is allowed', '已允许'],
    ['denied: the user did not allow it', '已拒绝'],
    ['denied: TOOL_DENIED: The person did not\nallow it.', '已拒绝（TOOL_DENIED）'],
    ['PAGE_GONE: It is gone.', '失败（PAGE_GONE）'],
    ['done', '完成'],
    ['the tool failed', '工具失败'],
    ['grant_1, for Claude Code, in session s1', 'grant_1，授予 Claude Code，限会话 s1'],
    ['200 allow_once', '200 allow_once'],
    ['example.org: read_only', 'example.org：仅可查看'],
    ['example.org: no rule any more', 'example.org：已无规则'],
    ['a1b2 turned away', 'a1b2 已拒绝'],
  ])('%s came out as %s', (result, chinese) => {
    expect(auditResult(result, zh)).toBe(chinese);
    expect(auditResult(result, en)).toBe(result);
  });

  test('a class of tools is said, the name of one stays', () => {
    expect(auditSubject('sensitive (browser_evaluate)', zh)).toBe('敏感操作（browser_evaluate）');
    expect(auditSubject('browser_evaluate', zh)).toBe('browser_evaluate');
    expect(auditSubject('write', en)).toBe('write');
  });

  test('an entry and a fault have no signs of English between Chinese words', () => {
    const base = { hash: 'h', seq: 1, at: '2026-01-02T03:04:05Z', result: 'done' } as const;
    const what = 'client "Cursor: beta", program not known, process not known, program';
    const whatOf = (entry: Pick<AuditEntry, 'kind' | 'by' | 'what' | 'toolClass'>): string | undefined =>
      auditLines([{ ...base, ...entry }], zh, 'zh-CN')[0]?.what;

    expect(whatOf({ kind: 'outcome', by: 'the person', what: 'browser_evaluate', toolClass: 'sensitive' })).toBe(
      '结果：运行网页代码（敏感操作）',
    );
    expect(whatOf({ kind: 'grant', by: 'the person', what })).toBe('持续授权：程序“Cursor: beta”');
    expect(auditLines([{ ...base, kind: 'act', by: 'the person', what: 'stop', toolClass: 'write' }], en, 'en-GB')[0]?.what).toBe(
      'Done: stop (write)',
    );
    expect(auditFault('Entry 7 was changed, or the one before it.', zh)).toBe('第 7 条或其前一条被更改。');
  });

  test('the end of a call says how long it took and how much the agent was given, where that is known', () => {
    const base = { hash: 'h', seq: 1, at: '2026-01-02T03:04:05Z', kind: 'outcome', by: 'x', what: 'y', result: 'done' } as const;
    const calls = [base, { ...base, durationMs: 240 }, { ...base, durationMs: 240, answerBytes: 34_000 }];

    expect(auditLines(calls, zh, 'zh-CN').map(({ amount }) => amount)).toEqual(['0.2 秒 · 34 kB', '0.2 秒', '']);
  });
});
