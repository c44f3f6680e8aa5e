/** What `decide` is given and what it gives back: plain data, so that every decision can be read and tested as a row of a table. */
import type { Command } from '#protocol/commands.ts';
import type { ModeInfo } from '#protocol/engines.ts';
import type { ErrorBody } from '#protocol/errors.ts';
import type { EventBody, LoggedPrompt, SessionSettings, Spent, Usage } from '#protocol/events.ts';
import type { OpenItemFacts } from '#companion/runs/item-recorder.ts';
import type { ItemId, RequestId, TurnId } from '#protocol/ids.ts';
import type { AttachmentRef, ItemBody, ItemPatch, NoticeSaying, Proof } from '#protocol/items.ts';
import type { RequestAnswer, RequestBody } from '#protocol/requests.ts';
import { project, type SessionView } from '#protocol/view.ts';
import type { Worktree } from '#protocol/work.ts';

/** What the log does not say about the turn that runs. */
export interface RunningTurn {
  readonly turnId: TurnId;
  readonly prompt: LoggedPrompt;
  /** Milliseconds on the clock of `Facts`. */
  readonly startedAt: number;
  /** Whether the agent has the prompt. */
  readonly isSent: boolean;
  /** Whether the agent has written something since. */
  readonly hasOutput: boolean;
  /** Whether the prompt went to a second process, because the first was already ending. */
  readonly wasRepeated: boolean;
  /** What the user has added to the turn. */
  readonly steers: readonly LoggedPrompt[];
  readonly isCancelling: boolean;
  /** What the turn has used so far. */
  readonly spent: Spent;
  /** Why the turn must not go on, when the reason is not the user's wish. */
  readonly error: ErrorBody | null;
}

/** What is under way in a session and not in its log. */
export interface Work {
  readonly turn: RunningTurn | null;
  /** Whether a turn was stopped whose agent may still hold a message: what the agent begins by itself now is ended as well. */
  readonly mustRest: boolean;
  /** The turn of an outside client whose calls have not all ended. */
  readonly calls: { readonly turnId: TurnId; readonly startedAt: number; readonly open: readonly ItemId[] } | null;
  /** Where the turns of an outside client begin in the log, the oldest first. */
  readonly callTurns: readonly { readonly turnId: TurnId; readonly seq: number }[];
}

export const noWork: Work = { turn: null, mustRest: false, calls: null, callTurns: [] };

export interface SessionState {
  readonly view: SessionView;
  readonly work: Work;
  readonly openItems: () => readonly OpenItemFacts[];
  /** Requests of the agent that wait for an answer. */
  readonly agentRequests: () => readonly RequestId[];
}

/** Null means that there is no limit. */
export interface DayBudget {
  readonly dailyCostUsd: number | null;
  readonly dailyTokens: number | null;
  readonly spent: () => { readonly costUsd: number; readonly totalTokens: number };
}

/** What a decision needs from outside. */
export interface Facts {
  newTurnId(): TurnId;
  newItemId(): ItemId;
  /** Milliseconds on a clock that never goes back. */
  clock(): number;
  engine(): {
    readonly canSteer: boolean;
    readonly modes: readonly ModeInfo[];
    readonly hasLimitsAtStart: boolean;
    /** Null where the usual time is enough. */
    readonly stopTimeoutMs: number | null;
  };
  /** What all sessions may use today, and what they have used. */
  day(): DayBudget;
  /** How a request with this id ended; null when none was ever opened. */
  endOfRequest(requestId: RequestId): 'answered' | 'withdrawn' | null;
  /** Whether a prompt or message with this id was ever taken. */
  wasSaid(turnId: TurnId): boolean;
}

type ItemEvent = Extract<EventBody, { type: `item.${string}` }>;

/** What the agent reports, under our ids. */
export type Report =
  | { type: 'ready' }
  | { type: 'bound'; engineSessionId: string | null }
  /** `rounds` counts the answers of the model since the turn began. */
  | { type: 'items'; events: readonly ItemEvent[]; rounds: number }
  /** The agent has begun more items in one turn than any task needs. */
  | { type: 'items.flood'; limit: number }
  | { type: 'request.opened'; requestId: RequestId; itemId: ItemId | null; isInBackground: boolean; request: RequestBody }
  | { type: 'request.withdrawn'; requestId: RequestId }
  /** `usage` is the total of the session. */
  | { type: 'usage.updated'; usage: Usage; spent: Spent }
  | { type: 'retrying'; text: string; retryAt?: number }
  | { type: 'settings.changed'; settings: Partial<SessionSettings> }
  | { type: 'notice'; level: 'info' | 'warning' | 'error'; text: string; saying?: NoticeSaying; code?: string }
  | { type: 'turn.started'; reason: string }
  | { type: 'turn.completed'; outcome: 'completed' | 'cancelled' | 'failed'; error?: ErrorBody };

/**
 * `grace` waits for an agent that was interrupted, `rest` for one that must begin nothing, `queue` for a full disk before the
 * next turn.
 */
export type TimerName = 'grace' | 'rest' | 'queue';

