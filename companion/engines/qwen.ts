/**
 * Qwen Code, by ACP and not by its stream-json mode. That one shows what its subagents do and goes on when a call was refused,
 * but (0.24.4, both measured) it gives an attached image to the model as text, takes a permission for refused when nobody has
 * answered for a minute, or for ten when asked to wait, offers none for longer than one call, has no way out of plan mode, no
 * diff of a file that was overwritten, and takes nothing into a running turn. It is no faster, and its retries say little: of
 * a 429 the first word comes after half a minute and more, of a 5xx or a lost network none at all until it gives up.
 */
import { toMode } from '#protocol/modes.ts';
import { acpEngine } from './acp.ts';
import { geminiExtension, geminiSettings } from './gemini.ts';
import { variables, sharedFolder } from './project-traits.ts';
import { askQuestion, midTurnReply, newsIn } from './qwen/extensions.ts';

const DEFAULTS_FILE = 'defaults.json';

/**
 * By itself it sends a failed request 28 times and then, when it was a 429, all of them again ten times, a minute and more
 * apart and in silence: the turn is taken for hung before it has an end. With this it is seven times in little more than a
 * minute, and then the error. A model under `modelProviders` in the user's settings has limits of its own.
 */
const DEFAULTS = JSON.stringify({ model: { generationConfig: { maxRetries: 0 } } });

export const qwen = acpEngine({
  name: 'qwen',
  label: 'Qwen Code',
  args: ['--acp'],
  modes: [
    toMode('default', 'mode_ask', 'asks_before_all'),
    toMode('auto-edit', 'mode_edits', 'asks_before_commands'),
    toMode('auto', 'mode_auto', 'model_decides'),
    toMode('plan', 'mode_plan', 'plans_only'),
    toMode('yolo', 'mode_full', 'never_asks', 'asks nothing'),
  ],
  // Its own default lets a model decide what is asked.
  defaultMode: 'default',
  setsDefaultMode: true,
  usesServices: false,
  capabilities: { canSteer: true, hasQuestions: true },
  asQuestion: askQuestion,
  todoTool: /^todo_?write$/i,
  ownTurns: { begin: '_qwencode/start_turn', end: '_qwencode/end_turn', newsIn },
  midTurn: { method: 'craft/drainMidTurnQueue', reply: midTurnReply },
  finding: {
    commands: ['qwen'],
    knownPaths: [],
    versionArgs: ['--version'],
    minVersion: '0.21.2',
    installCommand: 'npm install -g @qwen-code/qwen-code',
    loginCommand: 'qwen',
  },
  project: {
    files: { '.qwen/settings.json': geminiSettings, '.qwen/.env': variables },
    ownFolders: [
      { name: '.qwen', harmless: /^(?:worktrees|tmp|artifacts|reviews|review-cache|cpu-profiles|file-history)\// },
      sharedFolder,
    ],
    folders: [{ name: '.qwen/extensions', ends: ['qwen-extension.json', 'gemini-extension.json'], form: geminiExtension }],
    variables: ['DASHSCOPE_', 'OPENAI_', 'QWEN_'],
    rootVariables: ['QWEN_PROJECT_DIR'],
  },
  // Its documented way to sign in is these three together: the key belongs to the endpoint named beside it.
  envAllow: ['OPENAI_API_KEY', 'OPENAI_BASE_URL', 'OPENAI_MODEL', 'DASHSCOPE_API_KEY'],
  secretNames: ['OPENAI_API_KEY', 'DASHSCOPE_API_KEY'],
  launch: ({ secrets, mcp, runDir }) => ({
    // In place of the defaults of the machine's administrator, and below all other settings; the user may name theirs here.
    env: { ...secrets, QWEN_CODE_SYSTEM_DEFAULTS_PATH: `${runDir}/${DEFAULTS_FILE}` },
    files: [{ name: DEFAULTS_FILE, content: DEFAULTS }],
    fixedEnv: {
      QWEN_CODE_NO_RELAUNCH: 'true',
      // The first prompt goes as soon as it is ready; without this it may not have found the browser tools by then.
      QWEN_CODE_LEGACY_MCP_BLOCKING: '1',
      ...(mcp === null ? {} : { QWEN_CODE_MCP_TOOL_IDLE_TIMEOUT_MS: String(mcp.timeoutMs) }),
    },
  }),
});
