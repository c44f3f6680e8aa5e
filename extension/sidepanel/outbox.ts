/** Prompts on their way to the daemon. One that could not be sent stays until it is sent again or discarded. */
import * as z from 'zod';
import { Attachment } from '#protocol/commands.ts';
import { ErrorBody } from '#protocol/errors.ts';
import { SessionId, TurnId } from '#protocol/ids.ts';
import type { SessionView } from '#protocol/view.ts';
import { Picked } from './picked.ts';

/** Something attached to a prompt that is not sent yet, what the person has written beside it, and what it is in its page. */
export const Attached = Attachment.extend({ note: z.string().max(2_000).optional(), picked: Picked.optional() });
export type Attached = z.infer<typeof Attached>;

export const Unsent = z.object({
  /** Chosen here and sent with every attempt, so that a repeated one starts no second turn. */
  turnId: z.string(),
  /** Null while the session itself has to be made. */
  sessionId: SessionId.nullable(),
  text: z.string(),
  /** What the panel shows of it, where a program wrote a long text. */
  displayText: z.string().optional(),
  attachments: z.array(Attached),
  delivery: z.enum(['queue', 'steer']),
  /** It goes on from before this turn of its session, in one of its own. */
  insteadOf: TurnId.optional(),
  /** What the person has chosen while another agent works in the folder; without it they are asked. */
  ifTaken: z.enum(['queue', 'anyway']).optional(),
  state: z.enum(['sending', 'accepted', 'failed']),
  error: ErrorBody.nullable(),
});
export type Unsent = z.infer<typeof Unsent>;

/** What is kept of them. One that another version of the panel has kept in its own way takes none of the others with it. */
export const Outbox = z.array(Unsent.nullable().catch(null)).transform((kept) => kept.filter((unsent) => unsent !== null));

/** Replaces the entry with the same turn id. */
export const changeUnsent = (outbox: readonly Unsent[], turnId: string, change: Partial<Unsent>): readonly Unsent[] =>
  outbox.map((unsent) => (unsent.turnId === turnId ? { ...unsent, ...change } : unsent));

/** Forgets what has arrived: a prompt's id is its turn's, or its message's when it joined a running turn. */
export const dropArrived = (outbox: readonly Unsent[], { turns, items }: SessionView): readonly Unsent[] => {
  if (outbox.length === 0) return outbox;
  const arrived = new Set<string>([...turns.map(({ turnId }) => turnId), ...items.map(({ itemId }) => itemId)]);
  return outbox.some(({ turnId }) => arrived.has(turnId)) ? outbox.filter(({ turnId }) => !arrived.has(turnId)) : outbox;
};

/** What is kept of the prompts of all windows, after those of one have changed: what has not changed there is as the others keep it. */
export const keepOutbox = (kept: readonly Unsent[], before: readonly Unsent[], after: readonly Unsent[]): readonly Unsent[] => {
  const changed = after.filter((unsent) => !before.includes(unsent));
  const touched = new Set(
    [...changed, ...before.filter(({ turnId }) => !after.some((unsent) => unsent.turnId === turnId))].map(({ turnId }) => turnId),
  );
  return [...kept.filter(({ turnId, state }) => !touched.has(turnId) && state !== 'accepted'), ...changed];
};

/** What the closed panel left behind: an attempt that was cut off counts as failed, a resend is harmless. */
export const reviveOutbox = (outbox: readonly Unsent[]): readonly Unsent[] =>
  outbox
    .filter((unsent) => unsent.state !== 'accepted')
    .map((unsent) => (unsent.state === 'sending' ? { ...unsent, state: 'failed' } : unsent));
