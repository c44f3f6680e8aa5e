/** Goose, by ACP. */
import { toMode } from '#protocol/modes.ts';
import { acpEngine } from './acp.ts';

/** The modes that goose takes from its environment, which is the only way to set its mode. */
const gooseModes = new Set(['approve', 'smart_approve', 'chat', 'auto']);

export const goose = acpEngine({
  name: 'goose',
  label: 'Goose',
  args: ['acp'],
  modes: [
    toMode('approve', 'mode_ask', 'asks_before_tools'),
    toMode('smart_approve', 'mode_ask_changes', 'asks_before_changing_tools'),
    toMode('chat', 'mode_chat', 'uses_no_tools'),
    toMode('auto', 'mode_full', 'never_asks', 'asks nothing'),
  ],
  defaultMode: 'approve',
  capabilities: { hasPlan: false },
  usesServices: false,
  finding: {
    commands: ['goose'],
    knownPaths: ['~/.local/bin/goose'],
    versionArgs: ['--version'],
    minVersion: null,
    installCommand: 'curl -fsSL https://github.com/aaif-goose/goose/releases/download/stable/download_cli.sh | bash',
    installCommandOn: {
      darwin: 'brew install block-goose-cli',
      // https://raw.githubusercontent.com/aaif-goose/goose/main/download_cli.ps1
      win32:
        'Invoke-WebRequest -Uri "https://github.com/aaif-goose/goose/releases/download/stable/download_cli.ps1" -OutFile "download_cli.ps1"; .\\download_cli.ps1',
    },
    loginCommand: 'goose configure',
  },
  project: { ownFolders: [{ name: '.goose' }], variables: ['GOOSE_'] },
  envAllow: ['OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'GOOGLE_API_KEY', 'OPENROUTER_API_KEY', 'GOOSE_PROVIDER', 'GOOSE_MODEL'],
  secretNames: ['OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'GOOGLE_API_KEY', 'OPENROUTER_API_KEY'],
  // The default of goose itself is to ask nothing.
  launch: ({ secrets, settings }) => ({
    env: { ...secrets },
    fixedEnv: { GOOSE_MODE: settings.mode !== null && gooseModes.has(settings.mode) ? settings.mode : 'approve' },
  }),
});
