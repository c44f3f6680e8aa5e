/** Every state of the panel that has a look of its own, by name. Conversations come from recordings of real agents. */
import { defaultSettings, type SessionEvent } from '#protocol/events.ts';
import { CompanionError } from '#protocol/errors.ts';
import { ProjectId, SessionId, type TurnId } from '#protocol/ids.ts';
import { newestPage } from '#protocol/pages.ts';
import { emptyView, project as fold } from '#protocol/view.ts';
import { fromPage, type Conversation } from '#extension/sidepanel/fold.ts';
import { initialState, type PanelState } from '#extension/sidepanel/state.ts';
import { fewCapabilities, sampleEngine, sampleProject, sampleSession } from '#test/fixtures/samples.ts';

/** The recordings that states are made of. */
export const recordings = ['answer', 'edit', 'question', 'shell-allowed', 'subagent', 'thinking', 'error-401', 'background-shell'] as const;
export const waitingRecordings = ['question', 'plan-approval', 'shell-allowed', 'edit'] as const;
export type Recordings = Readonly<Record<string, readonly SessionEvent[]>>;

export interface GalleryState {
  readonly state: PanelState;
  /** What is clicked, one after the other, as CSS selectors. */
  readonly press?: readonly string[];
  /** What is written into the composer. */
  readonly type?: string;
}

const project = sampleProject({ name: 'tide-tables', rootPath: '/home/sam/code/tide-tables' });
const other = sampleProject({ id: ProjectId.parse('p2'), name: 'website', rootPath: '/home/sam/code/website' });
const claude = sampleEngine({
  version: '2.1.4',
  account: 'sam@example.org',
  models: [
    { modelId: 'opus', label: 'Opus', efforts: ['low', 'medium', 'high'] },
    { modelId: 'sonnet', label: 'Sonnet' },
  ],
  commands: [
    { name: 'compact', description: 'Clear conversation history but keep a summary in context' },
    { name: 'review', description: 'Review a pull request' },
  ],
  modes: [
    { modeId: 'default', label: 'Ask', description: 'Asks before it changes files or runs commands.', isDangerous: false },
    { modeId: 'bypass', label: 'Full access', isDangerous: true },
  ],
});
const codex = sampleEngine({ name: 'codex', label: 'Codex', version: '0.61.0' });
const absent = (name: string, label: string, fix: string) =>
  sampleEngine({ name, label, status: 'not_installed', error: new CompanionError('ENGINE_NOT_FOUND').toBody(), fix });
const gemini = absent('gemini', 'Gemini CLI', 'npm install -g @google/gemini-cli');
const loggedOut = sampleEngine({
  status: 'not_logged_in',
  error: new CompanionError('ENGINE_NOT_LOGGED_IN').toBody(),
  fix: 'claude auth login',
});

const session = (id: string, change: Parameters<typeof sampleSession>[0] = {}) =>
  sampleSession({ id: SessionId.parse(id), updatedAt: '2026-01-05T09:30:00.000Z', ...change });
const sessions = [
  session('s1', { name: 'High water in Brest', preview: 'It is a tide table for Brest', costUsd: 0.42, isPinned: true }),
  session('s2', { name: 'Fix the build', status: 'waiting', openRequests: 1, requestKind: 'permission' }),
  session('s3', { name: 'Review the pull request', status: 'running', engineName: 'codex', projectId: other.id }),
  session('s4', { name: 'Compare two invoices', lastOutcome: 'failed', projectId: other.id }),
  session('s6', { name: 'Old notes', isArchived: true }),
  session('s5', { name: 'Claude Desktop', kind: 'client', engineName: 'client', projectId: null }),
];

const base: PanelState = {
  ...initialState,
  connection: { state: 'connected', port: 1, token: 'token', companionVersion: '0.1.0' },
  daemon: { state: 'live' },
  sessions,
  projects: [project, other],
  engines: [claude, codex, gemini],
  choice: { ...initialState.choice, projectId: project.id, engine: 'claude' },
  log: { state: 'live' },
  seen: Object.fromEntries(sessions.map(({ id }) => [id, id === 's4' ? 0 : Date.parse('2027-01-01T00:00:00Z')])),
};
const nobody: PanelState = { ...base, sessions: [], choice: initialState.choice };

/** A machine without any agent. */
const nothingFound: PanelState = {
  ...nobody,
  projects: [project],
  engines: [
    sampleEngine({
      name: 'local',
      label: 'Local model',
      status: 'not_installed',
      capabilities: { ...fewCapabilities, mcp: ['bridge'] },
      error: new CompanionError('ENGINE_SERVER_NOT_FOUND').toBody(),
    }),
    absent('claude', 'Claude Code', 'npm install -g @anthropic-ai/claude-code'),
    absent('codex', 'Codex', 'npm install -g @openai/codex'),
    gemini,
  ],
};

