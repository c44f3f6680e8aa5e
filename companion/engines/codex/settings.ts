/** Settings of a session in codex's words: the thread it starts and what a later turn changes. */
import { toMode } from '#protocol/modes.ts';
import { VERSION } from '#protocol/version.ts';
import type { ModeInfo } from '#protocol/engines.ts';
import type { SessionSettings } from '#protocol/events.ts';
import type { LaunchOptions, McpAccess } from '../engine.ts';

interface Policy {
  readonly approvalPolicy: 'untrusted' | 'on-request' | 'never';
  readonly sandbox: 'read-only' | 'workspace-write' | 'danger-full-access';
}

const policies: ReadonlyMap<string, Policy> = new Map<string, Policy>([
  ['read-only', { approvalPolicy: 'on-request', sandbox: 'read-only' }],
  ['default', { approvalPolicy: 'on-request', sandbox: 'workspace-write' }],
  ['ask-always', { approvalPolicy: 'untrusted', sandbox: 'workspace-write' }],
  ['full-access', { approvalPolicy: 'never', sandbox: 'danger-full-access' }],
]);

const defaultPolicy: Policy = { approvalPolicy: 'on-request', sandbox: 'workspace-write' };

export const modes: ModeInfo[] = [
  toMode('default', 'mode_project', 'works_in_project'),
  toMode('read-only', 'mode_read', 'asks_before_any_change'),
  toMode('ask-always', 'mode_ask_always', 'asks_before_unsafe'),
  toMode('full-access', 'mode_full', 'runs_anything', 'asks nothing'),
];

export const initializeParams = {
  clientInfo: { name: 'pilotfish', title: 'Pilotfish', version: VERSION },
  // Ending what an interrupted command left running is an experimental method.
  capabilities: { experimentalApi: true },
};

/**
 * Params of thread/start and thread/resume. The folder is the one the process was started in: naming it here makes
 * codex write the project into the user's config.toml as trusted.
 */
export const threadParams = ({ settings, mcp }: LaunchOptions, serverName: string | null): Record<string, unknown> => ({
  ...policyOf(settings.mode),
  approvalsReviewer: 'user',
  ...(settings.model === null ? {} : { model: settings.model }),
  ...(settings.systemPrompt === null ? {} : { developerInstructions: settings.systemPrompt }),
  config: {
    'tools.update_plan.enabled': true,
    ...(settings.effort === null ? {} : { model_reasoning_effort: settings.effort }),
    ...(mcp === null || serverName === null ? {} : { mcp_servers: { [serverName]: serverConfig(mcp) } }),
  },
});

/** What a turn must say because the settings differ from what the thread has. */
export const turnOverrides = (had: SessionSettings, wanted: SessionSettings, defaultModel: string | null): Record<string, unknown> => {
  const model = wanted.model ?? defaultModel;
  const policy = policyOf(wanted.mode);
  return {
    ...(wanted.model === had.model || model === null ? {} : { model }),
    ...(wanted.effort === had.effort || wanted.effort === null ? {} : { effort: wanted.effort }),
    ...(wanted.mode === had.mode ? {} : { approvalPolicy: policy.approvalPolicy, sandboxPolicy: sandboxPolicies[policy.sandbox] }),
  };
};

const sandboxPolicies = {
  'read-only': { type: 'readOnly', networkAccess: false },
  'workspace-write': {
    type: 'workspaceWrite',
    writableRoots: [],
    networkAccess: false,
    excludeTmpdirEnvVar: false,
    excludeSlashTmp: false,
  },
  'danger-full-access': { type: 'dangerFullAccess' },
} as const;

const policyOf = (mode: string | null): Policy => policies.get(mode ?? 'default') ?? defaultPolicy;

/**
 * Pilotfish asks for consent in the browser: codex must not ask a second time, nor count the user's thinking as a timeout. It opens no thread before a
 * required server is there; for another it waits a second, and then the first turn has none of its tools.
 */
const serverConfig = (mcp: McpAccess): Record<string, unknown> => ({
  url: mcp.url,
  required: true,
  http_headers: { Authorization: `Bearer ${mcp.token}` },
  tool_timeout_sec: Math.ceil(mcp.timeoutMs / 1000),
  default_tools_approval_mode: 'approve',
});
