import { describe, expect, test } from 'vitest';
import type { SessionSummary } from '#protocol/api.ts';
import type { EngineInfo } from '#protocol/engines.ts';
import { CompanionError } from '#protocol/errors.ts';
import { ItemId, ProjectId, RequestId, SessionId, TurnId } from '#protocol/ids.ts';
import { emptyView } from '#protocol/view.ts';
import { newestPage, pageBefore } from '#protocol/pages.ts';
import { warningText } from '#protocol/warnings.ts';
import { allCapabilities } from '#test/fixtures/samples.ts';
import {
  createBusyUi,
  createUi,
  engine,
  open,
  permission,
  project,
  question,
  requestId,
  say,
  session,
  sessionId,
  show,
  turnId,
  type Ui,
} from './stage.ts';

describe('requests', () => {
  test.for([
    ['a', 'once'],
    ['s', 'session'],
    ['d', 'no'],
  ] as const)('%s answers with the option it stands for', ([key, optionId]) => {
    const ui = createBusyUi();
    show(ui, permission);
    ui.press('tab', key);

    expect(ui.effects.at(-1)).toEqual({ type: 'request.answer', sessionId, requestId, answer: { optionId } });
  });

  test('a letter typed into a message never answers a request that just came', () => {
    const ui = createBusyUi();
    ui.press('i');
    open(ui, permission);
    ui.type('a s A d');

    expect(ui.effects.filter(({ type }) => type === 'request.answer')).toEqual([]);
    expect(ui.state.drafts[sessionId]?.text).toBe('a s A d');
  });

  test('the keys of a card work from an empty composer once it could be seen', () => {
    const ui = createBusyUi();
    ui.press('i');
    open(ui, permission);
    expect(ui.effects).toContainEqual({ type: 'request.watch', requestId });
    ui.happen({ type: 'armed', requestId });
    expect(ui.screen()).toContain('a allow this once');

    ui.press('a');

    expect(ui.effects.at(-1)).toEqual({ type: 'request.answer', sessionId, requestId, answer: { optionId: 'once' } });
    expect(ui.state.drafts[sessionId]).toBeUndefined();
  });

  test('what is being written stays text, also when the card could be seen', () => {
    const ui = createBusyUi();
    ui.press('i');
    show(ui, permission);
    ui.type('wait, all d');

    expect(ui.effects.filter(({ type }) => type === 'request.answer')).toEqual([]);
    expect(ui.state.drafts[sessionId]?.text).toBe('wait, all d');
  });

  test('escape stops nothing while a card waits, and leads to it', () => {
    for (const start of [[], ['i'], ['3']]) {
      const ui = createBusyUi();
      ui.press(...start);
      open(ui, permission);
      ui.press('escape', 'escape');

      expect(ui.effects.filter(({ type }) => type === 'turn.cancel')).toEqual([]);
      expect(ui.state.focus).toBe('request');
      expect(ui.screen()).toContain('ctrl+x stops the turn.');
      ui.press('i');
      expect(ui.screen()).not.toContain('Esc stop the turn');
    }
  });

  test('escape stops a turn only when it is pressed again, which it says, and leads out of the composer first', () => {
    const stops = (ui: Ui): number => ui.effects.filter(({ type }) => type === 'turn.cancel').length;
    for (const where of [[], ['i'], ['3']]) {
      const ui = createBusyUi();
      ui.press(...where, 'escape');
      expect(stops(ui)).toBe(0);
      expect(ui.screen()).toContain('Esc again stops the turn.');
      expect(ui.state.focus).not.toBe('composer');

      ui.press('escape');
      expect(ui.effects.at(-1)).toEqual({ type: 'turn.cancel', sessionId, turnId: null });
    }
  });

  test('escape asks again after anything else was pressed, after a request, and where another notice stands', () => {
    const between: ((ui: Ui) => void)[] = [
      (ui) => ui.press('j'),
      (ui) => ui.happen({ type: 'input', input: { type: 'mouse', action: 'press', column: 60, row: 5 } }),
      (ui) => ui.happen({ type: 'notice', notice: { level: 'error', text: 'It failed.', remedy: null } }),
      (ui) => {
        open(ui, permission);
        ui.event({ type: 'request.resolved', requestId, outcome: 'allowed', by: 'panel' });
      },
    ];
    for (const happens of between) {
      const ui = createBusyUi();
      ui.press('escape');
      happens(ui);
      ui.press('escape');

      expect(ui.effects.filter(({ type }) => type === 'turn.cancel')).toEqual([]);
      expect(ui.screen()).toContain('Esc again stops the turn.');
    }
  });

  test('escape clears a filter while a turn runs, and is not told to stop one that has ended', () => {
    const ui = createBusyUi();
    ui.press('/');
    ui.type('demo');
    ui.press('enter', 'escape');
    expect(ui.state.filters.sessions ?? '').toBe('');
    expect(ui.screen()).not.toContain('again stops');

    ui.press('escape');
    expect(ui.screen()).toContain('Esc again stops the turn.');
    ui.event({ type: 'turn.completed', turnId, outcome: 'completed', durationMs: 1 });
    expect(ui.screen()).not.toContain('again stops');
  });

  test('what is said of a request goes with it, wherever it was answered', () => {
    const ui = createBusyUi();
    open(ui, permission);
    ui.press('escape');
    expect(ui.screen()).toContain('ctrl+x stops the turn.');

    ui.event({ type: 'request.resolved', requestId, outcome: 'allowed', by: 'panel' });

    expect(ui.screen()).not.toContain('ctrl+x stops the turn.');
  });

  test('a card that takes the place of an answered one is armed anew', () => {
    const ui = createBusyUi();
    show(ui, permission);
    const second = RequestId.parse('r2');
    ui.event({ type: 'request.opened', turnId, requestId: second, request: permission });
    ui.event({ type: 'request.resolved', requestId, outcome: 'allowed', by: 'panel' });

    expect(ui.state.card).toEqual({ requestId: second, isArmed: false, isNext: true, top: 0 });
    expect(ui.effects.at(-1)).toEqual({ type: 'request.watch', requestId: second });
  });

  test.for([['i'], ['tab']])(
    'a second press after %s, which comes too soon, neither answers the next card nor is written',
    ([start = '']) => {
      const ui = createBusyUi();
      show(ui, permission);
      ui.happen({ type: 'armed', requestId });
      ui.press(start, 'a');
      const sent = ui.effects.filter(({ type }) => type === 'request.answer');
      const second = RequestId.parse('r2');
      ui.event({ type: 'request.opened', turnId, requestId: second, request: permission });
      ui.event({ type: 'request.resolved', requestId, outcome: 'allowed', by: 'panel' });

      ui.press('a', 'M-a', 'd');

      expect(ui.effects.filter(({ type }) => type === 'request.answer')).toEqual(sent);
      expect(ui.state.drafts[sessionId]?.text ?? '').toBe('');
      expect(ui.screen()).toContain('The request has only just come.');
      ui.happen({ type: 'armed', requestId: second });
      ui.press('a');
      expect(ui.effects.at(-1)).toMatchObject({ type: 'request.answer', requestId: second });
    },
  );

  test('alt+a answers from anywhere', () => {
    const ui = createBusyUi();
    ui.press('i');
    show(ui, permission);
    ui.press('M-a');

    expect(ui.effects.at(-1)).toMatchObject({ type: 'request.answer', answer: { optionId: 'once' } });
  });

  test('A does nothing where there is no such option, and says so', () => {
    const ui = createBusyUi();
    open(ui, permission);
    ui.press('tab', 'A');

    expect(ui.effects.filter(({ type }) => type === 'request.answer')).toEqual([]);
    expect(ui.state.notice?.text).toContain('no such answer');
  });

  test('D takes the reason to the agent', () => {
    const ui = createBusyUi();
    show(ui, permission);
    ui.press('tab', 'D');
    ui.type('use make');
    ui.press('enter');

    expect(ui.effects.at(-1)).toMatchObject({ answer: { optionId: 'no', text: 'use make' } });
  });

  test('questions are answered one after the other, by rows, ticks and own words', () => {
    const ui = createBusyUi();
    show(ui, question);
    ui.press('tab', 'enter', 'down', 'down');
    ui.type('dark green');
    ui.press('enter');
    expect(ui.screen()).toContain('Question 2 of 2');
    ui.press('space', 'down', 'space', 'enter');

    expect(ui.effects.at(-1)).toEqual({
      type: 'request.answer',
      sessionId,
      requestId,
      answer: { optionId: 'ok', answers: { 'Which colour?': ['dark green'], 'Which sizes?': ['small', 'large'] } },
    });
    expect(ui.state.overlay).toBeNull();
  });

  test('an allowing key does not answer a question', () => {
    const ui = createBusyUi();
    show(ui, question);
    ui.press('tab', '1', 'a', 's', 'A');

    expect(ui.effects.filter(({ type }) => type === 'request.answer')).toEqual([]);
  });

  test('a request answered elsewhere is gone, and its form with it', () => {
    const ui = createBusyUi();
    show(ui, question);
    ui.press('tab', 'enter');
    ui.event({ type: 'request.resolved', requestId, outcome: 'answered', by: 'panel' });

    expect(ui.screen()).toContain('answered elsewhere');
    ui.press('enter');
    expect(ui.state.overlay).toBeNull();
    expect(ui.effects.filter(({ type }) => type === 'request.answer')).toEqual([]);
  });
});

