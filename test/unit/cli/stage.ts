/** A command line whose daemon, installer and terminal are made up, and which remembers what was printed and asked. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { test as base } from 'vitest';
import type { AuditReport } from '#protocol/audit.ts';
import type { Project, SessionSummary, Status } from '#protocol/api.ts';
import type { EngineSetup } from '#protocol/engine-setup.ts';
import type { EngineInfo } from '#protocol/engines.ts';
import type { Errand } from '#protocol/errands.ts';
import { CompanionError } from '#protocol/errors.ts';
import type { EventBody, SessionEvent } from '#protocol/events.ts';
import type { AttachmentStats } from '#protocol/attachments.ts';
import { ProjectId, SessionId } from '#protocol/ids.ts';
import type { Preferences } from '#protocol/preferences.ts';
import type { RequestAnswer, RequestBody } from '#protocol/requests.ts';
import type { SearchAnswer, SearchQuery } from '#protocol/search.ts';
import type { UsageReport } from '#protocol/usage.ts';
import { VERSION } from '#protocol/version.ts';
import { emptyView, type SessionView } from '#protocol/view.ts';
import { toMarkdown } from '#protocol/session-markdown.ts';
import type { Changes, Finished } from '#protocol/work.ts';
import { runCli } from '#companion/cli/index.ts';
import { createIo, type Io } from '#companion/cli/io.ts';
import type { Client } from '#companion/client/client.ts';
import type { Installer } from '#companion/client/installer.ts';
import { createPaths } from '#companion/lib/paths.ts';
import { createAdmissions, createSiteBook } from '#test/fixtures/admission.ts';
import type { SiteRule } from '#protocol/sites.ts';
import { asItCame } from '#protocol/said.ts';
import { found } from '#protocol/checks.ts';
import {
  AT,
  defaultPreferences,
  fewCapabilities,
  sampleEngine,
  sampleProject,
  sampleSession,
  sampleStatus,
  sampleUsage,
  sampleGrant,
} from '#test/fixtures/samples.ts';

/** More than any system gives to a process, so that nobody lives who has it. */
const DEAD_PID = 2 ** 30;

export const sessionId = SessionId.parse('s-0123456789');

export const summary = (extra: Partial<SessionSummary> = {}): SessionSummary => sampleSession({ id: sessionId, ...extra });

export const engine = (name: string, status: EngineInfo['status'], extra: Partial<EngineInfo> = {}): EngineInfo =>
  sampleEngine({ name, label: name, status, capabilities: fewCapabilities, models: [], modes: [], ...extra });

const statusOf = (folder: string): Status =>
  sampleStatus({
    socket: path.join(folder, 'run', 'pilotfish.sock'),
    port: 1,
    startedAt: AT,
    extensionPath: path.join(folder, 'extension'),
  });

