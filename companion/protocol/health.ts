/** The handshake on a socket, apart from the other bodies: who asks for it only wants to know whether a daemon is there. */
import * as z from 'zod';

/** What anybody on this machine may know: that this is a daemon, and which. */
export const Greeting = z.object({
  name: z.literal('pilotfish'),
  version: z.string(),
  protocol: z.number(),
  /** The oldest protocol that it still serves; earlier versions do not say. */
  oldest: z.number().optional(),
});
export type Greeting = z.infer<typeof Greeting>;

/**
 * What a daemon does before it is ready, where that takes long: `check` counts bytes and tells its end alone, `migrate` and `read` count
 * events. A step that a later daemon has added is taken for reading.
 */
export const Preparing = z.object({ step: z.enum(['check', 'migrate', 'read']).catch('read'), done: z.number(), total: z.number() });
export type Preparing = z.infer<typeof Preparing>;

/** What a daemon says of itself before anything else is asked of it. */
export const Health = Greeting.partial({ name: true }).extend({
  pid: z.number(),
  /** False while several daemons start and none has won yet. */
  isOwner: z.boolean(),
  /** Null until it is ready. */
  port: z.number().nullable(),
  /** Absent when it is ready, or is so at once. */
  preparing: Preparing.optional(),
});
export type Health = z.infer<typeof Health>;
