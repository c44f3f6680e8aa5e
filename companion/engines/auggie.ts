/** Augment's Auggie, by ACP. */
import { acpEngine } from './acp.ts';

export const auggie = acpEngine({
  name: 'auggie',
  label: 'Auggie',
  args: ['--acp'],
  usesHost: false,
  finding: {
    commands: ['auggie'],
    knownPaths: [],
    versionArgs: ['--version'],
    minVersion: null,
    installCommand: 'npm install -g @augmentcode/auggie',
    loginCommand: 'auggie login',
  },
  envAllow: ['AUGMENT_SESSION_AUTH', 'AUGMENT_API_TOKEN', 'AUGMENT_API_URL'],
  secretNames: ['AUGMENT_SESSION_AUTH', 'AUGMENT_API_TOKEN'],
  launch: ({ secrets }) => ({ env: { ...secrets, AUGMENT_DISABLE_AUTO_UPDATE: '1' } }),
});
