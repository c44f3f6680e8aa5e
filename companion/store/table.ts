/** Tables in files that a person or another program may have written. */
import * as z from 'zod';

/** A record whose keys are foreign: it has no prototype, so that `constructor` is a key like any other, and absent unless it was stored. */
export const table = <T extends z.ZodType>(value: T) =>
  z.record(z.string(), value).transform((record): Record<string, z.infer<T>> => Object.assign(Object.create(null), record));
