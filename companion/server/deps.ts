/** What the server needs from the other rooms, in the smallest form that it uses. */
import type { Status, TrustedProject } from '#protocol/api.ts';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { Comer } from '#companion/admission/comer.ts';
import type { Caller } from '#companion/lib/peer.ts';
import type { Admissions } from '#companion/admission/admissions.ts';
import type { SiteBook } from '#companion/admission/site-book.ts';
import type { Upload, UploadInput, UploadPiece, UploadState } from '#protocol/attachments.ts';
import type { SessionId } from '#protocol/ids.ts';
import type { AuditRecord, AuditReport, CallPage, CallQuery } from '#protocol/audit.ts';
import type { Grant } from '#protocol/browser.ts';
import type { Preferences } from '#protocol/preferences.ts';
import type { AttachmentRef } from '#protocol/items.ts';
import type { UsageQuery, UsageRow, UsageSum } from '#protocol/usage.ts';
import type { Warning } from '#protocol/warnings.ts';
import type { Log } from '#companion/lib/log.ts';
import type { Desktop } from '#companion/desktop/desktop.ts';
import type { Errands } from '#companion/desktop/errands.ts';
import type { LinkDoor } from '#companion/browser/link-door.ts';
import type { Pairing } from '#companion/browser/pairing.ts';
import type { RemoteDoor } from '#companion/browser/remote-door.ts';
import type { Bridge } from '#companion/browser/bridge.ts';
import type { Paths } from '#companion/lib/paths.ts';
import type { ToolCaller } from '#companion/mcp/caller.ts';
import type { Tokens } from '#companion/mcp/tokens.ts';
import type { EngineCatalogue } from '#companion/catalogue/engine-catalogue.ts';
import type { EngineProposals } from '#companion/catalogue/engine-proposals.ts';
import type { EngineSetups } from '#companion/catalogue/engine-setups.ts';
import type { Proofs } from '#companion/proof/proofs.ts';
import type { Projects } from '#companion/projects/projects.ts';
import type { Sessions } from '#companion/sessions/sessions.ts';
import type { SocketLock } from './single-instance.ts';

type Unsubscribe = () => void;

export type SessionsDoor = Pick<
  Sessions,
  | 'dispatch'
  | 'view'
  | 'page'
  | 'inParts'
  | 'whereSaid'
  | 'lastSeq'
  | 'epoch'
  | 'list'
  | 'summary'
  | 'has'
  | 'removed'
  | 'read'
  | 'readTask'
  | 'search'
  | 'export'
  | 'import'
  | 'subscribe'
  | 'subscribeList'
  | 'subscribeNotices'
> & { readonly work: Omit<Sessions['work'], 'begin' | 'takeBack' | 'beforeTurn' | 'forget' | 'clearLeft' | 'warnings'> };
export type EnginesDoor = Pick<EngineCatalogue, 'list' | 'look' | 'refresh' | 'login' | 'subscribe' | 'tell'>;

export interface ServerDeps {
  readonly paths: Pick<Paths, 'defaultWorkspace' | 'worktreesDir'>;
  readonly lock: SocketLock;
  readonly log: Log;
  /** Calls the listener with each line of the log as it is written. */
  readonly onLogLine: (listener: (line: string) => void) => Unsubscribe;
  readonly sessions: SessionsDoor;
  readonly projects: Pick<Projects, 'list' | 'find' | 'save' | 'remove' | 'defaultWorkspace' | 'foldersLike' | 'servedOn' | 'subscribe'>;
  readonly engines: EnginesDoor;
  readonly engineSetups: Omit<EngineSetups, 'checkChange' | 'ownCommand'>;
  readonly bridge: Pick<Bridge, 'browsers' | 'subscribe' | 'tools' | 'reach' | 'call' | 'sessionStarted' | 'sessionEnded'>;
  readonly admissions: Pick<Admissions, 'find' | 'isAllowed' | 'list' | 'decide' | 'remove' | 'meet' | 'subscribe' | 'takesHost'>;
  readonly pairing: Pick<Pairing, 'open' | 'state' | 'answer' | 'takesHost'>;
  readonly remoteDoor: Pick<RemoteDoor, 'accept' | 'close'>;
  /** Says which program an MCP client is, by the name that it gives itself and by its connection. */
  readonly comers: {
    local(name: string, caller: Caller | null): Comer;
    overLoopback(name: string, socket: Socket): Comer | Promise<Comer>;
    /** Finds out which program is behind a connection; returns what tells whether it still runs. */
    watch(socket: Socket): () => boolean;
    /** A program from outside has spoken over this connection. */
    spoke(socket: Socket): Promise<void>;
  };
  readonly linkDoor: Pick<LinkDoor, 'handleUpgrade'>;
  readonly tokens: Tokens;
  readonly caller: ToolCaller;
  readonly status: () => Omit<Status, 'warnings' | 'told'>;
  readonly warnings: () => readonly Warning[];
  readonly settings: {
    current(): Preferences & { readonly port: number; readonly allowedRoots: readonly string[] };
    change(change: { readonly [Name in keyof Preferences]?: Preferences[Name] | undefined } & { allowedRoots?: string[] }): unknown;
  };
  readonly usage: {
    rows(query: UsageQuery): UsageRow[];
    total(query: UsageQuery): UsageSum;
    today(now: number): { readonly day: string; readonly costUsd: number; readonly totalTokens: number };
  };
  readonly proofs: Pick<Proofs, 'keep'>;
  readonly grants: { list(): Grant[]; add(grant: Grant): void; remove(id: string): void };
  readonly sites: Pick<SiteBook, 'list' | 'set' | 'remove'>;
  readonly audit: {
    add(record: AuditRecord): void;
    report(count: number, cursor?: number): AuditReport;
    calls(query: CallQuery): CallPage;
  };
  readonly trusted: { list(): TrustedProject[]; revoke(path: string): boolean };
  readonly attachments: {
    readonly directory: string;
    readonly uploads: {
      begin(input: UploadInput): Upload;
      append(uploadId: string, piece: UploadPiece): number;
      take(uploadId: string): { readonly file: string; readonly signal: AbortSignal };
      state(uploadId: string): UploadState;
      noteRead(uploadId: string, done: number, total: number): void;
      letGo(uploadId: string): void;
    };
    has(ref: AttachmentRef): boolean;
    stream(ref: AttachmentRef): Promise<{ readonly bytes: Readable; readonly sizeBytes: number }>;
    pathOf(ref: AttachmentRef): string;
    remove(ref: AttachmentRef): void;
  };
  /** Which session each attachment belongs to. */
  readonly attached: {
    list(): { readonly sessionId: SessionId; readonly ref: AttachmentRef }[];
    remove(attachmentIds: readonly string[]): void;
  };
  readonly desktop: Pick<Desktop, 'openTerminal' | 'openTerminalWith' | 'openEditor' | 'chooseFolder'>;
  readonly proposals: Pick<EngineProposals, 'propose' | 'waitForEnd' | 'answer'>;
  readonly errands: Pick<Errands, 'send' | 'take'>;
  readonly requestShutdown: () => void;
}