describe('the composer', () => {
  test('enter sends what was written, several lines too, and empties it', () => {
    const ui = createBusyUi();
    ui.press('i');
    ui.type('one');
    ui.press('M-enter');
    ui.type('two');
    ui.press('enter');

    expect(ui.effects.at(-1)).toEqual({ type: 'turn.start', sessionId, text: 'one\ntwo', delivery: 'queue' });
    expect(ui.state.drafts[sessionId]?.text).toBe('');
  });

  test('a pasted text with newlines is not sent', () => {
    const ui = createBusyUi();
    ui.press('i');
    ui.happen({ type: 'input', input: { type: 'paste', text: 'one\rtwo\n', isCut: false } });

    expect(ui.effects.filter(({ type }) => type === 'turn.start')).toEqual([]);
    expect(ui.state.drafts[sessionId]?.text).toBe('one\ntwo\n');
  });

  test('a paste that was longer than what is kept is told, with the way for long texts', () => {
    const ui = createBusyUi();
    ui.press('i');
    ui.happen({ type: 'input', input: { type: 'paste', text: 'x'.repeat(1500), isCut: true } });

    expect(ui.state.notice).toMatchObject({ level: 'warning', text: 'Only the first 1,500 characters were pasted.' });
    expect(ui.state.notice?.remedy).toContain('file');
  });

  test('a list without rows hints no key for a row, and says why such a key does nothing', () => {
    const ui = createUi({ columns: 80, rows: 24 });
    ui.press('1');
    expect(ui.screen().split('\n').at(-1)).not.toContain('open');

    for (const key of ['enter', 'p', 'H', 'D']) {
      ui.press(key);
      expect(ui.state.notice?.text).toBe('There is nothing in this list.');
    }
    ui.press('4', 'enter');
    expect(ui.state.overlay?.type).toBe('guide');
  });

  test('alt+s steers only an agent that can, while it works', () => {
    const ui = createBusyUi();
    ui.press('i');
    ui.type('left');
    ui.press('M-s');
    expect(ui.effects.at(-1)).toMatchObject({ type: 'turn.start', delivery: 'steer' });

    ui.event({ type: 'turn.completed', turnId, outcome: 'completed', durationMs: 1 });
    ui.type('right');
    ui.press('M-s');
    expect(ui.state.notice?.text).toContain('Nothing is running');
  });

  test('says at 60 columns, uncut, that the keys of a request answer while nothing is written', () => {
    const ui = createBusyUi({ columns: 60, rows: 16 });
    ui.press('i');
    open(ui, permission);

    expect(ui.screen()).toContain('While this is empty, the keys above answer; ctrl+x stops');
  });

  test('names the key that steers only where the agent can', () => {
    const ui = createBusyUi();
    ui.press('i');
    expect(ui.screen()).toContain('Enter queues, alt+s steers, ctrl+x stops');

    const capabilities = { ...allCapabilities, canSteer: false };
    ui.happen({ type: 'state', event: { type: 'engines', engines: [engine('claude', 'Claude Code', 'ready', { capabilities })] } });

    expect(ui.screen()).toContain('Enter queues, ctrl+x stops');
  });

  test('a message the daemon did not take comes back, unless another is being written', () => {
    const ui = createBusyUi();
    ui.happen({ type: 'unsent', sessionId, text: 'lost' });
    expect(ui.state.drafts[sessionId]?.text).toBe('lost');

    ui.happen({ type: 'unsent', sessionId, text: 'other' });
    expect(ui.state.drafts[sessionId]?.text).toBe('lost');
  });

  test('up brings back what was sent, and never throws a new text away', () => {
    const ui = createBusyUi();
    ui.press('i');
    ui.type('first');
    ui.press('enter');
    ui.type('second');
    ui.press('enter', 'up', 'up');
    expect(ui.state.drafts[sessionId]?.text).toBe('first');
    ui.press('down', 'down');
    expect(ui.state.drafts[sessionId]?.text).toBe('');
    ui.type('new');
    ui.press('up');
    expect(ui.state.drafts[sessionId]?.text).toBe('new');
  });

  test('every session keeps its own draft', () => {
    const ui = createBusyUi();
    ui.press('i');
    ui.type('for one');
    ui.happen({ type: 'created', sessionId: SessionId.parse('s9') });
    expect(ui.state.drafts['s9']).toBeUndefined();
    expect(ui.state.drafts[sessionId]?.text).toBe('for one');
  });

  test('a new session says that the agents are being read, and names no key that would be written', () => {
    const ui = createUi(undefined, { link: 'connecting' });
    ui.press('n');
    expect(ui.screen()).toContain('Reading…');
    expect(ui.screen()).not.toContain('nothing matches');

    const other = createBusyUi();
    other.happen({ type: 'created', sessionId: SessionId.parse('s9') });
    other.happen({ type: 'view', view: { ...emptyView(SessionId.parse('s9')), seq: 1 } });
    expect(other.screen()).toContain('Nothing was said yet. ');
    other.press('escape');
    expect(other.screen()).toContain('Nothing was said yet: i writes a message.');
  });

  test('B stops what runs in the background, and not the turn', () => {
    const ui = createBusyUi();
    const itemId = ItemId.parse('watcher');
    const item = {
      kind: 'tool' as const,
      tool: 'Bash',
      toolKind: 'execute' as const,
      title: 'npm run watch',
      text: '',
      isBackground: true,
    };
    ui.event({ type: 'item.started', turnId, itemId, item });
    ui.press('B');

    expect(ui.effects.at(-1)).toEqual({ type: 'task.stop', sessionId, itemId });
  });

  test('x takes the newest queued message back to be edited', () => {
    const ui = createBusyUi();
    const queued = TurnId.parse('q1');
    ui.event({ type: 'turn.queued', turnId: queued, prompt: { text: 'later', attachments: [] } });
    ui.press('x');

    expect(ui.effects.at(-1)).toEqual({ type: 'turn.cancel', sessionId, turnId: queued });
    expect(ui.state.drafts[sessionId]?.text).toBe('later');
    expect(ui.state.focus).toBe('composer');
  });

  test("is not there for an MCP client's session", () => {
    const ui = createBusyUi();
    ui.happen({ type: 'state', event: { type: 'sessions', sessions: [] } });
    ui.press('i');

    expect(ui.state.focus).not.toBe('composer');
    expect(ui.state.notice?.text).toContain('No session is open');
  });
});

