/** GLM: Claude Code against Z.ai's Anthropic-compatible endpoint, with its key and its models. */
import { claudeBase } from './claude.ts';
import { ClaudeCodec } from './claude/codec.ts';
import { claudeLaunch } from './claude/launch.ts';
import { defineEngine, type LaunchOptions } from './engine.ts';

const BASE_URL = 'https://api.z.ai/api/anthropic';
/** Name of the key among the engine's secrets. */
const KEY = 'GLM_API_KEY';
const MODELS = [
  { modelId: 'glm-5', label: 'GLM-5' },
  { modelId: 'glm-4.7', label: 'GLM-4.7' },
  { modelId: 'glm-4.5-air', label: 'GLM-4.5 Air' },
] as const;

const FILE = 'provider.json';

/**
 * The chosen model takes the place of claude's alias `sonnet`: for that one claude does not ask for a context of 1M tokens,
 * which GLM does not have.
 */
const launch = (options: LaunchOptions) => {
  const { [KEY]: key, ...secrets } = options.secrets;
  const model = options.settings.model ?? MODELS[0].modelId;
  const base = claudeLaunch({ ...options, secrets }, 'sonnet');
  const env = {
    ANTHROPIC_BASE_URL: BASE_URL,
    // It is emptied, because a key for Anthropic must not go to anybody else.
    ANTHROPIC_API_KEY: '',
    ANTHROPIC_AUTH_TOKEN: key ?? '',
    ANTHROPIC_DEFAULT_OPUS_MODEL: model,
    ANTHROPIC_DEFAULT_SONNET_MODEL: model,
    ANTHROPIC_DEFAULT_HAIKU_MODEL: MODELS[2].modelId,
    CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS: '1',
    ENABLE_TOOL_SEARCH: 'false',
    API_TIMEOUT_MS: '3000000',
    ...options.userEnv,
  };
  return {
    ...base,
    // The user's own claude settings may name a provider and a key, and replace the environment; a settings file named here replaces both.
    args: [...base.args, `--settings=${options.runDir}/${FILE}`],
    files: [...base.files, { name: FILE, content: JSON.stringify({ env }) }],
  };
};

export const glm = defineEngine({
  ...claudeBase,
  name: 'glm',
  label: 'GLM',
  // The login is a key, which is kept among the secrets.
  finding: { ...claudeBase.finding, loginCommand: `pilotfish engine key glm ${KEY}` },
  envAllow: [],
  project: { ...claudeBase.project, variables: [...(claudeBase.project?.variables ?? []), 'GLM_'] },
  secretNames: [KEY],
  launch,
  codec: (options) =>
    new ClaudeCodec(options, {
      models: MODELS,
      isKeyMissing: options.secrets[KEY] === undefined && options.userEnv['ANTHROPIC_AUTH_TOKEN'] === undefined,
      loginHint: `It needs the key of your Z.ai account, kept as ${KEY}.`,
    }),
});
