/** What the daemon answers in the gallery. */
import { labelled } from '#protocol/modes.ts';
import { type AuditRecord, toKept } from '#protocol/audit.ts';
import { classInAudit, inAudit } from '#protocol/audit-lines.ts';
import type { Answer, Route } from '#protocol/contract.ts';
import { CompanionError } from '#protocol/errors.ts';
import { BrowserId, ItemId, ProjectId, SessionId, TurnId } from '#protocol/ids.ts';
import { routes } from '#protocol/routes.ts';
import type { Changes } from '#protocol/work.ts';
import { explain } from '#protocol/faults.ts';
import { defaultPreferences, sampleEngine, sampleSession, sampleStatus, sampleUsage } from '#test/fixtures/samples.ts';

/** The moment at which the gallery is looked at, by its browser's clock. */
export const NOW = Date.parse('2026-01-05T10:00:00Z');
const at = (minutesAgo: number): string => new Date(NOW - minutesAgo * 60_000).toISOString();
const SITE = 'https://tides.example';
const s1 = SessionId.parse('s1');

const answers = new Map<Route, unknown>();
const answer = <R extends Route>(route: R, value: Answer<R>): unknown => answers.set(route, value);

answer(routes.listFiles, { files: ['README.md', 'src/tides.ts', 'src/water/high-water.ts', 'test/tides.test.ts'], isCut: false });
answer(routes.search, {
  titles: [{ session: sampleSession({ id: s1, name: 'High water in Brest' }), marks: [[5, 10]] }],
  hits: [
    {
      sessionId: s1,
      sessionName: 'High water in Brest',
      projectId: ProjectId.parse('p1'),
      engineName: 'claude',
      itemId: ItemId.parse('turn-1-prompt'),
      turnId: TurnId.parse('turn-1'),
      kind: 'prompt',
      snippet: { text: 'When is the high water on Sunday?', marks: [[17, 22]] },
      at: at(50),
    },
  ],
  indexing: { done: 12, total: 40 },
  next: null,
});

const entry = { sessionId: s1, by: inAudit('who_agent', { name: 'Claude Code' }), origin: SITE };
const records: readonly (AuditRecord & { readonly seq: number; readonly at: string })[] = [
  {
    ...entry,
    seq: 1,
    callId: 'call_1',
    at: at(9),
    kind: 'decision',
    what: 'browser_snapshot',
    toolClass: 'read',
    argsHash: 'a',
    result: inAudit('allowed_by', { rule: inAudit('rule_reading') }),
  },
  {
    ...entry,
    seq: 2,
    callId: 'call_1',
    at: at(9),
    kind: 'outcome',
    what: 'browser_snapshot',
    toolClass: 'read',
    argsHash: 'a',
    result: inAudit('came_done'),
    durationMs: 240,
    answerBytes: 1234,
  },
  {
    ...entry,
    seq: 3,
    at: at(8),
    kind: 'decision',
    what: 'browser_click',
    toolClass: 'write',
    argsHash: 'b',
    element: 'Show next week',
    result: inAudit('denied_by', { rule: inAudit('rule_user_denied') }),
  },
  {
    ...entry,
    seq: 4,
    at: at(7),
    kind: 'grant',
    what: classInAudit('write'),
    toolClass: 'write',
    by: inAudit('who_person'),
    result: inAudit('granted_session', { id: 'grant_1', client: 'Claude Code', session: s1 }),
  },
  {
    ...entry,
    seq: 5,
    at: at(2),
    kind: 'decision',
    what: 'browser_type',
    toolClass: 'write',
    argsHash: 'c',
    result: inAudit('allowed_by', {
      rule: inAudit('rule_granted_session', { class: classInAudit('write'), origin: SITE, client: 'Claude Code' }),
    }),
  },
  {
    ...entry,
    seq: 6,
    at: at(1),
    kind: 'act',
    what: 'POST /api/agent-sessions/s1/turns',
    origin: null,
    by: inAudit('who_panel', { browser: 'browser-1' }),
    result: '200',
  },
];
const audited = records.map(({ seq, at: time, ...record }) => ({ hash: 'h', seq, at: time, ...toKept(record) }));
answer(routes.readAudit, { entries: audited, entryCount: 6, fault: null });
answer(routes.listCalls, { entries: audited.filter(({ kind }) => kind === 'decision' || kind === 'outcome') });
answer(routes.listGrants, {
  grants: [
    {
      id: 'g1',
      origin: SITE,
      toolClass: 'write',
      tool: null,
      sessionId: s1,
      client: { id: 'claude', name: 'Claude Code' },
      createdAt: NOW - 420_000,
      expiresAt: NOW + 3_600_000,
    },
    {
      id: 'g2',
      origin: 'http://localhost:3000',
      toolClass: 'sensitive',
      tool: 'browser_evaluate',
      sessionId: null,
      client: { id: 'cursor', name: 'Cursor' },
      createdAt: NOW,
      expiresAt: null,
    },
  ],
});

