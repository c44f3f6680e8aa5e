/** What one ACP agent needs beyond the protocol. */
import type { Capabilities, ModeInfo } from '#protocol/engines.ts';
import type { RequestAnswer, RequestBody } from '#protocol/requests.ts';
import type { EnvAllow, Finding, Launch, LaunchOptions } from '../engine.ts';

/** A request of an agent's own making as a card for the user; `reply` makes its result. */
export interface AcpQuestion {
  readonly request: RequestBody;
  readonly reply: (answer: RequestAnswer) => unknown;
}

export interface AcpSpec {
  readonly name: string;
  readonly label: string;
  /** Arguments that make the program speak ACP on its stdio. */
  readonly args: readonly string[];
  readonly finding: Finding;
  readonly envAllow: EnvAllow;
  /** What the agent lacks of, or has beyond, what ACP agents usually can. */
  readonly capabilities?: Partial<Capabilities>;
  /** Modes known before a session says which it has. */
  readonly modes?: readonly ModeInfo[];
  /** Mode of a session whose user chose none, where the agent's own default asks too little. */
  readonly defaultMode?: string;
  /** Modes of ours that the agent has not: it runs in `base`, and what it asks is allowed without asking the user. */
  readonly allowingModes?: Readonly<Record<string, { readonly base: string }>>;
  /** Environment and files of a run, beside what every run has. */
  readonly launch?: (options: LaunchOptions) => Partial<Launch>;
  /** Sign-in methods that only take up what is there already, without opening a browser or writing a file. */
  readonly quietSignIn?: readonly string[];
  /** Tools of the agent's own that change nothing outside it, and are allowed without asking the user. */
  readonly harmlessTools?: readonly string[];
  /** Blocking requests beyond ACP. */
  readonly questions?: Readonly<Record<string, (params: unknown) => AcpQuestion | null>>;
  /** Whether it may read and write files and run commands through us. */
  readonly usesHost?: boolean;
  readonly startTimeoutMs?: number;
  /** The user's own program and leading arguments, when the engine was added by name. */
  readonly command?: readonly string[];
}
