/** Prompts on their way to the daemon. One that could not be sent stays until it is sent again or discarded. */
import * as z from 'zod';
import { ActRequest } from '#protocol/api.ts';
import { ErrorBody } from '#protocol/errors.ts';
import { SessionId } from '#protocol/ids.ts';

/** Something attached to a prompt that is not sent yet. */
export const Attached = ActRequest.shape.attachments.unwrap().element;
export type Attached = z.infer<typeof Attached>;

export const Unsent = z.object({
  /** Chosen here and sent with every attempt, so that a repeated one starts no second turn. */
  requestId: z.string(),
  /** Null while the session itself has to be made. */
  sessionId: SessionId.nullable(),
  text: z.string(),
  attachments: z.array(Attached),
  delivery: z.enum(['queue', 'steer']),
  state: z.enum(['sending', 'accepted', 'failed']),
  error: ErrorBody.nullable(),
});
export type Unsent = z.infer<typeof Unsent>;

/** Replaces the entry with the same request id. */
export const changeUnsent = (outbox: readonly Unsent[], requestId: string, change: Partial<Unsent>): readonly Unsent[] =>
  outbox.map((unsent) => (unsent.requestId === requestId ? { ...unsent, ...change } : unsent));

/** Forgets what has arrived: accepted prompts whose turn the log shows. */
export const dropArrived = (outbox: readonly Unsent[], turnIds: ReadonlySet<string>): readonly Unsent[] =>
  outbox.some((unsent) => turnIds.has(unsent.requestId)) ? outbox.filter((unsent) => !turnIds.has(unsent.requestId)) : outbox;

/** What the closed panel left behind: an attempt that was cut off counts as failed, a resend is harmless. */
export const reviveOutbox = (outbox: readonly Unsent[]): readonly Unsent[] =>
  outbox
    .filter((unsent) => unsent.state !== 'accepted')
    .map((unsent) => (unsent.state === 'sending' ? { ...unsent, state: 'failed' } : unsent));
