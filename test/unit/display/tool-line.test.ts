import { describe, expect, test } from 'vitest';
import { tools } from '#extension/tools/index.ts';
import { toolFault, toolInput, toolName, toolPurpose, toolSentence, toolTarget } from '#display/tool-line.ts';
import { inLanguage, words } from '#display/words.ts';

const body = { kind: 'tool', tool: 'Bash', toolKind: 'execute', title: 'Bash', text: '' } as const;

describe('the line of a tool call', () => {
  test.each([
    ['Read', 'Read tides.txt', 'tides.txt'],
    ['Read', 'Read: tides.txt', 'tides.txt'],
    ['Read', 'Readme.md', 'Readme.md'],
    ['Read', 'Read', ''],
    ['Bash', 'npm test', 'npm test'],
  ])('%s, %s: the name stands once', (tool, title, target) => {
    expect(toolTarget({ tool, title })).toBe(target);
  });

  test('by which an agent turns to the person has a name in words', () => {
    const names = (language: string) =>
      ['AskUserQuestion', 'ExitPlanMode', 'Bash'].map((tool) => toolName({ tool }, inLanguage(words, language)));

    expect(names('en')).toEqual(['Question', 'Plan', 'Bash']);
    expect(names('zh')).toEqual(['问题', '计划', 'Bash']);
  });
});

describe('a call to the browser', () => {
  const click = { ...body, tool: 'browser_click', toolKind: 'browser', input: { target: 'e1', element: 'Show next week' } } as const;

  test('is a sentence without a tool name or a ref, in either language', () => {
    expect(toolSentence(click, inLanguage(words, 'en'))).toBe('Click “Show next week”');
    expect(toolSentence(click, inLanguage(words, 'zh'))).toBe('点击“Show next week”');
    expect(toolSentence({ ...click, input: { target: 'e1' } }, inLanguage(words, 'en'))).toBe('Click an element');
    expect(toolSentence({ ...click, tool: 'browser_tabs', input: { action: 'list' } }, inLanguage(words, 'en'))).toBe('Look at the tabs');
    expect(toolSentence({ ...click, tool: 'browser_tabs', input: { action: 'x', url: 'a' } }, inLanguage(words, 'en'))).toBe(
      'Use the tabs: “x” “a”',
    );
    // No argument makes it the sentence of another tool.
    expect(toolSentence({ ...click, tool: 'browser_navigate', input: { action: 'back', url: 'a' } }, inLanguage(words, 'en'))).toBe(
      'Open “a”',
    );
    for (const [target, said] of [
      ['Show next week', '“Show next week”'],
      ['下一周', '“下一周”'],
      ['f1e12', 'an element'],
      ['button', 'an element'],
      ['div.week > a', 'an element'],
      ['text=Week', 'an element'],
    ] as const)
      expect(toolSentence({ ...click, input: { target } }, inLanguage(words, 'en'))).toBe(`Click ${said}`);
    expect(toolSentence({ ...click, tool: 'chrome_click' }, inLanguage(words, 'en'))).toBeNull();
    expect(toolSentence({ ...click, toolKind: 'other' }, inLanguage(words, 'en'))).toBeNull();
  });

  test('that failed says why in either language, and nothing that is meant for the model', () => {
    const text =
      'TARGET_NOT_FOUND: No element has this ref or selector. e4 was never given out. Take a new browser_snapshot and use a ref from it.';
    const why = (change: object, language = 'en') => toolFault({ ...click, text, ...change }, inLanguage(words, language));

    expect(why({})).toBe('No element has this ref or selector.');
    expect(why({}, 'zh')).toBe('没有元素符合此引用或选择器。');
    for (const change of [{ toolKind: 'execute' }, { text: 'Error: no' }, { text: 'NO_SUCH_CODE: no' }, { text: '' }])
      expect(why(change)).toBeNull();
  });

  test('is told as what was done once it is over, and a look names the page', () => {
    const english = inLanguage(words, 'en');
    const text =
      'Snapshot of tab 7.\n<page-0123456789ab origin="https://t.example" trust="untrusted">\nurl: https://t.example/\ntitle: Tide tables\n\n[e1 x]';
    const look = { ...body, tool: 'browser_snapshot', toolKind: 'browser', input: {}, text } as const;

    expect(toolSentence(click, english, 'completed')).toBe('Clicked “Show next week”');
    expect(toolSentence(click, english, 'running')).toBe('Click “Show next week”');
    expect(toolSentence(click, english, 'failed')).toBe('Click “Show next week”');
    expect(toolSentence(look, english, 'completed')).toBe('Looked at “Tide tables”');
    expect(toolSentence(look, inLanguage(words, 'zh'), 'completed')).toBe('查看了“Tide tables”');
    expect(toolSentence({ ...look, text: 'title: said by nobody' }, english, 'completed')).toBe('Looked at the page');
    expect(toolSentence({ ...look, tool: 'browser_read' }, english, 'completed')).toBe('Read the text of “Tide tables”');
  });

  test('has words for what every tool has done', () => {
    for (const { name } of tools)
      expect(toolSentence({ ...click, tool: name }, inLanguage(words, 'zh'), 'completed')).toMatch(/\p{Script=Han}/u);
  });

  test('shows its arguments one on a line', () => {
    expect(toolInput({ ...click, input: { target: 'e1', fields: [{ value: 'x' }] } })).toBe('target: e1\nfields: [{"value":"x"}]');
  });
});

describe('what a call was given', () => {
  test('is its command, its task, its text, or JSON', () => {
    expect(toolInput({ ...body, input: { command: 'ls -l', description: 'List' } })).toBe('$ ls -l');
    expect(toolInput({ ...body, title: 'ls -l', input: { command: 'ls -l' } })).toBe('$ ls -l');
    expect(toolInput({ ...body, toolKind: 'task', input: { prompt: 'Look around' } })).toBe('Look around');
    expect(toolInput({ ...body, toolKind: 'other', input: 'text' })).toBe('text');
    expect(toolInput({ ...body, toolKind: 'other', input: { a: 1 } })).toBe('a: 1');
  });

  test('comes with what the agent says it is for, where it says so of a command', () => {
    expect(toolPurpose({ ...body, input: { command: 'ls -l', description: ' List the files ' } })).toBe('List the files');
    expect(toolPurpose({ ...body, input: { command: 'ls -l', description: 7 } })).toBe('');
    expect(toolPurpose({ ...body, input: 'ls -l' })).toBe('');
    expect(toolPurpose({ ...body, toolKind: 'other', input: { description: 'List' } })).toBe('');
  });

  test('is nothing where the line or a diff says it all', () => {
    expect(toolInput({ ...body, toolKind: 'search', title: 'tides', input: 'tides' })).toBe('');
    expect(toolInput({ ...body, input: {} })).toBe('');
    expect(toolInput({ ...body, input: { a: 1 }, changes: [{ path: 'a', change: 'update', unified: '' }] })).toBe('');
  });
});
