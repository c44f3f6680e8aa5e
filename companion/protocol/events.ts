/** The facts of a session, in order. Appended to the log, then published; every view is a fold over them. */
import * as z from 'zod';
import { ErrorBody } from './errors.ts';
import { ItemId, ProjectId, RequestId, SessionId, TurnId } from './ids.ts';
import { AttachmentRef, ItemBody, ItemPatch, ItemStatus } from './items.ts';
import { Duration, Moment } from './moment.ts';
import { RequestBody } from './requests.ts';
import { Worktree } from './work.ts';

/** A token and cost account. `contextUsed` of `contextWindow` tokens are taken; absent means the engine does not say. */
export const Usage = z.object({
  inputTokens: z.number().optional(),
  outputTokens: z.number().optional(),
  cacheReadTokens: z.number().optional(),
  cacheWriteTokens: z.number().optional(),
  costUsd: z.number().optional(),
  contextUsed: z.number().optional(),
  contextWindow: z.number().optional(),
});
export type Usage = z.infer<typeof Usage>;

/** What was used since the account before this one: the part of it that can be added up. */
export const Spent = Usage.pick({ inputTokens: true, outputTokens: true, cacheReadTokens: true, cacheWriteTokens: true, costUsd: true });
export type Spent = z.infer<typeof Spent>;

/** What one turn may use; a limit that is left out does not count. */
export const Budget = z.strictObject({
  costUsd: z.number().positive().optional(),
  tokens: z.number().int().positive().optional(),
});
export type Budget = z.infer<typeof Budget>;

/** A prompt as kept in the log. `displayText` is shown instead of a long generated `text`. */
export const LoggedPrompt = z.object({
  text: z.string(),
  displayText: z.string().optional(),
  attachments: z.array(AttachmentRef),
  budget: Budget.optional(),
});
export type LoggedPrompt = z.infer<typeof LoggedPrompt>;

/** What a session was set to. `null` means "the engine's default". */
export const SessionSettings = z.object({
  model: z.string().nullable(),
  /** A mode id of the engine, as in its capabilities: default, plan, accept-edits … */
  mode: z.string().nullable(),
  effort: z.string().nullable(),
  systemPrompt: z.string().nullable(),
  allowedTools: z.array(z.string()),
  maxTurns: z.number().int().positive().nullable(),
  maxCostUsd: z.number().positive().nullable(),
  /** How many tokens the session may use in all, read from a cache or not. */
  maxTokens: z.number().int().positive().nullable(),
  /** How long a turn may take in all, the time of open requests left out; null takes the limit of settings.json. */
  maxTurnMs: z.number().int().min(1000).nullable(),
  /** How long a working agent may say nothing before its turn is ended; null takes the limit of settings.json. */
  maxSilenceMs: z.number().int().min(1000).nullable(),
});
export type SessionSettings = z.infer<typeof SessionSettings>;

export const defaultSettings: SessionSettings = {
  model: null,
  mode: null,
  effort: null,
  systemPrompt: null,
  allowedTools: [],
  maxTurns: null,
  maxCostUsd: null,
  maxTokens: null,
  maxTurnMs: null,
  maxSilenceMs: null,
};

/** As `session.created` has them: logs that were begun before a setting existed do not name it. */
const FirstSettings = SessionSettings.extend({
  maxTokens: SessionSettings.shape.maxTokens.default(null),
  maxTurnMs: SessionSettings.shape.maxTurnMs.default(null),
  maxSilenceMs: SessionSettings.shape.maxSilenceMs.default(null),
});

const turn = { turnId: TurnId };
const item = { turnId: TurnId, itemId: ItemId };