const conversationOf = (events: readonly SessionEvent[]): Conversation => {
  const view = events.reduce(fold, emptyView(SessionId.parse('s1')));
  return fromPage({ ...newestPage(view, 200), epoch: 'e' });
};

const broken = (state: 'host_missing' | 'host_forbidden' | 'host_crashed' | 'refused' | 'reconnecting'): PanelState => ({
  ...initialState,
  connection: {
    state,
    error: new CompanionError(state === 'refused' ? 'EXTENSION_TOO_OLD' : 'DAEMON_START_FAILED').toBody(),
    attempt: 3,
  },
});

/** All states, given the logs that were recorded. */
export const galleryStates = (logs: Recordings): Readonly<Record<string, GalleryState>> => {
  const talking = (name: string): PanelState => ({
    ...base,
    sessionId: SessionId.parse('s1'),
    conversation: conversationOf(logs[name] ?? []),
  });
  return {
    starting: { state: initialState },
    'host-missing': { state: broken('host_missing') },
    'host-forbidden': { state: broken('host_forbidden') },
    'host-crashed': { state: broken('host_crashed') },
    refused: { state: broken('refused') },
    newcomer: {
      state: {
        ...initialState,
        connection: {
          state: 'newcomer',
          port: 1,
          token: 'token',
          admission: {
            id: 'a',
            kind: 'browser',
            name: 'Work',
            program: '/usr/bin/chromium',
            pid: 4242,
            folder: null,
            origin: 'browser',
            state: 'waiting',
            since: 0,
          },
        },
      },
    },
    'first-project': { state: { ...nobody, projects: [], defaultWorkspace: '/home/sam/pilotfish' } },
    'no-agent': {
      state: { ...nobody, projects: [project], engines: [loggedOut, gemini, absent('codex', 'Codex', 'npm install -g @openai/codex')] },
    },
    'no-agent-found': { state: nothingFound },
    'no-agent-more': { state: nothingFound, press: ['.more-agents > summary'] },
    welcome: { state: base },
    'welcome-first': { state: { ...base, sessions: [] } },
    failure: { state: { ...base, failure: new CompanionError('DAEMON_NOT_RUNNING').toBody() } },
    ...Object.fromEntries(recordings.map((name) => [`talk-${name}`, { state: talking(name) }])),
    ...Object.fromEntries(waitingRecordings.map((name) => [`asks-${name}`, { state: talking(`asks-${name}`) }])),
    queued: {
      state: {
        ...talking('answer'),
        draft: {
          text: 'And the low water?',
          attachments: [
            { kind: 'element', name: 'Element of tides.example', mimeType: 'text/plain', dataBase64: 'cGFnZQ==' },
            {
              kind: 'file',
              name: 'a very long name of a file that does not fit into one row.csv',
              mimeType: 'text/csv',
              dataBase64: 'YQ==',
            },
          ],
        },
        outbox: [
          {
            turnId: 'u1',
            sessionId: SessionId.parse('s1'),
            text: 'This one was not sent.',
            attachments: [],
            delivery: 'queue',
            state: 'failed',
            error: new CompanionError('DAEMON_NOT_RUNNING').toBody(),
          },
        ],
      },
    },
    stopping: { state: { ...talking('asks-shell-allowed'), stopping: 'turn-1' as TurnId } },
    dangerous: { state: { ...base, choice: { ...base.choice, mode: 'bypass' } } },
    sessions: { state: base, press: ['.menu'] },
    'session-removed': { state: { ...base, removed: { sessionId: SessionId.parse('s9'), name: 'A draft' } }, press: ['.menu'] },
    'session-menu': { state: base, press: ['.menu', '.sessions .list-row > .ghost'] },
    agents: { state: base, press: ['.pill-engine'] },
    models: { state: { ...base, choice: { ...base.choice, model: 'opus' } }, press: ['.pill-model'] },
    modes: { state: base, press: ['.pill-mode'] },
    projects: { state: base, press: ['.project-button'] },
    'session-settings': { state: { ...base, isShowingExtras: true, extras: { ...defaultSettings, maxTurns: 20 } } },
    files: { state: base, type: 'Look at @ti' },
    commands: { state: base, type: '/' },
    'page-parts': { state: base, type: '#' },
    steering: { state: { ...talking('asks-shell-allowed'), draft: { text: 'And then', attachments: [] } } },
    efforts: { state: { ...base, choice: { ...base.choice, model: 'opus' } }, press: ['.pill-effort'] },
    'attach-menu': { state: base, press: ['.context > button'] },
  };
};
