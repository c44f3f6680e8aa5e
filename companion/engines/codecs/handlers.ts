/** Handlers of an agent's messages by name; each parses its own fields, so that nothing unread goes further. */
import * as z from 'zod';
import type { Effect } from '../engine.ts';

/** Returns a text instead of effects when the fields are not those of such a message; the text says what is wrong. */
export type Handler = (fields: unknown) => Effect[] | string;

/** Handlers by name. It is a `Map`, because an agent may give a message the name of a property that every object has. */
export type Handlers = ReadonlyMap<string, Handler>;

export const on =
  <S extends z.ZodType>(schema: S, handle: (fields: z.infer<S>) => Effect[]): Handler =>
  (fields) => {
    const parsed = schema.safeParse(fields);
    return parsed.success ? handle(parsed.data) : z.prettifyError(parsed.error);
  };
