/** Augment's Auggie, by ACP. */
import { toMode } from '#protocol/modes.ts';
import path from 'node:path';
import { acpEngine } from './acp.ts';
import { anyJson } from './project-traits.ts';

/** Its tools that change files or run programs. Unless a rule says so, it asks for none of them. */
const ASKED = ['launch-process', 'write-process', 'shell', 'bash', 'save-file', 'str-replace-editor', 'apply_patch', 'remove-files'];

export const auggie = acpEngine({
  name: 'auggie',
  label: 'Auggie',
  args: ['--acp'],
  modes: [
    toMode('default', 'mode_ask', 'asks_before_all'),
    toMode('ask', 'mode_read', 'answers_only'),
    toMode('default-allowed', 'mode_full', 'never_asks', 'asks nothing'),
  ],
  defaultMode: 'default',
  allowingModes: new Map([['default-allowed', { base: 'default' }]]),
  // It reports neither tokens nor cost.
  capabilities: { hasUsage: false, mcp: ['stdio'] },
  // It asks the client for neither files nor terminals.
  usesServices: false,
  finding: {
    commands: ['auggie'],
    knownPaths: [],
    versionArgs: ['--version'],
    minVersion: null,
    installCommand: 'npm install -g @augmentcode/auggie',
    loginCommand: 'auggie login',
  },
  project: {
    files: { '.augment/settings.json': anyJson, '.augment/settings.local.json': anyJson },
    ownFolders: [{ name: '.augment' }],
    variables: ['AUGMENT_'],
  },
  // The value is a whole session as JSON, as `auggie token print` gives it.
  envAllow: ['AUGMENT_SESSION_AUTH'],
  secretNames: ['AUGMENT_SESSION_AUTH'],
  launch: ({ secrets, runDir }) => ({
    args: [
      '--acp',
      ...ASKED.flatMap((tool) => ['--permission', `${tool}:ask-user`]),
      // Its own log is one file for all users, which anyone may read, and it contains the token of our MCP server.
      '--log-level=error',
      `--log-file=${path.join(runDir, 'auggie.log')}`,
    ],
    env: { ...secrets, AUGMENT_DISABLE_AUTO_UPDATE: '1' },
  }),
});
