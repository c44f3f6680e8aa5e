/**
 * Our own routes of the HTTP wire: the same on the private socket and on 127.0.0.1. The routes of existing clients, with their
 * names and bodies, stand in the room `compat`.
 */
import * as z from 'zod';
import {
  AnswerInput,
  ElicitedInput,
  McpCallInput,
  McpCallLine,
  ForkInput,
  McpSessionInput,
  PickedInput,
  Project,
  ProjectInput,
  RemovedSession,
  Served,
  SessionChange,
  SessionRead,
  SessionInput,
  SessionPage,
  SessionSummary,
  StateEvent,
  Status,
  TaskOutput,
  TrustedProject,
  TurnAccepted,
  TurnInput,
} from './api.ts';
import { Admission } from './admission.ts';
import { PairingState } from './remote.ts';
import {
  AttachmentStats,
  RemoveAttachmentsInput,
  RemovedAttachments,
  Upload,
  UploadInput,
  UploadPiece,
  UploadState,
} from './attachments.ts';
import { AuditReport, CallPage, CallQuery } from './audit.ts';
import { BrowserCheck, Grant, GrantsInput } from './browser.ts';
import type { Routes } from './contract.ts';
import { ErrorBody } from './errors.ts';
import { CustomEngineInput, EngineSettingsInput, EngineSetup, SecretInput } from './engine-setup.ts';
import { EngineInfo } from './engines.ts';
import { Errand, ProposalInput, ProposalOutcome } from './errands.ts';
import { Preferences, PreferencesChange } from './preferences.ts';
import { SessionEvent } from './events.ts';
import { Feature } from './features.ts';
import { Greeting, Health } from './health.ts';
import { SearchAnswer, SearchQuery } from './search.ts';
import { ExportFormat, ImportInput } from './session-export.ts';
import { RuledSite, SiteInput } from './sites.ts';
import { UsageQuery, UsageReport } from './usage.ts';
import { Changes, Checkpoint, FinishAction, Finished, HunkPlace, PatchPage, ProjectFiles, WentBack } from './work.ts';
import { AttachmentId, BrowserId, ItemId, ProjectId, RequestId, SessionId, TurnId } from './ids.ts';
import { HEALTH_PATH, MCP_PATH } from './version.ts';
import { Warning } from './warnings.ts';

const bySession = z.object({ sessionId: SessionId });
const byProject = z.object({ projectId: ProjectId });
const byItem = z.object({ sessionId: SessionId, itemId: ItemId });
const byEngine = z.object({ name: z.string().max(200) });
const byAnswer = z.object({ id: z.string().max(200) });
/** Where a stream goes on; the header `Last-Event-ID`, which a reader sends that was cut off, goes before it. */
const after = z.object({ after: z.string().max(300).optional() });
const folder = z.strictObject({
  path: z
    .string()
    .min(1)
    .max(4096)
    .regex(/^(?:\/|\\\\|[A-Za-z]:[\\/])/u, 'must be an absolute path'),
});

const isBelowTop = (name: string): boolean =>
  !name.includes('\0') && name.split('/').every((part) => part !== '' && part !== '.' && part !== '..' && part.toLowerCase() !== '.git');

/** Files below the top of a repository. */
const paths = z
  .array(z.string().min(1).max(4096).refine(isBelowTop, 'must be the path of a file below the top of the repository'))
  .min(1)
  .max(1000);

const done = z.object({ success: z.literal(true) });
/** `vscode` is the name that existing clients have for the editor. */
const openTarget = z.strictObject({ target: z.enum(['vscode', 'editor', 'terminal']) });

const sessions = z.object({ sessions: z.array(SessionSummary) });
const oneSession = z.object({ session: SessionSummary });
const engines = z.object({ engines: z.array(EngineInfo) });
const trusted = z.object({ projects: z.array(TrustedProject) });
const roots = z.object({ roots: z.array(z.string()) });
const sites = z.object({ sites: z.array(RuledSite) });
const admissions = z.object({ admissions: z.array(Admission) });
const byAdmission = z.object({ id: z.string().max(200) });

