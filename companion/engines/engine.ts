/**
 * What an engine is: a value that says how to find and launch an agent, and a codec between its lines and our
 * events. Engines do no I/O: the runner spawns, reads, writes, makes files and removes them. So an engine is
 * tested by feeding it a recording.
 */
import type { TaskOutput } from '#protocol/api.ts';
import type { LabelCode } from '#protocol/modes.ts';
import type { Capabilities, CommandInfo, ModeInfo, ModelInfo } from '#protocol/engines.ts';
import type { ErrorBody } from '#protocol/errors.ts';
import type { SessionSettings, Usage } from '#protocol/events.ts';
import type { AttachmentRef, ItemBody, ItemPatch, ItemStatus, NoticeSaying } from '#protocol/items.ts';
import type { RequestAnswer, RequestBody } from '#protocol/requests.ts';
import type { ProjectTraits } from './project-traits.ts';

/** An attachment with its bytes, and the 0600 file the runner keeps it in for agents that read files. */
export interface EngineAttachment extends AttachmentRef {
  /** Read from the file each time it is asked for. */
  readonly dataBase64: string;
  readonly path: string;
}

export interface EnginePrompt {
  readonly turnId: string;
  readonly text: string;
  readonly attachments: readonly EngineAttachment[];
}

/** What a codec says has happened. Item and request ids are the engine's own; the recorder replaces them by Pilotfish's. */
export type EngineEvent =
  /** The handshake is done: prompts may go. Also the proof of the health check. */
  | {
      type: 'ready';
      version?: string;
      account?: string | null;
      models?: readonly ModelInfo[];
      modes?: readonly ModeInfo[];
      defaultMode?: string;
      commands?: readonly CommandInfo[];
    }
  /** The slash commands of an engine that tells them only after its handshake; told to a health check alone. */
  | { type: 'commands.told'; commands: readonly CommandInfo[] }
  /** `null`: the engine no longer has the conversation it was to resume; its next process begins a new one. */
  | { type: 'bound'; engineSessionId: string | null }
  | { type: 'item.started'; itemId: string; parentItemId?: string; item: ItemBody }
  | { type: 'item.delta'; itemId: string; text: string }
  | { type: 'item.updated'; itemId: string; patch: ItemPatch }
  | { type: 'item.completed'; itemId: string; status: ItemStatus; patch?: ItemPatch }
  | { type: 'item.dropped'; itemId: string }
  | { type: 'request.opened'; requestId: string; itemId?: string; request: RequestBody }
  /** The engine no longer waits for an answer. */
  | { type: 'request.withdrawn'; requestId: string }
  /** Figures without `isOfProcess` may be those of the whole conversation, with what earlier processes used. */
  | { type: 'usage.updated'; usage: Usage; isOfProcess?: true }
  /** The engine repeats a failed request by itself; the person sees it as a state, not as an answer. */
  | { type: 'retrying'; text: string; retryAt?: number }
  | { type: 'settings.changed'; settings: Partial<Pick<SessionSettings, 'model' | 'mode' | 'effort'>> }
  /** The engine begins a turn nobody asked for, with news of a background task for instance; it ends like any other. */
  | { type: 'turn.started'; reason: string }
  /** Something to show in the conversation that is not the agent's text. */
  | { type: 'notice'; level: 'info' | 'warning' | 'error'; text: string; saying?: NoticeSaying; code?: string }
  | { type: 'turn.completed'; outcome: 'completed' | 'cancelled' | 'failed'; error?: ErrorBody }
  /** A line that could not be understood; counted, logged and shown once. */
  | { type: 'malformed'; line: string; reason: string };

