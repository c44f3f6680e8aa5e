/** Every state of the panel that has a look of its own, by name. Conversations come from recordings of real agents. */
import { toOption } from '#protocol/answers.ts';
import { line } from '#companion/mcp/card-line.ts';
import { cardText } from '#protocol/card-lines.ts';
import { defaultSettings, type SessionEvent } from '#protocol/events.ts';
import { CompanionError, type ErrorCode } from '#protocol/errors.ts';
import { finding, inOne } from '#protocol/findings.ts';
import { AttachmentId, ItemId, ProjectId, RequestId, SessionId, type TurnId } from '#protocol/ids.ts';
import type { Proof } from '#protocol/items.ts';
import { labelled, toMode } from '#protocol/modes.ts';
import { notice } from '#protocol/notices.ts';
import type { RequestBody } from '#protocol/requests.ts';
import { newestPage } from '#protocol/pages.ts';
import { emptyView, project as fold } from '#protocol/view.ts';
import { asItCame, asLines } from '#protocol/said.ts';
import { warn } from '#protocol/warnings.ts';
import { explain } from '#protocol/faults.ts';
import type { Draft } from '#extension/sidepanel/draft.ts';
import { fromPage, type Conversation } from '#extension/sidepanel/fold.ts';
import type { Unsent } from '#extension/sidepanel/outbox.ts';
import { toState } from '#extension/background/link-state.ts';
import { initialState, type PanelState } from '#extension/sidepanel/state.ts';
import { allCapabilities, fewCapabilities, sampleEngine, sampleProject, sampleSession } from '#test/fixtures/samples.ts';
import {
  nothingChanged,
  noEditor,
  noRepository,
  noTerminal,
  refusedProposal,
  sinceCommit,
  taskOutput,
  type OtherAnswers,
} from './answers.ts';
import { answered, failedBy, failedCommands, inBackground, interrupted, pictured, planned, running, waiting } from './logs.ts';

/** The recordings that states are made of. */
export const recordings = ['answer', 'edit', 'question', 'shell-allowed', 'subagent', 'thinking', 'error-401', 'background-shell'] as const;
export const waitingRecordings = ['question', 'plan-approval', 'shell-allowed'] as const;
export type Recordings = Readonly<Record<string, readonly SessionEvent[]>>;

export interface GalleryState {
  readonly state: PanelState;
  /** The side panel, or the page of the settings. */
  readonly page?: 'panel' | 'settings';
  /** What the daemon answers there instead. */
  readonly answers?: OtherAnswers;
  /** A file that is chosen, in the field of this CSS selector. */
  readonly choose?: string;
  /** What is clicked by the mouse itself at the end: some buttons take no press of a script. */
  readonly click?: readonly string[];
  /** A key that is pressed first. */
  readonly key?: KeyboardEventInit;
  /** What is clicked, one after the other, as CSS selectors. */
  readonly press?: readonly string[];
  /** What is written into the composer, or `into` another field. */
  readonly type?: string;
  readonly into?: string;
  /** What is there once the state is: a CSS selector. */
  readonly until?: string;
}

const project = sampleProject({ name: 'tide-tables', rootPath: '/home/sam/code/tide-tables' });
const other = sampleProject({ id: ProjectId.parse('p2'), name: 'website', rootPath: '/home/sam/code/website' });
const claude = sampleEngine({
  version: '2.1.4',
  account: 'sam@example.org',
  loginCommand: 'claude auth login',
  capabilities: { ...allCapabilities, canReadTasks: true },
  models: [
    { modelId: 'opus', label: 'Opus', efforts: ['low', 'medium', 'high'] },
    { modelId: 'sonnet', label: 'Sonnet' },
  ],
  commands: [
    { name: 'compact', description: 'Clear conversation history but keep a summary in context' },
    { name: 'review', description: 'Review a pull request' },
    { name: 'tides', description: 'Reads tide tables', isSkill: true },
  ],
  modes: [toMode('default', 'mode_ask', 'asks_before_all'), toMode('bypass', 'mode_full', 'never_asks', 'asks nothing')],
});
/** Black and white stripes. */
export const PICTURE =
  'iVBORw0KGgoAAAANSUhEUgAAAUAAAADIAQAAAACxfwUGAAAAOklEQVR42u3VoREAAAgDse6/NNwxARhUol+3qaUIhcIJgRuTIhT6GfAzQqGfAT8jFPoZwM8IhX4GXjWtF5FCKx7ejQAAAABJRU5ErkJggg==';

