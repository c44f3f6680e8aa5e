import { describe, expect, test } from 'vitest';
import { saidText, warningLine } from '#display/said.ts';
import { answerWords } from '#display/answer-words.ts';
import { auditLineWords, ruleWords } from '#display/audit-line-words.ts';
import { cardLineWords } from '#display/card-line-words.ts';
import { checkWords } from '#display/check-words.ts';
import { findingWords } from '#display/finding-words.ts';
import { frontFaultWords } from '#display/front-fault-words.ts';
import { faultWords } from '#display/fault-words.ts';
import { noticeWords } from '#display/notice-words.ts';
import { labelWords } from '#display/label-words.ts';
import { linkFaultWords } from '#display/link-fault-words.ts';
import { toolLineWords } from '#display/tool-line-words.ts';
import { warningWords } from '#display/warning-words.ts';
import { inLanguage, words } from '#display/words.ts';
import { ANSWERS } from '#protocol/answers.ts';
import { AUDIT_LINES, RULE_LINES } from '#protocol/audit-lines.ts';
import { CARD_LABELS, CARD_TEXTS } from '#protocol/card-lines.ts';
import { CHECKS } from '#protocol/checks.ts';
import { FRONT_FAULTS } from '#protocol/front-faults.ts';
import { FINDINGS } from '#protocol/findings.ts';
import { explain, FAULTS } from '#protocol/faults.ts';
import { placesIn } from '#protocol/fill.ts';
import { NOTICES } from '#protocol/notices.ts';
import { LINK_FAULTS } from '#protocol/link-faults.ts';
import { asItCame, sayingOf } from '#protocol/said.ts';
import { TOOL_LABELS, TOOL_TEXTS } from '#protocol/tool-lines.ts';
import { labelled, LABELS, MODE_DESCRIPTIONS, nameIn } from '#protocol/modes.ts';
import { WARNINGS, warn } from '#protocol/warnings.ts';

const [english, chinese] = [inLanguage(words, 'en'), inLanguage(words, 'zh-CN')];

/** Each table of sentences with its Chinese. */
const tables: readonly (readonly [english: Readonly<Record<string, string>>, chinese: Readonly<Record<string, string>>])[] = [
  [WARNINGS, warningWords],
  [CHECKS, checkWords],
  [FAULTS, faultWords],
  [LINK_FAULTS, linkFaultWords],
  [FRONT_FAULTS, frontFaultWords],
  [FINDINGS, findingWords],
  [ANSWERS, answerWords],
  [{ ...LABELS, ...MODE_DESCRIPTIONS }, labelWords],
  [{ ...TOOL_LABELS, ...TOOL_TEXTS }, toolLineWords],
  [{ ...CARD_LABELS, ...CARD_TEXTS }, cardLineWords],
  [
    { ...AUDIT_LINES, ...RULE_LINES },
    { ...auditLineWords, ...ruleWords },
  ],
  [NOTICES, noticeWords],
];

const sentences = tables.flatMap(([inEnglish, inChinese]) =>
  Object.entries(inEnglish).map(([code, text]) => [code, text, inChinese[code] ?? ''] as const),
);

