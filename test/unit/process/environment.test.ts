import { delimiter } from 'node:path';
import { describe, expect, test } from 'vitest';
import { childEnvironment } from '#companion/process/environment.ts';

const make = (loginEnv: Record<string, string>, options: { allow?: string[]; extra?: Record<string, string>; binDirs?: string[] } = {}) =>
  childEnvironment({ loginEnv, allow: options.allow ?? [], extra: options.extra ?? {}, binDirs: options.binDirs ?? [] });

describe('child environment', () => {
  test('what loads code, redirects or unlocks is absent', () => {
    const refused = Object.fromEntries(
      `NODE_OPTIONS NODE_PATH LD_PRELOAD LD_LIBRARY_PATH DYLD_INSERT_LIBRARIES ELECTRON_RUN_AS_NODE CLAUDECODE CLAUDE_CODE_ENTRYPOINT CODEX_HOME
       ANTHROPIC_BASE_URL ANTHROPIC_API_KEY ANTHROPIC_AUTH_TOKEN OPENAI_API_KEY OPENAI_BASE_URL PILOTFISH_HOME BASH_ENV ENV PYTHONPATH PERL5OPT
       RUBYOPT JAVA_TOOL_OPTIONS GIT_SSH_COMMAND GIT_EXEC_PATH npm_config_prefix AWS_SECRET_ACCESS_KEY GITHUB_TOKEN`
        .split(/\s+/)
        .map((name) => [name, '/x']),
    );

    expect(make(refused)).toEqual({ PATH: '' });
  });

  test('places, locale, proxies and certificates pass', () => {
    const passed = {
      HOME: '/home/u',
      LANG: 'C',
      LC_CTYPE: 'UTF-8',
      https_proxy: 'http://p',
      SSL_CERT_FILE: '/c',
      XDG_RUNTIME_DIR: '/run/u',
      SSH_AUTH_SOCK: '/s',
    };

    expect(make(passed)).toEqual({ ...passed, PATH: '' });
  });

  test('an engine gets the names it needs, from the login environment', () => {
    expect(make({ ANTHROPIC_API_KEY: 'k', OPENAI_API_KEY: 'o' }, { allow: ['ANTHROPIC_API_KEY'] })).toEqual({
      PATH: '',
      ANTHROPIC_API_KEY: 'k',
    });
  });

  test('what the launch and the settings say wins', () => {
    expect(
      make(
        { ANTHROPIC_API_KEY: 'k', LANG: 'C' },
        { allow: ['ANTHROPIC_API_KEY'], extra: { ANTHROPIC_API_KEY: 'own', NODE_OPTIONS: '--x' } },
      ),
    ).toEqual({
      PATH: '',
      LANG: 'C',
      ANTHROPIC_API_KEY: 'own',
      NODE_OPTIONS: '--x',
    });
  });

  test("PATH begins with the executable's folders and has neither relative entries nor doubles", () => {
    expect(
      make({ PATH: ['/usr/bin', '.', 'node_modules/.bin', '', '/opt/x', '/bin'].join(delimiter) }, { binDirs: ['/opt/x'] })['PATH'],
    ).toBe(['/opt/x', '/usr/bin', '/bin'].join(delimiter));
  });
});
