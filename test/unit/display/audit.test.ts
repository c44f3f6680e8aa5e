import { describe, expect, test } from 'vitest';
import { auditLines, classText } from '#display/audit.ts';
import { inLanguage, words } from '#display/words.ts';
import { type AuditEntry, type AuditRecord, toKept } from '#protocol/audit.ts';
import { classInAudit, faultInAudit, inAudit } from '#protocol/audit-lines.ts';
import { CompanionError } from '#protocol/errors.ts';
import { asItCame } from '#protocol/said.ts';

const zh = inLanguage(words, 'zh-CN');
const en = inLanguage(words, 'en');

const place = { hash: 'h', seq: 1, at: '2026-01-02T03:04:05Z' };
const person = inAudit('who_person');
const done = inAudit('came_done');
const kept = (record: Partial<AuditRecord>): AuditEntry => ({
  ...place,
  ...toKept({ kind: 'act', by: person, what: 'POST /api/roots', result: '200', ...record }),
});
const lineOf = (record: Partial<AuditRecord>, say = zh): string => {
  const [line] = auditLines([kept(record)], say, 'en-GB');
  return line === undefined ? '' : [line.what, line.where, line.by, line.result].filter((text) => text !== '').join(' · ');
};

describe('the audit', () => {
  test.each<[Partial<AuditRecord>, string, string]>([
    [
      {
        kind: 'decision',
        what: 'browser_evaluate',
        toolClass: 'sensitive',
        by: inAudit('who_agent', { name: 'Claude Code' }),
        result: inAudit('allowed_by', { rule: inAudit('rule_yes_once') }),
      },
      'Decided: browser_evaluate (sensitive) · the agent Claude Code · allowed: the user allowed it (once)',
      '决定：运行网页代码（敏感操作） · 智能体 Claude Code · 已允许：你已允许（仅此一次）',
    ],
    [
      {
        kind: 'decision',
        what: 'browser_click',
        by: inAudit('who_program', { name: 'Cursor', id: 'program 12' }),
        result: faultInAudit('denied_for', new CompanionError('TARGET_NOT_FOUND', 'e4 was never given out.').toBody()),
      },
      'Decided: browser_click · the program from outside "Cursor", program 12 · denied: TARGET_NOT_FOUND: No element has this ref or selector. e4 was never given out.',
      '决定：点击一个元素 · 外部程序“Cursor”（program 12） · 已拒绝（TARGET_NOT_FOUND）：没有元素符合此引用或选择器。',
    ],
    [
      {
        kind: 'decision',
        what: 'browser_click',
        result: faultInAudit(
          'denied_for',
          new CompanionError('SITE_NOT_ALLOWED', inAudit('rule_read_only', { origin: 'https://a.example' })).toBody(),
        ),
      },
      'Decided: browser_click · the person · denied: SITE_NOT_ALLOWED: The user set a rule for this site that forbids it. https://a.example is only to be read',
      '决定：点击一个元素 · 本人 · 已拒绝（SITE_NOT_ALLOWED）：用户为此网站设置的规则不允许此操作。https://a.example 仅可查看',
    ],
    [
      { kind: 'outcome', what: 'browser_page_tool', toolClass: 'write', element: 'order\u202e', result: done },
      'Ended: browser_page_tool “order⟨U+202E⟩” (write) · the person · done',
      '结果：使用网页的工具“order⟨U+202E⟩”（更改网页） · 本人 · 完成',
    ],
    [
      { kind: 'decision', what: classInAudit('download'), toolClass: 'download', element: 'tides.pdf', result: done },
      'Decided: download “tides.pdf” · the person · done',
      '决定：下载“tides.pdf” · 本人 · 完成',
    ],
    [{ kind: 'outcome', what: 'later_tool', result: done }, 'Ended: later_tool · the person · done', '结果：later_tool · 本人 · 完成'],
    [{}, 'Done: POST /api/roots · the person · 200', '操作：POST /api/roots · 本人 · 200'],
    [
      {
        kind: 'grant',
        what: classInAudit('sensitive', 'browser_evaluate'),
        result: inAudit('granted_session', { id: 'grant_1', client: 'Claude Code', session: 's1' }),
      },
      'Allowed for longer: sensitive (browser_evaluate) · the person · grant_1, for Claude Code, in session s1',
      '持续授权：敏感操作（browser_evaluate） · 本人 · grant_1，授予 Claude Code，限会话 s1',
    ],
    [
      {
        kind: 'grant',
        what: inAudit('about_client', {
          name: 'Cursor: beta',
          program: inAudit('program_not_known'),
          pid: inAudit('pid_not_known'),
          origin: inAudit('came_by_program'),
        }),
        result: inAudit('admission_turned_away', { id: 'a1b2' }),
      },
      'Allowed for longer: client "Cursor: beta", program not known, process not known, program · the person · a1b2 turned away',
      '持续授权：程序“Cursor: beta”，未知程序，进程 未知，来源：程序 · 本人 · a1b2 已拒绝',
    ],
    [
      {
        by: inAudit('who_terminal', { pid: 12, program: inAudit('unknown_program') }),
        what: inAudit('about_stop'),
        result: inAudit('came_asked'),
      },
      'Done: stop · a terminal, process 12 (unknown program) · asked',
      '操作：停止任务 · 终端，进程 12（未知程序） · 已请求',
    ],
  ])('%o is read in both languages', (record, english, chinese) => {
    expect(lineOf(record, en)).toBe(english);
    expect(lineOf(record)).toBe(chinese);
  });

  test('shows entries that were kept before they had codes in the words that they have', () => {
    const old: AuditEntry = { ...place, kind: 'grant', by: 'the person', what: 'rule of a site', result: 'example.org: never' };

    expect(auditLines([old], zh, 'zh-CN')).toMatchObject([
      { what: '持续授权：rule of a site', by: 'the person', result: 'example.org: never' },
    ]);
  });

  test('hides nothing of what an agent or a page calls itself', () => {
    expect(lineOf({ by: inAudit('who_agent', { name: 'a\u202eb\u200b' }) }, en)).toBe(
      'Done: POST /api/roots · the agent a⟨U+202E⟩b⟨U+200B⟩ · 200',
    );
    expect(lineOf({ by: asItCame('the person\u0007') })).toContain('the person⟨U+0007⟩');
  });

  test('names of thousands of characters are cut, and stand on one line', () => {
    const line = lineOf({ kind: 'outcome', what: 'browser_page_tool', element: `a\n${'b'.repeat(10_000)}`, result: done }, en);

    expect(line).toMatch(/^Ended: browser_page_tool “a b{100,120}…” · the person · done$/);
  });

  test('a class of tools is named, one that is not known stays', () => {
    expect([classText('write', zh), classText('write', en), classText('later', zh)]).toEqual(['更改网页', 'write', 'later']);
  });

  test('the end of a call says how long it took and how much the agent was given, where that is known', () => {
    const base = { kind: 'outcome', what: 'y', result: done } as const;
    const calls = [kept(base), kept({ ...base, durationMs: 240 }), kept({ ...base, durationMs: 240, answerBytes: 34_000 })];

    expect(auditLines(calls, zh, 'zh-CN').map(({ amount }) => amount)).toEqual(['0.2 秒 · 34 kB', '0.2 秒', '']);
  });
});