/** What was taken from a page, with what the person wrote beside it. */
const noted: Draft = {
  text: 'Mend these',
  attachments: [
    { kind: 'screenshot', name: 'Screenshot of tides.example', mimeType: 'image/png', dataBase64: PICTURE },
    {
      kind: 'element',
      name: 'Element of tides.example',
      mimeType: 'text/plain',
      dataBase64: btoa('page: http://tides.example/\nrole: button\nname: Show next week\n'),
      note: 'twice as wide, and in the middle',
    },
    {
      kind: 'element',
      name: 'Element of tides.example (2)',
      mimeType: 'text/plain',
      dataBase64: btoa('page: http://tides.example/\nrole: heading\nname: Tide tables of the western coast and its islands\n'),
    },
  ],
};
/** As many as a person can pick with #. */
const tabs: Draft['attachments'] = Array.from({ length: 40 }, (_, index) => ({
  kind: 'page',
  name: 'Page of tides.example',
  mimeType: 'text/plain',
  dataBase64: btoa(`page: https://tides.example/${index}\ntitle: Tide table of harbour ${index + 1}\n\n`),
}));
const codex = sampleEngine({ name: 'codex', label: 'Codex', version: '0.61.0' });
const absent = (name: string, label: string, fix: string) =>
  sampleEngine({ name, label, status: 'not_installed', error: new CompanionError('ENGINE_NOT_FOUND').toBody(), fix });
