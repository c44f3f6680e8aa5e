/** OpenCode, by ACP. */
import { acpEngine } from './acp.ts';

export const opencode = acpEngine({
  name: 'opencode',
  label: 'OpenCode',
  args: ['acp'],
  modes: [
    { modeId: 'build', label: 'Ask', description: 'Asks before it changes files or runs commands.', isDangerous: false },
    { modeId: 'plan', label: 'Plan', description: 'Looks and plans; changes nothing.', isDangerous: false },
    { modeId: 'build-allowed', label: 'Full access', description: 'Never asks.', isDangerous: true },
  ],
  defaultMode: 'build',
  allowingModes: new Map([['build-allowed', { base: 'build' }]]),
  // It writes its files itself, and each edit a second time through the client, whether the client can or not.
  usesServices: false,
  finding: {
    commands: ['opencode'],
    knownPaths: ['~/.opencode/bin/opencode'],
    versionArgs: ['--version'],
    minVersion: '1.18.3',
    installCommand: 'npm install -g opencode-ai',
    loginCommand: 'opencode auth login',
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
