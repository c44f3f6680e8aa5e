/** What the extension's own pages and its worker say to each other. One union each way; both ends parse (S14: no other sender is heard). */
import * as z from 'zod';
import { ErrorBody } from '#protocol/errors.ts';

/** How the worker stands with the companion; also kept in `chrome.storage.session` under CONNECTION_KEY. */
export const ConnectionState = z.discriminatedUnion('state', [
  z.object({ state: z.literal('starting') }),
  z.object({
    state: z.literal('connected'),
    port: z.number().int(),
    token: z.string(),
    companionVersion: z.string(),
    advice: z.string().optional(),
  }),
  z.object({
    state: z.enum(['host_missing', 'host_forbidden', 'host_crashed', 'refused', 'reconnecting']),
    error: ErrorBody,
    attempt: z.number().int(),
  }),
]);
export type ConnectionState = z.infer<typeof ConnectionState>;

/** Key of the connection state in `chrome.storage.session`. */
export const CONNECTION_KEY = 'connection';

/** Page → worker. `connection.get` is answered with a ConnectionState. */
export const PageMessage = z.discriminatedUnion('type', [
  z.object({ type: z.literal('connection.get') }),
  z.object({ type: z.literal('connection.retry') }),
]);
export type PageMessage = z.infer<typeof PageMessage>;

/** Worker → every open page. */
export const WorkerMessage = z.discriminatedUnion('type', [z.object({ type: z.literal('connection.changed'), state: ConnectionState })]);
export type WorkerMessage = z.infer<typeof WorkerMessage>;
