/** What a panel has asked for and a terminal window of the person does. */
import * as z from 'zod';

/** The agent's own login. */
const LogInEngine = z.object({
  type: z.literal('log_in'),
  name: z.string(),
  label: z.string(),
  /** The command as a person would type it. */
  shown: z.string(),
  command: z.string(),
  args: z.array(z.string()),
  /** All of its environment but what belongs to the window; null for a command of Pilotfish itself. */
  env: z.record(z.string(), z.string()).nullable(),
});
export type LogInEngine = z.infer<typeof LogInEngine>;

export const Errand = z.discriminatedUnion('type', [LogInEngine]);
export type Errand = z.infer<typeof Errand>;
