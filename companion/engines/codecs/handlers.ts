/** Handlers of an agent's messages by method; each parses its own params, so that nothing unread goes further. */
import type * as z from 'zod';
import type { Effect } from '../engine.ts';

/** Null: the params are not what the method has. */
export type Handler = (params: unknown) => Effect[] | null;

/** Handlers by method. A `Map`, as an agent may name a method like a property that every object has. */
export type Handlers = ReadonlyMap<string, Handler>;

export const on =
  <S extends z.ZodType>(schema: S, act: (params: z.infer<S>) => Effect[]): Handler =>
  (params) => {
    const parsed = schema.safeParse(params);
    return parsed.success ? act(parsed.data) : null;
  };
