/** An agent driven by hand, as plainly as its protocol lets one: what our way to it is measured against. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { initializeParams, threadParams } from '#companion/engines/codex/settings.ts';
import type { LaunchOptions, ProcessEngine } from '#companion/engines/engine.ts';
import { launchOptions } from '#test/unit/engines/replay.ts';

/** A warm agent that takes one prompt after the other. */
export interface Talk {
  /** Resolves when the turn has ended. */
  turn(): Promise<void>;
  close(): Promise<void>;
}

export interface BareAgent extends Talk {
  /** The agent's own name of the conversation, known after the first turn. */
  conversationId(): string;
}

/** How to talk to a process; lines are parsed messages both ways. */
interface Dialect {
  /** Takes what the process says. */
  hear(message: Message): void;
  turn(): Promise<void>;
  conversationId(): string | null;
}

type Message = Readonly<Record<string, unknown>>;
type Speak = (message: Message) => void;

const PROMPT = 'bench';

/** Starts the engine's program as the daemon does, but for our tools. `resumed` is the conversation to go on with. */
export const openBare = (
  engine: ProcessEngine,
  place: { file: string; cwd: string; env: Record<string, string> },
  resumed: string | null = null,
): BareAgent => {
  const options: LaunchOptions = { ...launchOptions(), cwd: place.cwd, mcp: null, engineSessionId: resumed };
  const { args, env, fixedEnv } = engine.launch(options);
  const child = spawn(place.file, [...args], {
    cwd: place.cwd,
    env: { ...place.env, ...env, ...fixedEnv },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const exited = new Promise((resolve) => child.on('exit', resolve));
  const createDialect = dialects[engine.name];
  if (createDialect === undefined) throw new Error(`nobody here speaks to ${engine.name} by hand`);
  const dialect = createDialect((message) => void child.stdin.write(`${JSON.stringify(message)}\n`), options);
  createInterface({ input: child.stdout }).on('line', (line) => dialect.hear(JSON.parse(line) as Message));
  return {
    turn: () => dialect.turn(),
    conversationId: () => {
      const id = dialect.conversationId();
      if (id === null) throw new Error(`${engine.name} has not named its conversation`);
      return id;
    },
    close: async () => {
      child.stdin.end();
      await exited;
    },
  };
};

const claudeDialect = (speak: Speak): Dialect => {
  let ended = Promise.withResolvers<void>();
  let sessionId: string | null = null;
  return {
    hear: (message) => {
      if (message['type'] !== 'result') return;
      sessionId = String(message['session_id']);
      ended.resolve();
    },
    turn: () => {
      ended = Promise.withResolvers();
      speak({ type: 'user', message: { role: 'user', content: [{ type: 'text', text: PROMPT }] } });
      return ended.promise;
    },
    conversationId: () => sessionId,
  };
};

const codexDialect = (speak: Speak, options: LaunchOptions): Dialect => {
  const answers = new Map<unknown, (message: Message) => void>();
  let ended = Promise.withResolvers<void>();
  let ids = 0;
  const call = (method: string, params: object): Promise<Message> =>
    new Promise((resolve) => {
      ids += 1;
      answers.set(ids, resolve);
      speak({ id: ids, method, params });
    });
  const begin = async (): Promise<string> => {
    await call('initialize', initializeParams);
    speak({ method: 'initialized' });
    const params = threadParams(options, null);
    const resumed = { ...params, threadId: options.engineSessionId, cwd: options.cwd, excludeTurns: true };
    const answer = await (options.engineSessionId === null ? call('thread/start', params) : call('thread/resume', resumed));
    return (answer['result'] as { thread: { id: string } }).thread.id;
  };
  let threadId: string | null = null;
  const begun = begin();
  return {
    hear: (message) => {
      if (message['method'] === 'turn/completed') ended.resolve();
      if (message['method'] === undefined) answers.get(message['id'])?.(message);
    },
    turn: async () => {
      ended = Promise.withResolvers();
      threadId = await begun;
      void call('turn/start', { threadId, input: [{ type: 'text', text: PROMPT, text_elements: [] }] });
      return ended.promise;
    },
    conversationId: () => threadId,
  };
};

const dialects: Readonly<Record<string, (speak: Speak, options: LaunchOptions) => Dialect>> = {
  claude: claudeDialect,
  codex: codexDialect,
};
