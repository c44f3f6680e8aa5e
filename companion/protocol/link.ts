/**
 * Frames between the extension and the daemon, over native messaging (through the host) or any other carrier.
 * The extension is an MCP server: `mcp_message` carries plain JSON-RPC 2.0 in `payload`.
 *
 * Order: host → `host` at once; extension → `hello`; daemon → `welcome` or `refused`; extension → `mcp_register`;
 * then `mcp_message` both ways. Anything above the frame limit goes as `chunk` frames (chunk.ts).
 *
 * JSON-RPC methods the daemon calls on server `browser`: `tools/list`, `tools/call`, `pilotfish/resolve_tab`
 * ({sessionId, tabId?, tool} → TabTarget | null) and the notification `notifications/cancelled` ({requestId}).
 * `tools/call` params carry `_meta: {callId, sessionId, progressToken?, target?}`; with `target`,
 * the tab and origin that were agreed to, the call runs only while they are still the same; the extension sends `notifications/progress`.
 */
import * as z from 'zod';
import { ToolInfo } from './browser.ts';
import { ErrorBody } from './errors.ts';
import { BrowserId, SessionId } from './ids.ts';

const ProtocolRange = z.object({ current: z.number().int(), oldest: z.number().int() });
export type ProtocolRange = z.infer<typeof ProtocolRange>;

/** JSON-RPC 2.0 message, checked for shape only. */
export const JsonRpc = z.looseObject({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string(), z.number()]).optional(),
  method: z.string().optional(),
  params: z.record(z.string(), z.unknown()).optional(),
  result: z.unknown().optional(),
  error: z.looseObject({ code: z.number(), message: z.string(), data: z.unknown().optional() }).optional(),
});
export type JsonRpc = z.infer<typeof JsonRpc>;

export const McpMessageFrame = z.object({ type: z.literal('mcp_message'), server: z.string(), payload: JsonRpc });
const Ping = z.object({ type: z.literal('ping'), at: z.number() });
const Pong = z.object({ type: z.literal('pong'), at: z.number() });

/** extension → daemon */
export const UpFrame = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('hello'),
    protocol: ProtocolRange,
    extensionVersion: z.string(),
    extensionId: z.string(),
    browserId: BrowserId,
    browserName: z.string(),
    label: z.string(),
    /** Names the profile's journal of call ids. While it is the same, a call sent again never runs twice. */
    journalId: z.string().max(200).optional(),
  }),
  z.object({ type: z.literal('mcp_register'), server: z.string(), tools: z.array(ToolInfo) }),
  z.object({ type: z.literal('mcp_unregister'), server: z.string() }),
  /** The user turned to a window of this browser. */
  z.object({ type: z.literal('focus') }),
  McpMessageFrame,
  Ping,
  Pong,
]);
export type UpFrame = z.infer<typeof UpFrame>;

/** daemon → extension; `host` and `host_failed` come from the host itself. */
export const DownFrame = z.discriminatedUnion('type', [
  /** Sent by the host the moment Chrome starts it, before the daemon is reached. */
  z.object({ type: z.literal('host'), version: z.string(), pid: z.number() }),
  z.object({ type: z.literal('host_failed'), error: ErrorBody }),
  z.object({
    type: z.literal('welcome'),
    protocol: ProtocolRange,
    companionVersion: z.string(),
    port: z.number(),
    /** Bearer token of this profile's panel: kept in chrome.storage.session only. New at each daemon start. */
    token: z.string(),
    /** What the other end should do about its age, if anything. */
    advice: z.string().optional(),
  }),
  z.object({ type: z.literal('refused'), error: ErrorBody }),
  z.object({ type: z.literal('mcp_registered'), server: z.string(), toolCount: z.number() }),
  /** A session may use this browser: its tab group is named so. */
  z.object({ type: z.literal('session_start'), sessionId: SessionId, name: z.string() }),
  z.object({ type: z.literal('session_end'), sessionId: SessionId }),
  /** How many requests wait for the user, for the toolbar badge. */
  z.object({ type: z.literal('attention'), count: z.number() }),
  McpMessageFrame,
  Ping,
  Pong,
]);
export type DownFrame = z.infer<typeof DownFrame>;

/** The protocol version both ends can speak, or which end is too old. */
export const negotiate = (ours: ProtocolRange, theirs: ProtocolRange): { version: number } | { tooOld: 'ours' | 'theirs' } => {
  const version = Math.min(ours.current, theirs.current);
  if (version < ours.oldest) return { tooOld: 'theirs' };
  if (version < theirs.oldest) return { tooOld: 'ours' };
  return { version };
};
