import { describe, expect, test } from 'vitest';
import { ItemId, TurnId } from '#protocol/ids.ts';
import { asItCame } from '#protocol/said.ts';
import { found } from '#protocol/checks.ts';
import { drawFrame } from '#companion/tui/frame.ts';
import { paint, unpaint } from '#companion/tui/paint.ts';
import { changeLines, changeSummary } from '#companion/tui/views/diff.ts';
import { renderMarkdown } from '#companion/tui/views/markdown.ts';
import { streamedLines } from '#companion/tui/views/streamed.ts';
import { initialState } from '#companion/tui/state.ts';
import { clean, width } from '#companion/tui/text.ts';
import { allCapabilities } from '#test/fixtures/samples.ts';
import { createBusyUi, createUi, engine, open, permission, question, say, turnId, type Ui } from './stage.ts';
import { cpuTimeMs } from '#test/fixtures/cpu-time.ts';
import { isWhole } from '#test/fixtures/whole.ts';

/** Every kind of item, with text that is hard to measure. */
const fill = (ui: Ui): void => {
  const item = (id: string) => ({ turnId, itemId: ItemId.parse(id) });
  ui.event({ type: 'item.started', ...item('th'), item: { kind: 'thought', text: 'I should look.\nThen answer.' } });
  ui.event({ type: 'item.completed', ...item('th'), status: 'completed' });
  ui.event({
    type: 'item.started',
    ...item('ed'),
    item: {
      kind: 'tool',
      tool: 'Edit',
      toolKind: 'edit',
      title: 'src/a.ts',
      text: '',
      changes: [{ path: 'src/变量.ts', change: 'update', unified: '--- a\n+++ b\n@@ -1,2 +1,2 @@\n same\n-old\n+new 你好\n' }],
    },
  });
  ui.event({ type: 'item.completed', ...item('ed'), status: 'completed' });
  ui.event({
    type: 'item.started',
    ...item('ba'),
    item: { kind: 'tool', tool: 'Bash', toolKind: 'execute', title: 'make \u001b[31mall', text: '1\n2\n3\n4\n5\n6', exitCode: 2 },
  });
  ui.event({ type: 'item.completed', ...item('ba'), status: 'failed' });
  ui.event({
    type: 'item.started',
    ...item('pl'),
    item: {
      kind: 'plan',
      entries: [
        { content: 'read', status: 'completed' },
        { content: 'write', status: 'in_progress' },
        { content: 'test', status: 'pending' },
      ],
    },
  });
  ui.event({ type: 'item.started', ...item('no'), item: { kind: 'notice', level: 'warning', text: 'The limit is near.' } });
  say(
    ui,
    'as',
    'assistant',
    '# Title\nSome **bold** and `code` {bold}.\n\n- 一二三四五六七八九十一二三四五六七八九十一二三四五六七八九十\n1. one\n\n```ts\nconst x = "😀";\n```',
  );
};

const settings = ['', '?', 'w', 'n', '/', 'i', 'm', 'M', '2', ']', '[', 'o'];

