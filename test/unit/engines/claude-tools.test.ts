import { describe, expect, test } from 'vitest';
import { prompted, type Run } from './claude-stage.ts';
import { linesOf } from './replay.ts';

describe('claude tools', () => {
  const call = (run: Run, name: string, input: object, resultFrame: object, block: object = {}) => {
    run.says({ type: 'assistant', message: { id: `m${name}`, content: [{ type: 'tool_use', id: `id-${name}`, name, input }] } });
    return run.says({
      type: 'user',
      message: { content: [{ type: 'tool_result', tool_use_id: `id-${name}`, content: 'text', ...block }] },
      ...resultFrame,
    });
  };

  test.for([
    ['Bash', { command: 'npm test' }, { title: 'npm test', toolKind: 'execute' }],
    ['Read', { file_path: '<workspace>/src/a.ts' }, { title: 'Read src/a.ts', toolKind: 'read' }],
    ['Grep', { pattern: 'TODO' }, { title: 'Grep TODO', toolKind: 'search' }],
    ['WebFetch', { url: 'https://example.com' }, { title: 'WebFetch https://example.com', toolKind: 'fetch' }],
    ['AskUserQuestion', { questions: [{ question: 'Which?' }] }, { title: 'Which?', toolKind: 'other' }],
    [
      'mcp__pilotfish__browser_navigate',
      { url: 'https://example.com' },
      { title: 'browser_navigate https://example.com', toolKind: 'browser', tool: 'browser_navigate', server: 'pilotfish' },
    ],
    ['mcp__my_server__do_it', {}, { title: 'do_it', toolKind: 'other', tool: 'do_it', server: 'my_server' }],
  ] as const)('%s has a title and a kind', ([name, input, expected]) => {
    const run = prompted();

    expect(run.says({ type: 'assistant', message: { id: 'm', content: [{ type: 'tool_use', id: 'x', name, input }] } })).toMatchObject([
      { type: 'item.started', itemId: 'x', item: { kind: 'tool', ...expected } },
    ]);
  });

  test('an exit code is read from what claude says', () => {
    expect(call(prompted(), 'Bash', { command: 'x' }, {}, { is_error: true, content: 'Exit code 3\noops' })).toMatchObject([
      { status: 'failed', patch: { exitCode: 3, text: 'Exit code 3\noops' } },
    ]);
  });

  test('what claude adds for its model alone is not shown to a person', () => {
    const shown = (content: string) => call(prompted(), 'Read', { file_path: 'a' }, {}, { is_error: true, content });

    expect(shown('<tool_use_error>File does not exist.</tool_use_error>')).toMatchObject([{ patch: { text: 'File does not exist.' } }]);
    expect(shown('line 1\n\n<system-reminder>\nBe careful.\n</system-reminder>\n')).toMatchObject([{ patch: { text: 'line 1' } }]);
    expect(shown('a <tool_use_error> in a file')).toMatchObject([{ patch: { text: 'a <tool_use_error> in a file' } }]);
  });

  test("a user's no and a rule's no are denied; a cut call is cancelled and says nothing to the person", () => {
    const denied = { is_error: true, content: 'No thanks.' };
    const meta = (value: object) => ({ tool_result_meta: [{ id: 'id-Bash', ...value }] });

    expect(
      call(prompted(), 'Bash', {}, meta({ permission_decision: { decision: 'reject', source: 'user_reject' } }), denied),
    ).toMatchObject([{ status: 'denied', patch: { text: 'No thanks.' } }]);
    expect(call(prompted(), 'Bash', {}, meta({ non_execution_kind: 'user-rejected' }), denied)).toEqual([
      { type: 'item.completed', itemId: 'id-Bash', status: 'cancelled' },
    ]);
  });

  test('edits come as unified diffs', () => {
    const run = prompted();

    for (const line of linesOf('edit', 'claude')) run.take(run.codec.line(line));

    const changes = run.events.flatMap((event) => (event.type === 'item.completed' ? (event.patch?.changes ?? []) : []));
    expect(changes).toEqual([
      { path: 'note.txt', change: 'add', unified: '--- /dev/null\n+++ note.txt\n@@ -0,0 +1,2 @@\n+line one\n+line two\n' },
      {
        path: 'note.txt',
        change: 'update',
        unified: '--- note.txt\n+++ note.txt\n@@ -1,2 +1,2 @@\n line one\n-line two\n+line 2 (edited)\n',
      },
    ]);
  });

  test('the image of an MCP result arrives, the path of its copy does not', () => {
    const run = prompted();

    for (const line of linesOf('mcp-image', 'claude')) run.take(run.codec.line(line));

    expect(run.events.find((event) => event.type === 'item.completed' && event.patch?.images !== undefined)).toMatchObject({
      patch: { text: 'shot', images: [{ mimeType: 'image/png', dataBase64: expect.stringMatching(/^iVBOR/) }] },
    });
  });

  test('the Task tools keep one plan', () => {
    const run = prompted();
    const task = (name: string, input: object, structured: object) => {
      const id = `${name}${run.events.length}`;
      run.says({ type: 'assistant', message: { id, content: [{ type: 'tool_use', id, name, input }] } });
      run.says({
        type: 'user',
        message: { content: [{ type: 'tool_result', tool_use_id: id, content: '' }] },
        tool_use_result: structured,
      });
    };

    task('TaskCreate', { subject: 'Read' }, { task: { id: '1', subject: 'Read' } });
    task('TaskCreate', { subject: 'Write' }, { task: { id: '2', subject: 'Write' } });
    task('TaskUpdate', { taskId: '1', status: 'completed' }, { success: true });

    expect(run.events.at(-1)).toMatchObject({
      patch: {
        entries: [
          { content: 'Read', status: 'completed' },
          { content: 'Write', status: 'pending' },
        ],
      },
    });
  });

  test('a plan tool that fails is shown as the call it was', () => {
    expect(call(prompted(), 'TodoWrite', { todos: [] }, {}, { is_error: true, content: 'No such tool' })).toMatchObject([
      { type: 'item.started', item: { kind: 'tool', tool: 'TodoWrite' } },
      { type: 'item.completed', status: 'failed' },
    ]);
  });
});
