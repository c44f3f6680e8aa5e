/** A terminal UI in the middle of its work, for tests that look at a part of it. */
import { toOption } from '#protocol/answers.ts';
import type { EventBody, SessionEvent } from '#protocol/events.ts';
import { BrowserId, ItemId, ProjectId, RequestId, SessionId, TurnId } from '#protocol/ids.ts';
import type { Project, SessionSummary } from '#protocol/api.ts';
import type { EngineInfo } from '#protocol/engines.ts';
import type { RequestBody } from '#protocol/requests.ts';
import { defaultSettings } from '#protocol/events.ts';
import { initialState, type Effect, type TuiState } from '#companion/tui/state.ts';
import { unpaint } from '#companion/tui/paint.ts';
import { drawFrame } from '#companion/tui/frame.ts';
import { update, type Happening } from '#companion/tui/update.ts';
import { sampleEngine, sampleProject, sampleSession } from '#test/fixtures/samples.ts';

export const sessionId = SessionId.parse('s1');
export const turnId = TurnId.parse('t1');
export const requestId = RequestId.parse('r1');

export const engine = (name: string, label: string, status: EngineInfo['status'], extra: Partial<EngineInfo> = {}): EngineInfo =>
  sampleEngine({ name, label, status, ...extra });

export const session = (id: string, extra: Partial<SessionSummary> = {}): SessionSummary =>
  sampleSession({ id: SessionId.parse(id), name: `Session ${id}`, ...extra });

export const project = (id: string, name: string): Project =>
  sampleProject({ id: ProjectId.parse(id), name, rootPath: `/home/me/${name}` });

/** A terminal UI that remembers what it was asked to do. */
export const createUi = (size: { columns: number; rows: number } = { columns: 100, rows: 30 }, more: Partial<TuiState> = {}) => {
  let state: TuiState = { ...initialState, link: 'live', size, ...more };
  let seq = 0;
  const effects: Effect[] = [];
  const happen = (happening: Happening): void => {
    const next = update(state, happening);
    state = next.state;
    effects.push(...next.effects);
  };
  const ui = {
    get state() {
      return state;
    },
    effects,
    happen,
    press: (...keys: string[]) => keys.forEach((key) => happen({ type: 'input', input: { type: 'key', key } })),
    type: (text: string) =>
      Array.from(text).forEach((key) => happen({ type: 'input', input: { type: 'key', key: key === ' ' ? 'space' : key } })),
    event: (body: EventBody) => {
      seq += 1;
      const event: SessionEvent = { ...body, sessionId, seq, at: 0 };
      happen({ type: 'event', event });
    },
    /** The screen without its styles. */
    screen: () => drawFrame(state).lines.map(unpaint).join('\n'),
    cursor: () => drawFrame(state).cursor,
  };
  return ui;
};

export type Ui = ReturnType<typeof createUi>;

/** Two projects, four agents, three sessions, a browser; the first session is open and says something. */
export const createBusyUi = (size?: { columns: number; rows: number }, more?: Partial<TuiState>): Ui => {
  const ui = createUi(size, more);
  ui.happen({ type: 'state', event: { type: 'projects', projects: [project('p1', 'pilotfish'), project('p2', '网站')] } });
  ui.happen({
    type: 'state',
    event: {
      type: 'engines',
      engines: [
        engine('claude', 'Claude Code', 'ready', { version: '2.1.4' }),
        engine('codex', 'Codex', 'not_logged_in', { fix: 'codex login' }),
        engine('qwen', 'Qwen Code', 'not_installed', { fix: 'npm install -g @qwen-code/qwen-code' }),
      ],
    },
  });
  ui.happen({
    type: 'state',
    event: {
      type: 'browsers',
      browsers: [
        { browserId: BrowserId.parse('b1'), name: 'Chromium', label: 'work', extensionVersion: '0.1.0', connectedAt: 0, toolCount: 25 },
      ],
    },
  });
  ui.happen({
    type: 'state',
    event: {
      type: 'sessions',
      sessions: [
        session('s1', { status: 'running', name: 'What is on this page? 😀' }),
        session('s2', { lastOutcome: 'failed' }),
        session('s3', { kind: 'client' }),
      ],
    },
  });
  ui.event({
    type: 'session.created',
    projectId: ProjectId.parse('p1'),
    engine: 'claude',
    name: 'x',
    kind: 'agent',
    settings: defaultSettings,
  });
  startTurn(ui, 'What is on this page?');
  return ui;
};

export const startTurn = (ui: Ui, text: string): void => {
  ui.event({ type: 'turn.started', turnId, prompt: { text, attachments: [] } });
  ui.event({ type: 'run.changed', state: 'ready' });
  say(ui, 'u1', 'user', text);
};

export const say = (ui: Ui, id: string, role: 'user' | 'assistant', text: string): void => {
  ui.event({ type: 'item.started', turnId, itemId: ItemId.parse(id), item: { kind: 'message', role, text } });
  ui.event({ type: 'item.completed', turnId, itemId: ItemId.parse(id), status: 'completed' });
};

export const permission: RequestBody = {
  kind: 'permission',
  title: 'Run a command',
  saying: { code: 'run', values: {} },
  detail: 'rm -rf build',
  where: '/home/me/pilotfish',
  options: [
    toOption('once', 'allow_once', 'answer_allow'),
    toOption('session', 'allow_session', 'answer_session'),
    toOption('no', 'reject', 'answer_deny'),
  ],
};

export const question: RequestBody = {
  kind: 'question',
  title: 'Which colour?',
  options: [toOption('ok', 'choice', 'answer_answer'), toOption('no', 'reject', 'answer_answer_not')],
  questions: [
    { question: 'Which colour?', options: [{ label: 'red' }, { label: 'blue' }], isMultiple: false, isOpen: true },
    { question: 'Which sizes?', options: [{ label: 'small' }, { label: 'large' }], isMultiple: true, isOpen: false },
  ],
};

export const open = (ui: Ui, request: RequestBody, about: { itemId?: ItemId } = {}): void =>
  ui.event({ type: 'request.opened', turnId, requestId, ...about, request });

/** As open does, and a person has had the time to see it. */
export const show = (ui: Ui, request: RequestBody): void => {
  open(ui, request);
  ui.happen({ type: 'armed', requestId });
};