describe('sessions', () => {
  test('the one that needs the user most opens by itself', () => {
    const ui = createUi();
    ui.happen({ type: 'state', event: { type: 'sessions', sessions: [session('s1'), session('s2', { openRequests: 1 })] } });

    expect(ui.state.session?.sessionId).toBe('s2');
    expect(ui.effects).toEqual([{ type: 'session.open', sessionId: 's2' }]);
  });

  test('a session that was deleted elsewhere closes', () => {
    const ui = createBusyUi();
    ui.happen({ type: 'state', event: { type: 'sessions', sessions: [session('s2')] } });

    expect(ui.state.session).toBeNull();
    expect(ui.effects.at(-1)).toEqual({ type: 'session.open', sessionId: null });
  });

  test('a new one asks for the agent and the project, and only what is not clear', () => {
    const ui = createBusyUi();
    ui.press('n');
    expect(ui.screen()).toContain('New session: which agent?');
    ui.press('enter');
    expect(ui.screen()).toContain('In which project?');
    ui.press('down', 'enter');

    expect(ui.effects.at(-1)).toEqual({ type: 'session.create', engine: 'claude', projectId: 'p2' });
  });

  test('a new one has the agent and model that its project had last', () => {
    const ui = createUi();
    const known = [engine('claude', 'Claude Code', 'ready'), engine('codex', 'Codex', 'ready')];
    ui.happen({ type: 'state', event: { type: 'engines', engines: known } });
    ui.happen({ type: 'state', event: { type: 'projects', projects: [project('p1', 'site')] } });
    const last = session('s9', { projectId: ProjectId.parse('p1'), engineName: 'codex', model: 'large' });
    ui.happen({ type: 'state', event: { type: 'sessions', sessions: [last] } });

    ui.press('n');
    expect(ui.screen()).toMatch(/› Codex/u);
    ui.press('enter');
    expect(ui.effects.at(-1)).toEqual({ type: 'session.create', engine: 'codex', projectId: 'p1', model: 'large' });
    ui.press('n', 'up', 'enter');

    expect(ui.effects.at(-1)).toEqual({ type: 'session.create', engine: 'claude', projectId: 'p1' });
  });

  test('a new one begins at an agent that can be used, unless the person points at another', () => {
    const ui = createUi();
    const known = [engine('claude', 'Claude Code', 'ready'), engine('glm', 'GLM', 'not_logged_in')];
    ui.happen({ type: 'state', event: { type: 'engines', engines: known } });
    ui.happen({ type: 'state', event: { type: 'projects', projects: [project('p1', 'site')] } });
    const last = session('s9', { projectId: ProjectId.parse('p1'), engineName: 'glm' });
    ui.happen({ type: 'state', event: { type: 'sessions', sessions: [last] } });
    ui.press('n');
    expect(ui.screen()).toMatch(/› Claude Code/u);

    ui.press('escape', '3', 'down', 'n');
    expect(ui.screen()).toMatch(/› GLM/u);
  });

  test('an agent that is not ready cannot be picked, and its remedy is said', () => {
    const ui = createBusyUi();
    ui.press('n');
    ui.type('codex');
    ui.press('enter');

    expect(ui.effects.filter(({ type }) => type === 'session.create')).toEqual([]);
    expect(ui.state.notice?.text).toContain('codex login');
  });

  test('the first agent that can be picked is selected, and stays so when the others become known meanwhile', () => {
    const ui = createUi();
    const glm = engine('glm', 'GLM', 'not_logged_in');
    const know = (...engines: EngineInfo[]): void => ui.happen({ type: 'state', event: { type: 'engines', engines } });
    know(glm, engine('codex', 'Codex', 'failed'), engine('claude', 'Claude Code', 'unchecked'));
    ui.press('n');
    expect(ui.screen()).toMatch(/› Claude Code +Not checked yet/u);

    know(glm, engine('codex', 'Codex', 'ready', { version: '9' }), engine('claude', 'Claude Code', 'ready', { version: '2.1' }));

    expect(ui.screen()).toMatch(/› Claude Code +2\.1/u);
    expect(ui.screen()).toMatch(/Codex +9/u);
    ui.press('enter');
    expect(ui.effects.at(-1)).toMatchObject({ type: 'session.create', engine: 'claude' });
  });

  test('deleting asks first, and enter means no', () => {
    const ui = createBusyUi();
    ui.press('1', 'D', 'enter');
    expect(ui.effects.filter(({ type }) => type === 'session.delete')).toEqual([]);

    ui.press('D', 'y');
    expect(ui.effects.at(-1)).toEqual({ type: 'session.delete', sessionId });
  });

  test('what was deleted is brought back with u', () => {
    const ui = createBusyUi();
    ui.press('1', 'u');
    expect(ui.state.notice?.text).toContain('No session was deleted here');

    ui.press('D', 'y');
    ui.happen({ type: 'deleted', sessionId });
    expect(ui.screen()).toContain('u in the list of sessions brings it back');
    ui.press('1', 'u');

    expect(ui.effects.at(-1)).toEqual({ type: 'session.restore', sessionId });
    ui.press('u');
    expect(ui.effects.filter(({ type }) => type === 'session.restore')).toHaveLength(1);
  });

  test('the selected session is pinned and put away, and back', () => {
    const ui = createBusyUi();
    const list = (extra: Partial<SessionSummary>): void =>
      ui.happen({
        type: 'state',
        event: { type: 'sessions', sessions: [session('s1', { name: 'First' }), session('s2', { name: 'Second', ...extra })] },
      });
    list({ updatedAt: '2020-01-01T00:00:00.000Z' });
    ui.press('1', 'G', 'p');
    expect(ui.effects.at(-1)).toEqual({ type: 'session.update', sessionId: 's2', change: { isPinned: true } });

    list({ updatedAt: '2020-01-01T00:00:00.000Z', isPinned: true });
    expect(ui.screen()).toMatch(/★ Second[^]*First/u);
    ui.press('p');
    expect(ui.effects.at(-1)).toEqual({ type: 'session.update', sessionId: 's2', change: { isPinned: false } });
    ui.press('H');
    expect(ui.effects.at(-1)).toEqual({ type: 'session.update', sessionId: 's2', change: { isArchived: true } });

    list({ isArchived: true, openRequests: 1, status: 'waiting' });
    expect(ui.screen()).toMatch(/First[^]*Second/u);
    ui.press('H');
    expect(ui.effects.at(-1)).toEqual({ type: 'session.update', sessionId: 's2', change: { isArchived: false } });
  });

  test('the effort is chosen among those of the model', () => {
    const ui = createBusyUi();
    const models = [
      { modelId: 'big', label: 'Big', efforts: ['low', 'high'] },
      { modelId: 'small', label: 'Small' },
    ];
    ui.happen({ type: 'state', event: { type: 'engines', engines: [engine('claude', 'Claude Code', 'ready', { models })] } });
    ui.press('1', 'E');
    expect(ui.state.notice?.text).toContain('Choose a model first');

    ui.event({ type: 'session.updated', settings: { model: 'big' } });
    ui.press('E', 'down', 'down', 'enter');
    expect(ui.effects.at(-1)).toEqual({ type: 'session.update', sessionId, change: { effort: 'high' } });

    ui.event({ type: 'session.updated', settings: { effort: 'high' } });
    ui.happen({ type: 'resized', columns: 160, rows: 30 });
    expect(ui.screen()).toContain('effort high');
    ui.press('E', 'up', 'up', 'enter');
    expect(ui.effects.at(-1)).toEqual({ type: 'session.update', sessionId, change: { effort: null } });
  });

  test('files are attached by their paths, shown, taken away, and go along with the message', () => {
    const ui = createBusyUi();
    ui.press('i', 'M-r');
    expect(ui.state.notice?.text).toBe('Nothing is attached.');
    ui.press('M-f');
    ui.type("'~/my shot.png'");
    ui.press('enter');
    expect(ui.effects.at(-1)).toEqual({ type: 'file.attach', sessionId, path: '~/my shot.png' });

    ui.happen({ type: 'attached', sessionId, file: { uploadId: 'upload_1', name: 'my shot.png' } });
    ui.happen({ type: 'attached', sessionId, file: { uploadId: 'upload_2', name: 'log\u001b[31m.txt' } });
    expect(ui.screen()).toContain('2 attached: my shot.png, log');
    ui.press('M-r');
    expect(ui.screen()).toContain('1 attached: my shot.png');
    ui.type('look');
    ui.press('enter');

    const attached = [{ uploadId: 'upload_1', name: 'my shot.png' }];
    expect(ui.effects.at(-1)).toEqual({ type: 'turn.start', sessionId, text: 'look', delivery: 'queue', attached });
    expect(ui.screen()).not.toContain('attached:');

    ui.happen({ type: 'unsent', sessionId, text: 'look', attached });
    expect(ui.screen()).toContain('1 attached: my shot.png');
  });

  test('a mode in which nothing asks is chosen twice and then always shown', () => {
    const ui = createBusyUi();
    ui.press('M', 'down', 'enter');
    expect(ui.effects.filter(({ type }) => type === 'session.update')).toEqual([]);
    ui.press('y');
    expect(ui.effects.at(-1)).toEqual({ type: 'session.update', sessionId, change: { mode: 'bypass' } });

    ui.event({ type: 'session.updated', settings: { mode: 'bypass' } });
    for (const keys of [[], ['?'], ['escape', 'w'], ['escape', 'n'], ['escape', '/'], ['escape', ']'], [']'], ['2', 'enter']]) {
      ui.press(...keys);
      for (const columns of [120, 84, 60, 40]) {
        ui.happen({ type: 'resized', columns, rows: 24 });
        expect(ui.screen(), keys.join(' ')).toContain('Full access: asks nothing');
      }
    }
  });

  test('one whose project was forgotten is shown, says so, and is given a project again', () => {
    const ui = createBusyUi();
    ui.happen({ type: 'state', event: { type: 'projects', projects: [project('p2', 'shop'), project('p3', 'boat')] } });
    expect(ui.screen()).toContain('What is on this page?');
    expect(ui.screen().replaceAll(/\s*│\n│.*││\s*/gu, ' ')).toContain('The project of this session was forgotten');

    ui.press('P', 'down', 'enter');
    expect(ui.effects.at(-1)).toEqual({ type: 'session.update', sessionId, change: { projectId: 'p3' } });

    ui.event({ type: 'session.updated', projectId: ProjectId.parse('p3') });
    expect(ui.screen()).not.toContain('was forgotten');
    ui.press('P');
    expect(ui.state.overlay).toBeNull();
  });

  test('one whose project was moved asks for the folder, which is typed with completion or chosen in a window', () => {
    const ui = createBusyUi();
    const error = new CompanionError('WORKSPACE_NOT_FOUND', '/home/me/pilotfish').toBody();
    expect(ui.screen()).not.toContain('P says where');
    ui.event({ type: 'turn.completed', turnId, outcome: 'failed', error, durationMs: 1 });
    expect(ui.screen()).toContain('P says where the folder of the project is now.');

    ui.press('P');
    expect(ui.screen()).toContain('Where is the folder of pilotfish now?');
    ui.press('C-u');
    ui.type('/home/me/pi');
    ui.press('tab');
    expect(ui.effects.at(-1)).toEqual({ type: 'folders.read', typed: '/home/me/pi' });
    ui.happen({ type: 'folders', typed: '/home/me/pi', folders: ['/home/me/pilot', '/home/me/pilots'] });
    expect(ui.screen()).toContain('/home/me/pilot');
    expect(ui.screen()).toContain('pilot  pilots');
    // An answer to what has been typed over says nothing.
    ui.happen({ type: 'folders', typed: '/home', folders: ['/home/me'] });
    ui.press('C-o');
    expect(ui.effects.at(-1)).toEqual({ type: 'folder.pick' });
    ui.happen({ type: 'folder', folder: '/srv/pilotfish' });
    ui.press('enter');

    expect(ui.effects.at(-1)).toEqual({
      type: 'project.change',
      project: project('p1', 'pilotfish'),
      change: { rootPath: '/srv/pilotfish' },
    });
  });

  test('its project is renamed in the list, which tells how much is in it', () => {
    const ui = createBusyUi({ columns: 140, rows: 30 });
    const used = { ...project('p1', 'pilotfish'), lastActiveAt: new Date().toISOString() };
    ui.happen({ type: 'state', event: { type: 'projects', projects: [used] } });
    ui.happen({
      type: 'state',
      event: { type: 'sessions', sessions: [session('s1', { status: 'running', projectId: ProjectId.parse('p1') }), session('s2')] },
    });

    ui.press('2', 'down');
    expect(ui.screen()).toMatch(/pilotfish +2 · /u);
    ui.press('r', 'C-u');
    ui.type('shop');
    ui.press('enter');

    expect(ui.effects.at(-1)).toEqual({ type: 'project.change', project: used, change: { name: 'shop' } });
  });

  test('events of a session that is not shown any more change nothing', () => {
    const ui = createBusyUi();
    const before = ui.state;
    ui.happen({ type: 'resync', sessionId: SessionId.parse('other') });

    expect(ui.state.session).toBe(before.session);
  });

  test('a resync forgets what was shown', () => {
    const ui = createBusyUi();
    ui.happen({ type: 'resync', sessionId });

    expect(ui.state.session).toMatchObject({ seq: 0, items: [] });
  });
});

