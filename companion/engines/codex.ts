/** OpenAI Codex, by its app-server. */
import { CodexCodec } from './codex/codec.ts';
import { modes } from './codex/settings.ts';
import { defineEngine } from './engine.ts';
import { anyJson, anyLines, sharedFolder } from './project-traits.ts';

export const codex = defineEngine({
  type: 'process',
  name: 'codex',
  label: 'Codex',
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
    mcp: ['http'],
  },
  modes,
  defaultMode: 'default',
  finding: {
    commands: ['codex'],
    knownPaths: [
      '~/.codex/bin/codex',
      '/Applications/Codex.app/Contents/Resources/codex',
      '/Applications/ChatGPT.app/Contents/Resources/codex',
    ],
    versionArgs: ['--version'],
    minVersion: '0.151.0',
    installCommand: 'npm install -g @openai/codex',
    loginCommand: 'codex login',
  },
  project: {
    files: {
      '.codex/config.toml': {
        type: 'lines',
        // One scalar on its own line at the top of a file has only one meaning, whatever stands around it.
        harmless:
          /^\s*(?:model|model_reasoning_effort|model_reasoning_summary|model_verbosity|personality|review_model|file_opener|hide_agent_reasoning)\s*=\s*(?:"[^"\\]*"|'[^']*'|true|false)\s*(?:#.*)?$/,
      },
      '.codex/hooks.json': anyJson,
    },
    ownFolders: [{ name: '.codex' }, sharedFolder],
    folders: [
      { name: '.codex/agents', ends: ['.toml'], form: anyLines },
      { name: '.codex/rules', ends: ['.rules'], form: anyLines },
    ],
    variables: ['CODEX_', 'OPENAI_'],
  },
  envAllow: ['OPENAI_API_KEY', 'AZURE_OPENAI_API_KEY', 'OPENROUTER_API_KEY'],
  startTimeoutMs: 30_000,
  // Its own sign-in is `codex login`; these keys are for providers that the user's config.toml names.
  secretNames: ['AZURE_OPENAI_API_KEY', 'OPENROUTER_API_KEY'],
  launch: ({ secrets }) => ({
    // None of these arguments is secret. Without the plugin setting codex would clone its plugin repository from the network at
    // every first start.
    args: ['app-server', '-c', 'features.plugins=false', '-c', 'check_for_update_on_startup=false'],
    env: { ...secrets },
    files: [],
  }),
  codec: (options) => new CodexCodec(options),
});
