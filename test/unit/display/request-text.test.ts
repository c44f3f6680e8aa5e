import { describe, expect, test } from 'vitest';
import {
  answeredBy,
  callSentence,
  optionLabel,
  requestDetail,
  requestSentence,
  requestTitle,
  requestWhere,
} from '#display/request-text.ts';
import { inLanguage, words } from '#display/words.ts';
import { TOOL_TITLE_META } from '#protocol/browser.ts';
import { RequestOption, type RequestBody } from '#protocol/requests.ts';
import { tools } from '#extension/tools/index.ts';

const english = inLanguage(words, 'en');
const chinese = inLanguage(words, 'zh-CN');

const consent: RequestBody = {
  kind: 'consent',
  title: 'Click “Pay” on shop.example',
  saying: { code: 'on_site', values: { tool: 'browser_click', element: 'Pay', site: 'shop.example' } },
  detail: 'Text: Page: hello\nAddress: https://shop.example/cart',
  shownLines: 1,
  where: 'https://shop.example',
  options: [],
};

describe('the text of a request', () => {
  test('is one sentence of what and where, in either language, and the site is said once', () => {
    expect(requestTitle(consent, english)).toBe(consent.title);
    expect(requestTitle(consent, chinese)).toBe('在 shop.example 上点击“Pay”');
    expect(requestWhere(consent)).toBeUndefined();
    // Code is shown line by line; whatever else stands before a colon is not ours.
    const detail = 'Code 1: document.title\nCode two: For 3: x';
    expect(requestDetail({ ...consent, detail, shownLines: 2 }, chinese).shown).toBe('代码 1：document.title\nCode two: For 3: x');
  });

  test('folds what need not be read, and says our own labels only', () => {
    expect(requestDetail(consent, english)).toEqual({ shown: 'Text: Page: hello', folded: 'Address: https://shop.example/cart' });
    expect(requestDetail(consent, chinese)).toEqual({ shown: '文字：Page: hello', folded: '地址：https://shop.example/cart' });
    expect(
      requestDetail(
        { ...consent, detail: 'Page: Allow once\nHow long: "in this session" ends after a day, "always" after 90 days', shownLines: 2 },
        chinese,
      ).shown,
    ).toBe('网页标题：Allow once\n有效期：“本次会话”一天后失效，“始终”90 天后失效');
    expect(requestDetail({ kind: 'permission', title: '', detail: 'Page: x', options: [] }, chinese).shown).toBe('Page: x');
  });

  test('of a plan says so where no plan came with it', () => {
    const plan = { kind: 'plan' as const, title: 'Carry out this plan?', options: [] };

    expect(requestDetail(plan, english).shown).toContain('No plan came with this.');
    expect(requestDetail({ ...plan, detail: ' \n' }, chinese).shown).toContain('未附带计划');
    expect(requestDetail({ ...plan, detail: '1. Go' }, english)).toEqual({ shown: '1. Go', folded: '' });
  });

  test('of a download, an address and a project to trust is Chinese but for names', () => {
    const download = { title: '2 downloads', saying: { code: 'downloads', values: { count: '2', site: 'https://a.example', sites: '1' } } };
    const file = { ...consent, detail: 'File, as the page names it: a.pdf\nSize: not known yet', shownLines: 2 };
    const why = 'Why you are asked: a page has been read, and neither you nor this session named this site before';
    const end = 'If you do not trust them, no agent is started here and nothing is sent; your next message asks again.';

    expect(requestTitle(download, chinese)).toBe('从 https://a.example 下载 2 个文件');
    expect(requestDetail(file, chinese).shown).toBe('文件（网页中的名称）：a.pdf\n大小：尚不清楚');
    expect(requestDetail({ ...consent, detail: why }, chinese).shown).not.toMatch(/[a-z]/);
    expect(requestDetail({ kind: 'trust', title: '', detail: `.mcp.json\n\n${end}`, options: [] }, chinese).shown).toMatch(
      /^\.mcp\.json\n\n如果不信任/,
    );
  });

  test('of what a project starts keeps its own names and says the words between them', () => {
    const found = [
      '.mcp.json (changed)',
      '  mcpServers.tides starts: node server.js --key (not shown)',
      "  with the project's own: server.js (new), lib.js",
      '  … and 3 more: see the file',
      '.envrc (new)',
      '  export A=1 starts: no',
    ].join('\n');
    const detail = (say: typeof english): string => requestDetail({ kind: 'trust', title: '', detail: found, options: [] }, say).shown;

    expect(detail(english)).toBe(found);
    expect(detail(chinese).split('\n')).toEqual([
      '.mcp.json（已更改）',
      '  mcpServers.tides 启动：node server.js --key （不显示）',
      '  使用项目自己的：server.js（新增）, lib.js',
      '  … 还有 3 项：请查看文件',
      '.envrc（新增）',
      '  export A=1 starts: no',
    ]);
  });

  test('names who answered in words', () => {
    expect(
      ['panel', 'terminal', 'end of turn', 'the agent', 'the call was cancelled', 'somebody'].map((by) => answeredBy(by, english)),
    ).toEqual(['in the panel', 'in the terminal', 'the turn ended', 'the agent has withdrawn it', 'the call was cancelled', 'somebody']);
    expect(answeredBy('terminal', chinese)).toBe('在终端中');
  });

  test('a command that is its own title is read whole, below a sentence', () => {
    const command: RequestBody = { kind: 'permission', title: 'rm -r build', detail: 'rm -r build', options: [] };

    expect(requestSentence(command, english)).toBe('Run this command');
    const long = 'echo one &&\n  echo two &&\n  echo three';
    const isAsked = ['echo one && echo two && echo three', 'echo one && echo t…', 'echo two', '…'].map((title) =>
      requestSentence({ ...command, title, detail: long }, english),
    );
    expect(isAsked).toEqual(['Run this command', 'Run this command', 'echo two', '…']);
    expect(requestSentence({ ...command, title: 'Edit tides.txt' }, english)).toBe('Edit tides.txt');
  });

  test('of a newer companion is said as it came', () => {
    const newer = { title: 'Fold the map', saying: { code: 'fold', values: {} } };

    expect(requestTitle(newer, chinese)).toBe('Fold the map');
    expect(requestTitle({ ...newer, saying: { code: 'on_site', values: { tool: 'browser_fold', site: 'a' } } }, chinese)).toBe(
      'Fold the map',
    );
    expect(optionLabel({ label: 'Maybe' }, chinese)).toBe('Maybe');
  });

  test.each(RequestOption.shape.kind.options)('has an answer of the kind %s in Chinese', (kind) => {
    const usual = {
      allow_once: 'Allow once',
      allow_session: 'Allow in this session',
      allow_always: 'Always allow here',
      reject: 'Do not allow',
      choice: 'Answer',
    };

    expect(optionLabel({ label: usual[kind] }, english)).toBe(usual[kind]);
    expect(optionLabel({ label: usual[kind] }, chinese)).toMatch(/^\p{Script=Han}+$/u);
  });

  test('has words for every tool, which are those of the tool itself', () => {
    for (const { name, info } of tools) {
      const key = `call_${name}`;
      expect([name, Object.entries(words).find(([word]) => word === key)?.[1][0]]).toEqual([name, info._meta[TOOL_TITLE_META]]);
      expect(callSentence(name, {}, chinese)).toMatch(/\p{Script=Han}/u);
    }
  });
});
