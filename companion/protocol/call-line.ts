/**
 * The line of an MCP client's session: tool calls and what is told of them, each a line of JSON, both ways over one connection. It begins on the private
 * socket as an upgrade, at the address that takes a call as a request of its own.
 */
import * as z from 'zod';
import { type McpCallInput, McpCallLine } from './api.ts';
import { ErrorBody } from './errors.ts';
import { CallId } from './ids.ts';

/** A client has given a call up. */
export const CancelLine = z.strictObject({ cancel: CallId });

/** What a client says: a call, or that it has given one up. */
export type ClientLine = McpCallInput | z.input<typeof CancelLine>;

/** What is told of a call, the last of it a result or an error. That it has begun is told of one that takes longer. */
export const DaemonLine = z.object({
  callId: CallId,
  told: z.union([McpCallLine, z.object({ error: ErrorBody }), z.object({ begun: z.literal(true) })]),
});
export type DaemonLine = z.infer<typeof DaemonLine>;