/** What may happen to a session. */
export type Input =
  /**
   * `attachments` says where the attachments of a prompt were kept, `isHeld` that it waits for another session in the folder, `worktree`
   * what was made for a session that begins.
   */
  | { type: 'command'; command: Command; attachments: readonly AttachmentRef[]; isHeld?: boolean; worktree?: Worktree | null }
  /** Something became of its worktree. */
  | { type: 'worktree'; worktree: Worktree }
  | { type: 'report'; report: Report }
  | { type: 'run.starting' }
  /** The run takes prompts; it was opened for this turn. */
  | { type: 'run.ready'; turnId: TurnId }
  /** There will be no run for this turn, or its attachments could not be read. */
  | { type: 'run.failed'; turnId: TurnId; error: ErrorBody; hasRun: boolean }
  /** The agent has written its first line since it has the prompt. */
  | { type: 'run.spoke' }
  | { type: 'run.ended'; error: ErrorBody; isUnexpected: boolean }
  /** Nothing came from the agent for a while; `lastWords` is what it last wrote on stderr since the prompt. */
  | { type: 'watch.quiet'; silentMs: number; lastWords: string | null }
  /** Nothing came from the agent for so long that it counts as hung. */
  | { type: 'watch.hung' }
  | { type: 'watch.overtime'; limitMs: number }
  /** All sessions together have used what they may today. */
  | { type: 'day.spent' }
  | { type: 'timer'; timer: 'grace' | 'rest' }
  /** Nothing runs: the next prompt that waits may begin. */
  | { type: 'queue.next' }
  /** Pilotfish itself puts a question to the user, about the call that is the item. */
  | { type: 'ask'; requestId: RequestId; itemId: ItemId | null; request: RequestBody }
  | { type: 'ask.placed'; requestId: RequestId; itemId: ItemId }
  | { type: 'ask.withdrawn'; requestId: RequestId }
  /** What became of a page after a turn. */
  | { type: 'proof'; turnId: TurnId; proof: Proof }
  /** An outside client calls a browser tool. */
  | { type: 'call.started'; itemId: ItemId; item: ItemBody }
  | { type: 'call.ended'; itemId: ItemId; status: 'completed' | 'failed'; patch: ItemPatch }
  /** A call that was over before it was told of; it took so long. */
  | { type: 'call.made'; itemId: ItemId; item: ItemBody; status: 'completed' | 'failed'; patch: ItemPatch; durationMs: number }
  /** The daemon or the session ends, and the turn with it. */
  | { type: 'stop'; outcome: 'cancelled' | 'interrupted' }
  /** Nothing works for the session any more: after a stop, or because the daemon that did has died. */
  | { type: 'close' };

/** What is to be done once the events are on disk. */
export type Effect =
  /** Makes a run ready; `run.ready` or `run.failed` follows. */
  | { type: 'run.open'; turnId: TurnId }
  | { type: 'run.prompt'; turnId: TurnId; prompt: LoggedPrompt }
  | { type: 'run.steer'; turnId: TurnId; prompt: LoggedPrompt }
  | { type: 'run.interrupt' }
  /** Ends the process without giving it time. */
  | { type: 'run.kill' }
  /** Ends the process. */
  | { type: 'run.end' }
  /** The next turn gets a new process. */
  | { type: 'run.expire' }
  | { type: 'run.configure'; settings: SessionSettings }
  | { type: 'run.stopTask'; itemId: ItemId }
  /** Tells the asker, an agent or a part of Pilotfish, how the request ended; null means that nobody answered. */
  | { type: 'request.tell'; requestId: RequestId; answer: RequestAnswer | null }
  /** Begins to watch over the turn. */
  | { type: 'watch.start' }
  /** There was a sign of life. */
  | { type: 'watch.feed' }
  /** The limits of time have changed. */
  | { type: 'watch.renew' }
  | { type: 'watch.stop' }
  /** A timer of this name that runs already is left as it is. */
  | { type: 'timer.start'; timer: TimerName; ms: number }
  | { type: 'timer.stop'; timer: TimerName }
  /** The open items of the turn were closed in the log and are forgotten, except for those in the background. */
  | { type: 'items.endTurn' }
  | { type: 'items.endRun' }
  /** Empties older entries of the log on disk. */
  | { type: 'log.empty'; beforeSeq: number }
  | { type: 'turn.begun' }
  /** The next prompt that waits may begin. */
  | { type: 'turn.ended'; turnId: TurnId };

export interface Decision {
  readonly work: Work;
  readonly events: readonly EventBody[];
  readonly effects: readonly Effect[];
}

/** Nothing changes. */
export const nothing = ({ work }: SessionState): Decision => ({ work, events: [], effects: [] });

/** Only events; the work stays as it is. */
export const told = ({ work }: SessionState, ...events: EventBody[]): Decision => ({ work, events, effects: [] });

/** Takes one decision after the other; the second one sees the state after the first. */
export const andThen = (state: SessionState, first: Decision, next: (state: SessionState) => Decision): Decision => {
  const view = first.events.reduce(
    (seen, body) => project(seen, { ...body, sessionId: seen.sessionId, seq: seen.seq + 1, at: seen.updatedAt }),
    state.view,
  );
  const second = next({ ...state, view, work: first.work });
  return { work: second.work, events: [...first.events, ...second.events], effects: [...first.effects, ...second.effects] };
};
