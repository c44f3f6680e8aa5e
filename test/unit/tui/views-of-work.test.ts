import { describe, expect, test } from 'vitest';
import { checkpointChoices } from '#companion/tui/manage.ts';
import type { FolderChange } from '#companion/tui/state.ts';
import { TurnId } from '#protocol/ids.ts';
import { createBusyUi, engine, sessionId } from './stage.ts';

const unified = '--- a/tides.ts\n+++ b/tides.ts\n@@ -1 +1 @@\n-const high = 6;\n+const high = 7;\n';

const report: FolderChange = {
  files: [
    { file: 'tides.ts', paths: ['tides.ts'], line: 'M tides.ts', change: { path: 'tides.ts', change: 'update', unified }, isCut: false },
    { file: 'photo.png', paths: ['old.png', 'photo.png'], line: 'A photo.png  binary, 9 bytes', change: null, isCut: false },
  ],
  worktree: null,
  since: 'session',
  now: 'c'.repeat(40),
};

describe('the change of a folder', () => {
  test('is read when it is opened, and shown file by file', () => {
    const ui = createBusyUi();
    ui.press('C');
    expect(ui.effects.at(-1)).toEqual({ type: 'changes.read', sessionId });
    expect(ui.screen()).toContain('Reading…');

    ui.happen({ type: 'changes', report });

    const screen = ui.screen();
    expect(screen).toContain('› update tides.ts +1 −1');
    expect(screen).toContain('+const high = 7;');
    expect(screen).toContain('A photo.png');
    ui.press('escape');
    expect(ui.state.overlay).toBeNull();
  });

  test('is staged and taken out again file by file', () => {
    const ui = createBusyUi();
    ui.press('C');
    ui.happen({ type: 'changes', report });

    ui.press('s');
    expect(ui.effects.at(-1)).toEqual({ type: 'changes.stage', sessionId, file: 'tides.ts', paths: ['tides.ts'], isStaged: true });
    ui.press('n', 'u');
    expect(ui.screen()).toContain('› A photo.png');
    expect(ui.effects.at(-1)).toEqual({
      type: 'changes.stage',
      sessionId,
      file: 'photo.png',
      paths: ['old.png', 'photo.png'],
      isStaged: false,
    });
    // Behind the last file there is none.
    ui.press('n', 'p', 's');
    expect(ui.effects.at(-1)).toMatchObject({ file: 'tides.ts' });
  });

  test('is reverted file by file once that is confirmed, and read again then', () => {
    const ui = createBusyUi();
    ui.press('C');
    ui.happen({ type: 'changes', report });

    ui.press('r', 'n');
    expect(ui.effects.filter(({ type }) => type === 'changes.revert')).toEqual([]);
    expect(ui.effects.at(-1)).toEqual({ type: 'changes.read', sessionId });
    ui.happen({ type: 'changes', report });
    ui.press('r');
    expect(ui.screen()).toContain('Bring tides.ts back to what it was when the session began?');
    ui.press('y');

    expect(ui.effects.at(-1)).toEqual({ type: 'changes.revert', sessionId, file: 'tides.ts', paths: ['tides.ts'] });
    expect(ui.screen()).toContain('Reading…');
  });

  test('is reverted part by part, where a file has several', () => {
    const ui = createBusyUi();
    ui.press('C');
    const two = `${unified}@@ -9 +9 @@ low water\n-const low = 1;\n+const low = 2;\n`;
    const [, photo] = report.files;
    const tides = {
      file: 'tides.ts',
      paths: ['tides.ts'],
      line: 'M',
      change: { path: 'tides.ts', change: 'update', unified: two },
      isCut: false,
    } as const;
    ui.happen({ type: 'changes', report: { ...report, files: [tides, ...(photo === undefined ? [] : [photo])] } });

    ui.press(']', ']', ']');
    expect(ui.screen()).toMatch(/› ⋯ low water/u);
    ui.press('r');
    expect(ui.screen()).toContain('Bring part 2 of tides.ts back to what it was when the session began?');
    ui.press('y');

    const hunk = { now: report.now, index: 1 };
    expect(ui.effects.at(-1)).toEqual({ type: 'changes.revert', sessionId, file: 'tides.ts', paths: ['tides.ts'], hunk });
    ui.happen({ type: 'changes', report });
    // From the first part back to the whole file, and where there are no parts, none is selected.
    ui.press(']', '[', 'r');
    expect(ui.screen()).toContain('Bring tides.ts back');
    ui.press('n');
    ui.happen({ type: 'changes', report });
    ui.press('n', ']');
    expect(ui.screen()).toContain('The change of this file has no parts.');
  });

  test('has its selected file in sight, however long the others are', () => {
    const ui = createBusyUi({ columns: 80, rows: 24 });
    const [first, second] = report.files;
    if (first === undefined || second === undefined) throw new Error('there is no first file');
    const long = {
      ...first,
      change: { path: 'tides.ts', change: 'add', unified: `@@ -0,0 +1,100 @@\n${'+a line\n'.repeat(100)}` },
    } as const;
    ui.press('C');
    ui.happen({ type: 'changes', report: { ...report, files: [long, second] } });
    expect(ui.screen()).not.toContain('photo.png');

    ui.press('n');

    expect(ui.screen()).toContain('› A photo.png');
  });

  test('says when it is that since the last commit, because where the session began was not kept', () => {
    const ui = createBusyUi();
    ui.press('C');
    ui.happen({ type: 'changes', report: { ...report, since: 'commit' } });

    expect(ui.screen()).toContain('Changes since the last commit');
    expect(ui.screen()).toContain('Since the last commit: where the session began was not kept.');
    expect(ui.screen()).toContain('› update tides.ts +1 −1');
    ui.happen({ type: 'changes', report: { ...report, files: [], since: 'commit' } });
    expect(ui.screen()).not.toContain('since the session began');
  });

  test('says so when there is none', () => {
    const ui = createBusyUi();
    ui.press('C');
    ui.happen({ type: 'changes', report: { files: [], worktree: null, since: 'session', now: '' } });

    expect(ui.screen()).toContain('Nothing has changed since the session began.');
    ui.press('s');
    expect(ui.screen()).toContain('There is no file.');
  });
});