/** An event before it has a place in a log. */
export const EventBody = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('session.created'),
    projectId: ProjectId.nullable(),
    engine: z.string(),
    name: z.string(),
    /** `agent`: an agent that Pilotfish runs. `client`: an MCP client from outside that uses the browser. */
    kind: z.enum(['agent', 'client']),
    settings: FirstSettings,
  }),
  z.object({
    type: z.literal('session.updated'),
    name: z.string().optional(),
    /** The project it belongs to from now on. */
    projectId: ProjectId.nullable().optional(),
    settings: SessionSettings.partial().optional(),
    isArchived: z.boolean().optional(),
    isPinned: z.boolean().optional(),
  }),
  /** The working folder that was made for it, and what became of that. */
  z.object({ type: z.literal('session.worktree'), worktree: Worktree }),
  /** The person has looked at everything up to here, on whichever surface. */
  z.object({ type: z.literal('session.seen') }),
  /** What stands before this was copied from another session, up to that turn. */
  z.object({ type: z.literal('session.forked'), from: SessionId, turnId: TurnId.nullable() }),
  /** The engine's own id of the conversation; what a resume needs. `null` after a reset. */
  z.object({ type: z.literal('session.bound'), engineSessionId: z.string().nullable() }),
  /** All earlier turns and items are gone from the view. */
  z.object({ type: z.literal('session.reset') }),
  z.object({ type: z.literal('turn.queued'), ...turn, prompt: LoggedPrompt }),
  z.object({ type: z.literal('turn.unqueued'), ...turn }),
  /** `saidAt` is when it was first said, of what was copied from elsewhere. */
  z.object({ type: z.literal('turn.started'), ...turn, prompt: LoggedPrompt, saidAt: Moment.optional() }),
  z.object({ type: z.literal('turn.cancelling'), ...turn }),
  z.object({
    type: z.literal('turn.completed'),
    ...turn,
    outcome: z.enum(['completed', 'cancelled', 'failed', 'interrupted']),
    error: ErrorBody.optional(),
    durationMs: Duration,
    saidAt: Moment.optional(),
    /** All of the turn is a message that another program has added. */
    isAdded: z.literal(true).optional(),
  }),
  z.object({ type: z.literal('item.started'), ...item, parentItemId: ItemId.optional(), item: ItemBody, saidAt: Moment.optional() }),
  z.object({ type: z.literal('item.delta'), ...item, text: z.string() }),
  z.object({ type: z.literal('item.updated'), ...item, patch: ItemPatch }),
  z.object({ type: z.literal('item.completed'), ...item, status: ItemStatus, patch: ItemPatch.optional(), saidAt: Moment.optional() }),
  /** The engine took it back (a cut stream that is repeated). */
  z.object({ type: z.literal('item.dropped'), ...item }),
  z.object({
    type: z.literal('request.opened'),
    turnId: TurnId.nullable(),
    requestId: RequestId,
    itemId: ItemId.optional(),
    request: RequestBody,
    /** Who asks: the agent, or Pilotfish itself. Logs of earlier versions do not say. */
    origin: z.enum(['agent', 'companion']).optional(),
    saidAt: Moment.optional(),
  }),
  /** What it is about was told only after it. */
  z.object({ type: z.literal('request.placed'), requestId: RequestId, itemId: ItemId }),
  z.object({
    type: z.literal('request.resolved'),
    requestId: RequestId,
    outcome: z.enum(['allowed', 'denied', 'answered', 'withdrawn']),
    optionId: z.string().optional(),
    text: z.string().optional(),
    answers: z.record(z.string(), z.array(z.string())).optional(),
    /** Where it was answered: panel, terminal, or why it was withdrawn. */
    by: z.string(),
    saidAt: Moment.optional(),
  }),
  /** `usage` is the total of the session; logs of earlier versions do not name what was `spent`. */
  z.object({ type: z.literal('usage.updated'), turnId: TurnId.nullable(), usage: Usage, spent: Spent.optional() }),
  /** The engine's process: what the person sees before and between turns. */
  z.object({
    type: z.literal('run.changed'),
    state: z.enum(['starting', 'ready', 'retrying', 'stopped']),
    text: z.string().optional(),
    retryAt: Moment.optional(),
  }),
]);
export type EventBody = z.infer<typeof EventBody>;

const place = { sessionId: SessionId, seq: z.number().int().positive(), at: Moment };

/** An event in its place: `seq` counts from 1 without gaps per session, `at` is Unix milliseconds and only for show. */
export const SessionEvent = z.intersection(EventBody, z.object(place));
export type SessionEvent = EventBody & { sessionId: SessionId; seq: number; at: number };
