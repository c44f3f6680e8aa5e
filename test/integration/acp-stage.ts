/** Agents the user adds by name, with a scripted model behind them. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import type { EngineInfo } from '#protocol/engines.ts';
import { agents } from '#test/fixtures/agents.ts';
import { cliBinDir, type AcpAgentName, type CliName } from '#test/fixtures/clis.ts';
import type { Companion } from '#test/fixtures/companion.ts';
import { startConversation, type Conversation } from '#test/fixtures/conversation.ts';
import type { Home } from '#test/fixtures/home.ts';
import type { ModelServer } from '#test/fixtures/model-server.ts';
import { test as base } from '#test/fixtures/stage.ts';

interface Added {
  readonly model: ModelServer;
  /** The daemon's process id. */
  readonly daemon: number;
  converse(settings?: Record<string, unknown>): Promise<Conversation>;
}

interface Setup {
  readonly program: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
}

const setups: Record<Exclude<AcpAgentName, 'auggie'>, (home: Home, url: string) => Setup> = {
  'claude-agent-acp': (home, url) => ({
    program: [path.join(cliBinDir('claude-agent-acp'), 'claude-agent-acp')],
    variables: {
      ...agents.claude.configure(home.dir, url, true),
      // Its own claude is left out of the download.
      CLAUDE_CODE_EXECUTABLE: path.join(cliBinDir('claude'), 'claude'),
    },
  }),
  'claude-code-acp': (home, url) => ({
    program: [path.join(cliBinDir('claude-code-acp'), 'claude-code-acp')],
    variables: agents.claude.configure(home.dir, url, true),
  }),
};

/** Programs the login shell finds: those of these agents, and the node they are started with. */
export const putOnPath = (home: Home, names: readonly (AcpAgentName | CliName)[], variables: Record<string, string> = {}): void => {
  const dirs = [...names.map(cliBinDir), path.dirname(process.execPath)];
  const lines = Object.entries(variables).map(([name, value]) => `export ${name}='${value}'`);
  writeFileSync(path.join(home.dir, '.bash_profile'), [...lines, `export PATH="${dirs.join(':')}:$PATH"`, ''].join('\n'));
};

/** What `pilotfish engine check` says of the agent. */
export const checkEngine = async (companion: Companion, name: string): Promise<EngineInfo> => {
  const { stdout } = await companion.run(['engine', 'check', name, '--json']);
  const { engines } = JSON.parse(stdout) as { engines: EngineInfo[] };
  const info = engines.find((engine) => engine.name === name);
  if (info === undefined) throw new Error(`no ${name} in ${stdout}`);
  return info;
};

interface Options {
  /** As a person does it; the agent is then checked at each step. Else it stands in the settings when the daemon starts. */
  readonly isByCommandLine?: boolean;
}

/** `add` makes a daemon that has the agent under the name `mine`; what it opens is closed after the test. */
export const test = base.extend<{ add: (name: keyof typeof setups, options?: Options) => Promise<Added> }>({
  add: async ({ home, companion }, use) => {
    const closers: (() => unknown)[] = [];
    await use(async (name, { isByCommandLine = false } = {}) => {
      const model = await agents.claude.startModel();
      closers.push(() => model.close());
      const { program, variables } = setups[name](home, model.url);
      putOnPath(home, []);
      if (!isByCommandLine) {
        const [command = '', ...args] = program;
        const custom = [{ name: 'mine', command, args, dialect: 'acp' }];
        companion.writeSettings({ engines: { byName: { mine: { env: variables } }, custom } });
      }
      const daemon = await companion.startDaemon();
      if (isByCommandLine) await addByCommandLine(companion, program, variables);
      const converse = async (settings: Record<string, unknown> = {}): Promise<Conversation> => {
        const conversation = await startConversation(companion, { engine: 'mine', settings });
        closers.push(() => conversation.close());
        return conversation;
      };
      return { model, daemon, converse };
    });
    for (const close of closers.toReversed()) await close();
  },
});

const addByCommandLine = async (companion: Companion, program: Setup['program'], variables: Setup['variables']): Promise<void> => {
  const assignments = Object.entries(variables).map(([variable, value]) => `env.${variable}=${value}`);
  for (const args of [
    ['add', 'mine', '--', ...program],
    ['set', 'mine', ...assignments],
  ]) {
    const { code, stderr } = await companion.run(['engine', ...args]);
    expect(code, stderr).toBe(0);
  }
};

/** A folder outside of any project. */
export const outsideOf = (home: Home): string => {
  const outside = path.join(home.dir, 'outside');
  mkdirSync(outside);
  return outside;
};
