/** Browsers, tabs and tools as the companion knows them. */
import * as z from 'zod';
import { BrowserId, SessionId } from './ids.ts';

/** read: looks · navigate: loads a page or changes tabs · write: changes a page · sensitive: code, cookies, files, network bodies (S34). */
export const ToolClass = z.enum(['read', 'navigate', 'write', 'sensitive']);
export type ToolClass = z.infer<typeof ToolClass>;

/** Key in a tool's `_meta` that holds its class. */
export const TOOL_CLASS_META = 'pilotfish/class';

/** A tool as tools/list gives it (MCP 2025-11-25, `Tool`). */
export const ToolInfo = z.object({
  name: z.string(),
  description: z.string(),
  inputSchema: z.record(z.string(), z.unknown()),
  annotations: z.record(z.string(), z.unknown()).optional(),
  _meta: z.object({ [TOOL_CLASS_META]: ToolClass }),
});
export type ToolInfo = z.infer<typeof ToolInfo>;

export const BrowserInfo = z.object({
  browserId: BrowserId,
  /** Chrome, Chromium, Edge … */
  name: z.string(),
  /** The profile's label: what the user called it, or a made-up one. */
  label: z.string(),
  extensionVersion: z.string(),
  connectedAt: z.number(),
  toolCount: z.number(),
});
export type BrowserInfo = z.infer<typeof BrowserInfo>;

/** Where a call would act; `origin` is parsed, exact, never a prefix. */
export const TabTarget = z.object({ tabId: z.number(), url: z.string(), title: z.string(), origin: z.string() });
export type TabTarget = z.infer<typeof TabTarget>;

/** Result of an MCP tools/call (MCP 2025-11-25, `CallToolResult`); extra keys pass through. */
export const ToolResult = z.looseObject({
  content: z.array(z.looseObject({ type: z.string() })),
  isError: z.boolean().optional(),
  _meta: z.record(z.string(), z.unknown()).optional(),
});
export type ToolResult = z.infer<typeof ToolResult>;

/** A remembered yes: one origin, one tool class, for one session (`sessionId`) or for all (`null`). Never implies another class (S34). */
export const Grant = z.object({
  id: z.string(),
  /** Parsed and exact: scheme, host and port. */
  origin: z.string(),
  toolClass: ToolClass,
  /** Sensitive tools are granted one by one; `null` for every other class. */
  tool: z.string().nullable(),
  sessionId: SessionId.nullable(),
  createdAt: z.number(),
  expiresAt: z.number().nullable(),
});
export type Grant = z.infer<typeof Grant>;