describe('earlier parts of a conversation', () => {
  const itemId = (index: number): ItemId => ItemId.parse(`m${index}`);
  const createPagedUi = () => {
    const ui = createBusyUi();
    for (let index = 0; index < 50; index += 1) say(ui, `m${index}`, 'assistant', `message ${index}`);
    const { session: whole } = ui.state;
    if (whole === null) throw new Error('no session is shown');
    const view = newestPage(whole, 20);
    ui.happen({ type: 'view', view });
    return { ui, whole, view, part: pageBefore(whole, view.first ?? itemId(0), 15) };
  };

  test('come before what is there, and leave the reader where they are', () => {
    const { ui, whole, view, part } = createPagedUi();
    ui.press('tab', 'up', 'up', 'up');
    const before = ui.screen();

    ui.happen({ type: 'earlier', sessionId, before: view.first ?? itemId(0), part });

    expect(ui.state.session?.items.map((item) => item.itemId)).toEqual(whole.items.slice(-35).map((item) => item.itemId));
    expect(ui.screen()).toBe(before);
  });

  test('are not put before a conversation that was emptied since', () => {
    const { ui, view, part } = createPagedUi();
    ui.event({ type: 'session.reset' });

    ui.happen({ type: 'earlier', sessionId, before: view.first ?? itemId(0), part });

    expect(ui.state.session?.items).toEqual([]);
  });
});

