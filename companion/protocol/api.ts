/** Bodies of the HTTP wire, shared by the server, the terminal's client and the panel. The routes they belong to stand in routes.ts. */
import * as z from 'zod';
import { Admission } from './admission.ts';
import { BrowserInfo, ToolResult } from './browser.ts';
import { attachmentLimits } from './attachment-limits.ts';
import { Attachment, Uploaded } from './commands.ts';
import { EngineInfo } from './engines.ts';
import { ErrorBody } from './errors.ts';
import { Budget, LoggedPrompt, SessionSettings, Usage } from './events.ts';
import { CallId, ItemId, ProjectId, RequestId, SessionId, TurnId } from './ids.ts';
import { ItemBody, ItemStatus } from './items.ts';
import { Duration, Moment } from './moment.ts';
import { Notification } from './notifications.ts';
import { RequestAnswer, RequestBody } from './requests.ts';
import { LookAgainParams, MAX_PICKED, PagePicture, PickedFrame, PickedMark } from './link.ts';
import { Worktree, WorktreeSummary } from './work.ts';
import { TOOL_SETS } from './tool-sets.ts';
import { Warning } from './warnings.ts';

export const Project = z.object({
  id: ProjectId,
  name: z.string(),
  /** The real path, inside the folders agents may work in. */
  rootPath: z.string(),
  description: z.string().optional(),
  preferredCli: z.string().optional(),
  selectedModel: z.string().optional(),
  /** The mode with which its sessions begin, with that agent and where nothing else is said. */
  selectedMode: z.string().optional(),
  /** The sets of browser tools that its agents get; without any the default one. */
  toolSets: z.array(z.enum(TOOL_SETS)).optional(),
  createdAt: z.string(),
  updatedAt: z.string(),
  lastActiveAt: z.string().optional(),
});
export type Project = z.infer<typeof Project>;

/** What listens on a port of this machine. All are null where that is nobody's, or the system does not tell. */
export const Served = z.object({
  /** The folder in which the process works that listens. */
  folder: z.string().nullable(),
  /** The innermost folder around it that belongs to a project or is the working folder of a session. */
  root: z.string().nullable(),
  project: Project.nullable(),
  /** The session whose working folder that is. */
  sessionId: SessionId.nullable(),
});
export type Served = z.infer<typeof Served>;

/** Elements of a page that go with a turn, as they are before it. */
export const PickedInput = z.strictObject({
  elements: z
    .array(
      z.strictObject({
        tabId: z.number().int(),
        url: z.url({ protocol: /^https?$/ }).max(4_000),
        documentId: LookAgainParams.shape.documentId,
        /** The frame in which it is, when that is not the page itself. */
        frame: z.strictObject(PickedFrame.shape).optional(),
        mark: z.strictObject(PickedMark.shape),
        /** What it is, in the words of its page. */
        element: z.string().max(500),
        before: z.strictObject(PagePicture.shape).optional(),
      }),
    )
    .min(1)
    .max(MAX_PICKED),
});
export type PickedInput = z.infer<typeof PickedInput>;

/** A name that stands in a list of choices. Forms send an empty one when nothing is chosen. */
const chosen = z.string().max(200);
const chosenOrNone = chosen.transform((name) => (name === '' ? null : name)).nullable();

/** The same where nothing chosen is as good as nothing said. */
export const chosenName = chosen.transform((name) => (name === '' ? undefined : name)).optional();

/** Makes a project, or changes the one with `id`. */
export const ProjectInput = z.strictObject({
  id: ProjectId.optional(),
  name: z.string().min(1).max(200),
  rootPath: z.string().min(1).max(4096),
  description: z.string().max(10_000).optional(),
  /** Null takes one of these away again. */
  preferredCli: chosenOrNone.optional(),
  selectedModel: chosenOrNone.optional(),
  selectedMode: chosenOrNone.optional(),
  /** The sets of browser tools that its agents get from their next process on; none for the default one. */
  toolSets: z.array(z.enum(TOOL_SETS)).max(TOOL_SETS.length).optional(),
  /** Make the folder when it does not exist. */
  allowCreate: z.boolean().optional(),
});
export type ProjectInput = z.infer<typeof ProjectInput>;

/** A project whose own files may start programs, until one of them changes. */
export const TrustedProject = z.object({
  /** Real path. */
  path: z.string(),
  trustedAt: z.string(),
  /** Paths of the files, relative to the folder where they lie in it. */
  files: z.array(z.string()),
});
export type TrustedProject = z.infer<typeof TrustedProject>;