export const createStage = () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'pf-cli-'));
  const env: NodeJS.ProcessEnv = { PILOTFISH_HOME: folder };
  const calls: unknown[][] = [];
  const interrupt = new AbortController();
  const project: Project = sampleProject({ name: 'here', rootPath: process.cwd() });
  let seq = 0;
  let onEvent: ((event: SessionEvent) => void) | null = null;
  let onState: ((state: { state: 'live' } | { state: 'waiting'; error: CompanionError }) => void) | null = null;

  const setupOf = (name: string): EngineSetup => {
    const info = stage.engines.find((known) => known.name === name);
    if (info === undefined) throw new CompanionError('ENGINE_UNKNOWN', name);
    const { isDisabled, args, secrets } = stage.setup;
    return { engine: info, isDisabled, settings: { args, envNames: ['PROXY'] }, hasEndpoint: false, secrets, hasOpenSecrets: false };
  };
  const note = (...change: unknown[]): EngineSetup => {
    calls.push(change);
    return setupOf('claude');
  };

  const exchange: ReturnType<Installer['update']['exchange']> = {
    old: '/opt/pilotfish.old',
    backup: path.join(folder, 'before-update'),
    prepare: async () => stage.offered,
    keepData: () => void calls.push(['keepData']),
    restoreData: () => void calls.push(['restoreData']),
    putIn: (version) => void calls.push(['putIn', version]),
    putBack: () => void calls.push(['putBack']),
    isIn: () => stage.trial?.isIn ?? false,
    settle: () => {
      stage.trial = null;
      calls.push(['settle']);
    },
    drop: () => void calls.push(['drop']),
  };

  const stage = {
    folder,
    env,
    calls,
    interrupt,
    /** What is set for every agent, and for which keys. */
    setup: { isDisabled: false, args: [] as string[], secrets: [{ name: 'API_KEY', isSet: false }] as EngineSetup['secrets'] },
    isRunning: true,
    /** What the system says against a service. */
    serviceNotes: [] as string[],
    /** Whether the daemon runs as a service; what the system says against each start of it, one after the other. */
    isServiceRunning: false,
    startNotes: [] as string[],
    /** The browser that the doctor can start. */
    live: null as Installer['live'] | null,
    /** The update that was not known to work. */
    trial: null as { version: string; isCutOff: boolean; isIn: boolean } | null,
    /** The version of the package to update from; null where it is this very program. */
    offered: null as string | null,
    audit: { entries: [], entryCount: 2, fault: null } as AuditReport,
    /** The sessions that were exported. */
    exported: [] as string[],
    /** What ends an export in its midst. */
    exportBreaks: null as CompanionError | null,
    /** Why no file can be sent. */
    uploadFault: null as CompanionError | null,
    isInteractive: false,
    /** What terminal windows were opened for. */
    errands: new Map<string, Errand>(),
    /** Ends the proposal that a window shows, or the connection to the daemon. */
    endProposal: (_error?: CompanionError): void => undefined,
    /** Why what was answered could not be set. */
    answerFault: null as CompanionError | null,
    openTerminalUi: null as Io['openTerminalUi'],
    status: statusOf(folder),
    engines: [engine('claude', 'ready', { version: '2.1.4' }), engine('codex', 'not_installed', { fix: 'npm install -g @openai/codex' })],
    sessions: [summary()],
    /** Those that can be brought back. */
    removed: [] as SessionSummary[],
    grants: [sampleGrant] as Awaited<ReturnType<Client['grants']['list']>>,
    sites: createSiteBook(),
    admissions: createAdmissions().admissions,
    trusted: [{ path: '/home/me/project', trustedAt: AT, files: ['.mcp.json', 'tools/server.js'] }],
    attachments: {
      success: true,
      rootDir: folder,
      totalFiles: 3,
      totalBytes: 3 * 2 ** 20,
      limitBytes: 2 ** 30,
      projects: [{ projectId: ProjectId.parse('project_old'), existsInDb: false, fileCount: 3, totalBytes: 3 * 2 ** 20 }],
      orphanProjectIds: ['project_old'],
    } as AttachmentStats,
    /** What a search finds, one page after the other. */
    found: [] as SearchAnswer[],
    items: [] as Awaited<ReturnType<Client['sessions']['read']>>['items'],
    /** More of the session as it stands. */
    view: {} as Partial<SessionView>,
    /** What sessions have done in git repositories. */
    work: {
      changes: null as Changes | null,
      pages: [] as string[],
      finished: null as Finished | null,
    },
    /** With what the next prompts are refused, unless they are to wait or go on anyway. */
    refusals: [] as CompanionError[],
    stdin: new PassThrough(),
    /** With what writing to standard output fails. */
    outputFault: null as Error | null,
    out: '',
    requests: [] as { requestId: string; request: RequestBody }[],
    projects: [project],
    /** How the shell starts the program. */
    command: 'pilotfish',
    err: '',
    /** As a terminal shows it that gets both streams. */
    both: '',
    /** What the daemon does when a prompt arrives. */
    onAct: (_turnId: string): void => undefined,
    onAnswer: (_answer: RequestAnswer): void => undefined,
    /** The events before this number were there already. */
    skipEvents: (before: number): void => void (seq = before),
    isWatched: (): boolean => onEvent !== null,
    emit: (body: EventBody): void => {
      seq += 1;
      const event: SessionEvent = { ...body, sessionId, seq, at: 0 };
      onEvent?.(event);
    },
    run: async (...args: string[]): Promise<number> => {
      const fault = stage.outputFault;
      const stdout = new PassThrough(fault === null ? {} : { transform: (_chunk, _encoding, done) => done(fault) });
      const stderr = new PassThrough();
      stdout.on('data', (chunk: Buffer) => ((stage.out += chunk.toString('utf8')), (stage.both += chunk.toString('utf8'))));
      stderr.on('data', (chunk: Buffer) => ((stage.err += chunk.toString('utf8')), (stage.both += chunk.toString('utf8'))));
      const io: Io = createIo({
        env,
        paths: createPaths(env),
        client: stage.client,
        installer: stage.installer,
        self: { command: '/opt/my apps/pilotfish', args: [] },
        signal: interrupt.signal,
        stdin: stage.stdin,
        stdout,
        stderr,
        isInteractive: stage.isInteractive,
        openTerminalUi: stage.openTerminalUi,
      });
      const code = await runCli(args, io);
      // What was written is read in later turns of the loop.
      await new Promise((resolve) => setImmediate(resolve));
      return code;
    },
    installer: {
      command: (): string => stage.command,
      browsers: () => [
        { id: 'chrome', name: 'Google Chrome', evidence: '/x', manifestFile: '/x/manifest.json', registration: 'registered' },
      ],
      extension: () => ({ path: path.join(folder, 'extension'), version: VERSION, embeddedVersion: VERSION, isCurrent: true }),
      install: ({ userDataDir }) => {
        calls.push(['install', userDataDir]);
        return {
          executable: '/opt/pilotfish',
          command: { path: '/bin/pilotfish', state: 'unchanged' },
          extension: { path: '/ext', version: VERSION, state: 'written' },
          browsers: [{ id: 'chrome', name: 'Google Chrome', manifestFile: '/x/manifest.json', state: 'unchanged' }],
          menuEntry: { path: '/menu', state: 'written' },
          warnings: [asItCame('Beware.')],
          isComplete: true,
        };
      },
      uninstall: ({ purge }) => {
        calls.push(['uninstall', purge]);
        return { removed: ['/x/manifest.json'], kept: [folder], failed: [], isComplete: true };
      },
      system: {
        install: () => {
          calls.push(['system.install']);
          return { executable: '/opt/pilotfish', manifests: [{ path: '/etc/m.json', state: 'written' }], isComplete: true };
        },
        uninstall: () => {
          calls.push(['system.uninstall']);
          return { removed: ['/etc/m.json'], kept: [], failed: [], isComplete: true };
        },
      },
      service: {
        install: (options): ReturnType<Installer['service']['install']> => {
          calls.push(['service.install', options]);
          return { file: '/unit', state: 'written', notes: stage.serviceNotes };
        },
        start: (): string[] => {
          calls.push(['service.start']);
          return stage.startNotes.splice(0, 1);
        },
        stop: (): boolean => {
          calls.push(['service.stop']);
          return stage.isServiceRunning;
        },
        remove: () => ['/unit'],
        status: (): ReturnType<Installer['service']['status']> => ({ file: '/unit', isInstalled: true, isRunning: stage.isServiceRunning }),
      },
      update: {
        read: async (from) => {
          calls.push(['update.read', from]);
          return { name: path.basename(from), content: Buffer.alloc(0) };
        },
        exchange: (): ReturnType<Installer['update']['exchange']> => exchange,
        trial: (): ReturnType<Installer['update']['trial']> => (stage.trial === null ? null : { ...stage.trial, exchange }),
      },
      live: {
        find: (): ReturnType<Installer['live']['find']> => stage.live?.find() ?? null,
        open: (folder): ReturnType<Installer['live']['open']> => {
          if (stage.live === null) throw new Error('there is no browser');
          return stage.live.open(folder);
        },
      },
      mend: () => ['The manifest is there again.'],
      doctor: async () => [{ id: 'executable', title: found('executable'), status: 'ok', detail: asItCame('/opt/pilotfish') }],
    } satisfies Installer as Installer,
    client: {
      connect: async ({ start }: { start: boolean }) => {
        calls.push(['connect', start]);
        if (!stage.isRunning && !start) throw new CompanionError('DAEMON_NOT_RUNNING');
        stage.isRunning = true;
        return { version: stage.status.version, protocol: 1, pid: DEAD_PID, port: stage.status.port };
      },
      search: async (query: SearchQuery) => {
        calls.push(['search', query]);
        return stage.found.shift() ?? { titles: [], hits: [], next: null, indexing: null };
      },
      uploadSession: async (file: string) => {
        if (stage.uploadFault !== null) throw stage.uploadFault;
        if (existsSync(file)) calls.push(['uploadSession', file, readFileSync(file, 'utf8')]);
        return `upload of ${file}`;
      },
      upload: async (files: readonly string[]) => {
        if (stage.uploadFault !== null) throw stage.uploadFault;
        if (files.length > 0) calls.push(['upload', ...files]);
        return files.map((file) => `upload of ${file}`);
      },
      attachments: {
        stats: async () => stage.attachments,
        remove: async (projectIds?: readonly string[]) => {
          calls.push(['attachments.remove', projectIds]);
          return { success: true, scope: 'all', removedFiles: 2, removedBytes: 2 ** 20, results: [] };
        },
      },
      audit: async () => stage.audit,
      status: async () => ({ ...stage.status, engines: stage.engines, sessions: stage.sessions }),
      projects: {
        list: async () => stage.projects,
        remove: async (id: string) => {
          stage.projects = stage.projects.filter((known) => known.id !== id);
        },
        save: async (input: { rootPath: string }) => {
          calls.push(['save', input]);
          return { ...project, rootPath: input.rootPath };
        },
      },
      sessions: {
        list: async () => stage.sessions,
        create: async (...input: unknown[]) => {
          calls.push(['create', ...input]);
          return summary();
        },
        update: async (...input: unknown[]) => {
          calls.push(['update', ...input]);
          return summary();
        },
        read: async () => ({ ...emptyView(sessionId), ...stage.view, epoch: 'e', items: stage.items, requests: stage.requests }),
        remove: async (id: string, { isForever } = { isForever: false }) =>
          void calls.push(isForever ? ['remove', id, 'forever'] : ['remove', id]),
        removed: async () => stage.removed.map((session) => ({ session, removedAt: AT, goneAt: AT })),
        restore: async (id: string) => {
          calls.push(['restore', id]);
          return summary();
        },
        export: async (id: string, format: string) =>
          Readable.from(
            (function* pieces() {
              stage.exported.push(id);
              yield Buffer.from(
                format === 'json' ? JSON.stringify({ session: summary(), items: stage.items }) : toMarkdown(summary(), stage.items),
              );
              if (stage.exportBreaks !== null) throw stage.exportBreaks;
            })(),
          ),
        import: async (...input: unknown[]) => {
          calls.push(['import', ...input]);
          return summary();
        },
        fork: async (...input: unknown[]) => {
          calls.push(['fork', ...input]);
          return summary({ id: SessionId.parse('s-forked'), engineName: 'codex' });
        },
      },
      engines: {
        list: async () => stage.engines,
        refresh: async (name?: string) => {
          calls.push(['refresh', name]);
          return stage.engines;
        },
        setups: async () => ({ engines: stage.engines.map(({ name }) => setupOf(name)), warning: null }),
        setup: async (name: string) => setupOf(name),
        change: async (...change: unknown[]) => note('change', ...change),
        setSecret: async (...change: unknown[]) => note('secret', ...change),
        add: async (input: { name: string }) => {
          stage.engines.push(engine(input.name, 'ready', { isCustom: true }));
          return note('add', input);
        },
        remove: async (name: string) => void note('remove', name),
        errand: async (id: string): Promise<Errand> => {
          const found = stage.errands.get(id);
          if (found === undefined) throw new CompanionError('ERRAND_GONE');
          stage.errands.delete(id);
          return found;
        },
        proposalEnd: (answerId: string, signal: AbortSignal) =>
          new Promise<void>((resolve, reject) => {
            calls.push(['await', answerId]);
            stage.endProposal = (error) => (error === undefined ? resolve() : reject(error));
            signal.addEventListener('abort', () => reject(signal.reason), { once: true });
          }),
        answerProposal: async (answerId: string, isAllowed: boolean) => {
          calls.push(['answer', answerId, isAllowed]);
          if (stage.answerFault !== null) throw stage.answerFault;
        },
      },
      grants: {
        list: async () => stage.grants,
        add: async (input: unknown) => {
          calls.push(['grant', input]);
          return [];
        },
        remove: async (id: string) => {
          stage.grants = stage.grants.filter((grant) => grant.id !== id);
        },
      },
      sites: {
        list: async () => stage.sites.list(),
        set: async (site: string, rule: SiteRule) => {
          stage.sites.set(site, rule);
          return stage.sites.list();
        },
        remove: async (site: string) => {
          stage.sites.remove(site);
          return stage.sites.list();
        },
      },
      admissions: {
        list: async () => stage.admissions.list(),
        decide: async (id: string, isAllowed: boolean) => void stage.admissions.decide(id, isAllowed),
        remove: async (id: string) => stage.admissions.remove(id),
      },
      trusted: {
        list: async () => stage.trusted,
        revoke: async (folder: string) => (stage.trusted = stage.trusted.filter((project) => project.path !== folder)),
      },
      usage: async (query: unknown): Promise<UsageReport> => {
        calls.push(['usage', query]);
        const rows = [{ ...sampleUsage, day: '2026-01-31', lastAt: AT }];
        const today = { day: '2026-01-31', totalTokens: 18, costUsd: 0.004, dailyCostUsd: 2.5, dailyTokens: null };
        return { by: 'day', rows, total: sampleUsage, today };
      },
      preferences: {
        read: async () => defaultPreferences,
        change: async (change: Partial<Preferences>) => ({ ...defaultPreferences, ...change }),
      },
      roots: {
        list: async () => ['/srv'],
        add: async (folderPath: string) => ['/srv', folderPath],
        remove: async () => [],
      },
      work: {
        changes: async () => stage.work.changes,
        patch: async (_: string, { path }: { path: string }, { offset }: { offset: number }) => {
          const patch = stage.work.pages[offset] ?? '';
          return { path, patch, nextOffset: offset + 1 < stage.work.pages.length ? offset + 1 : null, totalChars: 0 };
        },
        revert: async (id: string, paths: string[]) => {
          calls.push(['revert', id, paths]);
          return { undo: 'undo-1', files: paths, skipped: [] };
        },
        finish: async (id: string, action: string) => {
          calls.push(['finish', id, action]);
          return stage.work.finished;
        },
      },
      startTurn: async (id: string, body: { text: string; turnId?: string; ifTaken?: string; uploads?: string[]; budget?: unknown }) => {
        const refusal = body.ifTaken === 'refuse' ? stage.refusals.shift() : undefined;
        if (refusal !== undefined) throw refusal;
        if (body.ifTaken !== 'refuse') calls.push(['ifTaken', body.ifTaken]);
        if (body.budget !== undefined) calls.push(['budget', body.budget]);
        calls.push(['startTurn', id, body.text, ...(body.uploads ?? [])]);
        stage.onAct(body.turnId ?? '');
        return { turnId: body.turnId ?? '', sessionId };
      },
      cancel: async (_: string, turnId?: string) => void calls.push(['cancel', turnId]),
      answer: async (_: string, requestId: string, answer: RequestAnswer) => {
        calls.push(['answer', requestId, answer]);
        stage.onAnswer(answer);
      },
      streamSession: async (_: string, __: null, listener: (event: SessionEvent) => void, signal: AbortSignal) => {
        onEvent = listener;
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
        onEvent = null;
      },
      streamState: async (_: unknown, signal: AbortSignal, listener: typeof onState) => {
        onState = listener;
        listener?.({ state: 'live' });
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      },
      mcpConfig: async (kind: string) => ({ mcpServers: { pilotfish: { type: kind, url: 'http://127.0.0.1:1/mcp' } } }),
      shutdown: async () => {
        calls.push(['shutdown']);
        stage.isRunning = false;
        onState?.({ state: 'waiting', error: new CompanionError('DAEMON_NOT_RUNNING') });
      },
    } as unknown as Client,
  };
  return stage;
};

export type Stage = ReturnType<typeof createStage>;

export const test = base.extend<{ stage: Stage }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads the fixtures a fixture needs from this pattern
  stage: async ({}, use) => {
    const stage = createStage();
    await use(stage);
    rmSync(stage.folder, { recursive: true, force: true });
  },
});
