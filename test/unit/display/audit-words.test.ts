import { describe, expect, test } from 'vitest';
import { auditBy, auditResult, auditSubject } from '#display/audit-words.ts';
import { inLanguage, words } from '#display/words.ts';

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
    ['somebody new', 'somebody new'],
  ])('%s is %s', (by, chinese) => {
    expect(auditBy(by, zh)).toBe(chinese);
    expect(auditBy(by, en)).toBe(by);
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
  ])('%s came out as %s', (result, chinese) => {
    expect(auditResult(result, zh)).toBe(chinese);
    expect(auditResult(result, en)).toBe(result);
  });

  test('a class of tools is said, the name of one stays', () => {
    expect(auditSubject('sensitive (browser_evaluate)', zh)).toBe('敏感操作 (browser_evaluate)');
    expect(auditSubject('browser_evaluate', zh)).toBe('browser_evaluate');
    expect(auditSubject('write', en)).toBe('write');
  });
});