const gemini = absent('gemini', 'Gemini CLI', 'npm install -g @google/gemini-cli');
const loggedOut = sampleEngine({
  status: 'not_logged_in',
  error: new CompanionError('ENGINE_NOT_LOGGED_IN').toBody(),
  fix: 'claude auth login',
  loginCommand: 'claude auth login',
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

const connected = { state: 'connected', port: 1, token: 'token', companionVersion: '0.1.0' } as const;
const base: PanelState = {
  ...initialState,
  connection: connected,
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
      ...labelled('local_model'),
      status: 'not_installed',
      capabilities: { ...fewCapabilities, mcp: ['bridge'] },
      error: new CompanionError(
        'ENGINE_SERVER_NOT_FOUND',
        explain('looked_for', {
          places: 'Ollama (http://127.0.0.1:11434), LM Studio (http://127.0.0.1:1234), llama.cpp (http://127.0.0.1:8080)',
        }),
      ).toBody(),
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

/** An answer with diagrams of several kinds, and one that is none. */
const diagrams = [
  'This is how a tide is read:',
  '```mermaid\nflowchart TD\n  A["Read the table"] --> B{"Is it today\'s?"}\n  B -- yes --> C([Show the hours])\n  B -->|no| D[(Fetch it)] --> A\n```',
  '```mermaid\nsequenceDiagram\n  participant P as Panel\n  P->>Daemon: 潮汐表\n  Daemon-->>P: 高水位 07:10\n```',
  '```mermaid\npie title Tides\n  "High" : 2\n  "Low" : 3\n  "Slack" : 1\n```',
  '```mermaid\npie title Tides\n  "High" :\n```',
].join('\n\n');

/** The kinds that lists and times are drawn as. */
const charts = [
  '```mermaid\ngantt\n  title A week of tides\n  todayMarker off\n  dateFormat YYYY-MM-DD\n  section Table\n  Read :a1, 2026-01-05, 2d\n  Compare :after a1, 3d\n```',
  '```mermaid\nmindmap\n  root((Tides))\n    Spring\n      New moon\n      Full moon\n    Neap\n```',
  '```mermaid\ntimeline\n  title Tables\n  1830 : Admiralty\n  1870 : Kelvin\n```',
  '```mermaid\ngitGraph\n  commit id: "first"\n  branch tides\n  commit id: "second"\n  checkout main\n  merge tides id: "both"\n```',
  '```mermaid\njourney\n  title A day at sea\n  section Morning\n    Read the table: 5: Sam\n    Wait: 2: Sam\n```',
].join('\n\n');

const unsent: Unsent = {
  turnId: 'u1',
  sessionId: SessionId.parse('s1'),
  text: 'This one was not sent.',
  attachments: [],
  delivery: 'queue',
  state: 'failed',
  error: null,
};
const notSent = (code: ErrorCode, sessionId: SessionId | null): readonly Unsent[] => [
  { ...unsent, sessionId, error: new CompanionError(code).toBody() },
];

/** The same as the session of a program from outside. */
const foreign = ({ conversation }: PanelState): Conversation | null =>
  conversation === null ? null : { ...conversation, view: { ...conversation.view, sessionId: SessionId.parse('s5'), kind: 'client' } };

/** The same session after a turn for which two elements of a page were picked, and whose last edit cannot be built. */
const proved = (state: PanelState): PanelState => {
  const { conversation } = state;
  const turnId = conversation?.view.turns.at(-1)?.turnId;
  if (conversation === null || turnId === undefined) return state;
  const picture = (attachmentId: string) =>
    ({ attachmentId: AttachmentId.parse(attachmentId), kind: 'screenshot', name: 'x', mimeType: 'image/png', sizeBytes: 100 }) as const;
  const proof: Proof = {
    url: 'http://localhost:5173/tides',
    outcome: 'updated',
    buildError: '[plugin:vite:css] Unclosed block\n/home/sam/code/tide-tables/src/table.css:12:1',
    pairs: [
      { element: 'button Show tomorrow', isThere: true, before: picture('a1'), after: picture('a2') },
      { element: 'region A table of the tides of all harbours', isThere: false, before: picture('a3') },
    ],
  };
  const { text, saying } = notice('page_broken', { host: 'localhost:5173' });
  const item = {
    itemId: ItemId.parse('proof-1'),
    turnId,
    parentItemId: null,
    status: 'completed',
    at: conversation.view.updatedAt,
    endedAt: conversation.view.updatedAt,
    body: { kind: 'notice', level: 'warning', text, saying, proof },
  } as const;
  return { ...state, conversation: { ...conversation, view: { ...conversation.view, items: [...conversation.view.items, item] } } };
};

/** The same session in a worktree of its own. */
const apart = (state: PanelState): PanelState => {
  const { conversation } = state;
  if (conversation === null) return state;
  const worktree = {
    path: '/home/sam/worktrees/tides',
    folder: '/home/sam/worktrees/tides',
    repository: project.rootPath,
    branch: 'pilotfish/tides',
    base: 'a1',
    baseBranch: 'main',
    leftBehind: 2,
    state: 'open',
  } as const;
  return { ...state, conversation: { ...conversation, view: { ...conversation.view, worktree } } };
};

/** The card of a project that starts programs. */
const trustRequest: RequestBody = {
  kind: 'trust',
  title: 'This project changed what it starts. Trust it again?',
  saying: { code: 'trust_again', values: {} },
  ...asLines([
    finding('trust_reads'),
    asItCame(''),
    inOne(['.mcp.json', finding('changed')]),
    finding('within', { line: inOne(['mcpServers.tides', finding('starts'), 'node server.js --key ', finding('not_shown')]) }),
    finding('within', { line: inOne([finding('scripts'), 'server.js', finding('is_new')]) }),
    finding('more_in_file', { count: 3 }),
    asItCame(''),
    finding('trust_end'),
  ]),
  where: project.rootPath,
  options: [toOption('trust', 'allow_always', 'answer_trust'), toOption('deny', 'reject', 'answer_start_not')],
};

/** The card of a click on a site. */
const consentRequest: RequestBody = {
  kind: 'consent',
  title: 'Click “Show next week” on tides.example, in your own tab',
  saying: { code: 'own_tab', values: { tool: 'browser_click', element: 'Show next week', site: 'tides.example' } },
  ...asLines([
    line('line_tab', cardText('your_own_tab')),
    line('line_element', 'button “Show next week”'),
    line('line_page', 'Tide tables'),
    line('line_address', 'https://tides.example/'),
    line('line_for', 'Claude Code'),
    line('line_lasts', cardText('how_long')),
  ]),
  shownLines: 1,
  where: 'https://tides.example',
  options: [
    toOption('allow', 'allow_once', 'answer_once'),
    toOption('session', 'allow_session', 'answer_here_in_session'),
    toOption('always', 'allow_always', 'answer_always_here'),
    toOption('deny', 'reject', 'answer_deny'),
  ],
};

/** The card of a change to a file. */
const editRequest: RequestBody = {
  kind: 'permission',
  title: 'Edit src/tides.ts',
  saying: { code: 'agent_tool', values: { name: 'Edit', target: 'src/tides.ts' } },
  detail: [
    '--- src/tides.ts',
    '+++ src/tides.ts',
    '@@ -1,3 +1,3 @@',
    ' export const tides = [',
    '-  { day: "Saturday", at: "05:12" },',
    '+  { day: "Saturday", at: "05:21" },',
    ' ];',
  ].join('\n'),
  where: '/home/sam/code/tide-tables',
  options: [
    toOption('allow', 'allow_once', 'answer_once'),
    toOption('session:0', 'allow_session', 'answer_edits'),
    toOption('reject', 'reject', 'answer_deny'),
  ],
};

/** The same session with one more request that waits. */
const asking = (state: PanelState, request: RequestBody): PanelState => {
  const { conversation } = state;
  if (conversation === null) return state;
  const { view } = conversation;
  const open = { requestId: RequestId.parse(`r-${request.kind}`), turnId: null, itemId: null, at: 0, request, afterItemId: null };
  return { ...state, conversation: { ...conversation, view: { ...view, requests: [...view.requests, open] } } };
};

/** Names that agents, pages and people can give to a session. */
const hostile = [
  session('h1', { name: `${'long '.repeat(99)}end`, costUsd: 123_456.789 }),
  session('h2', { name: '\u202eevil.exe\u202c مرحبا بالعالم' }),
  session('h3', { name: '<img src=x onerror=alert(1)> **bold**' }),
  session('h4', { name: '👩‍👩‍👧‍👦🏴‍☠️🇨🇳 潮汐表和下周的高水位', status: 'waiting', openRequests: 1, requestKind: 'question' }),
  session('h5', { name: 'w'.repeat(300), lastOutcome: 'failed' }),
  session('h6', { name: '' }),
  session('h7', { name: `\u202e${'👩‍👩‍👧‍👦'.repeat(900)}\u2066${'水\u0301\u200b'.repeat(900)}` }),
];

/** More than anybody looks through. */
const many = Array.from({ length: 1000 }, (_, index) => session(`m${index}`, { name: `Tide ${index + 1}` }));

/** An error that says more than its code does. */
const outside = new CompanionError('WORKSPACE_OUTSIDE_ROOTS', explain('leads_to', { folder: '/home/sam/tides', place: '/srv/tides' }), {
  remedy: explain('allow_folder', { command: 'pilotfish roots add "/srv/tides"' }),
}).toBody();

/** A browser that the person has not let in. */
const comer = (state: 'waiting' | 'denied', origin: 'browser' | 'program'): PanelState['connection'] => ({
  state: 'newcomer',
  port: 1,
  token: 'token',
  admission: { id: 'a', kind: 'browser', name: 'Work', program: '/usr/bin/chromium', pid: 4242, folder: null, origin, state, since: 0 },
});

/** How each of these comes about. */
const endings = {
  host_missing: { text: 'Specified native messaging host not found.', error: null, hasSpoken: false },
  host_forbidden: { text: 'Access to the specified native messaging host is forbidden.', error: null, hasSpoken: false },
  host_crashed: { text: '', error: null, hasSpoken: false },
  refused: { text: '', error: new CompanionError('EXTENSION_TOO_OLD').toBody(), hasSpoken: true },
  reconnecting: { text: '', error: null, hasSpoken: true },
};

const broken = (state: 'host_missing' | 'host_forbidden' | 'host_crashed' | 'refused' | 'reconnecting'): PanelState => ({
  ...initialState,
  connection: toState({ ...endings[state], isRefused: state === 'refused' }, 3),
});

/** A session of which so much is known, as it is looked at. */
export const talkOf = (events: readonly SessionEvent[]): PanelState => ({
  ...base,
  sessionId: SessionId.parse('s1'),
  conversation: conversationOf(events),
});

/** One error for each way to mend it, with what its provider or the system has said. */
const mended: readonly (readonly [name: string, code: ErrorCode, detail: string])[] = [
  ['model', 'ENGINE_MODEL_UNKNOWN', 'model: opus-5 is not available on your plan (request req_011CTide)'],
  ['context', 'ENGINE_CONTEXT_FULL', ''],
  ['budget', 'ENGINE_BUDGET_REACHED', ''],
  ['agent', 'ENGINE_NOT_FOUND', 'spawn claude ENOENT'],
  ['folder', 'WORKSPACE_NOT_FOUND', '/home/sam/code/tide-tables'],
  ['refused', 'ENGINE_REFUSED', 'The request violates the usage policy.'],
  ['crashed', 'ENGINE_CRASHED', 'exit code 137: killed'],
];

/** All states, given the logs that were recorded. */
export const galleryStates = (logs: Recordings): Readonly<Record<string, GalleryState>> => {
  // Another program for an agent waits for a yes in a terminal.
  const proposing: GalleryState = {
    state: base,
    page: 'settings',
    press: ['#agents .list-item', '#agents .setup details summary'],
    type: '/home/sam/bin/tide-agent',
    into: '#agents .setup .engine-form input',
    until: '#agents .engine-form .buttons button',
    click: ['#agents .engine-form .buttons button'],
  };
  const talking = (name: string): PanelState => talkOf(logs[name] ?? []);
  return {
    starting: { state: initialState },
    'host-missing': { state: broken('host_missing') },
    'host-forbidden': { state: broken('host_forbidden') },
    'host-crashed': { state: broken('host_crashed') },
    refused: { state: broken('refused') },
    'host-missing-more': { state: broken('host_missing'), press: ['.more-help > summary'] },
    'host-missing-talk': { state: { ...talking('answer'), connection: broken('host_missing').connection, daemon: null } },
    'host-crashed-more': { state: broken('host_crashed'), press: ['.more-help > summary'] },
    'daemon-lost': {
      state: {
        ...talking('answer'),
        daemon: { state: 'waiting', attempt: 3, wasEnded: false, error: new CompanionError('DAEMON_NOT_RUNNING').toBody() },
      },
    },
    'link-lost': { state: { ...talking('answer'), connection: broken('reconnecting').connection } },
    'newcomer-denied': { state: { ...initialState, connection: comer('denied', 'browser') } },
    'newcomer-unchecked': { state: { ...initialState, connection: comer('waiting', 'program') } },
    newcomer: { state: { ...initialState, connection: comer('waiting', 'browser') } },
    'first-project': { state: { ...nobody, projects: [], defaultWorkspace: '/home/sam/pilotfish' } },
    'no-agent': {
      state: { ...nobody, projects: [project], engines: [loggedOut, gemini, absent('codex', 'Codex', 'npm install -g @openai/codex')] },
    },
    'no-agent-found': { state: nothingFound },
    'no-agent-more': { state: nothingFound, press: ['.more-agents > summary'] },
    'no-agent-none': { state: { ...nothingFound, engines: [] } },
    welcome: { state: base },
    'welcome-first': { state: { ...base, sessions: [] } },
    failure: { state: { ...base, failure: outside } },
    warnings: {
      state: {
        ...talking('edit'),
        warnings: [
          { what: warn('history_held') },
          {
            what: warn('built_tools_changed', { changes: [warn('tools_new', { tools: 'browser_a' })] }),
            remedy: warn('doctor_unless_updated'),
          },
        ],
      },
    },
    ...Object.fromEntries(recordings.map((name) => [`talk-${name}`, { state: talking(name) }])),
    ...Object.fromEntries(waitingRecordings.map((name) => [`asks-${name}`, { state: talking(`asks-${name}`) }])),
    diagrams: { state: talkOf(answered('How is a tide read?', diagrams)), until: '.block:nth-child(4) .drawn' },
    charts: { state: talkOf(answered('How else is it read?', charts)), until: '.block:nth-child(5) .drawn' },
    'asks-edit': { state: asking(talking('answer'), editRequest) },
    'asks-trust': { state: asking(talking('answer'), trustRequest) },
    'asks-consent': { state: asking(talking('answer'), consentRequest) },
    'asks-several': { state: asking(asking(talking('edit'), consentRequest), trustRequest) },
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
        outbox: notSent('DAEMON_NOT_RUNNING', SessionId.parse('s1')),
      },
    },
    proof: { state: proved(talking('edit')), until: '.proof img' },
    noted: { state: { ...base, draft: noted } },
    'many-tabs': { state: { ...base, draft: { text: 'Compare them', attachments: tabs } } },
    drawing: { state: { ...base, draft: noted }, press: ['.chip .ghost.tiny'], until: '.draw-surface[data-ready]' },
    running: { state: talkOf(running()) },
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
    skills: { state: base, type: 'Look with $', until: '.suggestions' },
    'page-parts': { state: base, type: '#' },
    steering: { state: { ...talking('asks-shell-allowed'), draft: { text: 'And then', attachments: [] } } },
    efforts: { state: { ...base, choice: { ...base.choice, model: 'opus' } }, press: ['.pill-effort'] },
    'attach-menu': { state: base, press: ['.context > button'] },
    place: { state: { ...base, isApart: true }, press: ['.pill-place'] },
    worktree: { state: apart(talking('edit')), press: ['.pill-worktree'], until: '.sheet details' },
    'worktree-talk': { state: apart(talking('answer')) },
    'no-worktree': { state: { ...base, outbox: notSent('GIT_NO_REPOSITORY', null) } },
    'folder-taken': { state: { ...talking('answer'), outbox: notSent('FOLDER_TAKEN', SessionId.parse('s1')) } },
    'edit-sent': {
      state: {
        ...talking('answer'),
        draft: { text: 'What is on this page, in one sentence?', attachments: [], insteadOf: 'turn-1' as TurnId },
      },
    },
    'edit-working': {
      state: {
        ...talkOf(running()),
        draft: {
          text: 'What is on this page, in one sentence?',
          attachments: [],
          insteadOf: 'turn-0' as TurnId,
          aside: { text: 'And the low water?', attachments: [] },
        },
      },
    },
    'revert-sure': { state: talking('edit'), click: ['.file-card .buttons > :last-child button'] },
    reverted: {
      state: talking('edit'),
      click: ['.file-card .buttons > :last-child button', '.file-card .buttons > :last-child .danger'],
    },
    'command-failed': { state: talkOf(failedCommands()) },
    interrupted: { state: talkOf(interrupted()) },
    ...Object.fromEntries(mended.map(([name, code, detail]) => [`failed-${name}`, { state: talkOf(failedBy(code, detail)) }])),
    'log-in': { state: talking('error-401'), click: ['.turn-failed .primary'] },
    'log-in-by-hand': { state: talking('error-401'), click: ['.turn-failed .primary'], answers: noTerminal },
    find: {
      state: talking('answer'),
      key: { key: 'f', ctrlKey: true },
      type: 'water',
      into: '.find-bar input',
      until: '.find-bar [role=status]:not(:empty)',
    },
    search: { state: base, press: ['.menu'], type: 'water', into: 'input[type=search]', until: '.snippet' },
    changes: { state: talking('edit'), press: ['.top > :nth-child(3)', '.changed-file summary'], until: '.sheet .diff' },
    comment: {
      state: talking('edit'),
      press: ['.top > :nth-child(3)', '.changed-file summary', '.sheet button.diff-number'],
      until: '.diff-comment',
    },
    'changes-commit': { state: talking('edit'), press: ['.top > :nth-child(3)'], until: '.changed-file', answers: sinceCommit },
    'changes-none': { state: talking('edit'), press: ['.top > :nth-child(3)'], until: '.sheet p.muted', answers: nothingChanged },
    'changes-no-git': { state: talking('edit'), press: ['.top > :nth-child(3)'], until: '.sheet .error-text', answers: noRepository },
    'no-editor': { state: talking('edit'), press: ['.file-card .buttons button'], until: '.field-error', answers: noEditor },
    waiting: { state: { ...talkOf(waiting()), outbox: [{ ...unsent, text: 'And on Tuesday?', state: 'sending', error: null }] } },
    planned: { state: talkOf(planned()), press: ['.pinned-plan .tool-head'] },
    pictured: { state: talkOf(pictured(PICTURE)), until: '.prompt img' },
    background: {
      state: talkOf(inBackground()),
      press: ['.tool .tool-head'],
      until: '.tool-body pre:not(.command)',
      answers: taskOutput,
    },
    'background-tasks': { state: talkOf(inBackground()), press: ['.background-count'] },
    loading: { state: { ...base, sessionId: SessionId.parse('s1') } },
    foreign: { state: { ...talking('answer'), sessionId: SessionId.parse('s5'), conversation: foreign(talking('answer')) } },
    homeless: { state: { ...talking('answer'), projects: [other] } },
    behind: {
      state: {
        ...talking('answer'),
        connection: { ...connected, advice: 'The extension is of another version.' },
        log: { state: 'waiting', attempt: 2, wasEnded: false, error: new CompanionError('DAEMON_NOT_RUNNING').toBody() },
        skippedEvents: 2,
      },
    },
    'too-many': {
      state: { ...base, draft: { text: 'Compare them', attachments: [...tabs, ...tabs.slice(0, 10)] } },
      choose: '.composer input[type=file]',
      until: '.composer [role=alert]',
    },
    'more-answers': { state: talking('asks-shell-allowed'), press: ['.more-answers-button'] },
    activity: { state: talking('answer'), press: ['.top > :nth-child(4)'], until: '.session-tab' },
    'activity-grants': { state: talking('answer'), press: ['.top > :nth-child(4)', '.grants > summary'], until: '.grants .act' },
    'activity-nothing': {
      state: talking('answer'),
      press: ['.top > :nth-child(4)'],
      type: 'nowhere',
      into: '.sheet input[type=search]',
      until: '.pictures-switch + .muted',
    },
    audit: { state: base, press: ['.menu', '.drawer-foot .link'], until: '.audit li' },
    'session-rename': { state: base, press: ['.menu', '.sessions .list-row > .ghost', '.row-menu button:nth-child(2)'] },
    'sessions-many': { state: { ...base, sessions: many }, press: ['.menu'] },
    'sessions-hostile': { state: { ...base, sessions: hostile }, press: ['.menu'] },
    settings: { state: base, page: 'settings', until: '#data .row' },
    'settings-agent': { state: base, page: 'settings', press: ['#agents .list-item'], until: '#agents .setup' },
    'settings-command': { state: base, page: 'settings', press: ['#agents details summary'], until: '#agents details textarea' },
    'settings-confirming': proposing,
    'settings-refused': { ...proposing, answers: refusedProposal },
    'settings-usage': { state: base, page: 'settings', press: ['nav a[href="#usage"]'], until: '#usage td' },
    'settings-check': { state: base, page: 'settings', press: ['#check button'], until: '.hop-failed' },
    'settings-chosen': { state: base, page: 'settings', press: ['#data .chooser li input'], until: '#data .chooser :checked' },
    'settings-deleted': {
      state: base,
      page: 'settings',
      press: ['#data .chooser li input', '#data .buttons .danger'],
      until: '#data [role=status] button',
    },
    'settings-import': { state: base, page: 'settings', choose: '#data input[type=file]', until: '#data progress[value]:not([value="0"])' },
    'settings-alone': { state: broken('host_crashed'), page: 'settings' },
  };
};
