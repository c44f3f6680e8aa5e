/** Handlers of an agent's messages by name; each parses its own fields, so that nothing unread goes further. */
import * as z from 'zod';
import type { Effect } from '../engine.ts';

/** A text instead of effects says in what the fields are not what a message of that name has. */
export type Handler = (fields: unknown) => Effect[] | string;

/** Handlers by name. A `Map`, as an agent may name a message like a property that every object has. */
export type Handlers = ReadonlyMap<string, Handler>;

export const on =
  <S extends z.ZodType>(schema: S, handle: (fields: z.infer<S>) => Effect[]): Handler =>
  (fields) => {
    const parsed = schema.safeParse(fields);
    return parsed.success ? handle(parsed.data) : z.prettifyError(parsed.error);
  };