/** A session as a row of a list. */
export const SessionSummary = z.object({
  id: SessionId,
  projectId: ProjectId.nullable(),
  kind: z.enum(['agent', 'client']),
  engineName: z.string(),
  name: z.string(),
  model: z.string().nullable(),
  mode: z.string().nullable(),
  status: z.enum(['idle', 'starting', 'running', 'waiting', 'stopping']),
  /** The outcome of the newest turn that ended. */
  lastOutcome: z.enum(['completed', 'cancelled', 'failed', 'interrupted']).nullable(),
  engineSessionId: z.string().nullable(),
  openRequests: z.number(),
  /** Tasks that go on although no turn runs, or beside it. */
  backgroundTasks: z.number().optional(),
  /** Kind of the oldest open request: an approval is more urgent than a question. */
  requestKind: RequestBody.shape.kind.optional(),
  /** First line of the newest prompt or answer. */
  preview: z.string(),
  /** How many entries its conversation has, as the history counts them; absent where an earlier version wrote the row. */
  messageCount: z.number().optional(),
  /** Put away by the person; absent means no. */
  isArchived: z.boolean().optional(),
  /** Kept at the top of the lists by the person; absent means no. */
  isPinned: z.boolean().optional(),
  /** What it has cost so far, where its agent says that. */
  costUsd: z.number().optional(),
  /** When the person last looked at it, on whichever surface; absent means never. */
  seenAt: z.string().optional(),
  /** The session from which it goes on. */
  forkedFrom: SessionId.optional(),
  /** The working folder of its own that it has, or had. */
  worktree: WorktreeSummary.optional(),
  createdAt: z.string(),
  updatedAt: z.string(),
});
export type SessionSummary = z.infer<typeof SessionSummary>;

/** Everything a front end shows at first; also `pilotfish status --json`. */
export const Status = z.object({
  version: z.string(),
  isRunning: z.boolean(),
  pid: z.number().nullable(),
  socket: z.string(),
  port: z.number().nullable(),
  protocol: z.number(),
  startedAt: z.string().nullable(),
  extensionPath: z.string(),
  browsers: z.array(BrowserInfo),
  engines: z.array(EngineInfo),
  sessions: z.array(SessionSummary),
  projects: z.array(Project),
  /** Things a person should know: no keychain, port taken, manifest missing. */
  warnings: z.array(z.string()),
  /** The same in a form that a front end can say in its own language; an earlier daemon sends none. */
  told: z.array(Warning).optional(),
});
export type Status = z.infer<typeof Status>;

/** What changed outside one session's log. Each event carries the whole new list, so a lost one does no harm. */
export const StateEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('sessions'), sessions: z.array(SessionSummary) }),
  z.object({ type: z.literal('projects'), projects: z.array(Project) }),
  z.object({ type: z.literal('engines'), engines: z.array(EngineInfo) }),
  z.object({ type: z.literal('browsers'), browsers: z.array(BrowserInfo) }),
  z.object({ type: z.literal('admissions'), admissions: z.array(Admission) }),
  /** What the person should know and no list says: a damaged history, a full disk. */
  z.object({ type: z.literal('warnings'), warnings: z.array(z.string()), told: z.array(Warning).optional() }),
  z.object({ type: z.literal('notification'), notification: Notification }),
  /** What was notified is no news any more. */
  z.object({ type: z.literal('notification.over'), key: z.string() }),
  z.object({ type: z.literal('log'), line: z.string() }),
  z.object({ type: z.literal('heartbeat'), at: z.number() }),
]);
export type StateEvent = z.infer<typeof StateEvent>;

/** One prompt to an agent. */
export const TurnInput = z.strictObject({
  /** Chosen by the client: the same id twice starts one turn. */
  turnId: TurnId.optional(),
  text: z.string().min(1).max(4_000_000),
  /** Shown instead of a long text that a program wrote. */
  displayText: z.string().max(100_000).optional(),
  attachments: z.array(z.strictObject(Attachment.shape)).max(attachmentLimits.count).optional(),
  /** Attachments that were sent before, by the ids of their uploads. */
  uploads: z.array(Uploaded.shape.uploadId).max(attachmentLimits.count).optional(),
  /** While a turn runs: `queue` waits for its end, `steer` goes into it where the agent can. */
  delivery: z.enum(['queue', 'steer']).optional(),
  /**
   * While another agent works in the same folder: `refuse` begins nothing and says so, `queue` waits for its end, `anyway` begins at once,
   * which is the default.
   */
  ifTaken: z.enum(['refuse', 'queue', 'anyway']).optional(),
  /** What the turn may use; it is stopped while it runs when it has used so much. */
  budget: Budget.optional(),
});
export type TurnInput = z.infer<typeof TurnInput>;
/** The same before it is parsed: as a client writes it. */
export type TurnSent = z.input<typeof TurnInput>;