describe('every frame', () => {
  test('has exactly the rows and columns of the screen, whatever is on it', () => {
    const frames = [40, 59, 83, 84, 120, 213].flatMap((columns) =>
      [12, 24, 50].flatMap((rows) =>
        [null, permission, question].flatMap((request) => settings.map((key) => ({ columns, rows, request, key }))),
      ),
    );
    // One of five has each size, each question and each key in it, if not each with each.
    for (const { columns, rows, request, key } of frames.filter((_, index) => isWhole || index % 5 === 0)) {
      const ui = createBusyUi({ columns, rows });
      fill(ui);
      if (request !== null) open(ui, { ...request, detail: 'x'.repeat(3000) });
      if (key !== '') ui.press(key);
      const { lines, cursor } = drawFrame(ui.state);
      expect(lines).toHaveLength(rows);
      for (const line of lines) expect(width(line), `${columns}×${rows} ${key}: ${line}`).toBe(columns);
      if (cursor !== null) expect(cursor.row < rows && cursor.column < columns).toBe(true);
    }
  });

  test.for([
    [80, 24],
    [60, 16],
  ] as const)('names the key of the help at %d×%d, whatever else has no room', ([columns, rows]) => {
    const ui = createBusyUi({ columns, rows });
    for (const key of ['1', '2', '3', '4', ']']) {
      ui.press(key);

      expect(ui.screen(), key).toContain('? all keys');
    }
  });

  test('passes over a hint that is too long for one that fits', () => {
    const ui = createBusyUi({ columns: 80, rows: 24 });
    ui.press('i');

    const hints = ui.screen().split('\n').at(-1);

    expect(hints).not.toContain('leave the composer');
    expect(hints).toContain('ctrl+x stop the turn and the queue');
  });

  test('asks for room on a screen that is too small', () => {
    const { lines } = drawFrame({ ...initialState, size: { columns: 30, rows: 5 } });

    expect(lines[0]).toContain('Pilotfish needs 40×12');
  });
});

describe('the conversation', () => {
  test('says what goes on in the background, by which key it ends, and no longer when it has', () => {
    const ui = createBusyUi({ columns: 80, rows: 24 });
    const itemId = ItemId.parse('watcher');
    const item = { kind: 'tool' as const, tool: 'Bash', toolKind: 'execute' as const, title: 'watch', text: '', isBackground: true };
    ui.event({ type: 'item.started', turnId, itemId, item });
    ui.event({ type: 'turn.completed', turnId, outcome: 'completed', durationMs: 1 });
    expect(ui.screen()).toMatch(/● Run: watch *│\n.*│ +In the background/);
    expect(ui.screen()).toContain('1 in the background: B stops it');

    ui.event({ type: 'item.completed', turnId, itemId, status: 'cancelled' });
    expect(ui.screen()).toContain('■ Run: watch');
    expect(ui.screen()).not.toMatch(/in the background/iu);
  });

  test('shows what a background command has written while outputs are open, and asks for it only then', () => {
    const ui = createBusyUi({ columns: 80, rows: 24 });
    ui.happen({
      type: 'state',
      event: {
        type: 'engines',
        engines: [engine('claude', 'Claude Code', 'ready', { capabilities: { ...allCapabilities, canReadTasks: true } })],
      },
    });
    const itemId = ItemId.parse('watcher');
    const item = { kind: 'tool' as const, tool: 'Bash', toolKind: 'execute' as const, title: 'watch', text: '', isBackground: true };
    ui.event({ type: 'item.started', turnId, itemId, item });
    const asked = (): number => ui.effects.filter(({ type }) => type === 'task.read').length;

    ui.happen({ type: 'tick' });
    expect(asked()).toBe(0);
    ui.press('o');
    ui.happen({ type: 'tick' });
    expect(asked()).toBe(2);
    ui.happen({ type: 'output', itemId, text: 'listening\u001b[2J on 80' });
    expect(ui.screen()).toContain('listening on 80');

    ui.press('o');
    expect(ui.screen()).not.toContain('listening');
    ui.press('o');
    ui.event({ type: 'item.completed', turnId, itemId, status: 'cancelled' });
    ui.happen({ type: 'tick' });
    expect(asked()).toBe(3);
    expect(ui.screen()).not.toContain('listening');
  });

  test('an item that an agent calls like a property of every object is an item', () => {
    const ui = createBusyUi();
    const item = { kind: 'tool' as const, tool: 'Bash', toolKind: 'execute' as const, title: 'watch', text: 'so far' };
    ui.event({ type: 'item.started', turnId, itemId: ItemId.parse('constructor'), item });
    ui.press('1', 'o');

    expect(ui.screen()).toContain('so far');
  });

  test('says why a call to the browser failed, and what is meant for the model only where all of it is shown', () => {
    const ui = createBusyUi({ columns: 80, rows: 24 });
    const text = 'CONSENT_DENIED: The user did not allow this. browser_click. Do not retry; ask the user what to do instead.';
    const item = { kind: 'tool' as const, tool: 'browser_click', toolKind: 'browser' as const, title: 'Click', input: {}, text };
    ui.event({ type: 'item.started', turnId, itemId: ItemId.parse('click'), item });
    ui.event({ type: 'item.completed', turnId, itemId: ItemId.parse('click'), status: 'failed' });
    const folded = ui.screen();
    ui.press('1', 'o');

    expect(folded).toMatch(/✗ Click an element *│\n│ +The user did not allow this\. *│/u);
    expect(folded).not.toContain('Do not retry');
    expect(ui.screen()).toContain('Do not retry');
  });

  test('says once why a turn failed', () => {
    const ui = createBusyUi({ columns: 80, rows: 24 });
    const error = { code: 'ENGINE_API_ERROR' as const, message: 'No model answers.', remedy: 'Wait.' };
    const item = { kind: 'notice' as const, level: 'error' as const, text: error.message, endsTurn: true };
    ui.event({ type: 'item.started', turnId, itemId: ItemId.parse('why'), item });
    ui.event({ type: 'item.completed', turnId, itemId: ItemId.parse('why'), status: 'completed' });
    ui.event({ type: 'turn.completed', turnId, outcome: 'failed', error, durationMs: 1 });

    expect(ui.screen().match(/No model answers\./gu)).toHaveLength(1);
  });

  test('says when a limit resets', () => {
    const ui = createBusyUi({ columns: 80, rows: 24 });
    const retryAt = new Date(2036, 0, 2, 13, 5).getTime();
    const error = { code: 'ENGINE_RATE_LIMITED' as const, message: 'Limited.', remedy: 'Wait.', retryAt };
    ui.event({ type: 'turn.completed', turnId, outcome: 'failed', error, durationMs: 1 });

    expect(ui.screen()).toMatch(/Failed.*\n.*Limited\..*\n.*Wait\. Try again after .*2 Jan.* 13:05\./);
  });

  test('says all of why a request is repeated', () => {
    const ui = createBusyUi({ columns: 80, rows: 24 });
    const text = 'Nothing has come from the agent for a while; it may be repeating a failed request.';
    ui.event({ type: 'run.changed', state: 'retrying', text });

    expect(ui.screen()).toMatch(/repeating a failed *│\n│ request\./u);
  });
});