describe('scrolling', () => {
  const createLongUi = () => {
    const ui = createBusyUi();
    for (let index = 0; index < 50; index += 1) say(ui, `m${index}`, 'assistant', `message ${index}`);
    ui.press('tab');
    return ui;
  };

  test('follows the end until the reader goes up, and again from the end', () => {
    const ui = createLongUi();
    expect(ui.screen()).toContain('message 49');

    ui.press('pageup');
    expect(ui.state.scroll.conversation).not.toBeNull();
    say(ui, 'late', 'assistant', 'a late message');
    expect(ui.screen()).not.toContain('a late message');
    expect(ui.screen()).toContain('more lines: G goes to the end');

    ui.press('G');
    expect(ui.screen()).toContain('a late message');
  });

  test('reaches the beginning and the end by keys', () => {
    const ui = createLongUi();
    ui.press('g');
    expect(ui.screen()).toContain('What is on this page?');
    for (let count = 0; count < 20; count += 1) ui.press('pagedown');
    expect(ui.state.scroll.conversation).toBeNull();
  });

  test('the wheel scrolls what is under it', () => {
    const ui = createLongUi();
    ui.happen({ type: 'input', input: { type: 'mouse', action: 'wheelup', column: 60, row: 5 } });
    expect(ui.state.scroll.conversation).not.toBeNull();

    ui.happen({ type: 'input', input: { type: 'mouse', action: 'wheeldown', column: 2, row: 12 } });
    expect(ui.state.selected.sessions).toBe('s2');
  });

  test('a click opens the session it hits and leaves a page', () => {
    const ui = createLongUi();
    ui.press('?');
    const row = ui
      .screen()
      .split('\n')
      .findIndex((line) => line.includes('Session s2'));
    ui.happen({ type: 'input', input: { type: 'mouse', action: 'press', column: 5, row } });

    expect(ui.state.overlay).toBeNull();
    expect(ui.effects.at(-1)).toEqual({ type: 'session.open', sessionId: 's2' });
  });
});