/** What a codec asks of the runner, in order. */
export type Effect =
  | { type: 'event'; event: EngineEvent }
  /** Writes one line, given without the newline, to the process's stdin. */
  | { type: 'write'; line: string }
  /** Ends the process, which is of no more use: end of stdin, then SIGTERM, then SIGKILL for its whole group. */
  | { type: 'stop'; error?: ErrorBody }
  /** I/O inside the project root on behalf of the agent (ACP fs and terminal methods); answered through `Codec.reply`. */
  | { type: 'service'; callId: string; method: string; params: unknown }
  /**
   * The answer to `readTask`, or null when the agent reports no output. The line that it came in does not count as a sign of
   * life of the turn.
   */
  | { type: 'task.output'; itemId: string; output: TaskOutput | null };

/** One live conversation with one process: a state machine without I/O. */
export interface Codec {
  /** Called right after the process was started. */
  start(): Effect[];
  /** Takes one line of stdout, without its newline. It never throws: a malformed line becomes an event. */
  line(line: string): Effect[];
  prompt(prompt: EnginePrompt): Effect[];
  /** Called while a turn runs, and only when the capabilities have canSteer. */
  steer(prompt: EnginePrompt): Effect[];
  answer(requestId: string, answer: RequestAnswer): Effect[];
  interrupt(): Effect[];
  /** Ends a background task; no effects in engines without background tasks. */
  stopTask(itemId: string): Effect[];
  /** Only with canReadTasks: asks what a background task has written so far, answered by one `task.output`. No effects when the item is not a background task. */
  readTask?(itemId: string): Effect[];
  /** A changed model, mode or effort for the turns that follow. */
  configure(settings: SessionSettings): Effect[];
  /** The answer to a `service` effect. */
  reply(callId: string, reply: { result: unknown } | { error: ErrorBody }): Effect[];
  /** The process has ended; closes what is open. `code` is null when it was killed by `signal`. */
  exit(exit: { code: number | null; signal: string | null; stderr: string }): Effect[];
}

/** How the agent reaches the browser tools; absent when the user switched them off. */
export interface McpAccess {
  readonly serverName: string;
  readonly url: string;
  /** A token of this session only, which is revoked with it. */
  readonly token: string;
  /** Our own executable and arguments, for agents that speak stdio MCP only. */
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** How long a call may take, in milliseconds, with the time for a person's answer. */
  readonly timeoutMs: number;
}

export interface LaunchOptions {
  /** Real path of the project. */
  readonly cwd: string;
  readonly settings: SessionSettings;
  /** The engine's own id of the conversation to resume. */
  readonly engineSessionId: string | null;
  readonly mcp: McpAccess | null;
  /** The folder of this run, with mode 0700, outside the project; `files` are written into it, and it is removed afterwards. */
  readonly runDir: string;
  /** Values the user keeps for this engine in the keychain, by name. */
  readonly secrets: Readonly<Record<string, string>>;
  /** Variables that the user set for this engine; the process gets them in any case. */
  readonly userEnv: Readonly<Record<string, string>>;
  /** Whether this is a health check, after which no conversation follows. */
  readonly isProbe: boolean;
}

export interface Launch {
  readonly args: readonly string[];
  /** Variables added to the allow-listed environment; those that the user set for the engine replace them. */
  readonly env: Readonly<Record<string, string>>;
  /** Variables that the codec or a mode relies on; not even the user's settings replace them. */
  readonly fixedEnv?: Readonly<Record<string, string>>;
  /** Files written with mode 0600 before the process starts; `name` is relative to runDir. */
  readonly files: readonly { readonly name: string; readonly content: string }[];
}

/** Where an executable may be. */
export interface Finding {
  /** Names looked for on the login shell's PATH, in order. */
  readonly commands: readonly string[];
  /** Further absolute paths, `~` is the home folder. */
  readonly knownPaths: readonly string[];
  readonly versionArgs: readonly string[];
  /** Oldest version that works, as `1.2.3`. */
  readonly minVersion: string | null;
  /** Shell command that installs it. */
  readonly installCommand: string;
  /** The same on a system that has no such command. */
  readonly installCommandOn?: Readonly<Partial<Record<NodeJS.Platform, string>>>;
  /** Shell command that logs in. */
  readonly loginCommand: string;
}

