/** What each engine of the registry lets its process know, by the way a run is started. */
import { describe, expect, test } from 'vitest';
import type { LaunchOptions, ProcessEngine } from '#companion/engines/engine.ts';
import { engines } from '#companion/engines/index.ts';
import { childEnvironment } from '#companion/process/environment.ts';
import { defaultSettings } from '#protocol/events.ts';

const TOKEN = 'token-of-the-session-that-is-long';
const processEngines = engines.filter((engine) => engine.type === 'process');

/** What agents are signed in with, of all engines, and what else unlocks, redirects or loads code. */
const planted = new Set([
  ...engines.flatMap((engine) => [...(engine.type === 'process' ? engine.envAllow : []), ...(engine.secretNames ?? [])]),
  ...`ANTHROPIC_BASE_URL OPENAI_BASE_URL GOOGLE_GEMINI_BASE_URL CODEX_HOME CLAUDECODE CLAUDE_CODE_ENTRYPOINT CLAUDE_CODE_SSE_PORT
      NODE_OPTIONS NODE_PATH NODE_REPL_EXTERNAL_MODULE ELECTRON_RUN_AS_NODE LD_PRELOAD LD_LIBRARY_PATH LD_AUDIT DYLD_INSERT_LIBRARIES
      DYLD_LIBRARY_PATH BASH_ENV ENV ZDOTDIR PROMPT_COMMAND IFS PYTHONPATH PYTHONSTARTUP PERL5OPT PERL5LIB RUBYOPT JAVA_TOOL_OPTIONS
      GIT_SSH_COMMAND GIT_EXEC_PATH GIT_CONFIG_COUNT GIT_ASKPASS EDITOR PAGER LESSOPEN npm_config_prefix npm_config_script_shell NPM_TOKEN
      GITHUB_TOKEN GH_TOKEN GITLAB_TOKEN SLACK_TOKEN STRIPE_SECRET_KEY DATABASE_URL AWS_SECRET_ACCESS_KEY AZURE_CLIENT_SECRET
      HF_TOKEN KUBECONFIG VAULT_TOKEN DOCKER_AUTH_CONFIG SSHPASS PGPASSWORD MYSQL_PWD GPG_PASSPHRASE
      PILOTFISH_HOME PILOTFISH_TOKEN PILOTFISH_SOCKET PILOTFISH_LINK_KEY PILOTFISH_RUN CHROME_DEVTOOLS_TOKEN`
    .split(/\s+/)
    .filter((name) => name !== ''),
]);

const launchOptions: LaunchOptions = {
  cwd: '/project',
  settings: defaultSettings,
  engineSessionId: null,
  mcp: {
    serverName: 'pilotfish',
    url: 'http://127.0.0.1:1/mcp',
    token: TOKEN,
    command: '/pilotfish',
    args: ['mcp'],
    env: {},
    timeoutMs: 600_000,
  },
  runDir: '/run/dir',
  secrets: {},
  userEnv: {},
  isProbe: false,
};

const environmentOf = (engine: ProcessEngine): Record<string, string> => {
  const { env, fixedEnv } = engine.launch(launchOptions);
  const loginEnv = { PATH: '/usr/bin', HOME: '/home/u', ...Object.fromEntries([...planted].map((name) => [name, `planted-${name}`])) };
  return childEnvironment({ loginEnv, allow: engine.envAllow, extra: { ...env, ...fixedEnv }, binDirs: [] });
};

describe.for(processEngines.map((engine) => [engine.name, engine] as const))('%s', ([, engine]) => {
  test('of what is planted in the login shell only what it names itself comes through', () => {
    const through = Object.entries(environmentOf(engine)).flatMap(([name, value]) => (value.startsWith('planted-') ? [name] : []));

    expect(through.filter((name) => !engine.envAllow.includes(name))).toEqual([]);
  });

  test('what it names is no variable of ours and none that loads code, and is named whole', () => {
    expect(engine.envAllow.filter((name) => /^PILOTFISH|^NODE_|^LD_|^DYLD_|^BASH|^GIT_|^npm_|\*|PATH$|OPTIONS$/i.test(name))).toEqual([]);
  });

  test("the session's token is in no argument and no variable, and its files stay in the folder of the run", () => {
    const { args, env, fixedEnv, files } = engine.launch(launchOptions);

    expect(JSON.stringify([args, env, fixedEnv ?? {}])).not.toContain(TOKEN);
    for (const { name } of files) expect(name).toMatch(/^[\w-]+(?:\/[\w-]+)*\.\w+$/);
  });

  test('its keys are in no argument, and are variables only under the names it has for them', () => {
    const secrets = Object.fromEntries((engine.secretNames ?? []).map((name) => [name, `secret-of-${name}`]));
    const { args, env, fixedEnv } = engine.launch({ ...launchOptions, secrets });

    expect(args.join(' ')).not.toContain('secret-of-');
    expect(Object.values(fixedEnv ?? {}).join(' ')).not.toContain('secret-of-');
    const kept = Object.entries(env).filter(([, value]) => value.includes('secret-of-'));
    // GLM's key goes to claude under claude's name.
    const isTheirs = ([name, value]: [string, string]): boolean =>
      value === `secret-of-${name}` || (name === 'ANTHROPIC_AUTH_TOKEN' && value === 'secret-of-GLM_API_KEY');
    expect(kept.filter((entry) => !isTheirs(entry))).toEqual([]);
  });
});