describe('the mouse', () => {
  const click = (ui: Ui, text: string): void => {
    const lines = ui.screen().split('\n');
    const row = lines.findIndex((line) => line.includes(text));
    const column = lines[row]?.indexOf(text) ?? 0;
    ui.happen({ type: 'input', input: { type: 'mouse', action: 'press', column, row } });
  };

  test.for([
    [120, 40],
    [60, 16],
  ] as const)('opens a tab by its name on %i×%i', ([columns, rows]) => {
    const ui = createBusyUi({ columns, rows });
    click(ui, 'Logs');
    expect(ui.state.tab).toBe('logs');
    click(ui, 'Diff');
    expect(ui.state.tab).toBe('diff');
    click(ui, 'Conversation');
    expect(ui.state.tab).toBe('conversation');
  });

  test.for([
    [120, 40],
    [60, 16],
    [40, 12],
  ] as const)('answers with what is clicked once it could be seen, on %i×%i', ([columns, rows]) => {
    const ui = createBusyUi({ columns, rows });
    open(ui, permission);
    const answers = (): unknown[] => ui.effects.flatMap((effect) => (effect.type === 'request.answer' ? [effect.answer.optionId] : []));
    click(ui, '[s] Allow for this session');
    expect(answers()).toEqual([]);

    ui.happen({ type: 'armed', requestId });
    click(ui, 'Run a command');
    click(ui, 'rm -rf build');
    expect(answers()).toEqual([]);
    click(ui, 'Allow for this session');
    click(ui, '[d] Deny');
    expect(answers()).toEqual(['session', 'no']);
  });

  test('never takes words of an answer for another answer', () => {
    const ui = createBusyUi({ columns: 120, rows: 40 });
    const [once, , no] = permission.options;
    if (once === undefined || no === undefined) throw new Error('the sample has changed');
    open(ui, { ...permission, options: [once, { ...no, label: 'Deny   [a] Allow all of it' }] });
    ui.happen({ type: 'armed', requestId });

    click(ui, '[a] Allow all of it');

    expect(ui.effects.at(-1)).toMatchObject({ type: 'request.answer', answer: { optionId: 'no' } });
  });
});

