import { describe, expect, test } from 'vitest';
import type { ItemStatus } from '#protocol/items.ts';
import { tools } from '#extension/tools/index.ts';
import { toolFault, toolHeadline, toolInput, toolName, toolPurpose, toolSentence, toolTarget } from '#display/tool-line.ts';
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

describe("a call of an agent's own tools", () => {
  const call = (tool: string, title: string, input?: unknown, more: object = {}) => ({
    tool,
    title,
    toolKind: 'other' as const,
    text: '',
    ...(input === undefined ? {} : { input }),
    ...more,
  });
  const edit = { path: '/p/src/a.ts', change: 'update', unified: '' };

  test.each([
    [call('Bash', 'npm test', { command: 'npm test' }), 'Run: npm test', 'Ran: npm test', '运行了：npm test'],
    [call('bash', 'bash tides.sh', { command: 'bash tides.sh' }), 'Run: bash tides.sh', 'Ran: bash tides.sh', '运行了：bash tides.sh'],
    [call('shell', 'rg tide', { command: 'rg tide', cwd: '/p' }), 'Run: rg tide', 'Ran: rg tide', '运行了：rg tide'],
    [call('Bash', 'Bash'), 'Run a command', 'Ran a command', '运行了命令'],
    [call('Read', 'Read src/a.ts', { file_path: '/p/src/a.ts' }), 'Read src/a.ts', 'Read src/a.ts', '读取了 src/a.ts'],
    [call('read_file', 'tides.txt'), 'Read tides.txt', 'Read tides.txt', '读取了 tides.txt'],
    [call('read', '/etc/passwd', { filePath: '/etc/passwd' }), 'Read /etc/passwd', 'Read /etc/passwd', '读取了 /etc/passwd'],
    [call('Read', 'Read'), 'Read a file', 'Read a file', '读取了 一个文件'],
    [
      call('write_file', 'Writing to a.ts'),
      'Write a file: “Writing to a.ts”',
      'Wrote a file: “Writing to a.ts”',
      '写入了 一个文件：“Writing to a.ts”',
    ],
    [call('edit', 'a.ts', undefined, { changes: [edit] }), 'Change a.ts', 'Changed a.ts', '修改了 a.ts'],
    [call('edit', '2 files', undefined, { changes: [edit, edit] }), 'Change 2 files', 'Changed 2 files', '修改了 2 个文件'],
    [
      call('Glob', 'Glob **/*.ts', { pattern: '**/*.ts' }),
      'Look for files: “**/*.ts”',
      'Looked for files: “**/*.ts”',
      '查找了文件：“**/*.ts”',
    ],
    [
      call('Grep', 'Grep src', { pattern: 'tide', path: '/p/src' }),
      'Search for “tide” in src',
      'Searched for “tide” in src',
      '在 src 中搜索了 “tide”',
    ],
    [call('grep_search', "'tide' in src"), "Search for “'tide' in src”", "Searched for “'tide' in src”", "搜索了 “'tide' in src”"],
    [
      call('WebFetch', 'WebFetch https://a.example/x', { url: 'https://a.example/x' }),
      'Fetch a.example/x',
      'Fetched a.example/x',
      '获取了 a.example/x',
    ],
    [call('web_search', 'tides', { query: 'tides' }), 'Search the web: “tides”', 'Searched the web: “tides”', '搜索了网络：“tides”'],
    [
      call('Task', 'Task Look round', { description: 'Look round', prompt: 'x' }),
      'Hand a task to a subagent: “Look round”',
      'Handed a task to a subagent: “Look round”',
      '把任务交给了子智能体：“Look round”',
    ],
    [
      call('fail', 'fail now', { text: 'now' }, { server: 'lab' }),
      'Use “fail” of “lab”: now',
      'Used “fail” of “lab”: now',
      '使用了“lab”的“fail”：now',
    ],
    [call('fail', 'fail (lab MCP Server)', {}, { server: 'lab' }), 'Use “fail” of “lab”', 'Used “fail” of “lab”', '使用了“lab”的“fail”'],
    [call('Read', 'Read a', {}, { server: 'lab' }), 'Use “Read” of “lab”: a', 'Used “Read” of “lab”: a', '使用了“lab”的“Read”：a'],
    [
      call('Frob', 'Frob the tide', {}),
      'Use the tool “Frob”: “the tide”',
      'Used the tool “Frob”: “the tide”',
      '使用了工具“Frob”：“the tide”',
    ],
    [call('other', 'Think it over'), '“Think it over”', '“Think it over”', '“Think it over”'],
  ])('$tool $title', (body, does, did, chinese) => {
    expect(toolSentence(body, inLanguage(words, 'en'), 'failed')).toBe(does);
    expect(toolSentence(body, inLanguage(words, 'en'), 'completed')).toBe(did);
    expect(toolSentence(body, inLanguage(words, 'zh'), 'completed')).toBe(chinese);
  });

  test('cannot say more than it is by its names', () => {
    const english = inLanguage(words, 'en');
    const file = 'a.txt and nothing else\n{what}';

    expect(toolSentence(call('Read', `Read ${file}`, { file_path: file }), english)).toBe('Read “a.txt and nothing else {what}”');
    expect(toolSentence(call('Read', 'Read שלום.txt', { file_path: 'שלום.txt' }), english)).toBe('Read “שלום.txt”');
    expect(toolSentence(call('constructor', 'constructor'), english)).toBe('Use the tool “constructor”');
    expect(toolSentence(call('Read', 'Read', { file_path: 'x'.repeat(999) }), english)?.length).toBeLessThan(220);
  });

  test('is left as it came where the agent has words in place of a name, or turns to the person', () => {
    expect(toolSentence(call('Read the tides', 'Read the tides'), inLanguage(words, 'en'))).toBeNull();
    expect(toolSentence(call('ask_user_question', 'Which tide?'), inLanguage(words, 'en'))).toBeNull();
  });

  test('has the purpose of a command in its place where the command can be unfolded', () => {
    const listing = call('Bash', 'ls', { command: 'ls', description: 'List the files' }, { toolKind: 'execute' });

    expect(toolHeadline(listing, inLanguage(words, 'en'), 'completed')).toBe('Ran a command: “List the files”');
    expect(toolHeadline(listing, inLanguage(words, 'zh'), 'running')).toBe('运行命令：“List the files”');
    expect(toolHeadline(call('Bash', 'ls', { command: 'ls' }), inLanguage(words, 'en'), 'running')).toBe('Run: ls');
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
    expect(toolSentence({ ...click, tool: 'chrome_click', title: 'chrome_click' }, inLanguage(words, 'en'))).toBe(
      'Use the tool “chrome_click”',
    );
    expect(toolSentence({ ...click, title: 'browser_click', toolKind: 'other' }, inLanguage(words, 'en'))).toBe(
      'Use the tool “browser_click”',
    );
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
    const text = 'Tab 7:\n<k3yOfIt untrusted https://t.example>\n/ "Tide tables"\n[e1 x]';
    const look = { ...body, tool: 'browser_snapshot', toolKind: 'browser', input: {}, text } as const;

    expect(toolSentence(click, english, 'completed')).toBe('Clicked “Show next week”');
    expect(toolSentence(click, english, 'running')).toBe('Click “Show next week”');
    expect(toolSentence(click, english, 'failed')).toBe('Click “Show next week”');
    expect(toolSentence(look, english, 'completed')).toBe('Looked at “Tide tables”');
    expect(toolSentence(look, inLanguage(words, 'zh'), 'completed')).toBe('查看了“Tide tables”');
    expect(toolSentence({ ...look, text: '/ "said by nobody"' }, english, 'completed')).toBe('Looked at the page');
    expect(toolSentence({ ...look, tool: 'browser_read' }, english, 'completed')).toBe('Read the text of “Tide tables”');
  });

  test('names the element as its page does once it is over, where the agent does not', () => {
    const receipt = (...targets: string[]): string =>
      ['Clicked.', '<k3yOfIt untrusted https://t.example>', ...targets.map((label) => `target: [${label}]`), '</k3yOfIt>'].join('\n');
    const said = (text: string, status: ItemStatus, input: object) =>
      toolSentence({ ...click, input, text }, inLanguage(words, 'en'), status);

    expect(said(receipt('f2e4 link "Terms" → /terms'), 'completed', { target: 'f2e4' })).toBe('Clicked “Terms”');
    expect(said(receipt(`e4 button 'Say "hi"'`), 'completed', { target: 'e4' })).toBe('Clicked “Say "hi"”');
    expect(said(receipt('e4 button "Play"'), 'completed', { target: 'e4', element: 'Pause' })).toBe('Clicked “Pause”');
    expect(said(receipt('e4 textbox = "Ada"'), 'completed', { target: 'e4' })).toBe('Clicked an element');
    expect(said(receipt('e4 textbox "A"', 'e5 textbox "B"'), 'completed', { target: 'e4' })).toBe('Clicked an element');
    expect(said(receipt('e4 link "Terms"'), 'failed', { target: 'e4' })).toBe('Click an element');
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