describe('the screen', () => {
  test('shows lists, conversation and composer', () => {
    const ui = createBusyUi({ columns: 100, rows: 40 });
    fill(ui);

    expect(`${ui.screen()}\n`).toMatchInlineSnapshot(`
      "┌─ 1 Sessions ───────────────┐┌─ Conversation │ Diff │ Logs ─────────────── Claude Code · running ─┐
      │›● What is on this p… claude││                                                                    │
      │ ✗ Session s2         claude││ You                                                                │
      │   Session s3     MCP client││ What is on this page?                                              │
      │                            ││                                                                    │
      │                            ││ Thought: I should look.                                            │
      │                            ││                                                                    │
      │                            ││ ✓ Changed src/变量.ts                                              │
      │                            ││   update src/变量.ts +1 −1                                         │
      │                            ││                                                                    │
      │                            ││ ✗ Run: make all exit code 2                                        │
      │                            ││   … 2 earlier lines                                                │
      │                            ││   3                                                                │
      │                            ││   4                                                                │
      │                            ││   5                                                                │
      │                            ││   6                                                                │
      │                            ││                                                                    │
      │                            ││ Plan                                                               │
      │                            ││ [x] read                                                           │
      │                            ││ [~] write                                                          │
      │                            ││ [ ] test                                                           │
      │                            ││                                                                    │
      │                            ││ ! The limit is near.                                               │
      │                            ││                                                                    │
      │                            ││ Claude Code                                                        │
      └────────────────────────────┘│ Title                                                              │
      ┌─ 2 Projects ───────────────┐│ Some bold and code {bold}.                                         │
      │›  All projects            3││                                                                    │
      │   pilotfish               3││ • 一二三四五六七八九十一二三四五六七八九十一二三四五六七八九十     │
      │   网站                    0││ 1. one                                                             │
      └────────────────────────────┘│                                                                    │
      ┌─ 3 Agents ─────────────────┐│   ts                                                               │
      │›● Claude Code         2.1.4││   const x = "😀";                                                  │
      │ ! Codex       not logged in││                                                                    │
      │ – Qwen Code   not installed││ Working                                                            │
      └────────────────────────────┘└────────────────────────────────────────────────────────────────────┘
      ┌─ 4 Browsers ───────────────┐┌─ Message: goes to the queue ───────────────────────────────────────┐
      │›● Chromium · work  25 tools││i writes a message                                                  │
      └────────────────────────────┘└────────────────────────────────────────────────────────────────────┘
       Enter open  i write a message  n new session  / filter this list or tab  ? all keys         ● live 
      "
    `);
  });

  test('shows a request with what exactly, where, and the keys', () => {
    const ui = createBusyUi({ columns: 90, rows: 24 });
    open(ui, permission);

    const screen = ui.screen();
    for (const part of ['Permission', 'Run a command', 'in /home/me/pilotfish', 'rm -rf build', '[a] Allow', '[d] Deny']) {
      expect(screen).toContain(part);
    }
  });

  test.for([
    [90, 24],
    [60, 16],
  ] as const)('shows what the agent says of a command, at %i×%i, and the answers all the same', ([columns, rows]) => {
    const ui = createBusyUi({ columns, rows });
    const itemId = ItemId.parse('rm');
    const input = { command: 'rm -rf build', description: 'Clear what was built \u202e' };
    const item = { kind: 'tool', tool: 'Bash', toolKind: 'execute', title: 'rm -rf build', text: '', input } as const;
    ui.event({ type: 'item.started', turnId, itemId, item });
    open(ui, permission, { itemId });

    for (const part of ['The agent says: Clear what was built ⟨U+202E⟩', 'rm -rf build', '[a] Allow', '[d] Deny']) {
      expect(ui.screen()).toContain(part);
    }
  });

  test('shows all of a request that fits the screen when it is opened', () => {
    const ui = createBusyUi({ columns: 80, rows: 24 });
    open(ui, { ...permission, detail: 'one\ntwo\nthree\nfour\nfive\nsix\nseven' });
    expect(ui.screen()).toContain('more lines: o shows them');
    ui.press('tab', 'o');

    for (const part of ['one', 'seven', '[a] Allow']) expect(ui.screen()).toContain(part);
    expect(ui.screen()).not.toContain('more lines');
  });

  test.for([
    [80, 24],
    [60, 16],
  ] as const)('lets one read all of an opened request at %i×%i, however long it is, with its answers in sight', ([columns, rows]) => {
    const ui = createBusyUi({ columns, rows });
    const lines = Array.from({ length: 60 }, (_, index) => `line ${index}.`);
    open(ui, { ...permission, detail: lines.join('\n') });
    ui.press('tab', 'o');

    const seen = new Set<string>();
    for (let last = 0; last < lines.length; ui.press('pagedown')) {
      const screen = ui.screen();
      for (const line of lines) if (screen.includes(` ${line}`)) seen.add(line);
      expect(screen).toContain('[d] Deny');
      const [, end = ''] = /\d+–(\d+) of 60: PgUp, PgDn/u.exec(screen) ?? [];
      expect(Number(end)).toBeGreaterThan(last);
      last = Number(end);
    }

    expect(lines.filter((line) => !seen.has(line))).toEqual([]);
    for (const _ of lines) ui.press('pageup');
    expect(ui.screen()).toContain(' line 0.');
    ui.press('pagedown', 'o');
    expect(ui.screen()).toContain('more lines: o shows them');
  });

  test('says a long command once when its request is opened, and all of a title that does not stand below', () => {
    const ui = createBusyUi({ columns: 60, rows: 16 });
    const command = Array.from({ length: 90 }, (_, index) => `item${index}`).join(' ');
    open(ui, { ...permission, saying: undefined, title: `${command.slice(0, 180)}…`, detail: command });
    ui.press('tab', 'o');
    const [, end = ''] = /1–(\d+) of \d+: PgUp, PgDn/u.exec(ui.screen()) ?? [];
    expect(Number(end)).toBeGreaterThan(7);

    const other = createBusyUi({ columns: 60, rows: 16 });
    open(other, { ...permission, saying: undefined, title: `${command.slice(0, 180)} TAIL`, detail: command });
    other.press('tab', 'o');
    expect(other.screen()).toContain('TAIL');
  });

  test('cuts a long request in the middle and never its keys', () => {
    const ui = createBusyUi({ columns: 90, rows: 24 });
    open(ui, { ...permission, detail: Array.from({ length: 200 }, (_, index) => `line ${index}`).join('\n') });

    expect(ui.screen()).toMatch(/… \d+ more lines/u);
    expect(ui.screen()).toContain('[d] Deny');
  });

  test.for([
    [80, 24],
    [60, 16],
    [40, 12],
  ] as const)('shows every answer to a request on %i×%i, whatever has the focus', ([columns, rows]) => {
    const ui = createBusyUi({ columns, rows });
    open(ui, { ...permission, detail: Array.from({ length: 200 }, (_, index) => `line ${index}`).join('\n') });

    for (const key of ['1', '2', '3', '4', 'tab', 'i', 'escape', 'o']) {
      ui.press(key);
      for (const part of ['Run a command', '[a] Allow', '[s] Allow for this session', '[d] Deny']) {
        expect(ui.screen(), `after ${key}:\n${ui.screen()}`).toContain(part);
      }
    }
  });

  test('on a narrow screen the list in focus is as high as its rows, and one line without the focus', () => {
    const ui = createBusyUi({ columns: 80, rows: 24 });
    ui.press('1');

    const focused = ui.screen().split('\n');
    expect(focused[0]).toMatch(/^┌─ 1 Sessions/u);
    expect(focused[4]).toMatch(/^└─/u);
    expect(focused[5]).toMatch(/^┌─ Conversation/u);

    ui.press('i');
    const [bar, next] = ui.screen().split('\n');
    expect(bar).toMatch(/^ 1 Sessions +● What is on this page\?/u);
    expect(next).toMatch(/^┌─ Conversation/u);
  });

  test("shows an agent's text as text: braces, escapes and direction marks do nothing", () => {
    const ui = createBusyUi();
    say(ui, 'evil', 'assistant', '{red-fg}x{/} \u001b]52;c;ZXZpbA==\u0007 \u202eabc \ufdd8danger\ufdef');

    const { lines } = drawFrame(ui.state);

    expect(ui.screen()).toContain('{red-fg}x{/}  abc danger');
    expect(lines.join('')).not.toMatch(/\p{Cc}|\u202e/u);
  });

  test.for([
    ['completed', undefined, 'Done · 3 s'],
    ['cancelled', undefined, 'Stopped · 3 s'],
    ['interrupted', undefined, 'Send again to go on.'],
    ['failed', { code: 'ENGINE_NOT_LOGGED_IN', message: 'Not logged in.', remedy: 'Run claude login.' }, 'Not logged in.'],
  ] as const)('says how a turn ended: %s', ([outcome, error, text]) => {
    const ui = createBusyUi();
    ui.event({ type: 'turn.completed', turnId, outcome, durationMs: 3000, ...(error === undefined ? {} : { error }) });

    expect(ui.screen()).toContain(text);
    if (error !== undefined) expect(ui.screen()).toContain(error.remedy);
  });

  test('shows what waits in the queue', () => {
    const ui = createBusyUi();
    ui.event({ type: 'turn.queued', turnId: TurnId.parse('q'), prompt: { text: 'and then this', attachments: [] } });

    expect(ui.screen()).toContain('queued: and then this');
    ui.press('i');
    expect(ui.screen()).toContain('goes to the queue');
  });

  test('shows retries and the way the engine comes up', () => {
    const ui = createBusyUi();
    ui.event({ type: 'run.changed', state: 'retrying', text: 'overloaded, again in 5 s' });
    expect(ui.screen()).toContain('overloaded, again in 5 s');

    ui.event({ type: 'run.changed', state: 'starting' });
    expect(ui.screen()).toContain('Starting Claude Code…');
  });

  test('shows the diff of all changed files', () => {
    const ui = createBusyUi();
    fill(ui);
    ui.press(']');

    for (const part of ['1 change, +1 −1', 'update src/变量.ts', '-old', '+new 你好']) expect(ui.screen()).toContain(part);
  });

  test('marks nothing as left out before the lines of a file that is new or gone', () => {
    const lines = (change: 'add' | 'delete', unified: string): string =>
      changeLines({ path: 'a', change, unified }, 40).map(unpaint).join('\n');

    expect(lines('add', '@@ -0,0 +1,2 @@\n+one\n+two\n')).toMatch(/^1 \+one *\n2 \+two *$/u);
    expect(lines('delete', '@@ -1,1 +0,0 @@\n-one\n')).not.toContain('⋯');
  });

  test('counts and paints a removed line that begins with two dashes', () => {
    const change = { path: 'a.sql', change: 'update', unified: '--- a.sql\n+++ a.sql\n@@ -1,2 +1,1 @@\n--- old\n-x\n+y\n' } as const;
    const lines = changeLines(change, 40);

    expect(unpaint(changeSummary(change))).toBe('update a.sql +1 −2');
    expect(lines).toContain(`1 ${paint('removed', '--- old')}`);
  });

  test('puts the cursor where the next character goes', () => {
    const ui = createBusyUi({ columns: 100, rows: 30 });
    ui.press('i');
    ui.type('你好');
    const cursor = ui.cursor();
    const line = ui.screen().split('\n')[cursor?.row ?? 0] ?? '';

    expect(line).toContain('你好');
    expect(cursor?.column).toBe(width(line.slice(0, line.indexOf('好') + 1)));
  });

  test('welcomes with what is connected and what each agent needs', () => {
    const ui = createUi({ columns: 110, rows: 60 });
    ui.happen({
      type: 'setup',
      browserSetups: [
        { id: 'chrome', name: 'Google Chrome', evidence: '', manifestFile: '/x', registration: 'missing', problem: found('no_manifest') },
      ],
      extension: { path: '/home/me/extension', version: '0.1.0', embeddedVersion: '0.1.0', isCurrent: true },
      command: '/opt/pilotfish',
    });
    ui.happen({ type: 'welcome', registers: false });

    expect(ui.screen()).toContain('Google Chrome is not registered');
    expect(ui.screen()).toContain('chrome://extensions');
    expect(ui.screen()).toContain('/home/me/extension');
    const glm = engine('glm', 'GLM', 'not_logged_in', { fix: 'pilotfish engine key glm KEY' });
    ui.happen({ type: 'state', event: { type: 'engines', engines: [glm] } });
    expect(ui.screen()).toContain('Run: `/opt/pilotfish engine key glm KEY`');
    ui.press('c');
    expect(ui.effects).toEqual([{ type: 'setup.check' }]);
    expect(ui.screen()).toContain('checking…');
    ui.happen({
      type: 'checks',
      checks: [{ id: 'x', title: found('native_messaging'), status: 'failed', detail: asItCame('No answer.'), remedy: found('reinstall') }],
    });
    expect(ui.screen()).toContain('✗ Native messaging: No answer.');
    expect(ui.screen()).toContain('→ Run `/opt/pilotfish install`.');
  });
});