describe('copying', () => {
  test('y copies the last answer as it was written', () => {
    const ui = createBusyUi();
    ui.press('y');
    expect(ui.effects.filter(({ type }) => type === 'copy')).toEqual([]);
    expect(ui.screen()).toContain('no answer to copy');

    say(ui, 'a1', 'assistant', '**One**');
    say(ui, 'a2', 'assistant', '| *two* |');
    ui.press('y');

    expect(ui.effects.at(-1)).toEqual({ type: 'copy', text: '| *two* |' });
  });

  test('the welcome puts everything in place for somebody for whom nothing was', () => {
    const ui = createUi({ columns: 120, rows: 40 });

    ui.happen({ type: 'welcome', registers: true });

    expect(ui.effects).toEqual([{ type: 'setup.install' }]);
    expect(ui.screen()).toContain('Welcome to Pilotfish');
  });

  test('on the welcome page one key copies the page of the extensions, then the folder', () => {
    const ui = createUi({ columns: 120, rows: 40 });
    const extension = { path: '/home/me/Pilotfish-Extension', version: '1.0.0', embeddedVersion: '1.0.0', isCurrent: true };
    ui.happen({ type: 'setup', browserSetups: [], extension, command: 'pilotfish' });
    ui.happen({ type: 'welcome', registers: false });

    ui.press('y', 'y');

    expect(ui.effects).toEqual([
      { type: 'copy', text: 'chrome://extensions' },
      { type: 'copy', text: '/home/me/Pilotfish-Extension' },
    ]);
  });
});

