/** Claude Code: one long-lived `claude` process per session, driven through its stream-json control protocol. */
import { toMode } from '#protocol/modes.ts';
import { ClaudeCodec } from './claude/codec.ts';
import { claudeLaunch } from './claude/launch.ts';
import { defineEngine, type ProcessEngine } from './engine.ts';
import { anyJson, frontMatter, type FileForm } from './project-traits.ts';

const settings: FileForm = {
  type: 'json',
  harmless: [
    '$schema',
    'alwaysThinkingEnabled',
    'attribution',
    'cleanupPeriodDays',
    'companyAnnouncements',
    'includeCoAuthoredBy',
    'language',
    'model',
    'outputStyle',
    'permissions.ask',
    'permissions.deny',
    'permissions.disableBypassPermissionsMode',
    'spinnerTipsEnabled',
    'spinnerVerbs',
  ],
};

/** What all engines share that run the program `claude`. */
export const claudeBase: Omit<ProcessEngine, 'name' | 'label' | 'envAllow' | 'secretNames' | 'launch' | 'codec'> = {
  type: 'process',
  capabilities: {
    canResume: true,
    canInterrupt: true,
    canSteer: true,
    hasPermissions: true,
    hasQuestions: true,
    hasPlan: true,
    hasThoughts: true,
    hasUsage: true,
    hasImages: true,
    hasShell: true,
    hasModels: true,
    canStopTasks: true,
    canReadTasks: true,
    hasAllowedTools: true,
    mcp: ['http'],
  },
  modes: [
    toMode('default', 'mode_ask', 'asks_before_all'),
    toMode('acceptEdits', 'mode_edits', 'asks_before_commands'),
    toMode('plan', 'mode_plan', 'plans_for_approval'),
    toMode('auto', 'mode_auto', 'model_decides'),
    toMode('bypassPermissions', 'mode_full', 'never_asks_not_root', 'asks nothing'),
  ],
  defaultMode: 'default',
  finding: {
    commands: ['claude'],
    knownPaths: ['~/.claude/local/claude', '~/.claude/local/node_modules/.bin/claude', '~/.local/bin/claude'],
    versionArgs: ['--version'],
    // The oldest version that was tried; older ones may lack options that the launch uses.
    minVersion: '2.1.197',
    installCommand: 'npm install -g @anthropic-ai/claude-code',
    loginCommand: 'claude auth login',
  },
  project: {
    files: { '.mcp.json': anyJson, '.claude/settings.json': settings, '.claude/settings.local.json': settings },
    // Worktrees are projects of their own, which are asked about when an agent starts in one.
    ownFolders: [{ name: '.claude', harmless: /^(?:worktrees\/|scheduled_tasks\.lock$)/ }],
    folders: [
      { name: '.claude/agents', ends: ['.md'], form: frontMatter },
      { name: '.claude/commands', ends: ['.md'], form: frontMatter },
      { name: '.claude/skills', ends: ['SKILL.md'], form: frontMatter },
    ],
    variables: ['ANTHROPIC_', 'CLAUDE_'],
    rootVariables: ['CLAUDE_PROJECT_DIR'],
    mainFolderPaths: ['.claude/'],
  },
  hasLimitsAtStart: true,
  startTimeoutMs: 30_000,
};

/** Claude Code with the user's own login. */
export const claude = defineEngine({
  ...claudeBase,
  name: 'claude',
  label: 'Claude Code',
  envAllow: [
    'ANTHROPIC_API_KEY',
    'ANTHROPIC_AUTH_TOKEN',
    'CLAUDE_CODE_OAUTH_TOKEN',
    'CLAUDE_CONFIG_DIR',
    // These variables make claude use a cloud provider, with that provider's login.
    'CLAUDE_CODE_USE_BEDROCK',
    'AWS_REGION',
    'AWS_PROFILE',
    'AWS_ACCESS_KEY_ID',
    'AWS_SECRET_ACCESS_KEY',
    'AWS_SESSION_TOKEN',
    'AWS_BEARER_TOKEN_BEDROCK',
    'CLAUDE_CODE_USE_VERTEX',
    'CLOUD_ML_REGION',
    'ANTHROPIC_VERTEX_PROJECT_ID',
    'GOOGLE_APPLICATION_CREDENTIALS',
  ],
  secretNames: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'],
  launch: (options) => claudeLaunch(options),
  codec: (options) => new ClaudeCodec(options),
});