const file = { additions: 3, deletions: 1, isBinary: false, sizeBytes: 900 } as const;
const changes: Changes = {
  folder: '/home/sam/code/tide-tables',
  top: '/home/sam/code/tide-tables',
  base: 'a1',
  since: 'session',
  now: 'b2',
  files: [
    { ...file, path: 'src/tides.ts', status: 'modified' },
    { ...file, path: 'note.txt', status: 'added', deletions: 0 },
    { ...file, path: 'src/water/high-water.ts', status: 'added', deletions: 0 },
    { ...file, path: 'docs/pictures/tide.png', status: 'modified', isBinary: true, sizeBytes: 48_200 },
  ],
  additions: 9,
  deletions: 1,
  worktree: null,
};
answer(routes.readChanges, changes);
answer(routes.readPatch, {
  path: 'src/tides.ts',
  patch:
    '@@ -1,3 +1,4 @@\n export const tides = [\n-  { day: "Saturday", at: "05:12" },\n+  { day: "Saturday", at: "05:21" },\n+  { day: "Sunday", at: "05:54" },\n ];\n',
  nextOffset: null,
  totalChars: 150,
});
answer(routes.listCheckpoints, {
  checkpoints: [
    { id: 'c2', kind: 'undo', turnId: null, at: at(4) },
    { id: 'c1', kind: 'turn', turnId: TurnId.parse('turn-1'), at: at(20) },
  ],
});

const preferences = { ...defaultPreferences, dailyCostUsd: 5, notifyFinished: false };
answer(routes.readPreferences, preferences);
answer(routes.listSites, {
  sites: [
    { site: 'bank.example', rule: 'never' },
    { site: 'tides.example', rule: 'read_only' },
  ],
});
const browser = { name: 'Chrome', extensionVersion: '0.1.0', connectedAt: NOW, toolCount: 60 };
answer(routes.status, {
  ...sampleStatus(),
  browsers: [
    { ...browser, browserId: BrowserId.parse('browser_work'), label: 'Work' },
    { ...browser, browserId: BrowserId.parse('browser_home'), label: 'Chrome home' },
  ],
});
answer(routes.mcpCommand, { command: '/home/sam/.local/bin/pilotfish', args: ['mcp'] });
answer(routes.attachmentStats, {
  success: true,
  rootDir: '/home/sam/.pilotfish/attachments',
  totalFiles: 12,
  totalBytes: 4_300_000,
  limitBytes: 1_000_000_000,
  projects: [],
  orphanProjectIds: [],
});
answer(routes.listRemovedSessions, {
  sessions: [{ session: sampleSession({ id: SessionId.parse('s9'), name: 'A draft' }), removedAt: at(10), goneAt: at(-50) }],
});
answer(routes.readUsage, {
  by: 'day',
  rows: [
    { ...sampleUsage, day: '2026-01-05', lastAt: at(5) },
    { ...sampleUsage, day: '2026-01-04', lastAt: at(1500), costUsd: null },
  ],
  total: sampleUsage,
  today: { day: '2026-01-05', totalTokens: 18, costUsd: 0.25, dailyCostUsd: 5, dailyTokens: null },
});
const claude = sampleEngine({ version: '2.1.4', path: '/home/sam/.local/bin/claude', pathSource: 'PATH' });
const local = sampleEngine({
  name: 'local',
  ...labelled('local_model'),
  status: 'not_installed',
  error: new CompanionError('ENGINE_SERVER_NOT_FOUND').toBody(),
});
const nothingSet = { args: [], envNames: [] };
answer(routes.listEngineSetups, {
  engines: [
    {
      engine: claude,
      isDisabled: false,
      settings: nothingSet,
      hasEndpoint: false,
      secrets: [{ name: 'ANTHROPIC_API_KEY', isSet: true, place: 'file' }],
      hasOpenSecrets: false,
    },
    { engine: local, isDisabled: false, settings: nothingSet, hasEndpoint: true, secrets: [], hasOpenSecrets: true },
    {
      engine: sampleEngine({ name: 'codex', label: 'Codex', version: '0.61.0' }),
      isDisabled: true,
      settings: nothingSet,
      hasEndpoint: false,
      secrets: [],
      hasOpenSecrets: false,
    },
  ],
  warning: null,
});
answer(routes.listEngines, { engines: [claude, local] });
answer(routes.refreshEngines, { engines: [claude, local] });
answer(routes.logInEngine, { success: true });
answer(routes.checkBrowser, {
  hops: [
    { hop: 'link', ms: 4, error: null },
    { hop: 'tool', ms: 21, error: { ...new CompanionError('TOOL_TIMEOUT').toBody() } },
  ],
});
answer(routes.revertFiles, { undo: 'c3', files: ['note.txt'], skipped: [] });
answer(routes.beginUpload, { uploadId: 'u1', pieceBytes: 1_000_000 });
answer(routes.sendPiece, { receivedBytes: 2 });
answer(routes.uploadState, { receivedBytes: 2, sizeBytes: 2, read: { done: 3, total: 5 } });
answer(routes.cancelUpload, null);
answer(routes.removeSession, null);
answer(routes.restoreSession, { session: sampleSession({ id: s1 }) });
answer(routes.cancelTurns, { cancelledCount: 1 });
answer(routes.listTrust, {
  projects: [{ path: '/home/sam/code/tide-tables', trustedAt: at(900), files: ['.mcp.json', '.claude/settings.json'] }],
});
const guest = { pid: 4242, folder: null, since: NOW };
answer(routes.listAdmissions, {
  admissions: [
    { ...guest, id: 'a1', kind: 'browser', name: 'Work', program: '/usr/bin/chromium', origin: 'browser', state: 'allowed' },
    { ...guest, id: 'a2', kind: 'client', name: 'Cursor', program: '/opt/cursor/cursor', origin: 'program', state: 'waiting' },
    { ...guest, id: 'a3', kind: 'client', name: 'helper', program: null, origin: 'unknown', state: 'denied' },
  ],
});
answer(routes.finishWorktree, {
  worktree: {
    path: '/home/sam/worktrees/tides',
    folder: '/home/sam/worktrees/tides',
    repository: '/home/sam/code/tide-tables',
    branch: 'pilotfish/tides',
    base: 'a1',
    baseBranch: 'main',
    leftBehind: 0,
    state: 'merged',
  },
  commit: 'c0ffee',
  committedFiles: 1,
  savedAs: null,
});