/** The prompt is on disk; what comes of it comes as events. */
export const TurnAccepted = z.object({ turnId: TurnId, sessionId: SessionId });
export type TurnAccepted = z.infer<typeof TurnAccepted>;

const settings = {
  ...SessionSettings.partial().shape,
  model: chosenOrNone.optional(),
  mode: chosenOrNone.optional(),
  effort: chosenOrNone.optional(),
  allowedTools: z.array(z.string().max(1000)).max(1000).optional(),
};

const WorktreeWish = z.union([z.boolean(), z.string().min(1).max(200)]);

/** A new session; null takes the agent's default. Without `engineName` it is the project's agent, or the first that is ready. */
export const SessionInput = z.strictObject({
  engineName: chosenName,
  name: z.string().max(500).optional(),
  /** Whether it works in a worktree that is made for it; a text is the name of its branch below `pilotfish/`. */
  worktree: WorktreeWish.optional(),
  ...settings,
});
export type SessionInput = z.infer<typeof SessionInput>;

/** A key that is left out stays as it is; null sets the agent's default again. */
export const SessionChange = z.strictObject({
  name: z.string().max(500).nullable().optional(),
  /** Another project, for one that was forgotten for instance. */
  projectId: ProjectId.optional(),
  /** Put away, or taken out again; a prompt takes it out too. */
  isArchived: z.boolean().optional(),
  /** Kept at the top of the lists, or no longer. */
  isPinned: z.boolean().optional(),
  ...settings,
});
export type SessionChange = z.infer<typeof SessionChange>;

/** Goes on from a session in a new one: after a turn that has ended, or after the last; with another agent if one is named. */
export const ForkInput = z.strictObject({
  /** The last turn that is taken over. */
  turnId: TurnId.optional(),
  /** The first turn that is not, for a prompt that is to be said again in other words; in place of `turnId`. */
  beforeTurnId: TurnId.optional(),
  engineName: chosenName,
  name: z.string().max(500).optional(),
  /** As in a new session. */
  worktree: WorktreeWish.optional(),
  /** Chosen by the client: the same id twice makes one session. */
  sessionId: SessionId.optional(),
});
export type ForkInput = z.infer<typeof ForkInput>;

/** A session that was deleted and can still be brought back. */
export const RemovedSession = z.object({ session: SessionSummary, removedAt: z.string(), goneAt: z.string() });
export type RemovedSession = z.infer<typeof RemovedSession>;

const openRequest = {
  requestId: RequestId,
  turnId: TurnId.nullable(),
  itemId: ItemId.nullable(),
  at: Moment,
  request: RequestBody,
  afterItemId: ItemId.nullable().default(null),
};

/** A session as it stands: the fold of its events, with the `epoch` that makes `seq` a place to stream from. */
export const SessionDetail = z.object({
  sessionId: SessionId,
  epoch: z.string(),
  seq: z.number(),
  kind: z.enum(['agent', 'client']),
  projectId: ProjectId.nullable(),
  engine: z.string(),
  name: z.string(),
  settings: SessionSettings,
  isArchived: z.boolean(),
  isPinned: z.boolean().optional(),
  seenAt: Moment,
  forkedFrom: z.object({ sessionId: SessionId, turnId: TurnId.nullable(), turns: z.number() }).nullable(),
  worktree: Worktree.nullable().default(null),
  engineSessionId: z.string().nullable(),
  status: SessionSummary.shape.status,
  turns: z
    .array(
      z.object({
        turnId: TurnId,
        status: z.enum(['queued', 'running', 'cancelling', 'completed', 'cancelled', 'failed', 'interrupted']),
        prompt: LoggedPrompt,
        startedAt: Moment,
        durationMs: Duration.nullable(),
        error: ErrorBody.nullable(),
      }),
    )
    .readonly(),
  items: z
    .array(
      z.object({
        itemId: ItemId,
        turnId: TurnId,
        parentItemId: ItemId.nullable(),
        status: ItemStatus,
        at: Moment,
        endedAt: Moment.nullable().default(null),
        body: ItemBody,
      }),
    )
    .readonly(),
  requests: z.array(z.object(openRequest)).readonly(),
  answered: z
    .array(
      z.object({
        ...openRequest,
        outcome: z.enum(['allowed', 'denied', 'answered', 'withdrawn']),
        optionId: z.string().nullable(),
        text: z.string().nullable(),
        answers: z.record(z.string(), z.array(z.string())).nullable(),
        by: z.string(),
        answeredAt: Moment.optional(),
      }),
    )
    .readonly()
    .default([]),
  usage: Usage,
  run: z.object({
    state: z.enum(['starting', 'ready', 'retrying', 'stopped']),
    text: z.string().nullable(),
    retryAt: Moment.nullable(),
  }),
  updatedAt: Moment,
});
export type SessionDetail = z.infer<typeof SessionDetail>;

