/** Everything the panel draws from. Each field is replaced as a whole, never changed in place. */
import { batch, effect, signal, untracked, type Signal } from '@preact/signals';
import * as z from 'zod';
import type { Seen } from '#display/attention.ts';
import type { OwnSettings } from '#display/settings.ts';
import type { Project, SessionSummary, TrustedProject } from '#protocol/api.ts';
import type { Admission } from '#protocol/admission.ts';
import type { EngineSetup } from '#protocol/engine-setup.ts';
import type { EngineInfo } from '#protocol/engines.ts';
import type { ErrorBody } from '#protocol/errors.ts';
import { ProjectId, type ItemId, type SessionId, type TurnId } from '#protocol/ids.ts';
import type { Warning } from '#protocol/warnings.ts';
import type { ConnectionState } from '#extension/shared/messages.ts';
import type { StreamState } from '#stream/event-stream.ts';
import { noDraft, type Draft } from './draft.ts';
import type { Conversation } from './fold.ts';
import { followed } from './followed.ts';
import type { Unsent } from './outbox.ts';

/** The settings for the next new session; `null` means the engine's default. */
export const Choice = z.object({
  projectId: ProjectId.nullable(),
  engine: z.string().nullable(),
  /** Whether the panel suggested the engine: until the user chooses, a better one takes its place. */
  isSuggested: z.boolean().default(false),
  model: z.string().nullable(),
  mode: z.string().nullable(),
  effort: z.string().nullable(),
});
export type Choice = z.infer<typeof Choice>;

/** The settings of the sheet. They are not remembered: each session begins without them. */
export type Extras = OwnSettings;

export const noExtras: Extras = {
  systemPrompt: null,
  allowedTools: [],
  maxTurns: null,
  maxCostUsd: null,
  maxTokens: null,
  maxTurnMs: null,
  maxSilenceMs: null,
};

export interface PanelState {
  /** The link between browser and companion, as the worker sees it. */
  readonly connection: ConnectionState;
  /** The panel's own stream of what changes in the daemon; null before the first try. */
  readonly daemon: StreamState | null;
  readonly sessions: readonly SessionSummary[] | null;
  readonly projects: readonly Project[] | null;
  readonly engines: readonly EngineInfo[] | null;
  /** The folder for sessions when the user has no project yet. */
  readonly defaultWorkspace: string | null;
  readonly isCheckingEngines: boolean;
  /** What is set for each agent, while its screen is open. */
  readonly engineSetups: {
    readonly engines: readonly EngineSetup[];
    readonly warning: string | null;
    readonly told?: readonly Warning[] | undefined;
  } | null;
  /** The trusted projects, while the screen of the agents is open; empty when the companion is too old to tell. */
  readonly trustedProjects: readonly TrustedProject[];
  /** Browsers and programs from outside, while that screen is open. */
  readonly admissions: readonly Admission[];
  /** What the companion has to tell beside all lists: a damaged history, a full disk. */
  readonly warnings: readonly Warning[];
  /** Those of them that the person has put away. */
  readonly dismissed: readonly string[];
  readonly choice: Choice;
  /** The settings of the new session. */
  readonly extras: Extras;
  /** Whether the new session works in a worktree of its own. Not remembered either. */
  readonly isApart: boolean;
  readonly isShowingExtras: boolean;
  /** Whether the models of the agent are shown. */
  readonly isShowingModels: boolean;
  /** The session on screen; null is a new one that starts with its first prompt. */
  readonly sessionId: SessionId | null;
  readonly conversation: Conversation | null;
  /** The item that is looked for in the conversation, until it is in sight. */
  readonly reveal: ItemId | null;
  readonly log: StreamState | null;
  /** How many events of a newer companion this build did not know. */
  readonly skippedEvents: number;
  /** What is written and attached for the session on screen. */
  readonly draft: Draft;
  readonly outbox: readonly Unsent[];
  /** The turn that the user asked to stop, until the log says so too. */
  readonly stopping: TurnId | null;
  /** The request whose answer is being sent. */
  readonly answering: string | null;
  readonly seen: Seen;
  /** The session that was deleted last, while that can be taken back here. */
  readonly removed: { readonly sessionId: SessionId; readonly name: string } | null;
  /** The last error, until it is dismissed. */
  readonly failure: ErrorBody | null;
}

export const initialState: PanelState = {
  connection: { state: 'starting' },
  daemon: null,
  sessions: null,
  projects: null,
  engines: null,
  defaultWorkspace: null,
  isCheckingEngines: false,
  engineSetups: null,
  trustedProjects: [],
  admissions: [],
  warnings: [],
  dismissed: [],
  choice: { projectId: null, engine: null, isSuggested: false, model: null, mode: null, effort: null },
  extras: noExtras,
  isApart: false,
  isShowingExtras: false,
  isShowingModels: false,
  sessionId: null,
  conversation: null,
  reveal: null,
  log: null,
  skippedEvents: 0,
  draft: noDraft,
  outbox: [],
  stopping: null,
  answering: null,
  seen: {},
  removed: null,
  failure: null,
};

/** The warnings that were put away, as they are remembered: by their English. */
export const Dismissed = z.array(z.string());

/** Holds the state, each field in a signal of its own. */
export class Store {
  readonly #signals: ReadonlyMap<string, Signal<unknown>>;
  /** What a view reads of it while it is drawn, that view follows, and nothing else of it; so does what is computed. */
  readonly state: PanelState;

  constructor(start: PanelState = initialState) {
    this.#signals = new Map(Object.entries(start).map(([key, value]) => [key, signal<unknown>(value)]));
    this.state = followed(start, this.#signals);
  }

  /** All of a change is told at once. */
  set(change: Partial<PanelState>): void {
    batch(() => {
      for (const [key, value] of Object.entries(change)) {
        const field = this.#signals.get(key);
        if (field !== undefined) field.value = value;
      }
    });
  }

  /** Tells of each change of one field. Returns what ends that. */
  watch<Key extends keyof PanelState>(key: Key, hear: (now: PanelState[Key], before: PanelState[Key]) => void): () => void {
    let last = this.state[key];
    return effect(() => {
      const now = this.state[key];
      const before = last;
      last = now;
      if (now !== before) untracked(() => hear(now, before));
    });
  }
}
