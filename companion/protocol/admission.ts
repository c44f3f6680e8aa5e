/** Who wants to use the browser tools from outside, a browser or a program of the user's, and whether the person has let them in. */
import * as z from 'zod';

export const Admission = z.object({
  /** The same for as long as the program and what it calls itself stay the same. */
  id: z.string(),
  /** browser: it speaks the link and lends its tools · client: an MCP client that Pilotfish has not started. */
  kind: z.enum(['browser', 'client']),
  /** What it calls itself: the label of a browser profile, the name of an MCP client. Nobody has checked it. */
  name: z.string(),
  /** The file of its program, as the operating system tells it; null where it does not. */
  program: z.string().nullable(),
  /** Its process and working folder when it came last. */
  pid: z.number().nullable(),
  folder: z.string().nullable(),
  /**
   * What the operating system says it is. browser: an installed browser, which has started our native messaging host · program: any
   * other program · agent: a program that an agent of Pilotfish has started · unknown: the system does not tell · paired: a browser on
   * another machine, which holds the key of a pairing.
   */
  origin: z.enum(['browser', 'program', 'agent', 'unknown', 'paired']),
  state: z.enum(['waiting', 'allowed', 'denied']),
  /** Unix milliseconds: when the person decided, or when it first came. */
  since: z.number(),
  /** Of one that was let in: when it came last, give or take a day; left out until it has come again. */
  usedAt: z.number().optional(),
  /** Of a browser that was paired: its public key, and the place to which it comes, as its address has it. */
  key: z.string().optional(),
  host: z.string().optional(),
});
export type Admission = z.infer<typeof Admission>;

/** Whether the person may let a browser in by a click in its own panel: what no installed browser has started shows no panel that can be believed. */
export const isAskedInOwnPanel = ({ kind, origin, state }: Admission): boolean =>
  kind === 'browser' && state === 'waiting' && (origin === 'browser' || origin === 'unknown');
