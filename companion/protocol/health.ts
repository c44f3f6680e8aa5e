/** The handshake on a socket, apart from the other bodies: who asks for it only wants to know whether a daemon is there. */
import * as z from 'zod';

/** The address that a client asks first, before it knows anything about the daemon. */
export const HEALTH_PATH = '/health';

/** What a daemon says of itself before anything else is asked of it. */
export const Health = z.object({
  version: z.string(),
  protocol: z.number(),
  pid: z.number(),
  /** False while several daemons start and none has won yet. */
  isOwner: z.boolean(),
  /** Null until it is ready. */
  port: z.number().nullable(),
});
export type Health = z.infer<typeof Health>;
