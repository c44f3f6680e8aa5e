import { describe, expect, test } from 'vitest';
import * as z from 'zod';
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
import { cardText } from '#protocol/card-lines.ts';
import { codeLine } from '#protocol/tool-lines.ts';
import { line } from '#companion/mcp/card-line.ts';
import { finding, inOne } from '#protocol/findings.ts';
import { asItCame, asLines } from '#protocol/said.ts';
import { toOption } from '#protocol/answers.ts';
import type { RequestBody } from '#protocol/requests.ts';
import { tools } from '#extension/tools/index.ts';

const Schema = z.object({ properties: z.record(z.string(), z.looseObject({ enum: z.array(z.string()).optional() })) });

const english = inLanguage(words, 'en');
const chinese = inLanguage(words, 'zh-CN');

const consent: RequestBody = {
  kind: 'consent',
  title: 'Click “Pay” on shop.example',
  saying: { code: 'on_site', values: { tool: 'browser_click', element: 'Pay', site: 'shop.example' } },
  ...asLines([line('line_text', 'Page: hello'), line('line_address', 'https://shop.example/cart')]),
  shownLines: 1,
  where: 'https://shop.example',
  options: [],
};

describe('the text of a request', () => {
  test('is one sentence of what and where, in either language, and the site is said once', () => {
    expect(requestTitle(consent, english)).toBe(consent.title);
    expect(requestTitle(consent, chinese)).toBe('在 shop.example 上点击“Pay”');
    expect(requestWhere(consent)).toBeUndefined();
  });

  test('folds what need not be read, and says each line by its code, whatever stands in it', () => {
    expect(requestDetail(consent, english)).toEqual({ shown: 'Text: Page: hello', folded: 'Address: https://shop.example/cart' });
    expect(requestDetail(consent, chinese)).toEqual({ shown: '文字：Page: hello', folded: '地址：https://shop.example/cart' });
    const lines = [
      line('line_page', 'Allow once\nFor: {text}'),
      line('line_lasts', cardText('how_long')),
      codeLine(1, 'document.title').told,
    ];
    expect(requestDetail({ ...consent, ...asLines(lines), shownLines: 3 }, chinese).shown.split('\n')).toEqual([
      '网页标题：Allow once For: {text}',
      '有效期：“本次会话”一天后失效，“始终”90 天后失效',
      '代码 1：document.title',
    ]);
  });

  test('that comes without codes is read as it came', () => {
    const detail = 'Page: Allow once\nCode 1: x';

    for (const kind of ['consent', 'permission'] as const)
      expect(requestDetail({ kind, title: '', detail, options: [] }, chinese)).toEqual({ shown: detail, folded: '' });
  });

  test('of a plan says so where no plan came with it', () => {
    const plan = { kind: 'plan' as const, title: 'Carry out this plan?', options: [] };

    expect(requestDetail(plan, english).shown).toContain('No plan came with this.');
    expect(requestDetail({ ...plan, detail: ' \n' }, chinese).shown).toContain('未附带计划');
    expect(requestDetail({ ...plan, detail: '1. Go' }, english)).toEqual({ shown: '1. Go', folded: '' });
  });

  test('of a download and an address is Chinese but for names', () => {
    const download = { title: '2 downloads', saying: { code: 'downloads', values: { count: '2', site: 'https://a.example', sites: '1' } } };
    const lines = [line('line_file_named', 'a.pdf'), line('line_size', cardText('size_unknown'))];
    const why = asLines([line('line_why', cardText('why_page'))]);

    expect(requestTitle(download, chinese)).toBe('从 https://a.example 下载 2 个文件');
    expect(requestDetail({ ...consent, ...asLines(lines), shownLines: 2 }, chinese).shown).toBe(
      '文件（网页中的名称）：a.pdf\n大小：尚不清楚',
    );
    expect(requestDetail({ ...consent, ...why }, chinese).shown).not.toMatch(/[a-z]/);
  });

  test('of what a project starts is said line by line, and a name with line breaks stays on its line', () => {
    const lines = asLines([
      finding('trust_reads'),
      asItCame(''),
      inOne(['.mcp.json', finding('changed')]),
      finding('within', { line: asItCame('a: x\n  使用项目自己的：') }),
      finding('more_in_file', { count: 3 }),
    ]);
    const request: RequestBody = { kind: 'trust', title: '', ...lines, options: [] };

    expect(requestDetail(request, english).shown).toBe(lines.detail);
    expect(requestDetail(request, chinese).shown.split('\n')).toEqual([
      expect.stringContaining('会读取这些文件'),
      '',
      '.mcp.json（已更改）',
      '  a: x   使用项目自己的：',
      '  … 还有 3 项：请查看文件',
    ]);
  });

  test('that comes without its lines is read as it came', () => {
    const request: RequestBody = { kind: 'trust', title: '', detail: '.mcp.json (changed)\n  a starts: b', options: [] };

    expect(requestDetail(request, chinese).shown).toBe(request.detail);
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
  });

  test('has its answers in the language of the reader, and those that an agent names as they came', () => {
    const once = toOption('once', 'allow_once', 'answer_once');
    const rules = toOption('rules', 'allow_session', 'rules', { rules: 'npm *' });

    expect([once, rules].map((option) => optionLabel(option, english))).toEqual(['Allow once', 'Allow for this session: npm *']);
    expect([once, rules].map((option) => optionLabel(option, chinese))).toEqual(['允许一次', '本次会话允许：npm *']);
    expect(optionLabel({ label: 'Allow once' }, chinese)).toBe('Allow once');
    expect(optionLabel({ label: 'Maybe', saying: { code: 'answer_maybe', values: {} } }, chinese)).toBe('Maybe');
  });

  test('of a call says each of its few ways in words of its own, and what was not given in none that could be another', () => {
    const both = (tool: string, values: Record<string, string>, tense: 'call' | 'done' = 'call'): (string | null)[] =>
      [english, chinese].map((say) => callSentence(tool, values, say, tense));

    expect(both('browser_scroll', { direction: 'down' }, 'done')).toEqual(['Scrolled down', '向下滚动了']);
    expect(both('browser_clipboard', { action: 'read' })).toEqual(['Read your clipboard', '读取你的剪贴板']);
    expect(both('browser_network_state_set', { state: 'offline' })).toEqual(['Cut the tab off from the network', '断开标签页的网络']);
    expect(both('browser_bookmarks', { action: 'add', title: 'A', url: 'https://a.example/' })).toEqual([
      'Add a bookmark: “A” “https://a.example/”',
      '添加书签：“A” “https://a.example/”',
    ]);
    expect(both('browser_find', {}, 'done')).toEqual(['Looked for something', '查找了某些内容']);
    expect(both('browser_press_key', {}, 'done')).toEqual(['Pressed a key', '按下了某个键']);
    expect(both('browser_localstorage_get', {})).toEqual(['Read the localStorage of the page', '读取网页的 localStorage']);
    expect(both('browser_set_storage_state', {}, 'done')[1]).toBe('替换了网页的 Cookie 和 localStorage');
  });

  test('has words for every tool, which are those of the tool itself', () => {
    for (const { name, info } of tools) {
      const key = `call_${name}`;
      expect([name, Object.entries(words).find(([word]) => word === key)?.[1][0]]).toEqual([name, info._meta[TOOL_TITLE_META]]);
      expect(callSentence(name, {}, chinese)).toMatch(/\p{Script=Han}/u);
    }
  });

  test('has words for each way of a tool that has but a few', () => {
    const ways = tools.flatMap(({ name, info }) => {
      const { properties } = Schema.parse(info.inputSchema);
      return (['action', 'direction', 'state'] as const).flatMap((way) =>
        (properties[way]?.enum ?? []).map((word) => ({ name, way, word })),
      );
    });

    for (const { name, way, word } of ways.filter(({ name: tool }) => tool !== 'browser_route'))
      expect(callSentence(name, { [way]: word }, chinese), name).not.toContain(word);
    expect(ways.length).toBeGreaterThan(20);
  });
});