describe('filters', () => {
  test('narrow the list in focus, and escape shows all again', () => {
    const ui = createBusyUi();
    ui.event({ type: 'turn.completed', turnId, outcome: 'completed', durationMs: 1 });
    ui.press('3', '/');
    ui.type('codex');
    ui.press('enter');
    expect(ui.screen()).toContain('Codex');
    expect(ui.screen()).not.toContain('Qwen Code');

    ui.press('escape');
    expect(ui.screen()).toContain('Qwen Code');
  });

  test('find an agent that is not installed, though all of those are one row', () => {
    const ui = createBusyUi();
    ui.happen({
      type: 'state',
      event: {
        type: 'engines',
        engines: [
          engine('goose', 'Goose', 'not_installed'),
          engine('qwen', 'Qwen Code', 'not_installed'),
          engine('claude', 'Claude', 'ready'),
        ],
      },
    });
    expect(ui.screen()).toMatch(/● Claude[^]*– 2 more agents/u);
    const alone = createBusyUi();
    alone.happen({
      type: 'state',
      event: { type: 'engines', engines: [engine('goose', 'Goose', 'not_installed'), engine('qwen', 'Qwen Code', 'not_installed')] },
    });
    expect(alone.screen()).toMatch(/– 2 agents/u);
    expect(ui.screen()).not.toContain('Goose');

    ui.press('3', 'end', 'enter');
    expect(ui.screen()).toContain('Goose');
    ui.press('enter');
    expect(ui.state.overlay).toEqual({ type: 'engine', name: 'goose' });
    ui.press('escape', '/');
    ui.type('qwen');
    ui.press('enter');
    expect(ui.screen()).toContain('Qwen Code');
  });

  test('lead to an agent that f mends in this terminal, by the name with which the shell finds pilotfish, once the person has said yes', () => {
    const ui = createBusyUi();
    ui.happen({ type: 'setup', browserSetups: [], extension: null, command: '/opt/pilotfish' });
    const glm = engine('glm', 'GLM', 'not_logged_in', { fix: 'pilotfish engine key glm GLM_API_KEY' });
    ui.happen({ type: 'state', event: { type: 'engines', engines: [engine('claude', 'Claude', 'ready'), glm] } });

    ui.press('3', 'down', 'enter');
    expect(ui.screen()).toContain('/opt/pilotfish engine key glm GLM_API_KEY');
    ui.press('f');
    expect(ui.screen()).toContain('Run /opt/pilotfish engine key glm GLM_API_KEY in this terminal?');
    expect(ui.effects.map(({ type }) => type)).not.toContain('engine.fix');
    ui.press('y');
    expect(ui.effects.at(-1)).toEqual({ type: 'engine.fix', name: 'glm', line: '/opt/pilotfish engine key glm GLM_API_KEY' });

    ui.press('3', 'up', 'enter', 'f');
    expect(ui.screen()).toContain('There is no command that mends it.');
    const local = engine('glm', 'GLM', 'not_logged_in', { fix: 'Start a model server first.' });
    ui.press('escape');
    ui.happen({ type: 'state', event: { type: 'engines', engines: [engine('claude', 'Claude', 'ready'), local] } });
    ui.press('3', 'down', 'enter', 'f');
    expect(ui.screen()).toContain('There is no command that mends it.');
  });

  test.for(['codex', 'error'])('narrow the log to lines with the words, or of the level: %s', (words) => {
    const ui = createBusyUi();
    ui.happen({
      type: 'logs',
      lines: ['{"at":"2026-01-01T10:11:12.000Z","level":"error","event":"engine.failed","name":"codex"}', '{"event":"request"}'],
    });
    ui.press('tab', '[', '/');
    ui.type(words);
    ui.press('enter');

    expect(ui.screen()).toContain('10:11:12 engine.failed name=codex');
    expect(ui.screen()).not.toContain(' request');
  });
});

describe('the log', () => {
  test('is bounded', () => {
    const ui = createUi();
    ui.happen({ type: 'logs', lines: Array.from({ length: 5000 }, (_, index) => `line ${index}`) });

    expect(ui.state.logs).toHaveLength(2000);
    expect(ui.state.logs.at(-1)?.text).toContain('line 4999');
  });
});

test('quitting does nothing but quit: the agents go on', () => {
  const ui = createBusyUi();
  ui.event({ type: 'item.started', turnId, itemId: ItemId.parse('x'), item: { kind: 'message', role: 'assistant', text: '' } });
  const before = ui.effects.length;
  ui.press('q');

  expect(ui.effects.slice(before)).toEqual([{ type: 'quit' }]);
});

describe('warnings', () => {
  const warn = (ui: Ui, ...warnings: string[]): void => ui.happen({ type: 'state', event: { type: 'warnings', warnings } });

  test('are told when they come, once, and no longer when they are over', () => {
    const ui = createUi();
    warn(ui, 'The disk is full.');
    expect(ui.screen()).toContain('The disk is full.');

    ui.happen({ type: 'notice', notice: null });
    warn(ui, 'The disk is full.', 'Something else.');
    expect(ui.screen()).toContain('Something else.');
    expect(ui.screen()).not.toContain('The disk is full.');

    warn(ui, 'The disk is full.');
    expect(ui.state.notice).toBeNull();
    expect(ui.state.warnings.map(warningText)).toEqual(['The disk is full.']);
  });

  test('take nothing else away when they are over', () => {
    const ui = createUi();
    warn(ui, 'The disk is full.');
    ui.happen({ type: 'notice', notice: { level: 'info', text: 'Copied.', remedy: null } });
    warn(ui);

    expect(ui.state.notice?.text).toBe('Copied.');
  });
});

describe('notifications', () => {
  const tell = (ui: Ui, key: string): void =>
    ui.happen({
      type: 'state',
      event: {
        type: 'notification',
        notification: { key, kind: 'approval', sessionId, sessionName: 'Tides', text: 'Run npm test', at: 0 },
      },
    });
  const bells = (ui: Ui): number => ui.effects.filter(({ type }) => type === 'bell').length;

  test('the bell rings once for each, also when it is told again', () => {
    const ui = createBusyUi();
    tell(ui, 'request:r1');
    tell(ui, 'request:r1');
    expect(bells(ui)).toBe(1);

    tell(ui, 'turn:t1');
    expect(bells(ui)).toBe(2);
  });

  test('what is over does not ring again', () => {
    const ui = createBusyUi();
    tell(ui, 'request:r1');
    ui.happen({ type: 'state', event: { type: 'notification.over', key: 'request:r1' } });
    tell(ui, 'request:r1');

    expect(bells(ui)).toBe(1);
  });

  test('the keys that are remembered have a limit', () => {
    const ui = createBusyUi();
    for (let index = 0; index < 1_000; index += 1) tell(ui, `turn:t${index}`);

    expect(bells(ui)).toBe(1_000);
    expect(ui.state.rung.length).toBeLessThanOrEqual(200);
  });
});