describe('checkpoints', () => {
  test('are gone back to once that is confirmed', () => {
    const ui = createBusyUi();
    const area = `checkpoints ${sessionId}` as const;
    ui.press('K');
    expect(ui.effects.at(-1)).toEqual({ type: 'manage.read', area });
    ui.happen({
      type: 'managed',
      area,
      choices: checkpointChoices([{ id: 'c1', kind: 'turn', turnId: TurnId.parse('t1'), at: '2026-01-31T10:00:00.000Z' }]),
    });
    expect(ui.screen()).toContain('before a turn');

    ui.press('enter');
    expect(ui.effects.at(-1)).toMatchObject({ type: 'manage.read' });
    ui.press('y');

    expect(ui.effects.at(-1)).toEqual({ type: 'manage.do', area, order: { type: 'checkpoint.restore', sessionId, id: 'c1' } });
    ui.press('escape');
    expect(ui.state.overlay).toBeNull();
  });
});

describe('the screen', () => {
  test.for([
    [100, 30],
    [60, 20],
  ] as const)('of %i columns is given to the conversation and taken back', ([columns, rows]) => {
    const ui = createBusyUi({ columns, rows });
    ui.press('z');

    const lines = ui.screen().split('\n');
    expect(lines).toHaveLength(rows);
    expect(lines[0]).toMatch(/^┌─ Conversation/u);
    expect(lines.join('\n')).not.toContain('Sessions');
    ui.press('tab', 'tab', 'tab');
    expect(['main', 'composer']).toContain(ui.state.focus);

    ui.press('escape', 'escape');
    ui.happen({ type: 'input', input: { type: 'key', key: 'f1' } });
    ui.press('escape');
    while (ui.state.focus !== 'main') ui.press('tab');
    ui.press('1');
    expect(ui.state).toMatchObject({ isZoomed: false, focus: 'sessions' });
    expect(ui.screen()).toContain('Sessions');
  });

  test('takes other colours', () => {
    const ui = createBusyUi();
    ui.press('T', 'down', 'enter');

    expect(ui.effects.at(-1)).toEqual({ type: 'theme', name: 'dark' });
  });
});

describe('a file and a command', () => {
  test('are named by @ and /, from a list that typing narrows', () => {
    const ui = createBusyUi();
    ui.press('i');
    ui.type('look at @');
    expect(ui.effects.at(-1)).toEqual({ type: 'files.read', projectId: 'p1' });
    ui.happen({ type: 'files', files: ['src/tides.ts', 'docs/my notes.md'] });
    ui.type('notes');
    ui.press('enter');
    ui.type('and @');
    ui.happen({ type: 'files', files: ['src/tides.ts'] });
    ui.press('enter');

    expect(ui.state.drafts['s1']?.text).toBe('look at @"docs/my notes.md" and @src/tides.ts ');
    expect(ui.state).toMatchObject({ overlay: null, focus: 'composer' });
  });

  test('@ within a word, and / where the agent has no commands, are letters', () => {
    const ui = createBusyUi();
    ui.press('i');
    ui.type('/a me@here');

    expect(ui.state.overlay).toBeNull();
    expect(ui.state.drafts['s1']?.text).toBe('/a me@here');
  });

  test('/ offers the commands of the agent, and Esc leaves the sign', () => {
    const ui = createBusyUi();
    const commands = [{ name: 'review', description: 'Look at the change' }];
    ui.happen({ type: 'state', event: { type: 'engines', engines: [engine('claude', 'Claude Code', 'ready', { commands })] } });
    ui.press('i');
    ui.type('/');
    expect(ui.screen()).toContain('Look at the change');
    ui.press('escape');
    expect(ui.state.drafts['s1']?.text).toBe('/');

    ui.press('backspace');
    ui.type('/');
    ui.press('enter');
    expect(ui.state.drafts['s1']?.text).toBe('/review ');
  });
});
