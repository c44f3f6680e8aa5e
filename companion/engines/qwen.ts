/** Qwen Code, by ACP. */
import { acpEngine } from './acp.ts';

export const qwen = acpEngine({
  name: 'qwen',
  label: 'Qwen Code',
  args: ['--acp'],
  modes: [
    { modeId: 'default', label: 'Ask', description: 'Asks before it changes files or runs commands.', isDangerous: false },
    { modeId: 'auto-edit', label: 'Accept edits', description: 'Changes files without asking; asks before commands.', isDangerous: false },
    { modeId: 'auto', label: 'Auto', description: 'A model decides what needs your answer.', isDangerous: false },
    { modeId: 'plan', label: 'Plan', description: 'Looks and plans; changes nothing.', isDangerous: false },
    { modeId: 'yolo', label: 'Full access', description: 'Never asks.', isDangerous: true },
  ],
  // Its own default lets a model decide what is asked.
  defaultMode: 'default',
  usesHost: false,
  finding: {
    commands: ['qwen'],
    knownPaths: [],
    versionArgs: ['--version'],
    minVersion: '0.21.2',
    installCommand: 'npm install -g @qwen-code/qwen-code',
    loginCommand: 'qwen',
  },
  // Its documented way to sign in is these three together: the key belongs to the endpoint named beside it.
  envAllow: ['OPENAI_API_KEY', 'OPENAI_BASE_URL', 'OPENAI_MODEL', 'DASHSCOPE_API_KEY'],
  secretNames: ['OPENAI_API_KEY', 'DASHSCOPE_API_KEY'],
  launch: ({ secrets, mcp }) => ({
    env: { ...secrets },
    fixedEnv: {
      QWEN_CODE_NO_RELAUNCH: 'true',
      // The first prompt goes as soon as it is ready; without this it may not have found the browser tools by then.
      QWEN_CODE_LEGACY_MCP_BLOCKING: '1',
      ...(mcp === null ? {} : { QWEN_CODE_MCP_TOOL_IDLE_TIMEOUT_MS: String(mcp.timeoutMs) }),
    },
  }),
});
