/** Puts together all that a run needs (engine, folder, secrets, access to the browser tools), and removes it afterwards. */
import { rmSync } from 'node:fs';
import path from 'node:path';
import type { Engine, McpAccess, ToolBridge } from '#companion/engines/engine.ts';
import { randomId } from '#companion/lib/random-id.ts';
import type { Log } from '#companion/lib/log.ts';
import type { Paths } from '#companion/lib/paths.ts';
import { childEnvironment } from '#companion/process/environment.ts';
import { folderOfSession, type SessionFolder } from '#companion/projects/session-folder.ts';
import type { Store } from '#companion/store/store.ts';
import type { Trust, TrustAsker } from '#companion/trust/trust.ts';
import { CompanionError } from '#protocol/errors.ts';
import type { SessionId } from '#protocol/ids.ts';
import type { SessionView } from '#protocol/view.ts';
import { AgentServices } from './agent-services.ts';
import { LoopRun } from './loop-run.ts';
import { ProcessNote } from './process-note.ts';
import { ProcessRun, runMark } from './process-run.ts';
import { RunFolder } from './run-folder.ts';
import type { ResolvedEngine, Run, RunListener } from './run.ts';
import { RunTrust } from './run-trust.ts';

export interface RunDeps {
  readonly store: Store;
  readonly paths: Paths;
  readonly log: Log;
  /** The agents of this machine. */
  readonly engines: { find(name: string): Engine; resolve(name: string): Promise<ResolvedEngine> };
  /** How a run reaches the browser tools, or null when it has none. */
  readonly mcpAccess: (sessionId: SessionId) => McpAccess | null;
  readonly revokeMcpAccess: (sessionId: SessionId) => void;
  /** Browser tools for engines without a process. */
  readonly toolBridge: (sessionId: SessionId) => ToolBridge | null;
}

/** Opens a run for the session that `view` shows. `asker` puts a question to the user while somebody waits for the run. */
export const openRun = async (
  deps: RunDeps & { readonly trust: Trust },
  view: () => SessionView,
  listener: RunListener,
  asker: Omit<TrustAsker, 'workspace' | 'madeFrom'>,
): Promise<Run> => {
  const { store, engines } = deps;
  const { engine: name, sessionId } = view();
  // The question about the project's files must repeat none of the agent's keys.
  await store.secrets.all(name);
  const workspace = async (): Promise<string> => (await folderOfSession(deps, view())).folder;
  const madeFrom = async (): Promise<SessionFolder['madeFrom']> => (await folderOfSession(deps, view())).madeFrom;
  // It is asked before anything is started, even to look for the engine. An engine without a process reads no file of the project.
  const isLoop = engines.find(name).type === 'loop';
  const check = async (): Promise<string> => (isLoop ? workspace() : deps.trust.check({ ...asker, workspace, madeFrom }));
  await check();
  const resolved = await engines.resolve(name);
  const secrets = await store.secrets.all(name);
  // It is asked again after everything that takes time, so that what starts is what was trusted.
  const cwd = await check();

  if (resolved.type === 'process') {
    const trust = new RunTrust(deps.trust, cwd, { ...asker, madeFrom });
    const folder = await RunFolder.of(cwd, workspace);
    return startProcess(deps, resolved, { view: view(), folder, secrets, listener, trust });
  }
  return new LoopRun({
    engine: resolved.engine,
    settings: view().settings,
    secrets,
    endpoint: resolved.endpoint,
    tools: deps.toolBridge(sessionId),
    view,
    load: (ref) => store.attachments.load(ref),
    listener,
    log: deps.log,
    known: store.known,
  });
};

const startProcess = (
  deps: RunDeps,
  { engine, place }: Extract<ResolvedEngine, { type: 'process' }>,
  run: { view: SessionView; folder: RunFolder; secrets: Record<string, string>; listener: RunListener; trust: RunTrust },
): Run => {
  const { view, folder, secrets, listener, trust } = run;
  const cwd = folder.path;
  const { sessionId, settings } = view;
  const runDir = path.join(deps.paths.runsDir, randomId('run'));
  // The launch values are left out: keys and tokens are for the agent, not for its commands.
  const terminalEnv = childEnvironment({ loginEnv: place.loginEnv, allow: [], extra: runMark(runDir), binDirs: place.binDirs });
  const note = new ProcessNote(deps.store, sessionId, deps.log);
  const cleanUp = (): void => {
    deps.revokeMcpAccess(sessionId);
    note.ended();
  };
  try {
    return ProcessRun.start({
      engine,
      place,
      launch: {
        cwd,
        settings,
        engineSessionId: engine.capabilities.canResume ? view.engineSessionId : null,
        mcp: deps.mcpAccess(sessionId),
        runDir,
        secrets,
        userEnv: place.env,
        isProbe: false,
      },
      services: new AgentServices(cwd, terminalEnv),
      trust,
      folder,
      log: deps.log,
      known: deps.store.known,
      listener,
      onSpawn: (pid) => note.started(pid),
      onGone: cleanUp,
    });
  } catch (error) {
    cleanUp();
    rmSync(runDir, { recursive: true, force: true });
    throw error instanceof CompanionError
      ? error
      : new CompanionError('ENGINE_START_FAILED', error instanceof Error ? error.message : String(error), { cause: error });
  }
};
