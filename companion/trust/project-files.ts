/**
 * The files by which a folder starts programs, or sends an agent elsewhere, when the agent merely begins to work in it.
 * Data only: an agent that reads one more file gets one more line here.
 */

/** How a file is read, and what of it does no harm. What is not known to be harmless counts. */
export type FileForm =
  /** Dotted names of harmless settings; one that holds others covers them. */
  | { readonly type: 'json'; readonly harmless: readonly string[] }
  /** A harmless line matches as a whole. */
  | { readonly type: 'lines'; readonly harmless: RegExp | null }
  | { readonly type: 'env' }
  | { readonly type: 'git' }
  | { readonly type: 'front matter' }
  /** The whole file is a program. */
  | { readonly type: 'code' };

const claude: FileForm = {
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
/** Of Gemini CLI and of Qwen Code, which came from it. */
const gemini: FileForm = {
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
const opencode: FileForm = {
  type: 'json',
  harmless: ['$schema', 'autoupdate', 'compaction', 'keybinds', 'layout', 'model', 'small_model', 'snapshot', 'theme', 'tui', 'username'],
};
const codex: FileForm = {
  type: 'lines',
  // One scalar on its own line at the top of a file can be nothing else, whatever stands around it.
  harmless:
    /^\s*(?:model|model_reasoning_effort|model_reasoning_summary|model_verbosity|personality|review_model|file_opener|hide_agent_reasoning)\s*=\s*(?:"[^"\\]*"|'[^']*'|true|false)\s*(?:#.*)?$/,
};
const anyJson: FileForm = { type: 'json', harmless: ['$schema', 'version'] };
const anyLines: FileForm = { type: 'lines', harmless: null };
const extension: FileForm = { type: 'json', harmless: ['contextFileName', 'description', 'name', 'version'] };
const code: FileForm = { type: 'code' };
const frontMatter: FileForm = { type: 'front matter' };
const env: FileForm = { type: 'env' };

/** By path below the folder. */
export const PROJECT_FILES: Readonly<Record<string, FileForm>> = {
  '.mcp.json': anyJson,
  '.claude/settings.json': claude,
  '.claude/settings.local.json': claude,
  '.codex/config.toml': codex,
  '.codex/hooks.json': anyJson,
  '.cursor/mcp.json': anyJson,
  '.cursor/hooks.json': anyJson,
  '.cursor/cli.json': { type: 'json', harmless: ['$schema', 'permissions.deny', 'version'] },
  '.gemini/settings.json': gemini,
  '.gemini/.env': env,
  '.qwen/settings.json': gemini,
  '.qwen/.env': env,
  'opencode.json': opencode,
  'opencode.jsonc': opencode,
  '.opencode/opencode.json': opencode,
  '.opencode/opencode.jsonc': opencode,
  // OpenCode installs what it names.
  '.opencode/package.json': { type: 'json', harmless: ['name', 'private', 'type', 'version'] },
  '.augment/settings.json': anyJson,
  '.augment/settings.local.json': anyJson,
  '.env': env,
  '.env.local': env,
  '.env.development': env,
  '.env.development.local': env,
  '.env.production': env,
  '.env.production.local': env,
  // Every agent asks git about the folder it starts in.
  '.git/config': { type: 'git' },
  '.git/hooks/post-index-change': code,
};

const scripts = ['.js', '.mjs', '.cjs', '.ts', '.mts', '.cts', '.jsx', '.tsx'];

/** Folders all of whose files with these endings count, at any depth. */
export const PROJECT_FOLDERS: readonly { readonly name: string; readonly ends: readonly string[]; readonly form: FileForm }[] = [
  { name: '.claude/agents', ends: ['.md'], form: frontMatter },
  { name: '.claude/commands', ends: ['.md'], form: frontMatter },
  { name: '.claude/skills', ends: ['SKILL.md'], form: frontMatter },
  { name: '.codex/agents', ends: ['.toml'], form: anyLines },
  { name: '.codex/rules', ends: ['.rules'], form: anyLines },
  { name: '.gemini/extensions', ends: ['gemini-extension.json'], form: extension },
  { name: '.gemini/policies', ends: ['.toml'], form: anyLines },
  { name: '.qwen/extensions', ends: ['qwen-extension.json', 'gemini-extension.json'], form: extension },
  { name: '.opencode/agent', ends: ['.md'], form: frontMatter },
  { name: '.opencode/agents', ends: ['.md'], form: frontMatter },
  { name: '.opencode/mode', ends: ['.md'], form: frontMatter },
  { name: '.opencode/modes', ends: ['.md'], form: frontMatter },
  { name: '.opencode/plugin', ends: scripts, form: code },
  { name: '.opencode/plugins', ends: scripts, form: code },
  { name: '.opencode/tool', ends: scripts, form: code },
  { name: '.opencode/tools', ends: scripts, form: code },
];

/** How the file of this path below the folder is read; null when it is none of them. */
export const formOf = (name: string): FileForm | null => {
  if (Object.hasOwn(PROJECT_FILES, name)) return PROJECT_FILES[name] ?? null;
  return (
    PROJECT_FOLDERS.find((folder) => name.startsWith(`${folder.name}/`) && folder.ends.some((end) => name.endsWith(end)))?.form ?? null
  );
};