const told = { timestamp: z.number() };
const called = { ...told, tool: z.string(), toolUseId: z.string() };

/** What was said and done, by the names of clients that look at `type`; `timestamp` is Unix milliseconds. */
export const PlainMessage = z.discriminatedUnion('type', [
  z.object({ ...told, type: z.enum(['user', 'assistant', 'thinking', 'system']), content: z.string() }),
  z.object({ ...called, type: z.literal('tool_use'), input: z.unknown() }),
  z.object({ ...called, type: z.literal('tool_result'), output: z.string() }),
  z.object({ ...told, type: z.literal('error'), message: z.string() }),
]);
export type PlainMessage = z.infer<typeof PlainMessage>;

/** A session as it stands, with its row of the list and its history in plain messages. */
export const SessionRead = SessionDetail.extend({ session: SessionSummary, messages: z.array(PlainMessage).readonly() });

/** A part of a conversation, with everything about its session that does not belong to one turn. */
export const SessionPage = SessionDetail.extend({
  /** How many items stand before `first`. */
  earlier: z.number(),
  /** The item with which it begins, by which the part before it is asked for. */
  first: ItemId.nullable(),
  /** First line of the first prompt: what a session is called that has no name. */
  opening: z.string(),
});
export type SessionPage = z.infer<typeof SessionPage>;

/** What the person answers. */
export const AnswerInput = z.strictObject(RequestAnswer.shape);

/** The end of what a command in the background has written so far. */
export const TaskOutput = z.object({ text: z.string(), totalBytes: z.number(), isTruncated: z.boolean() });
export type TaskOutput = z.infer<typeof TaskOutput>;

/** An MCP client over stdio announces itself. */
export const McpSessionInput = z.strictObject({
  clientName: z.string().max(200),
  clientVersion: z.string().max(100),
  /** A secret of the client, by which it finds its session again when another daemon has come. */
  key: z.string().min(32).max(200).optional(),
  /** It makes no call now: a session that is not there any more is not made. */
  isBack: z.boolean().optional(),
});
export type McpSessionInput = z.infer<typeof McpSessionInput>;

/** A question that an MCP client can put to the person. */
export const ElicitedQuestion = z.object({ message: z.string(), options: z.array(z.object({ optionId: z.string(), label: z.string() })) });
export type ElicitedQuestion = z.infer<typeof ElicitedQuestion>;

export const McpCallInput = z.strictObject({
  callId: CallId,
  name: z.string().max(200),
  arguments: z.record(z.string(), z.unknown()),
  /** Whether the client can put a question to the person. */
  canElicit: z.boolean().optional(),
  /** The daemon that had it ended meanwhile: what only reads is made again, of anything else the result is told that the browser has of it. */
  wasCut: z.boolean().optional(),
});
export type McpCallInput = z.input<typeof McpCallInput>;

/** One line of the answer to a tool call: progress first, the result last. */
export const McpCallLine = z.union([
  // The first that fits is taken, and of most calls nothing else is told.
  z.object({ result: ToolResult }),
  z.object({ progress: z.number(), total: z.number().optional(), message: z.string().optional() }),
  /** To be put to the person; told when it is over, on whichever surface it was answered. */
  z.object({ elicitId: z.string(), question: ElicitedQuestion.nullable() }),
]);
export type McpCallLine = z.infer<typeof McpCallLine>;

/** What the person answered in the client; null when they answered nothing there. */
export const ElicitedInput = z.strictObject({ elicitId: z.string().max(200), optionId: z.string().max(200).nullable() });
export type ElicitedInput = z.infer<typeof ElicitedInput>;
