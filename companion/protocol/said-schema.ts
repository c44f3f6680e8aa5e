/** The form of what Pilotfish says, for every door through which it comes. */
import * as z from 'zod';
import type { Said } from './said.ts';

export const SaidSchema: z.ZodType<Said, Said> = z.object({
  code: z.string(),
  text: z.string(),
  get values() {
    return SaidValues;
  },
});

/** What stands in a sentence, by its places. */
export const SaidValues: z.ZodType<Said['values'], Said['values']> = z.record(
  z.string(),
  z.union([z.string(), z.number(), SaidSchema, z.array(SaidSchema)]),
);