/** So long a change is on its way: longer than a person needs for the next press. */
const CHANGE_MS = 300;

/** What it answers instead in one state: an error is what it refuses with. */
export type OtherAnswers = ReadonlyMap<Route, unknown>;

export const sinceCommit: OtherAnswers = new Map<Route, unknown>([
  [
    routes.readChanges,
    {
      ...changes,
      since: 'commit',
      files: [
        { ...file, path: 'src/water/low-water.ts', oldPath: 'src/low.ts', status: 'renamed' },
        { ...file, path: 'old/tides.csv', status: 'deleted', additions: 0, deletions: 40 },
        {
          ...file,
          path: 'data/all-harbours.json',
          status: 'modified',
          additions: 90_000,
          deletions: 20,
          sizeBytes: 9_300_000,
          isHuge: true,
        },
      ],
      additions: 90_003,
      deletions: 61,
    } satisfies Changes,
  ],
]);
export const nothingChanged: OtherAnswers = new Map<Route, unknown>([
  [routes.readChanges, { ...changes, files: [], additions: 0, deletions: 0 } satisfies Changes],
  [routes.listCheckpoints, { checkpoints: [] }],
]);
export const noRepository: OtherAnswers = new Map<Route, unknown>([
  [routes.readChanges, new CompanionError('GIT_NO_REPOSITORY', '/home/sam/code/tide-tables')],
]);
export const noEditor: OtherAnswers = new Map<Route, unknown>([
  [
    routes.openSession,
    new CompanionError('DESKTOP_FAILED', explain('no_editor', { editors: 'VS Code, Cursor, VSCodium, Windsurf, Zed, Sublime Text' })),
  ],
]);
export const noTerminal: OtherAnswers = new Map<Route, unknown>([
  [routes.logInEngine, new CompanionError('DESKTOP_FAILED', explain('no_screen'))],
]);
export const refusedProposal: OtherAnswers = new Map<Route, unknown>([
  [routes.proposeEngine, { outcome: 'refused' } satisfies Answer<typeof routes.proposeEngine>],
]);
export const taskOutput: OtherAnswers = new Map<Route, unknown>([
  [routes.readTask, { text: 'Serving on http://localhost:5173\n', totalBytes: 33, isTruncated: false }],
]);

/** Answers as the daemon of the gallery; what it does not know is no route. */
export const callDouble = async (route: Route, { body }: { body?: unknown }, others: OtherAnswers = new Map()): Promise<unknown> => {
  if (route === routes.changePreferences) {
    await new Promise((resolve) => setTimeout(resolve, CHANGE_MS));
    return { ...preferences, ...Object(body) };
  }
  const known = others.get(route) ?? answers.get(route);
  // It stays half done.
  if (known === undefined && (route === routes.importSession || route === routes.proposeEngine)) return new Promise(() => {});
  if (known instanceof CompanionError) throw known;
  if (known === undefined) throw new CompanionError('ROUTE_NOT_FOUND', route.path);
  return known;
};

/** Everything it can answer. */
export const allAnswers = (): readonly unknown[] => [...answers.values()];
