/** What one ACP agent needs beyond the protocol. */
import type { Capabilities, ModeInfo } from '#protocol/engines.ts';
import type { ErrorCode } from '#protocol/errors.ts';
import type { PlanEntry } from '#protocol/items.ts';
import type { RequestAnswer, RequestBody } from '#protocol/requests.ts';
import type { EnvAllow, Finding, Launch, LaunchOptions } from '../engine.ts';
import type { ProjectTraits } from '../project-traits.ts';
import type { Permission } from './schema.ts';

/** A request that the agent has invented, as a card for the user; `reply` makes its result. */
export interface AcpQuestion {
  readonly request: RequestBody;
  readonly reply: (answer: RequestAnswer) => unknown;
}

/** A todo list, or with `isMerge` only the entries that changed. */
export interface AcpTodos {
  readonly entries: readonly { readonly id: string; readonly entry: PlanEntry }[];
  readonly isMerge: boolean;
}

export interface AcpSpec {
  readonly name: string;
  readonly label: string;
  /** Arguments that make the program speak ACP on its stdio. */
  readonly args: readonly string[];
  readonly finding: Finding;
  readonly envAllow: EnvAllow;
  readonly project?: ProjectTraits;
  /** The names of its secrets, as in the engine, or null when the user may name any. Each becomes a variable. */
  readonly secretNames: readonly string[] | null;
  /** Where the agent can do less or more than ACP agents usually can. */
  readonly capabilities?: Partial<Capabilities>;
  /** The modes that are known before a session says which it has. */
  readonly modes?: readonly ModeInfo[];
  /** The mode of a session whose user chose none, unless the agent names another one. */
  readonly defaultMode?: string;
  /** Whether the agent is put into `defaultMode`, because its own default asks too little. */
  readonly setsDefaultMode?: boolean;
  /** Modes that Pilotfish adds: the agent runs in its own mode `base`, and what it asks for is allowed without asking the user. */
  readonly allowingModes?: ReadonlyMap<string, { readonly base: string }>;
  /** Environment and files of a run, beside what every run has. */
  readonly launch?: (options: LaunchOptions) => Partial<Launch>;
  /** Our code for each name that it gives to a failure in the data of an error. */
  readonly failureNames?: ReadonlyMap<string, ErrorCode>;
  /** Tools of the agent's own that change nothing outside it, and are allowed without asking the user. */
  readonly harmlessTools?: readonly string[];
  /** Requests beyond ACP that wait for the user, by method. */
  readonly questions?: ReadonlyMap<string, (params: unknown) => AcpQuestion | null>;
  /** Recognises a question that comes as a permission for the call that asks it; returns null for real permissions. */
  readonly asQuestion?: (permission: Permission) => AcpQuestion | null;
  /** The request by which it fetches, between two steps, what the user has added to the turn; `reply` makes its result of the blocks. */
  readonly midTurn?: { readonly method: string; readonly reply: (prompts: readonly (readonly unknown[])[]) => unknown };
  /**
   * Turns it begins by itself, to tell of what has run in the background: the methods at their beginning and end, and
   * the updates that only say what they will be about.
   */
  readonly ownTurns?: { readonly begin: string; readonly end: string; readonly newsIn: (update: unknown) => string | null };
  /** Messages of its own that are worth a line in the conversation; those that want an answer get an empty one. */
  readonly notes?: ReadonlyMap<string, (params: unknown) => string | null>;
  /** Its todo list, where it tells of it by a method of its own (as a request or a notification). */
  readonly todos?: { readonly method: string; readonly read: (params: unknown) => AcpTodos | null };
  /** The name of its tool that keeps the todo list, where it tells of the list only by calls: they are shown as the plan. */
  readonly todoTool?: RegExp;
  /** What it sends as a text of the model although the model did not say it; such a text is not shown. */
  readonly notSaid?: RegExp;
  /** Whether it may read and write files and run commands through us. */
  readonly usesServices?: boolean;
  readonly startTimeoutMs?: number;
  readonly stopTimeoutMs?: number;
  /** The user's own program and leading arguments, when the engine was added by name. */
  readonly command?: readonly string[];
}