/** The command that installs it on a system. */
export const installCommandOf = ({ installCommand, installCommandOn }: Finding, platform: NodeJS.Platform = process.platform): string =>
  installCommandOn?.[platform] ?? installCommand;

/** Names of environment variables the engine's process may inherit beside the common allow-list. */
export type EnvAllow = readonly string[];

export interface ProcessEngine {
  readonly type: 'process';
  readonly name: string;
  readonly label: string;
  readonly labelCode?: LabelCode;
  readonly capabilities: Capabilities;
  readonly modes: readonly ModeInfo[];
  /** Which of `modes` a session has whose user chose none, unless `ready` tells another one. */
  readonly defaultMode?: string;
  readonly finding: Finding;
  readonly envAllow: EnvAllow;
  /** What of a project's own files its agent obeys; shown to the user and asked about before it starts. */
  readonly project?: ProjectTraits;
  /** Names of the secrets it reads, which the user may fill in. With null the user may name any, and each becomes a variable. */
  readonly secretNames: readonly string[] | null;
  /** The limits of a session are part of its launch: changed ones take a new process. */
  readonly hasLimitsAtStart?: boolean;
  /** It may tell its slash commands after `ready`: a health check waits for them, but not long. */
  readonly tellsCommandsLater?: boolean;
  /** How long from the spawn to `ready`. */
  readonly startTimeoutMs: number;
  /** How long it may take to end its turn when that is stopped; absent where the usual time is enough. After it its process is ended. */
  readonly stopTimeoutMs?: number;
  launch(options: LaunchOptions): Launch;
  codec(options: LaunchOptions): Codec;
  /** The user's own program and leading arguments, when the engine was added by name. */
  readonly command?: readonly string[];
}

/** The tool bridge gives an engine inside the daemon the browser tools, by the same door that every other agent uses. */
export interface ToolBridge {
  tools(signal: AbortSignal): Promise<readonly { name: string; description: string; inputSchema: Record<string, unknown> }[]>;
  call(
    name: string,
    args: Record<string, unknown>,
    signal: AbortSignal,
  ): Promise<{ content: readonly { type: string; [key: string]: unknown }[]; isError?: boolean | undefined }>;
  close(): Promise<void>;
}

/** A part of the session's earlier conversation; the attachments are read from the store when they are asked for. */
export type HistoryEntry =
  | { readonly role: 'user'; readonly text: string; readonly attachments?: () => readonly EngineAttachment[] }
  | { readonly role: 'assistant'; readonly text: string }
  | { readonly role: 'tool'; readonly tool: string; readonly input: unknown; readonly text: string };

/** An engine without a process: one call per turn, history from the log. */
export interface LoopEngine {
  readonly type: 'loop';
  readonly name: string;
  readonly label: string;
  readonly labelCode?: LabelCode;
  readonly capabilities: Capabilities;
  readonly modes: readonly ModeInfo[];
  readonly defaultMode?: string;
  readonly project?: ProjectTraits;
  readonly secretNames: readonly string[] | null;
  /** Finds endpoints and models; rejects with a CompanionError that says what is missing. */
  probe(options: {
    secrets: Readonly<Record<string, string>>;
    endpoint: string | null;
    signal: AbortSignal;
  }): Promise<{ account: string; models: readonly ModelInfo[] }>;
  turn(options: {
    prompt: EnginePrompt;
    settings: SessionSettings;
    /** What was said and done in the session before, oldest first. */
    history: readonly HistoryEntry[];
    tools: ToolBridge | null;
    secrets: Readonly<Record<string, string>>;
    endpoint: string | null;
    emit: (event: EngineEvent) => void;
    signal: AbortSignal;
  }): Promise<void>;
}

export type Engine = ProcessEngine | LoopEngine;

/** Declares an engine; a call so that a new engine file reads as one value. */
export const defineEngine = <T extends Engine>(engine: T): T => engine;