test('says that there is nothing only once the daemon has told what there is', () => {
  const ui = createUi({ columns: 80, rows: 24 });
  expect(ui.screen()).not.toMatch(/none yet|No conversation yet/u);

  ui.happen({ type: 'state', event: { type: 'sessions', sessions: [] } });

  expect(ui.screen()).toContain('none yet: press n');
  expect(ui.screen()).toContain('No conversation yet.');
});

describe('what is said in the line at the bottom', () => {
  test.for([
    [80, 24],
    [60, 16],
    [40, 12],
  ] as const)('is all readable on %i×%i, and the keys of a question too', ([columns, rows]) => {
    const ui = createBusyUi({ columns, rows });
    open(ui, permission);
    const words = (): string => ui.screen().replaceAll(/[│┌┐└┘─\s]+/gu, ' ');
    const text = 'The database cannot be written: the disk of your home folder is full, and nothing is stored any more.';
    ui.happen({ type: 'notice', notice: { level: 'error', text, remedy: 'Make room, then run `pilotfish doctor`.' } });
    expect(words()).toContain(`${text} Make room, then run \`pilotfish doctor\`.`);
    expect(words()).toContain('[a] Allow');

    const modes = [{ modeId: 'all', label: 'Full access', isDangerous: true }];
    ui.happen({ type: 'state', event: { type: 'engines', engines: [engine('claude', 'Claude Code', 'ready', { modes })] } });
    ui.press('1', 'M', 'enter');
    expect(words()).toContain('In "Full access" the agent does everything without asking. Use it in this session?');
    expect(words()).toMatch(/y yes n no/u);
  });
});

