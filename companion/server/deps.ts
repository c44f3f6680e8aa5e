/** What the doors need of the other rooms, as narrow as they use it. */
import type { Project, ProjectInput, SessionSummary, Status } from '#protocol/api.ts';
import type { Grant } from '#protocol/browser.ts';
import type { Command } from '#protocol/commands.ts';
import type { EngineInfo } from '#protocol/engines.ts';
import type { SessionEvent } from '#protocol/events.ts';
import type { ProjectId, SessionId, TurnId } from '#protocol/ids.ts';
import type { AttachmentRef } from '#protocol/items.ts';
import type { SessionView } from '#protocol/view.ts';
import type { Log } from '#companion/lib/log.ts';
import type { LinkDoor } from '#companion/browser/link-door.ts';
import type { Bridge } from '#companion/browser/bridge.ts';
import type { Paths } from '#companion/lib/paths.ts';
import type { ToolCaller } from '#companion/mcp/caller.ts';
import type { Tokens } from '#companion/mcp/tokens.ts';
import type { SocketLock } from './single-instance.ts';

type Unsubscribe = () => void;

export interface SessionsDoor {
  dispatch(command: Command): Promise<{ sessionId: SessionId; turnId?: TurnId }>;
  view(sessionId: SessionId): SessionView;
  epoch(sessionId: SessionId): string;
  list(): SessionSummary[];
  read(sessionId: SessionId, afterSeq: number, limit: number): SessionEvent[];
  subscribe(sessionId: SessionId, listener: (event: SessionEvent, view: SessionView) => void): Unsubscribe;
  subscribeList(listener: (sessions: SessionSummary[]) => void): Unsubscribe;
}

export interface ProjectsDoor {
  list(): Project[];
  save(input: ProjectInput): Promise<Project>;
  remove(id: ProjectId): void | Promise<void>;
  defaultWorkspace(): Promise<string>;
  subscribe(listener: (projects: Project[]) => void): Unsubscribe;
}

export interface EnginesDoor {
  list(): EngineInfo[];
  refresh(name: string | undefined, signal: AbortSignal): Promise<EngineInfo[]>;
  subscribe(listener: (engines: EngineInfo[]) => void): Unsubscribe;
}

export interface ServerDeps {
  readonly paths: Pick<Paths, 'defaultWorkspace'>;
  readonly lock: SocketLock;
  readonly log: Log;
  /** Lines of the log as they are written, for who watches. */
  readonly onLogLine: (listener: (line: string) => void) => Unsubscribe;
  readonly sessions: SessionsDoor;
  readonly projects: ProjectsDoor;
  readonly engines: EnginesDoor;
  readonly bridge: Pick<Bridge, 'browsers' | 'subscribe' | 'tools' | 'sessionStarted' | 'sessionEnded'>;
  readonly linkDoor: LinkDoor;
  readonly tokens: Tokens;
  readonly caller: ToolCaller;
  readonly status: () => Status;
  readonly settings: {
    current(): { readonly port: number; readonly allowedRoots: readonly string[] };
    change(change: { allowedRoots: string[] }): unknown;
  };
  readonly grants: { list(): Grant[]; remove(id: string): void };
  readonly attachments: { load(ref: AttachmentRef): { dataBase64: string } };
  readonly requestShutdown: () => void;
}
