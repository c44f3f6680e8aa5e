/** The handshake on a socket, apart from the other bodies: who asks for it only wants to know whether a daemon is there. */
import * as z from 'zod';

/** The address that a client asks first, before it knows anything about the daemon. */
export const HEALTH_PATH = '/health';

/** What anybody on this machine may know: that this is a daemon, and which. */
export const Greeting = z.object({ name: z.literal('pilotfish'), version: z.string(), protocol: z.number() });
export type Greeting = z.infer<typeof Greeting>;

/** What a daemon says of itself before anything else is asked of it. */
export const Health = Greeting.partial({ name: true }).extend({
  pid: z.number(),
  /** False while several daemons start and none has won yet. */
  isOwner: z.boolean(),
  /** Null until it is ready. */
  port: z.number().nullable(),
});
export type Health = z.infer<typeof Health>;
