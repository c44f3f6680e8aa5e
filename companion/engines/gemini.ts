/** Gemini CLI, by ACP. */
import { toMode } from '#protocol/modes.ts';
import { acpEngine } from './acp.ts';
import { anyLines, variables, type FileForm, sharedFolder } from './project-traits.ts';

/** The settings of Gemini CLI and of Qwen Code, which is derived from it. */
export const geminiSettings: FileForm = {
  type: 'json',
  harmless: [
    '$schema',
    '$version',
    'context.fileFiltering',
    'context.fileName',
    'general.preferredEditor',
    'general.vimMode',
    'model.maxSessionTurns',
    'model.name',
    'output',
    'preferredEditor',
    'privacy',
    'theme',
    'ui',
    'usageStatisticsEnabled',
    'vimMode',
  ],
};

/** The manifests of extensions of both. */
export const geminiExtension: FileForm = { type: 'json', harmless: ['contextFileName', 'description', 'name', 'version'] };

export const gemini = acpEngine({
  name: 'gemini',
  label: 'Gemini CLI',
  args: ['--acp'],
  modes: [
    toMode('default', 'mode_ask', 'asks_before_all'),
    toMode('autoEdit', 'mode_edits', 'asks_before_commands'),
    toMode('plan', 'mode_plan', 'plans_only'),
    toMode('yolo', 'mode_full', 'never_asks', 'asks nothing'),
  ],
  defaultMode: 'default',
  // It keeps its todo list to itself, and sends no plan.
  capabilities: { hasPlan: false },
  harmlessTools: ['write_todos'],
  // A change of mode comes as a message of the model.
  notSaid: /^\[MODE_UPDATE\] \S+$/,
  // Through a client it cannot make a file: it looks for it first, and takes every error answer for a failure, as it only
  // knows a missing file by an Error, which no answer becomes. Of terminals it asks for none.
  usesServices: false,
  finding: {
    commands: ['gemini'],
    knownPaths: [],
    versionArgs: ['--version'],
    minVersion: '0.51.0',
    installCommand: 'npm install -g @google/gemini-cli',
    loginCommand: 'gemini',
  },
  project: {
    files: { '.gemini/settings.json': geminiSettings, '.gemini/.env': variables },
    ownFolders: [{ name: '.gemini', harmless: /^tmp\// }, sharedFolder],
    folders: [
      { name: '.gemini/extensions', ends: ['gemini-extension.json'], form: geminiExtension },
      { name: '.gemini/policies', ends: ['.toml'], form: anyLines },
    ],
    variables: ['GEMINI_', 'GOOGLE_CLOUD_', 'GOOGLE_GEMINI_', 'GOOGLE_GENAI_'],
    rootVariables: ['GEMINI_PROJECT_DIR'],
  },
  envAllow: [
    'GEMINI_API_KEY',
    'GOOGLE_API_KEY',
    'GOOGLE_GENAI_USE_VERTEXAI',
    'GOOGLE_GENAI_USE_GCA',
    'GOOGLE_CLOUD_PROJECT',
    'GOOGLE_CLOUD_LOCATION',
    'GOOGLE_APPLICATION_CREDENTIALS',
  ],
  secretNames: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
  // In a folder it does not trust it uses no MCP server at all. Whether the project may be trusted is asked by Pilotfish,
  // before anything is started.
  launch: ({ secrets }) => ({
    env: { ...secrets },
    fixedEnv: { GEMINI_CLI_NO_RELAUNCH: 'true', GEMINI_CLI_TRUST_WORKSPACE: 'true' },
  }),
});
