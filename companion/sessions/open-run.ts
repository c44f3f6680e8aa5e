/** Puts together all that a run needs: the engine, the folder, secrets, access to the browser tools, and clears it away again. */
import { rmSync } from 'node:fs';
import path from 'node:path';
import type { LaunchOptions, McpAccess, ToolBridge } from '#companion/engines/engine.ts';
import { randomId } from '#companion/lib/random-id.ts';
import type { Log } from '#companion/lib/log.ts';
import type { Paths } from '#companion/lib/paths.ts';
import { childEnvironment } from '#companion/process/environment.ts';
import { killGroup } from '#companion/process/ledger.ts';
import type { Store } from '#companion/store/store.ts';
import { CompanionError } from '#protocol/errors.ts';
import type { SessionId } from '#protocol/ids.ts';
import type { SessionView } from '#protocol/view.ts';
import type { EngineDirectory } from '#companion/catalogue/engine-directory.ts';
import { createAgentServices } from '#companion/runs/agent-services.ts';
import type { SessionLog } from './session-log.ts';
import { startLoopRun } from '#companion/runs/loop-run.ts';
import { createProcessNote } from '#companion/runs/process-note.ts';
import { runMark, startProcessRun } from '#companion/runs/process-run.ts';
import { extraRoots, openDefaultWorkspace } from '#companion/projects/projects.ts';
import type { Run, RunListener } from '#companion/runs/run.ts';
import type { Trust, TrustAsker } from '#companion/trust/trust.ts';
import { keepTrusted } from '#companion/runs/trusted-run.ts';
import { checkWorkspace } from '#companion/projects/workspace.ts';

export interface RunDeps {
  readonly store: Store;
  readonly paths: Paths;
  readonly log: Log;
  readonly engines: EngineDirectory;
  /** How a run reaches the browser tools; null when it is not to. */
  readonly mcpAccess: (sessionId: SessionId) => McpAccess | null;
  readonly revokeMcpAccess: (sessionId: SessionId) => void;
  /** Browser tools for engines without a process. */
  readonly toolBridge: (sessionId: SessionId) => ToolBridge | null;
}

/** Opens a run for the session as it stands. `asker` puts a question of ours to the user while somebody waits for the run. */
export const openRun = async (
  deps: RunDeps & { readonly trust: Trust },
  journal: SessionLog,
  listener: RunListener,
  asker: Omit<TrustAsker, 'workspace'>,
): Promise<Run> => {
  const { store, engines, log } = deps;
  const view = journal.view();
  const { sessionId } = journal;
  const workspace = (): Promise<string> => workspaceOf(deps, view);
  // Before anything is started, be it only to look for the engine. One without a process reads no file of the project.
  const isLoop = engines.find(view.engine).type === 'loop';
  const check = async (): Promise<string> => (isLoop ? workspace() : deps.trust.check({ ...asker, workspace }));
  await check();
  const resolved = await engines.resolve(view.engine);
  const secrets = await store.secrets.all(view.engine);
  // Again, and last of all that takes time: what starts is what was trusted.
  const cwd = await check();
  const settings = journal.view().settings;

  if (resolved.type === 'loop') {
    const { engine, endpoint } = resolved;
    return startLoopRun({
      engine,
      settings,
      secrets,
      endpoint,
      tools: deps.toolBridge(sessionId),
      view: () => journal.view(),
      load: (ref) => ({ ...ref, ...store.attachments.load(ref) }),
      listener,
      log: deps.log,
    });
  }
  const { engine, place } = resolved;
  const runDir = path.join(deps.paths.runsDir, randomId('run'));
  const launch: LaunchOptions = {
    cwd,
    settings,
    engineSessionId: engine.capabilities.canResume ? journal.view().engineSessionId : null,
    mcp: deps.mcpAccess(sessionId),
    runDir,
    secrets,
    userEnv: place.env,
    isProbe: false,
  };
  // Without the launch values: keys and tokens are the agent's, not its commands'.
  const terminalEnv = childEnvironment({ loginEnv: place.loginEnv, allow: [], extra: runMark(runDir), binDirs: place.binDirs });
  const note = createProcessNote(store, sessionId, log);
  const cleanUp = (): void => {
    deps.revokeMcpAccess(sessionId);
    note.ended();
  };
  let pid: number | null = null;
  try {
    const run = startProcessRun({
      engine,
      place,
      launch,
      services: createAgentServices(cwd, terminalEnv),
      log,
      listener: {
        ...listener,
        onEnd: (error) => {
          cleanUp();
          listener.onEnd(error);
        },
      },
      onSpawn: (started) => {
        pid = started;
        note.started(started);
      },
    });
    const kill = (): void => void (pid !== null && killGroup(pid));
    return keepTrusted(run, { trust: deps.trust, asker: { ...asker, workspace: async () => cwd }, kill });
  } catch (error) {
    cleanUp();
    rmSync(runDir, { recursive: true, force: true });
    throw error instanceof CompanionError
      ? error
      : new CompanionError('ENGINE_START_FAILED', error instanceof Error ? error.message : String(error), { cause: error });
  }
};

/** Checked at every start and not only when the project was made: folders move and links change. */
const workspaceOf = async ({ store, paths }: RunDeps, view: SessionView): Promise<string> => {
  if (view.projectId === null) return openDefaultWorkspace(store, paths);
  const project = store.projects.find(view.projectId);
  if (project === null) throw new CompanionError('PROJECT_FORGOTTEN');
  return checkWorkspace(project.rootPath, { allowedRoots: extraRoots(store, paths), allowCreate: false });
};
