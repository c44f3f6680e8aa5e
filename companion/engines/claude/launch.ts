/** How claude is started: arguments for everything that is not secret, files for the rest. */
import type { Launch, LaunchOptions } from '../engine.ts';

const MCP_FILE = 'mcp.json';
const PROMPT_FILE = 'system-prompt.md';

/** These variables switch off everything that talks to others than the model. */
const QUIET = {
  DISABLE_AUTOUPDATER: '1',
  DISABLE_TELEMETRY: '1',
  DISABLE_ERROR_REPORTING: '1',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
};

/** The codec relies on these variables; some switch off what claude would begin by itself. */
const NEEDED = {
  CLAUDE_CODE_DISABLE_CRON: '1',
  // A call of a browser tool may wait for the user. Claude must not move it to the background meanwhile, because its answer
  // would then come as news.
  CLAUDE_CODE_MCP_AUTO_BACKGROUND_MS: '0',
  // Without this there is no todo list; of its two generations of tools, TodoWrite tells the whole list at once.
  CLAUDE_CODE_ENABLE_TODO_TOOLS: '1',
  CLAUDE_CODE_ENABLE_TASKS: '0',
  // A call may wait for a person's answer, so only the time limit in the server's own entry counts.
  CLAUDE_CODE_MCP_TOOL_IDLE_TIMEOUT: '0',
};

/** `model` is what claude is told when that differs from the model that the user chose. */
export const claudeLaunch = (options: LaunchOptions, model: string | null = options.settings.model): Launch => {
  const { settings, mcp, runDir } = options;
  const hasMcp = mcp !== null && !options.isProbe;
  const allowed = [...(hasMcp ? [`mcp__${mcp.serverName}`] : []), ...settings.allowedTools];
  return {
    args: [
      '-p',
      '--input-format=stream-json',
      '--output-format=stream-json',
      '--verbose',
      '--include-partial-messages',
      '--permission-prompt-tool=stdio',
      '--strict-mcp-config',
      ...(hasMcp ? [`--mcp-config=${runDir}/${MCP_FILE}`] : []),
      // `=` keeps a value that begins with a dash from being read as an option.
      ...(allowed.length > 0 ? [`--allowedTools=${allowed.join(',')}`] : []),
      ...(options.engineSessionId === null || options.isProbe ? [] : [`--resume=${options.engineSessionId}`]),
      ...(model === null ? [] : [`--model=${model}`]),
      ...(settings.effort === null ? [] : [`--effort=${settings.effort}`]),
      ...(settings.mode === null ? [] : [`--permission-mode=${settings.mode}`]),
      ...(settings.systemPrompt === null ? [] : [`--append-system-prompt-file=${runDir}/${PROMPT_FILE}`]),
      ...(settings.maxTurns === null ? [] : [`--max-turns=${settings.maxTurns}`]),
      ...(settings.maxCostUsd === null ? [] : [`--max-budget-usd=${settings.maxCostUsd}`]),
    ],
    env: { ...QUIET, ...options.secrets },
    fixedEnv: NEEDED,
    files: [
      ...(hasMcp ? [{ name: MCP_FILE, content: mcpConfig(mcp) }] : []),
      ...(settings.systemPrompt === null ? [] : [{ name: PROMPT_FILE, content: settings.systemPrompt }]),
    ],
  };
};

/** `alwaysLoad`: otherwise the model sees the tools' names only, and has to search for them. */
const mcpConfig = (mcp: NonNullable<LaunchOptions['mcp']>): string =>
  JSON.stringify({
    mcpServers: {
      [mcp.serverName]: {
        type: 'http',
        url: mcp.url,
        headers: { Authorization: `Bearer ${mcp.token}` },
        alwaysLoad: true,
        timeout: mcp.timeoutMs,
      },
    },
  });