describe('a message that is being written', () => {
  const text = '# Title\n\nSome **bold** text.\n```ts\nconst x = "你好";\n\nconst y = 2;\n```\n- one\n- two\nthe end';

  test('looks at every moment as it would as a whole', () => {
    for (let length = 1; length <= text.length; length += 1) {
      expect(streamedLines('piece by piece', text.slice(0, length), 20)).toEqual(
        streamedLines(`whole ${length}`, text.slice(0, length), 20),
      );
    }
    // Code is coloured when it is whole.
    for (const columns of [20, 40]) {
      expect(streamedLines('piece by piece', text, columns).map(unpaint)).toEqual(renderMarkdown(clean(text), columns).map(unpaint));
    }
  });

  test('costs what is new: half a megabyte in five thousand pieces', () => {
    let whole = '';
    const startedAt = cpuTimeMs();

    for (let index = 0; index < 5_000; index += 1) {
      whole += `a piece of about a hundred characters that ends somewhere in a line or at its end${index % 3 === 0 ? '\n' : ' '}`;
      if (index % 10 === 0) streamedLines('long', whole, 80);
    }

    // Laid out from the beginning each time it would be minutes.
    expect(cpuTimeMs() - startedAt).toBeLessThan(5000);
  });
});

describe('a long session', () => {
  test('shows a message of two million characters on one line', () => {
    const ui = createBusyUi({ columns: 120, rows: 40 });
    say(ui, 'huge', 'assistant', 'x'.repeat(2_000_000));
    say(ui, 'wide', 'assistant', '你 '.repeat(200_000));

    expect(ui.screen()).toContain('你 你 你');
  });

  test('draws in the time of what is new', () => {
    const ui = createBusyUi({ columns: 120, rows: 40 });
    for (let index = 0; index < 3000; index += 1) say(ui, `m${index}`, 'assistant', `**message** ${index} `.repeat(20));
    drawFrame(ui.state);
    const startedAt = cpuTimeMs();

    for (let index = 0; index < 20; index += 1) {
      say(ui, `n${index}`, 'assistant', 'new');
      drawFrame(ui.state);
    }

    // Laying out all 3000 again would take seconds each.
    expect((cpuTimeMs() - startedAt) / 20).toBeLessThan(60);
  });
});
