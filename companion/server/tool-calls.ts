/** The tool calls of MCP clients over stdio, whichever way they come: as a request each, or on the line of their session. */
import type * as z from 'zod';
import type { McpCallInput, McpCallLine } from '#protocol/api.ts';
import type { ToolResult } from '#protocol/browser.ts';
import type { SessionId } from '#protocol/ids.ts';
import type { Comer } from '#companion/admission/comer.ts';
import type { ServerDeps } from './deps.ts';
import type { Elicitations } from './elicitations.ts';

export interface ToolCall {
  readonly sessionId: SessionId;
  /** Whose session it is. */
  readonly comer: Comer;
  readonly input: z.output<typeof McpCallInput>;
  /** Aborted when the caller goes away, or gives the call up. */
  readonly signal: AbortSignal;
  /** Tells the caller something before the result. */
  readonly tell: (line: McpCallLine) => void;
}

export type CallTool = (call: ToolCall) => Promise<ToolResult>;

export const createCallTool =
  ({ caller }: Pick<ServerDeps, 'caller'>, elicitations: Elicitations): CallTool =>
  ({ sessionId, comer, input: { callId, name, arguments: args, canElicit = false, wasCut }, signal, tell }) => {
    const elicit = canElicit ? elicitations.over(sessionId, tell) : undefined;
    return caller.call({ sessionId, callId, name, args, signal, onProgress: tell, comer: () => comer, elicit, wasCut });
  };