/** Names, and what a person types. */
const NAMES =
  /`[^`]*`|pilotfish clients|\{[^}]*\}|[\w-]+:\/\/\S+|libsecret(?:-1-0)?|Debian|Ubuntu|Fedora|Arch|gnome-keyring(?:-daemon)?|KWallet|KDE|SSH|Linux|macOS|Login|PILOTFISH_HOME|[Pp]ilotfish|JSON|\bgit\b|Chrome|Chromium|Edge|Brave|Vivaldi|Opera|Arc|stdio|IDs?|PATH|Ollama|LM Studio|llama\.cpp|MCP|Cookie|Enter|Cursor|\broot\b|NUL|UTF-8|PNG|JPEG|GIF|WebP|GiB|\btoken\b|session\/(?:prompt|new)|initialize|projectId|https?|SHA|settings\.json/gu;

describe('every sentence', () => {
  test('has a code of its own', () => {
    const codes = sentences.map(([code]) => code);

    expect(codes.filter((code, index) => codes.indexOf(code) !== index)).toEqual([]);
  });

  test.each(sentences)('%s has the same places, and the same commands, in both languages', (code, inEnglish, inChinese) => {
    const commandsIn = (text: string): string[] => (text.match(/`(?:sudo )?pilotfish [^`]+`/gu) ?? []).toSorted();

    expect([code, ...placesIn(inChinese).toSorted()]).toEqual([code, ...placesIn(inEnglish).toSorted()]);
    expect(commandsIn(inChinese)).toEqual(commandsIn(inEnglish));
  });

  test('has no English words in its Chinese but names and what is typed', () => {
    const left = sentences.flatMap(([code, , inChinese]) => {
      const found = inChinese.replaceAll(NAMES, '').match(/[a-z]{2,}/giu);
      return found === null ? [] : [[code, ...found]];
    });

    expect(left).toEqual([]);
  });
});

describe('what is said', () => {
  const who = warn('comer', { name: 'B', program: warn('program_not_told'), pid: 7 });
  const waits = { what: warn('browser_waits', { who }), remedy: warn('allow_browser', { id: 'b1' }) };

  test('is read in the language of the reader, with what stands in it', () => {
    expect(warningLine(waits, english)).toBe(
      'The browser "B" (the system does not tell which program, process 7) waits for you. Press "Allow" in its side panel, or run `pilotfish browsers allow b1`.',
    );
    expect(warningLine(waits, chinese)).toBe(
      '浏览器“B”（系统不提供是哪个程序，进程 7）在等待你。请在其侧边栏按“允许”，或运行 `pilotfish browsers allow b1`。',
    );
  });

  test('has its parts in one line', () => {
    const changes = [warn('tools_new', { tools: 'browser_a, browser_b' }), warn('tools_gone', { tools: 'browser_d' })];
    const said = warn('built_tools_changed', { changes });

    expect(saidText(said, english)).toContain(': new browser_a, browser_b; gone browser_d.');
    expect(saidText(said, chinese)).toBe('浏览器工具与上次不同：新增 browser_a, browser_b；消失 browser_d。');
  });

  test('is English where a later version has said it, and in that part alone', () => {
    const later = sayingOf({ later: 'Nobody knows {what} yet.' } as const)('later', { what: 'this' });

    expect(saidText(later, chinese)).toBe('Nobody knows this yet.');
    expect(saidText(warn('tools_unknown', { tools: later }), chinese)).toContain('每次调用都会询问：Nobody knows this yet.');
    expect(warningLine({ what: later, remedy: warn('see_logs') }, chinese)).toBe('Nobody knows this yet. 请查看 `pilotfish logs`。');
    expect(saidText({ ...warn('see_logs'), code: 'comer' }, chinese)).toBe('See `pilotfish logs`.');
    expect(saidText(asItCame('Whatever.'), chinese)).toBe('Whatever.');
    expect(saidText({ ...asItCame('Whatever.'), code: '__proto__' }, chinese)).toBe('Whatever.');
  });

  test('keeps foreign words as they are, also where they look like a place or like a sentence of Pilotfish', () => {
    const said = warn('settings_unreadable', { file: '/srv/{reason}', reason: 'See `pilotfish logs`.' });

    expect(saidText(said, chinese)).toBe('无法读取 /srv/{reason}（See `pilotfish logs`.）；使用默认设置。');
  });

  test('names an agent that Pilotfish has named in the language of the reader, and any other as it is called', () => {
    const needed = (agent: { label: string; labelCode?: string }): string =>
      saidText(explain('has_no_endpoint', { agent: nameIn(agent) }), chinese);

    expect(needed(labelled('local_model'))).toContain('本地模型');
    expect(needed(labelled('local_model'))).not.toMatch(/[a-z]{3}/i);
    expect(needed({ label: 'Claude Code' })).toContain('Claude Code');
  });
});