export const routes = {
  health: {
    method: 'GET',
    path: HEALTH_PATH,
    scope: 'open',
    summary: 'Says which daemon this is, and whether it is ready; without a token it gives name, version and protocol only.',
    answer: z.union([Health, Greeting]),
  },
  capabilities: {
    method: 'GET',
    path: '/capabilities',
    scope: 'api',
    summary: 'Lists by name what this daemon can do beyond the first version of its wire; a name stands for one behaviour for ever.',
    answer: z.object({
      name: z.literal('pilotfish'),
      version: z.string(),
      protocol: z.object({ current: z.number(), oldest: z.number() }),
      features: z.array(Feature),
    }),
  },
  openApi: {
    method: 'GET',
    path: '/openapi.json',
    scope: 'api',
    summary: 'Gives this list of routes as an OpenAPI 3.1 document.',
    answer: z.record(z.string(), z.unknown()),
  },
  status: {
    method: 'GET',
    path: '/api/status',
    scope: 'api',
    summary: 'Gives everything a front end shows at first: version, browsers, agents, sessions, projects, warnings.',
    answer: Status,
  },
  watchState: {
    method: 'GET',
    path: '/api/events',
    scope: 'api',
    summary: "Streams what changes outside one session's log: all lists at first, and each list again when it has changed.",
    answer: StateEvent,
    stream: 'sse',
  },
  makeTicket: {
    method: 'POST',
    path: '/api/tickets',
    scope: 'api',
    isRoutine: true,
    summary: 'Makes a ticket that opens the stream at `path`, once and within half a minute: for a WebSocket or an `EventSource`.',
    body: z.strictObject({
      path: z
        .string()
        .regex(/^\/[^?#]*$/u, 'must be a path without a query')
        .max(1000),
    }),
    answer: z.object({ ticket: z.string() }),
  },

  listProjects: {
    method: 'GET',
    path: '/api/projects',
    scope: 'api',
    summary: 'Lists the projects.',
    answer: z.object({ projects: z.array(Project) }),
  },
  saveProject: {
    method: 'POST',
    path: '/api/projects',
    scope: 'api',
    summary: 'Makes a project of a folder, or changes the one whose `id` is given.',
    body: ProjectInput,
    answer: z.object({ project: Project }),
  },
  removeProject: {
    method: 'DELETE',
    path: '/api/projects/:projectId',
    scope: 'api',
    summary: 'Forgets a project; its folder and its sessions stay.',
    params: byProject,
  },
  listFiles: {
    method: 'GET',
    path: '/api/projects/:projectId/files',
    scope: 'api',
    summary:
      'Lists the files of a project by their paths, to be named in a prompt; what git ignores is not among them, and `isCut` says that there are more.',
    params: byProject,
    answer: ProjectFiles,
  },
  defaultWorkspace: {
    method: 'GET',
    path: '/api/projects/default-workspace',
    scope: 'api',
    summary: 'Gives the folder for those who have no project, and makes it when it is not there.',
    answer: z.object({ path: z.string() }),
  },

  listFolders: {
    method: 'GET',
    path: '/api/folders',
    scope: 'api',
    summary:
      'Lists the first fifty folders whose paths go on from the one that is typed, to complete it: only where agents may work, and hidden ones only when asked for with their dot.',
    query: z.strictObject({ path: z.string().min(1).max(4096) }),
    answer: z.object({ folders: z.array(z.string()) }),
  },
  findServed: {
    method: 'GET',
    path: '/api/projects/served',
    scope: 'api',
    summary:
      'Tells which project is served on a port of this machine: the one in whose folder, or in the working folder of one of whose sessions, the process works that listens there. `host` is the one in the address of the page: by IPv4 and by IPv6 two servers may have one port.',
    query: z.strictObject({ port: z.coerce.number().int().min(1).max(65_535), host: z.string().max(253).optional() }),
    answer: Served,
  },

  pickDirectory: {
    method: 'POST',
    path: '/agent/projects/pick-directory',
    scope: 'api',
    summary: "Lets the person choose a folder with the system's own dialog; where there is none, `error` says so and the path is typed.",
    answer: z.union([
      z.object({ success: z.literal(true), path: z.string() }),
      z.object({
        success: z.literal(false),
        cancelled: z.boolean(),
        error: z.string().optional(),
        code: ErrorBody.shape.code.optional(),
        remedy: z.string().optional(),
        says: ErrorBody.shape.says,
      }),
    ]),
  },
  openProject: {
    method: 'POST',
    path: '/agent/projects/:projectId/open',
    scope: 'api',
    summary: "Opens a project's folder in a terminal or in the editor that is found.",
    params: byProject,
    body: openTarget,
    answer: done,
  },
  openSession: {
    method: 'POST',
    path: '/agent/sessions/:sessionId/open',
    scope: 'api',
    summary: 'Opens the folder in which a session works, or a file in it, in a terminal or in the editor that is found.',
    params: bySession,
    body: openTarget.extend({
      /** For an editor: a file of the folder, which may be a worktree, and the line in it. */
      filePath: z.string().min(1).max(4096).optional(),
      line: z.number().int().min(1).max(10_000_000).optional(),
    }),
    answer: done,
  },
  openFile: {
    method: 'POST',
    path: '/agent/projects/:projectId/open-file',
    scope: 'api',
    summary: 'Opens a file of a project in the editor that is found, at a line and column.',
    params: byProject,
    body: z.strictObject({
      filePath: z.string().min(1).max(4096),
      line: z.number().int().min(1).max(10_000_000).optional(),
      column: z.number().int().min(1).max(10_000_000).optional(),
    }),
    answer: done,
  },

  listSessions: { method: 'GET', path: '/api/agent-sessions', scope: 'api', summary: 'Lists all sessions.', answer: sessions },
  listProjectSessions: {
    method: 'GET',
    path: '/api/projects/:projectId/agent-sessions',
    scope: 'api',
    summary: 'Lists the sessions of a project.',
    params: byProject,
    answer: sessions,
  },
  createSession: {
    method: 'POST',
    path: '/api/projects/:projectId/agent-sessions',
    scope: 'api',
    summary: 'Makes a session for an agent in a project; the agent itself starts with the first prompt.',
    params: byProject,
    body: SessionInput,
    status: 201,
    answer: oneSession,
  },
  readSession: {
    method: 'GET',
    path: '/api/agent-sessions/:sessionId',
    scope: 'api',
    summary:
      'Gives a session as it stands: the fold of its events, with the epoch that makes its `seq` a place to stream from; ' +
      '`session` is its row of the list, `messages` its history in plain messages.',
    params: bySession,
    answer: SessionRead,
  },
  readPage: {
    method: 'GET',
    path: '/api/agent-sessions/:sessionId/page',
    scope: 'api',
    summary: 'Gives the newest part of a conversation, or the part before an item; what still runs or waits is in the newest part.',
    params: bySession,
    query: z.object({ before: ItemId.optional(), limit: z.coerce.number().int().min(1).max(2000).default(100) }),
    answer: SessionPage,
  },
  updateSession: {
    method: 'PATCH',
    path: '/api/agent-sessions/:sessionId',
    scope: 'api',
    summary: 'Changes the settings, the name or the project of a session; what is absent stays, null goes back to the default.',
    params: bySession,
    body: SessionChange,
    answer: oneSession,
  },
  resetSession: {
    method: 'POST',
    path: '/api/agent-sessions/:sessionId/reset',
    scope: 'api',
    summary: 'Empties a session, and lets the agent begin a new conversation in it.',
    params: bySession,
    answer: oneSession,
  },
  removeSession: {
    method: 'DELETE',
    path: '/api/agent-sessions/:sessionId',
    scope: 'api',
    summary: 'Stops a session and deletes it; for an hour it can be brought back, unless it is deleted `forever`.',
    params: bySession,
    query: z.object({ forever: z.enum(['true', 'false']).optional() }),
  },
  listRemovedSessions: {
    method: 'GET',
    path: '/api/removed-sessions',
    scope: 'api',
    summary: 'Lists the sessions that were deleted and can still be brought back.',
    answer: z.object({ sessions: z.array(RemovedSession) }),
  },
  restoreSession: {
    method: 'POST',
    path: '/api/agent-sessions/:sessionId/restore',
    scope: 'api',
    summary: 'Brings back a session that was deleted.',
    params: bySession,
    answer: oneSession,
  },
  seeSession: {
    method: 'POST',
    path: '/api/agent-sessions/:sessionId/seen',
    scope: 'api',
    isRoutine: true,
    summary: 'Notes that the person has looked at a session, so that it is no news on any surface.',
    params: bySession,
    answer: oneSession,
  },
  forkSession: {
    method: 'POST',
    path: '/api/agent-sessions/:sessionId/fork',
    scope: 'api',
    summary: 'Makes a session that goes on from this one, after a turn of it, with this agent or another; the agent is told what was said.',
    params: bySession,
    body: ForkInput,
    status: 201,
    answer: oneSession,
  },
  exportSession: {
    method: 'GET',
    path: '/api/agent-sessions/:sessionId/export',
    scope: 'api',
    summary: 'Gives a session as a file: as markdown for people, or as JSON that can be imported again.',
    params: bySession,
    query: z.object({ format: ExportFormat.default('markdown') }),
    stream: 'bytes',
  },
  importSession: {
    method: 'POST',
    path: '/api/agent-sessions/import',
    scope: 'api',
    summary:
      'Makes a new session of one that was exported as JSON, whole or not at all; it changes no other, and its agent is told what was said.',
    body: ImportInput,
    status: 201,
    answer: oneSession,
  },
  search: {
    method: 'GET',
    path: '/agent/search',
    scope: 'api',
    summary:
      'Finds sessions by their names, and what was said or run in them, the newest first; the last word may be the beginning of one.',
    query: SearchQuery,
    answer: SearchAnswer,
  },
  readUsage: {
    method: 'GET',
    path: '/api/usage',
    scope: 'api',
    summary: 'Adds up tokens, money and time by turn, session, project, agent or day, and says what is left of the day.',
    query: UsageQuery,
    answer: UsageReport,
  },
  watchSession: {
    method: 'GET',
    path: '/api/agent-sessions/:sessionId/events',
    scope: 'api',
    summary: "Streams a session's events, in order and without gaps, from the beginning or from where the reader was.",
    params: bySession,
    query: after.extend({ ticket: z.string().max(200).optional() }),
    answer: SessionEvent,
    stream: 'sse',
  },
  startTurn: {
    method: 'POST',
    path: '/api/agent-sessions/:sessionId/turns',
    scope: 'api',
    summary: 'Sends a prompt; the answer comes when it is on disk.',
    params: bySession,
    body: TurnInput,
    answer: TurnAccepted,
  },
  notePicked: {
    method: 'POST',
    path: '/api/agent-sessions/:sessionId/turns/:turnId/picked',
    scope: 'api',
    summary:
      'Tells which elements of a page of this machine go with a turn: when it ends, its browser looks at them again, and the pair is noted. For the panel of a browser.',
    params: z.object({ sessionId: SessionId, turnId: TurnId }),
    body: PickedInput,
    answer: done,
  },
  cancelTurns: {
    method: 'DELETE',
    path: '/api/agent-sessions/:sessionId/turns',
    scope: 'api',
    summary: 'Cancels the turn that runs and those that wait; when there are none, that is no error.',
    params: bySession,
    answer: z.object({ cancelledCount: z.number() }),
  },
  cancelTurn: {
    method: 'DELETE',
    path: '/api/agent-sessions/:sessionId/turns/:turnId',
    scope: 'api',
    summary: 'Cancels one turn; when it is over already, that is no error.',
    params: z.object({ sessionId: SessionId, turnId: TurnId }),
    answer: z.object({ cancelledCount: z.number() }),
  },
  stopTask: {
    method: 'DELETE',
    path: '/api/agent-sessions/:sessionId/tasks/:itemId',
    scope: 'api',
    summary: 'Ends a task that runs in the background.',
    params: byItem,
  },
  readTask: {
    method: 'GET',
    path: '/api/agent-sessions/:sessionId/items/:itemId/output',
    scope: 'api',
    summary: 'Gives the end of what a command in the background has written so far.',
    params: byItem,
    answer: TaskOutput,
  },
  readAttachment: {
    method: 'GET',
    path: '/api/agent-sessions/:sessionId/attachments/:attachmentId',
    scope: 'api',
    summary: 'Gives the bytes of something that was attached to a prompt.',
    params: z.object({ sessionId: SessionId, attachmentId: AttachmentId }),
    stream: 'bytes',
  },
  beginUpload: {
    method: 'POST',
    path: '/agent/uploads',
    scope: 'api',
    summary: 'Begins to send something that is too large for the body of a prompt; the prompt then names it by `uploadId`, within an hour.',
    body: UploadInput,
    status: 201,
    answer: Upload,
  },
  sendPiece: {
    method: 'PUT',
    path: '/agent/uploads/:uploadId',
    scope: 'api',
    isRoutine: true,
    summary: 'Adds the next piece; one that was sent already changes nothing. The answer says how many bytes are there.',
    params: z.object({ uploadId: z.string().max(200) }),
    body: UploadPiece,
    answer: z.object({ receivedBytes: z.number() }),
  },
  uploadState: {
    method: 'GET',
    path: '/agent/uploads/:uploadId',
    scope: 'api',
    isRoutine: true,
    summary: 'Says how much of an upload is there, and how far the import that reads it has come.',
    params: z.object({ uploadId: z.string().max(200) }),
    answer: UploadState,
  },
  cancelUpload: {
    method: 'DELETE',
    path: '/agent/uploads/:uploadId',
    scope: 'api',
    summary: 'Forgets an upload. An import that reads it ends, and nothing of it stays.',
    params: z.object({ uploadId: z.string().max(200) }),
  },
  attachmentStats: {
    method: 'GET',
    path: '/agent/attachments/stats',
    scope: 'api',
    summary: 'Counts what is kept of attachments, in all and by project; `orphanProjectIds` are projects that were forgotten.',
    answer: AttachmentStats,
  },
  projectAttachment: {
    method: 'GET',
    path: '/agent/attachments/:projectId/:filename',
    scope: 'api',
    summary:
      'Gives the bytes of something that was attached in a project, by the name of its file: its id and the ending that belongs to its type.',
    params: z.object({ projectId: ProjectId, filename: z.string().max(200) }),
    stream: 'bytes',
  },
  removeProjectAttachments: {
    method: 'DELETE',
    path: '/agent/attachments/:projectId',
    scope: 'api',
    summary: 'Removes the attachments of a project; the conversations stay, and so does what a session that works now was given.',
    params: byProject,
    answer: RemovedAttachments,
  },
  removeAttachments: {
    method: 'DELETE',
    path: '/agent/attachments',
    scope: 'api',
    summary: 'Removes the attachments of the named projects or, without names, of all.',
    body: RemoveAttachmentsInput,
    answer: RemovedAttachments,
  },

  answerRequest: {
    method: 'POST',
    path: '/api/agent-sessions/:sessionId/requests/:requestId',
    scope: 'api',
    summary: 'Answers what an agent asked the person: a permission, a question, a plan, consent for the browser, trust in a project.',
    params: z.object({ sessionId: SessionId, requestId: RequestId }),
    body: AnswerInput,
    answer: z.object({ success: z.literal(true) }),
  },

  readChanges: {
    method: 'GET',
    path: '/api/agent-sessions/:sessionId/changes',
    scope: 'api',
    summary: 'Lists each file that is not as it was where a session began, with its counts; the folder must lie in a git repository.',
    params: bySession,
    answer: Changes,
  },
  readPatch: {
    method: 'GET',
    path: '/api/agent-sessions/:sessionId/changes/patch',
    scope: 'api',
    summary: "Gives a page of one file's patch; `now` of the list makes the pages belong together.",
    params: bySession,
    query: z.object({
      path: z.string().min(1).max(4096),
      oldPath: z.string().min(1).max(4096).optional(),
      now: z
        .string()
        .regex(/^[0-9a-f]{40,64}$/)
        .optional(),
      offset: z.coerce.number().int().min(0).default(0),
    }),
    answer: PatchPage,
  },
  stageFiles: {
    method: 'POST',
    path: '/api/agent-sessions/:sessionId/changes/stage',
    scope: 'api',
    summary: "Puts changed files into git's index, or takes them out of it.",
    params: bySession,
    body: z.strictObject({ paths, isStaged: z.boolean() }),
    answer: done,
  },
  revertFiles: {
    method: 'POST',
    path: '/api/agent-sessions/:sessionId/changes/revert',
    scope: 'api',
    summary:
      'Brings files back to what they were where a session began, or with `hunk` one part of the patch of a single file; `undo` is the checkpoint that takes that back.',
    params: bySession,
    body: z.strictObject({ paths, hunk: HunkPlace.optional() }),
    answer: WentBack,
  },
  listCheckpoints: {
    method: 'GET',
    path: '/api/agent-sessions/:sessionId/checkpoints',
    scope: 'api',
    summary: "Lists the states of a session's folder that can be gone back to, the newest first: one before each turn.",
    params: bySession,
    answer: z.object({ checkpoints: z.array(Checkpoint) }),
  },
  goBack: {
    method: 'POST',
    path: '/api/agent-sessions/:sessionId/checkpoints/:checkpointId/restore',
    scope: 'api',
    summary:
      "Brings a session's folder back to a checkpoint, or to before the turn of that id; `undo` is the checkpoint that takes that back.",
    params: z.object({ sessionId: SessionId, checkpointId: z.string().min(1).max(300) }),
    answer: WentBack,
  },
  finishWorktree: {
    method: 'POST',
    path: '/api/agent-sessions/:sessionId/worktree',
    scope: 'api',
    summary:
      "Merges a session's worktree, keeps it as a branch, discards it (its work stays under a hidden ref), or makes its folder again; what is not committed is committed first.",
    params: bySession,
    body: z.strictObject({ action: FinishAction }),
    answer: Finished,
  },

  listEngines: {
    method: 'GET',
    path: '/api/engines/catalogue',
    scope: 'api',
    summary: 'Lists the agents that are switched on, as they were found on this machine.',
    answer: engines,
  },
  refreshEngines: {
    method: 'POST',
    path: '/api/engines/refresh',
    scope: 'api',
    isRoutine: true,
    summary: 'Looks again for one agent or for all; the look ends when its caller goes away.',
    body: z.strictObject({ name: z.string().max(200).optional() }),
    answer: engines,
  },
  listEngineSetups: {
    method: 'GET',
    path: '/api/engines',
    scope: 'api',
    summary:
      'Lists all agents, those that are switched off too, with what is set for them; `warning` is set while a key lies in a file, and `told` has the same as codes and values.',
    answer: z.object({ engines: z.array(EngineSetup), warning: z.string().nullable(), told: z.array(Warning).optional() }),
  },
  addEngine: {
    method: 'POST',
    path: '/api/engines',
    scope: 'private',
    summary: "Adds an agent of the user's own that speaks ACP.",
    body: CustomEngineInput,
    status: 201,
    answer: EngineSetup,
  },
  removeEngine: {
    method: 'DELETE',
    path: '/api/engines/:name',
    scope: 'private',
    summary: 'Removes an agent that the user added, with its settings and keys.',
    params: byEngine,
  },
  readEngineSetup: {
    method: 'GET',
    path: '/api/engines/:name/settings',
    scope: 'api',
    summary: 'Gives what is set for an agent.',
    params: byEngine,
    answer: EngineSetup,
  },
  changeEngineSetup: {
    method: 'PUT',
    path: '/api/engines/:name/settings',
    scope: 'api',
    summary: 'Changes what is set for an agent; what is absent stays, null goes. The panel may set `isDisabled` and `endpoint` only.',
    params: byEngine,
    body: EngineSettingsInput,
    answer: EngineSetup,
  },
  logInEngine: {
    method: 'POST',
    path: '/api/engines/:name/login',
    scope: 'api',
    summary:
      "Opens a terminal window in which the agent's own login runs, as the agent itself names it; there it is looked for again until it is logged in.",
    params: byEngine,
    answer: done,
  },
  proposeEngine: {
    method: 'POST',
    path: '/api/engines/:name/proposals',
    scope: 'api',
    summary:
      'Proposes a change of what starts an agent: a terminal window opens in which the person sees it and says yes or no. Ends with the answer, or after three minutes; a caller that goes away cancels it.',
    params: byEngine,
    body: ProposalInput,
    answer: z.object({ outcome: ProposalOutcome }),
  },
  awaitProposal: {
    method: 'GET',
    path: '/api/proposals/:id',
    scope: 'private',
    isForPerson: true,
    isRoutine: true,
    summary:
      'Waits until a proposal that a window shows has ended, so that the window asks no longer; a window that goes away before has refused.',
    params: byAnswer,
  },
  answerProposal: {
    method: 'POST',
    path: '/api/proposals/:id',
    scope: 'private',
    summary: 'Says what the person has answered in the window of a proposal; after a yes it is set.',
    params: byAnswer,
    body: z.strictObject({ isAllowed: z.boolean() }),
  },
  takeErrand: {
    method: 'POST',
    path: '/api/errands/:id',
    scope: 'private',
    summary: 'Gives what a terminal window was opened for to the command that runs in it, once and within three minutes.',
    params: z.object({ id: z.string().max(200) }),
    answer: Errand,
  },
  storeSecret: {
    method: 'PUT',
    path: '/api/engines/:name/secrets/:secretName',
    scope: 'api',
    summary: 'Stores a key of an agent, or with null removes it; it is never told again.',
    params: z.object({ name: z.string().max(200), secretName: z.string().max(200) }),
    body: SecretInput,
    answer: EngineSetup,
  },

  readAudit: {
    method: 'GET',
    path: '/api/audit',
    scope: 'api',
    summary:
      'Gives the newest entries of the audit, or with the `next` of an answer as `cursor` those before, and says whether all of it is whole.',
    query: z.object({
      last: z.coerce.number().int().min(0).max(1_000_000).default(200),
      cursor: z.coerce.number().int().min(1).optional(),
    }),
    answer: AuditReport,
  },
  listCalls: {
    method: 'GET',
    path: '/api/calls',
    scope: 'api',
    summary:
      'Gives the newest entries of the audit about calls of browser tools, of one session or of all; with the `next` of an answer as `cursor` those before, with the number of an entry as `after` the first that came since.',
    query: CallQuery,
    answer: CallPage,
  },
  listGrants: {
    method: 'GET',
    path: '/api/grants',
    scope: 'api',
    summary: 'Lists what the person allowed for whole sites.',
    answer: z.object({ grants: z.array(Grant) }),
  },
  addGrants: {
    method: 'POST',
    path: '/api/grants',
    scope: 'api',
    summary:
      "Lets a session's agent change pages of several sites without a question, for some minutes; code, files and cookies are asked for as ever.",
    body: GrantsInput,
    status: 201,
    answer: z.object({ grants: z.array(Grant) }),
  },
  removeGrant: {
    method: 'DELETE',
    path: '/api/grants/:id',
    scope: 'api',
    summary: 'Takes such a permission back.',
    params: z.object({ id: z.string().max(200) }),
  },
  listSites: {
    method: 'GET',
    path: '/api/sites',
    scope: 'api',
    summary: 'Lists the sites for which the person set a rule: read_only, never, or ask at each navigation.',
    answer: sites,
  },
  setSite: {
    method: 'PUT',
    path: '/api/sites',
    scope: 'api',
    summary: 'Sets the rule of a site, over every permission; a name includes all that lies below it, an origin is itself alone.',
    body: SiteInput,
    answer: sites,
  },
  removeSite: {
    method: 'DELETE',
    path: '/api/sites/:site',
    scope: 'api',
    summary: 'Removes the rule of a site. The answer is what is left.',
    params: z.object({ site: SiteInput.shape.site }),
    answer: sites,
  },
  listAdmissions: {
    method: 'GET',
    path: '/api/admissions',
    scope: 'api',
    summary: 'Lists the browsers and the programs from outside that were let in or turned away, and those that wait.',
    answer: admissions,
  },
  decideAdmission: {
    method: 'POST',
    path: '/api/admissions/:id',
    scope: 'api',
    isForNewcomer: true,
    summary: 'Lets a browser or a program in, or turns it away; a browser that waits may let in only itself, and only by its own panel.',
    params: byAdmission,
    body: z.strictObject({ isAllowed: z.boolean() }),
    answer: Admission,
  },
  removeAdmission: {
    method: 'DELETE',
    path: '/api/admissions/:id',
    scope: 'api',
    summary: 'Forgets what was decided: it is asked for again. The answer is what is left.',
    params: byAdmission,
    answer: admissions,
  },
  checkBrowser: {
    method: 'POST',
    path: '/api/browsers/check',
    scope: 'api',
    summary:
      'Goes the way into a browser and calls `browser_tabs` there, of whose answer nothing is told; a panel means its own browser. The first hop that fails is the last.',
    body: z.strictObject({ browserId: BrowserId.optional() }),
    answer: BrowserCheck,
  },
  openPairing: {
    method: 'POST',
    path: '/api/pairing',
    scope: 'private',
    summary:
      'Lets one browser that is elsewhere come to be paired, for five minutes; `address` is where it comes to, when that is no tunnel.',
    body: z.strictObject({ address: z.string().max(300).optional() }),
    answer: PairingState,
  },
  readPairing: {
    method: 'GET',
    path: '/api/pairing',
    scope: 'private',
    isForPerson: true,
    summary: 'Tells how the pairing stands, with the code to compare once a browser has come.',
    answer: PairingState,
  },
  answerPairing: {
    method: 'PUT',
    path: '/api/pairing',
    scope: 'private',
    summary: 'Says whether the browser shows this code. It is paired when that was confirmed in the browser too.',
    body: z.strictObject({ code: z.string().max(20), isSame: z.boolean() }),
    answer: PairingState,
  },
  listTrust: {
    method: 'GET',
    path: '/api/trust',
    scope: 'api',
    summary: 'Lists the projects whose own files may start programs.',
    answer: trusted,
  },
  revokeTrust: {
    method: 'DELETE',
    path: '/api/trust',
    scope: 'api',
    summary: 'Takes trust in a project back: the next turn there asks. The answer is what is left.',
    query: folder,
    answer: trusted,
  },
  readPreferences: {
    method: 'GET',
    path: '/api/settings',
    scope: 'api',
    summary: 'Gives what the person chose for all sessions.',
    answer: Preferences,
  },
  changePreferences: {
    method: 'PATCH',
    path: '/api/settings',
    scope: 'api',
    summary: 'Changes what the person chose for all sessions; what is not named stays.',
    body: PreferencesChange,
    answer: Preferences,
  },
  listRoots: {
    method: 'GET',
    path: '/api/roots',
    scope: 'private',
    summary: 'Lists the folders agents may work in beside the home folder.',
    answer: roots,
  },
  addRoot: {
    method: 'POST',
    path: '/api/roots',
    scope: 'private',
    summary: 'Lets agents work in a further folder: only a hand on the terminal can do that, never the panel.',
    body: folder,
    answer: roots,
  },
  removeRoot: {
    method: 'DELETE',
    path: '/api/roots',
    scope: 'private',
    summary: 'Takes such a folder back.',
    query: folder,
    answer: roots,
  },
  shutDown: {
    method: 'POST',
    path: '/api/shutdown',
    scope: 'private',
    summary: 'Ends the daemon, once this answer is out.',
    status: 202,
    answer: z.object({ success: z.literal(true) }),
  },

  openMcpSession: {
    method: 'POST',
    path: '/api/mcp-sessions',
    scope: 'private',
    isForPerson: false,
    summary: 'Makes a session for an MCP client over stdio.',
    body: McpSessionInput,
    status: 201,
    answer: z.object({ sessionId: SessionId }),
  },
  holdMcpSession: {
    method: 'GET',
    path: '/api/mcp-sessions/:sessionId/hold',
    scope: 'private',
    summary: 'Stays open for as long as the client lives: a client that is killed says no goodbye, and its tab group ends all the same.',
    params: bySession,
    stream: 'sse',
  },
  closeMcpSession: {
    method: 'DELETE',
    path: '/api/mcp-sessions/:sessionId',
    scope: 'private',
    isForPerson: false,
    summary: 'Says that the MCP client is gone.',
    params: bySession,
  },
  callTool: {
    method: 'POST',
    path: '/api/mcp-sessions/:sessionId/call',
    scope: 'private',
    isForPerson: false,
    summary: 'Calls a browser tool: progress comes line by line, the result last; a caller that goes away has cancelled.',
    params: bySession,
    body: McpCallInput,
    answer: McpCallLine,
    stream: 'jsonlines',
  },
  mcpCommand: {
    method: 'GET',
    path: '/api/mcp-command',
    scope: 'api',
    summary: 'Gives the command that an MCP client of the user starts; there is no secret in it.',
    answer: z.object({ command: z.string(), args: z.array(z.string()), env: z.record(z.string(), z.string()).optional() }),
  },
  tellElicited: {
    method: 'POST',
    path: '/api/mcp-sessions/:sessionId/elicited',
    scope: 'private',
    isForPerson: false,
    summary: 'Says what the person answered in the client to a question of a call that runs; only the process of the call can.',
    params: bySession,
    body: ElicitedInput,
  },
  mcpConfig: {
    method: 'GET',
    path: '/api/mcp-config',
    scope: 'private',
    isForPerson: true,
    summary: 'Gives what an MCP client of the user has to be told; for HTTP with a token made for it.',
    query: z.object({
      transport: z.enum(['stdio', 'http']).default('stdio'),
      /** The sets of tools that the client is to get, with commas. */
      tools: z.string().max(1000).optional(),
    }),
    answer: z.record(z.string(), z.unknown()),
  },

  sendMcp: {
    method: 'POST',
    path: MCP_PATH,
    scope: 'mcp',
    isForPerson: false,
    summary: 'Takes messages of MCP over streamable HTTP.',
    body: z.unknown(),
    stream: 'mcp',
  },
  receiveMcp: {
    method: 'GET',
    path: MCP_PATH,
    scope: 'mcp',
    summary: 'Streams what the server says to an MCP client of the earlier revisions.',
    stream: 'mcp',
  },
  closeMcp: {
    method: 'DELETE',
    path: MCP_PATH,
    scope: 'mcp',
    isForPerson: false,
    summary: "Ends an MCP client's own session.",
    stream: 'mcp',
  },
} as const satisfies Routes;
