/** OpenCode, by ACP. */
import { toMode } from '#protocol/modes.ts';
import { acpEngine } from './acp.ts';
import { code, frontMatter, type FileForm, sharedFolder } from './project-traits.ts';

const settings: FileForm = {
  type: 'json',
  harmless: ['$schema', 'autoupdate', 'compaction', 'keybinds', 'layout', 'model', 'small_model', 'snapshot', 'theme', 'tui', 'username'],
};

const SCRIPTS = ['.js', '.mjs', '.cjs', '.ts', '.mts', '.cts', '.jsx', '.tsx'];

export const opencode = acpEngine({
  name: 'opencode',
  label: 'OpenCode',
  args: ['acp'],
  modes: [
    toMode('build', 'mode_ask', 'asks_before_all'),
    toMode('plan', 'mode_plan', 'plans_only'),
    toMode('build-allowed', 'mode_full', 'never_asks', 'asks nothing'),
  ],
  defaultMode: 'build',
  allowingModes: new Map([['build-allowed', { base: 'build' }]]),
  failureNames: new Map([
    ['ContextOverflowError', 'ENGINE_CONTEXT_FULL'],
    ['ProviderAuthError', 'ENGINE_NOT_LOGGED_IN'],
    ['ProviderModelNotFoundError', 'ENGINE_MODEL_UNKNOWN'],
  ]),
  todoTool: /^todowrite$/i,
  // It writes its files itself, and each edit a second time through the client, whether the client can or not.
  usesServices: false,
  // It starts with four seconds of work, which a busy machine takes long for.
  startTimeoutMs: 120_000,
  // Of a turn that is stopped it first has git look what was changed in the folder, and waits a quarter of a second for its tools.
  stopTimeoutMs: 3_000,
  finding: {
    commands: ['opencode'],
    knownPaths: ['~/.opencode/bin/opencode'],
    versionArgs: ['--version'],
    minVersion: '1.18.3',
    installCommand: 'npm install -g opencode-ai',
    loginCommand: 'opencode auth login',
  },
  project: {
    files: {
      'opencode.json': settings,
      'opencode.jsonc': settings,
      '.opencode/opencode.json': settings,
      '.opencode/opencode.jsonc': settings,
      // It installs what this file names.
      '.opencode/package.json': { type: 'json', harmless: ['name', 'private', 'type', 'version'] },
    },
    // It installs its plugins' library there by itself; only a plugin, which counts, can load it.
    ownFolders: [{ name: '.opencode', harmless: /^(?:node_modules\/|bun\.lockb?$|package-lock\.json$)/ }, sharedFolder],
    folders: [
      ...['agent', 'agents', 'mode', 'modes'].map((name) => ({ name: `.opencode/${name}`, ends: ['.md'], form: frontMatter })),
      ...['plugin', 'plugins', 'tool', 'tools'].map((name) => ({ name: `.opencode/${name}`, ends: SCRIPTS, form: code })),
    ],
    variables: ['OPENCODE_'],
  },
  envAllow: ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GEMINI_API_KEY', 'OPENROUTER_API_KEY', 'GROQ_API_KEY', 'DEEPSEEK_API_KEY'],
  secretNames: ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GEMINI_API_KEY', 'OPENROUTER_API_KEY', 'GROQ_API_KEY', 'DEEPSEEK_API_KEY'],
  launch: ({ secrets, mcp }) => ({
    env: {
      ...secrets,
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      // Sixty seconds otherwise, which a person who is asked for consent may need.
      ...(mcp === null ? {} : { OPENCODE_CONFIG_CONTENT: JSON.stringify({ experimental: { mcp_timeout: mcp.timeoutMs } }) }),
    },
    // It runs commands and edits without asking otherwise.
    fixedEnv: { OPENCODE_PERMISSION: JSON.stringify({ bash: 'ask', edit: 'ask' }) },
  }),
});
