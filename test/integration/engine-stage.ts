/** Where each real agent is put to the test: its home, its scripted model, the daemon, and what it cannot do. */
import { agents } from '#test/fixtures/agents.ts';
import { startChatServer } from '#test/fixtures/chat-server.ts';
import { cliNames, cliVersion, type CliName } from '#test/fixtures/clis.ts';
import { createCompanion, type Companion } from '#test/fixtures/companion.ts';
import { startConversation, type Conversation } from '#test/fixtures/conversation.ts';
import { createHome, type Home } from '#test/fixtures/home.ts';
import { installAgent, type InstalledAgent } from '#test/fixtures/installed-agent.ts';
import type { ModelServer, Part } from '#test/fixtures/model-server.ts';
import { test as base } from '#test/fixtures/stage.ts';
import { isWhole } from '#test/fixtures/whole.ts';

export type Ability = 'version' | 'commands' | 'process' | 'resume';

export interface Subject {
  readonly name: string;
  readonly cli: CliName | null;
  readonly version: string | undefined;
  /** Of a session in which it asks before it runs a command. */
  readonly session: Readonly<Record<string, unknown>>;
  readonly startModel: () => Promise<ModelServer>;
  /** The model's way to a browser tool: what it must call before it sees one, and the call. */
  readonly find: readonly Part[];
  readonly browserTool: (tool: string, input: Record<string, unknown>) => Part;
  readonly shell: (command: string) => Part;
  /** Each start of it takes seconds of the processor, so that some of its tests are for the whole suite only. */
  readonly isCostly: boolean;
  /** What it does not have, and why: the one list of what this suite leaves out. */
  readonly missing: Partial<Record<Ability, string>>;
  /** Settings it writes by itself into the user's own files, at any start: the one exception to leaving them alone. */
  readonly rewrites: Readonly<Record<string, readonly string[]>>;
}

const sessions: Record<CliName, Record<string, unknown>> = {
  claude: {},
  codex: { permissionMode: 'ask-always' },
  qwen: {},
  // Left to itself it asks a model which model to ask.
  gemini: { model: 'gemini-2.5-pro' },
  opencode: {},
};

const missing: Partial<Record<string, Subject['missing']>> = {
  gemini: { resume: 'loses a conversation that is resumed within the minute in which it began' },
};

const rewrites: Partial<Record<string, Subject['rewrites']>> = {
  // The version of the form its settings have.
  qwen: { '.qwen/settings.json': ['$version'] },
  // Where editors find what may stand in it.
  opencode: { '.config/opencode/opencode.json': ['$schema'] },
};

const local: Subject = {
  name: 'local',
  cli: null,
  version: undefined,
  session: {},
  startModel: startChatServer,
  isCostly: false,
  find: [],
  browserTool: (tool, input) => ({ tool, input }),
  shell: () => {
    throw new Error('it has no shell');
  },
  missing: {
    version: 'is a server at an address and no program',
    commands: 'has browser tools only: no shell, and no question but the consent for a page',
    process: 'runs inside the daemon: no arguments, no environment, no files, no token',
  },
  rewrites: {},
};

export const subjects: readonly Subject[] = [
  ...cliNames.map((cli): Subject => {
    const { startModel, tools } = agents[cli];
    return {
      name: cli,
      cli,
      version: cliVersion(cli),
      session: sessions[cli],
      startModel,
      isCostly: cli !== 'claude' && cli !== 'codex',
      find: tools.findMcp === null ? [] : [tools.findMcp('browser page snapshot click')],
      browserTool: (tool, input) => tools.mcp('pilotfish', tool, input),
      shell: tools.shell,
      missing: missing[cli] ?? {},
      rewrites: rewrites[cli] ?? {},
    };
  }),
  local,
];

/** Why a test of this agent is left to the whole suite; undefined when it belongs to `npm test`. */
export const leftToWhole = (subject: Subject): string | undefined =>
  subject.isCostly && !isWhole ? 'costs much of the processor at each start: npm run test:whole' : undefined;

export interface Stage {
  readonly model: ModelServer;
  readonly agent: InstalledAgent | null;
  /** The daemon's process id. */
  readonly daemon: number;
  /** `session` is what it is set to, instead of the subject's. */
  converse(session?: Readonly<Record<string, unknown>>): Promise<Conversation>;
}

export interface StageOptions {
  readonly isOverheard?: boolean;
  readonly isTraced?: boolean;
  /** Further variables of the agent's process. */
  readonly env?: Readonly<Record<string, string>>;
  /** Further settings of the daemon. */
  readonly settings?: Readonly<Record<string, unknown>>;
}

export interface SharedStage extends Stage {
  readonly home: Home;
  readonly companion: Companion;
}

/**
 * `setUp` makes a daemon that has the agent, for one test. `share` gives the tests of a file one such daemon for each engine, to be used
 * one after the other: what a daemon costs, and looking at the agent when it starts, is paid once. What they open is closed afterwards.
 */
export const test = base.extend<{
  setUp: (subject: Subject, options?: StageOptions) => Promise<Stage>;
  share: (subject: Subject) => Promise<SharedStage>;
}>({
  setUp: async ({ home, companion }, use) => {
    const closers: Closer[] = [];
    await use((subject, options) => startStage(home, companion, subject, options, closers));
    for (const close of closers.toReversed()) await close();
  },
  share: [
    // oxlint-disable-next-line no-empty-pattern -- vitest reads the dependencies of a fixture from this pattern
    async ({}, use) => {
      let current: { name: string; stage: Promise<SharedStage>; closers: Closer[] } | null = null;
      const closeCurrent = async (): Promise<void> => {
        for (const close of current?.closers.toReversed() ?? []) await close();
        current = null;
      };
      await use(async (subject) => {
        if (current?.name !== subject.name) {
          // One at a time: agents that wait for a next prompt keep their memory.
          await closeCurrent();
          const closers: Closer[] = [];
          current = { name: subject.name, stage: startShared(subject, closers), closers };
        }
        return current.stage;
      });
      await closeCurrent();
    },
    { scope: 'file' },
  ],
});

type Closer = () => unknown;

const startShared = async (subject: Subject, closers: Closer[]): Promise<SharedStage> => {
  const home = createHome();
  closers.push(() => home.remove());
  const companion = createCompanion(home);
  closers.push(() => companion.stopDaemon());
  return { home, companion, ...(await startStage(home, companion, subject, {}, closers)) };
};

const startStage = async (
  home: Home,
  companion: Companion,
  subject: Subject,
  options: StageOptions = {},
  closers: Closer[] = [],
): Promise<Stage> => {
  const model = await subject.startModel();
  closers.push(() => model.close());
  const agent = subject.cli === null ? null : installAgent(home, subject.cli, model.url, options);
  closers.push(() => agent?.remove());
  const own = agent === null ? { endpoint: model.url } : { env: { ...agent.settings.env, ...options.env } };
  companion.writeSettings({ ...options.settings, engines: { byName: { [subject.name]: own }, custom: [] } });
  const daemon = await companion.startDaemon();
  const converse: Stage['converse'] = async (session = subject.session) => {
    const conversation = await startConversation(companion, { engine: subject.name, settings: session });
    closers.push(() => conversation.close());
    return conversation;
  };
  return { model, agent, daemon, converse };
};
