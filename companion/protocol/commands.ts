/** Orders to a session. A command that is acknowledged is on disk; what it leads to comes as events. */
import * as z from 'zod';
import { attachmentLimits } from './attachment-limits.ts';
import { Budget, SessionSettings } from './events.ts';
import { ItemId, ProjectId, RequestId, SessionId, TurnId } from './ids.ts';
import { AttachmentRef, ItemBody } from './items.ts';
import { RequestAnswer } from './requests.ts';

export const MAX_SESSION_NAME_CHARS = 500;

/** Something attached to a prompt, as it comes in. Text kinds (element, selection, console, network, page) are UTF-8 in the base64 too. */
export const Attachment = z.object({
  kind: AttachmentRef.shape.kind,
  name: z.string().max(500),
  mimeType: z.string().max(200),
  dataBase64: z.base64(),
});
export type Attachment = z.infer<typeof Attachment>;

/** Something that was sent before its prompt. */
export const Uploaded = z.object({ uploadId: z.string().max(200) });
export type Uploaded = z.infer<typeof Uploaded>;

export const Prompt = z.object({
  text: z.string().max(4_000_000),
  displayText: z.string().max(100_000).optional(),
  attachments: z.array(z.union([Attachment, Uploaded])).max(attachmentLimits.count),
  budget: Budget.optional(),
});
export type Prompt = z.infer<typeof Prompt>;

/** That a working folder is made for the session, and how its branch is called if that is not to come from the session's name. */
const WorktreeWish = z.object({ name: z.string().max(200).optional() });

export const Command = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('session.create'),
    /** The id of the new session, for a caller that had to name it before the session was made. */
    sessionId: SessionId.optional(),
    projectId: ProjectId.nullable(),
    engine: z.string(),
    name: z.string().max(MAX_SESSION_NAME_CHARS).optional(),
    kind: z.enum(['agent', 'client']).optional(),
    worktree: WorktreeWish.optional(),
    settings: SessionSettings.partial().optional(),
  }),
  z.object({
    type: z.literal('session.update'),
    sessionId: SessionId,
    name: z.string().max(MAX_SESSION_NAME_CHARS).optional(),
    /** Another project, for one that was forgotten for instance. Refused while a turn runs. */
    projectId: ProjectId.nullable().optional(),
    settings: SessionSettings.partial().optional(),
    isArchived: z.boolean().optional(),
    isPinned: z.boolean().optional(),
  }),
  /** The person has looked at it. */
  z.object({ type: z.literal('session.seen'), sessionId: SessionId }),
  /** Makes a session that goes on from this one, whose id is given or made up. */
  z.object({
    type: z.literal('session.fork'),
    sessionId: SessionId,
    newSessionId: SessionId.optional(),
    /** The last turn that is taken over, or the first that is not; without either, all that have ended. */
    turnId: TurnId.optional(),
    beforeTurnId: TurnId.optional(),
    engine: z.string().optional(),
    name: z.string().max(MAX_SESSION_NAME_CHARS).optional(),
    worktree: WorktreeWish.optional(),
  }),
  /** Brings back a session that was deleted a short time ago. */
  z.object({ type: z.literal('session.restore'), sessionId: SessionId }),
  z.object({ type: z.literal('session.reset'), sessionId: SessionId }),
  /** Unless it is for ever, it can be brought back for a while. */
  z.object({ type: z.literal('session.delete'), sessionId: SessionId, isForever: z.boolean().optional() }),
  /** `turnId` is chosen by the client and makes the command idempotent: sent twice, it starts one turn. */
  z.object({
    type: z.literal('turn.start'),
    sessionId: SessionId,
    turnId: TurnId.optional(),
    prompt: Prompt,
    /** While a turn runs: `queue` waits for its end, `steer` goes into it where the engine can. */
    delivery: z.enum(['queue', 'steer']).optional(),
    /** While another agent works in the same folder: `refuse` throws FOLDER_TAKEN, `queue` waits for its end; otherwise both work. */
    ifTaken: z.enum(['refuse', 'queue', 'anyway']).optional(),
  }),
  /** Something that was said elsewhere stands in the conversation from now on; the agent is not told. `turnId` as in `turn.start`. */
  z.object({ type: z.literal('message.add'), sessionId: SessionId, turnId: TurnId, item: ItemBody }),
  /** Without `turnId`: the running turn and all queued ones. */
  z.object({ type: z.literal('turn.cancel'), sessionId: SessionId, turnId: TurnId.optional() }),
  /** Ends a task that runs in the background, whether a turn runs or not. */
  z.object({ type: z.literal('task.stop'), sessionId: SessionId, itemId: ItemId }),
  z.object({ type: z.literal('request.answer'), sessionId: SessionId, requestId: RequestId, answer: RequestAnswer, by: z.string() }),
]);
export type Command = z.infer<typeof Command>;
