import { describe, expect, test } from 'vitest';
import { toOption } from '#protocol/answers.ts';
import { prompted, result, type Run } from './claude-stage.ts';

const ask = (toolName: string, input: object, more: object = {}) => ({
  type: 'control_request',
  request_id: 'r1',
  request: { subtype: 'can_use_tool', tool_name: toolName, tool_use_id: 'tool1', input, ...more },
});
const SUGGESTIONS = [
  { type: 'addRules', rules: [{ toolName: 'Bash', ruleContent: 'touch a.txt' }], behavior: 'allow', destination: 'localSettings' },
  { type: 'addDirectories', directories: ['<workspace>'], destination: 'session' },
  { type: 'addDirectories', directories: ['/elsewhere'], destination: 'session' },
  { type: 'setMode', mode: 'acceptEdits', destination: 'session' },
  { type: 'setMode', mode: 'bypassPermissions', destination: 'session' },
];
const decision = (run: Run) => run.written.at(-1)?.response?.response ?? {};

describe('claude requests', () => {
  const opened = (run: Run, ...frame: Parameters<typeof ask>) =>
    run.says(ask(...frame)).map((event) => event.type === 'request.opened' && event.request);

  test('a permission shows what and where, with the offers that fit', () => {
    expect(opened(prompted(), 'Bash', { command: 'touch a.txt' }, { permission_suggestions: SUGGESTIONS })).toEqual([
      {
        kind: 'permission',
        title: 'touch a.txt',
        detail: 'touch a.txt',
        where: '<workspace>',
        options: [
          toOption('allow', 'allow_once', 'answer_once'),
          {
            optionId: 'session:0',
            label: 'Allow for this session: touch a.txt',
            kind: 'allow_session',
            saying: { code: 'rules', values: { rules: 'touch a.txt' } },
          },
          {
            optionId: 'session:2',
            label: 'Allow this folder for this session: /elsewhere',
            kind: 'allow_session',
            saying: { code: 'folders', values: { folders: '/elsewhere' } },
          },
          toOption('session:3', 'allow_session', 'answer_edits'),
          toOption('reject', 'reject', 'answer_deny'),
        ],
      },
    ]);
  });

  test.each([
    [
      'WebFetch',
      { url: 'https://tides.example/', prompt: 'When?' },
      { saying: { code: 'fetch', values: { url: 'https://tides.example/' } }, detail: 'url: https://tides.example/\nprompt: When?' },
    ],
    [
      'WebSearch',
      { query: 'high water' },
      { saying: { code: 'web_search', values: { query: 'high water' } }, detail: 'query: high water' },
    ],
    [
      'mcp__harbour__book_berth',
      { length: 12, names: ['a'] },
      {
        saying: { code: 'mcp_tool', values: { name: 'book_berth', server: 'harbour' } },
        detail: 'length: 12\nnames: ["a"]',
        where: '<workspace>',
      },
    ],
  ])('%s is asked about in words, with its arguments a line each', (tool, input, expected) => {
    const [request] = opened(prompted(), tool, input);

    expect(request).toMatchObject(expected);
    expect(request).not.toMatchObject({ where: tool.startsWith('Web') ? '<workspace>' : '' });
  });

  test.each([
    ['echo a; exit 3', ['exit 3'], []],
    ['npm test && git push', ['git push'], []],
    ['npm test && git push', ['npm test', 'git push'], ['Allow for this session: npm test, git push']],
    ['git status -s', ['git status:*'], ['Allow for this session: git status:*']],
    ['git status; rm -r x', ['git status:*'], []],
    ['git status $(rm -r x)', ['git status:*'], []],
    ['echo "a; b"', ['echo "a; b"'], ['Allow for this session: echo "a; b"']],
  ])('%s is offered for the session only where all of it is named', (command, rules, labels) => {
    const suggestion = { type: 'addRules', rules: rules.map((ruleContent) => ({ toolName: 'Bash', ruleContent })), behavior: 'allow' };

    const [request] = opened(prompted(), 'Bash', { command }, { permission_suggestions: [suggestion] });

    const options = request === false || request === undefined ? [] : request.options;
    expect(options.filter(({ kind }) => kind === 'allow_session').map(({ label }) => label)).toEqual(labels);
  });

  test('an edit is shown as a diff', () => {
    expect(opened(prompted(), 'Edit', { file_path: '<workspace>/a', old_string: 'x', new_string: 'y' })).toMatchObject([
      { title: 'Edit a', detail: expect.stringContaining('-x\n') },
    ]);
  });

  test('allow once passes the input on and no rule', () => {
    const run = prompted();
    opened(run, 'Bash', { command: 'touch a.txt' }, { permission_suggestions: SUGGESTIONS });

    run.take(run.codec.answer('r1', { optionId: 'allow' }));

    expect(run.written.at(-1)).toEqual({
      type: 'control_response',
      response: { subtype: 'success', request_id: 'r1', response: { behavior: 'allow', updatedInput: { command: 'touch a.txt' } } },
    });
  });

  test('allow for the session sends the one chosen suggestion, never into the settings of the project', () => {
    const run = prompted();
    opened(run, 'Bash', { command: 'touch a.txt' }, { permission_suggestions: SUGGESTIONS });

    run.take(run.codec.answer('r1', { optionId: 'session:0' }));

    expect(decision(run)['updatedPermissions']).toEqual([{ ...SUGGESTIONS[0], destination: 'session' }]);
  });

  test('a refusal carries the reason', () => {
    const run = prompted();
    opened(run, 'Bash', {});

    run.take(run.codec.answer('r1', { optionId: 'reject', text: 'Not now.' }));

    expect(decision(run)).toEqual({ behavior: 'deny', message: 'Not now.' });
  });

  test('a question is asked with its options and answered by its text', () => {
    const run = prompted();
    const questions = [
      { question: 'Which?', header: 'Tab', multiSelect: true, options: [{ label: 'A', description: 'a' }, { label: 'B' }] },
    ];

    expect(opened(run, 'AskUserQuestion', { questions })).toMatchObject([
      { kind: 'question', title: 'Which?', questions: [{ question: 'Which?', header: 'Tab', isMultiple: true, isOpen: true }] },
    ]);
    run.take(run.codec.answer('r1', { optionId: 'answer', answers: { 'Which?': ['A', 'B'] } }));

    expect(decision(run)).toEqual({ behavior: 'allow', updatedInput: { questions, answers: { 'Which?': 'A, B' } } });
  });

  test('an approved plan may switch to accepting edits, and a refused one carries the comment', () => {
    const [approved, refused] = [prompted(), prompted()];
    expect(opened(approved, 'ExitPlanMode', { plan: '# Plan' })).toMatchObject([{ kind: 'plan', detail: '# Plan' }]);
    opened(refused, 'ExitPlanMode', {});

    approved.take(approved.codec.answer('r1', { optionId: 'edits' }));
    refused.take(refused.codec.answer('r1', { optionId: 'reject', text: 'Smaller steps.' }));

    expect(decision(approved)).toMatchObject({
      behavior: 'allow',
      updatedPermissions: [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }],
    });
    expect(decision(refused)).toEqual({ behavior: 'deny', message: 'Smaller steps.' });
  });

  test('what claude withdraws is withdrawn once, and an answer to it goes nowhere', () => {
    const run = prompted();
    opened(run, 'Bash', {});

    expect(run.says({ type: 'control_cancel_request', request_id: 'r1' })).toEqual([{ type: 'request.withdrawn', requestId: 'r1' }]);
    expect(run.says({ type: 'control_cancel_request', request_id: 'r1' })).toEqual([]);
    expect(run.codec.answer('r1', { optionId: 'allow' })).toEqual([]);
  });

  test('the end of a turn withdraws what is still asked', () => {
    const run = prompted();
    opened(run, 'Bash', {});

    expect(run.says(result({ is_error: true, terminal_reason: 'aborted_tools' })).slice(-2)).toEqual([
      { type: 'request.withdrawn', requestId: 'r1' },
      { type: 'turn.completed', outcome: 'cancelled' },
    ]);
  });

  test('what we do not serve is refused at once', () => {
    const run = prompted();

    run.says({ type: 'control_request', request_id: 'r9', request: { subtype: 'hook_callback' } });

    expect(run.written.at(-1)).toMatchObject({ response: { subtype: 'error', request_id: 'r9' } });
  });
});
