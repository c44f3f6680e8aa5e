/** The one fold from events to what is drawn. Panel, terminal, API and exports all use it. */
import type { ErrorBody } from './errors.ts';
import { defaultSettings, type LoggedPrompt, type SessionEvent, type SessionSettings, type Usage } from './events.ts';
import type { ItemId, ProjectId, RequestId, SessionId, TurnId } from './ids.ts';
import { attachedTo, type AttachmentRef, isBackgroundTask, outlivesTurn, type ItemBody, type ItemPatch, type ItemStatus } from './items.ts';
import { withoutItems } from './places.ts';
import type { RequestBody } from './requests.ts';
import type { Worktree } from './work.ts';

export interface ViewItem {
  readonly itemId: ItemId;
  readonly turnId: TurnId;
  readonly parentItemId: ItemId | null;
  readonly status: ItemStatus;
  readonly at: number;
  /** When it ended, as Unix milliseconds; null while it runs. */
  readonly endedAt: number | null;
  readonly body: ItemBody;
}

export interface ViewTurn {
  readonly turnId: TurnId;
  readonly status: 'queued' | 'running' | 'cancelling' | 'completed' | 'cancelled' | 'failed' | 'interrupted';
  readonly prompt: LoggedPrompt;
  readonly startedAt: number;
  readonly durationMs: number | null;
  readonly error: ErrorBody | null;
}

export interface ViewRequest {
  readonly requestId: RequestId;
  readonly turnId: TurnId | null;
  readonly itemId: ItemId | null;
  readonly at: number;
  readonly request: RequestBody;
  /** The newest item when it was opened, which tells its place in the conversation. */
  readonly afterItemId: ItemId | null;
}

/** A request that was answered or withdrawn: the conversation shows what became of it. */
export interface AnsweredRequest extends ViewRequest {
  readonly outcome: 'allowed' | 'denied' | 'answered' | 'withdrawn';
  readonly optionId: string | null;
  readonly text: string | null;
  readonly answers: Record<string, string[]> | null;
  readonly by: string;
  /** When it was answered, as Unix milliseconds; absent in what an earlier version made. */
  readonly answeredAt?: number | undefined;
}

/** idle: nothing runs · starting: the engine comes up · running · waiting: for the user · stopping: asked to stop. */
export type SessionStatus = 'idle' | 'starting' | 'running' | 'waiting' | 'stopping';

export interface SessionView {
  readonly sessionId: SessionId;
  /** Last event applied; 0 before the first. */
  readonly seq: number;
  readonly kind: 'agent' | 'client';
  readonly projectId: ProjectId | null;
  readonly engine: string;
  readonly name: string;
  readonly settings: SessionSettings;
  readonly isArchived: boolean;
  /** Kept at the top of the lists; absent means no. */
  readonly isPinned?: boolean | undefined;
  /** When the person last looked at it, as Unix milliseconds; 0 when never. */
  readonly seenAt: number;
  /** The session from which it goes on, and how many of its turns were copied from there. */
  readonly forkedFrom: { readonly sessionId: SessionId; readonly turnId: TurnId | null; readonly turns: number } | null;
  /** The working folder of its own that it has, or had. */
  readonly worktree: Worktree | null;
  readonly engineSessionId: string | null;
  readonly status: SessionStatus;
  readonly turns: readonly ViewTurn[];
  readonly items: readonly ViewItem[];
  /** Places that items had which are not there any more; see places.ts. In order, `to` is not included. */
  readonly gone: readonly { readonly from: number; readonly to: number }[];
  /** Open requests, oldest first. */
  readonly requests: readonly ViewRequest[];
  /** In the order in which they were answered. */
  readonly answered: readonly AnsweredRequest[];
  readonly usage: Usage;
  readonly run: {
    readonly state: 'starting' | 'ready' | 'retrying' | 'stopped';
    readonly text: string | null;
    readonly retryAt: number | null;
  };
  readonly updatedAt: number;
}

export const emptyView = (sessionId: SessionId): SessionView => ({
  sessionId,
  seq: 0,
  kind: 'agent',
  projectId: null,
  engine: '',
  name: '',
  settings: defaultSettings,
  isArchived: false,
  seenAt: 0,
  forkedFrom: null,
  worktree: null,
  engineSessionId: null,
  status: 'idle',
  turns: [],
  items: [],
  gone: [],
  requests: [],
  answered: [],
  usage: {},
  run: { state: 'stopped', text: null, retryAt: null },
  updatedAt: 0,
});

/** Applies one event. An event that was applied before (by `seq`) changes nothing, so a replay is harmless. */
export const project = (view: SessionView, event: SessionEvent): SessionView => {
  if (event.seq <= view.seq) return view;
  const next = apply(view, event);
  return { ...next, seq: event.seq, updatedAt: event.at, status: statusOf(next) };
};

/** The turn that runs now, if any. */
export const runningTurn = (view: SessionView): ViewTurn | undefined =>
  view.turns.findLast((turn) => turn.status === 'running' || turn.status === 'cancelling');

/** A turn that the engine began by itself: nobody said anything, `displayText` is why it goes on. */
export const isUnasked = ({ prompt }: ViewTurn): boolean => prompt.text === '' && prompt.attachments.length === 0;

/** Tasks that go on in the background, with or without a turn. */
export const backgroundTasks = (view: SessionView): ViewItem[] =>
  view.items.filter((item) => item.status === 'running' && isBackgroundTask(item.body));

/** All that is attached to its prompts and items, each once: a prompt is an item, too. */
export const attachmentsOf = ({ turns, items }: Pick<SessionView, 'turns' | 'items'>): AttachmentRef[] => {
  const all = [...turns.flatMap(({ prompt }) => prompt.attachments), ...items.flatMap(({ body }) => attachedTo(body))];
  return [...new Map(all.map((ref) => [ref.attachmentId, ref])).values()];
};

/** Turns that wait for the running one, oldest first. */
export const queuedTurns = (view: SessionView): ViewTurn[] => view.turns.filter((turn) => turn.status === 'queued');

const apply = (view: SessionView, event: SessionEvent): SessionView => {
  switch (event.type) {
    case 'session.created':
      return { ...view, projectId: event.projectId, engine: event.engine, name: event.name, kind: event.kind, settings: event.settings };
    case 'session.updated':
      return {
        ...view,
        name: event.name ?? view.name,
        projectId: event.projectId === undefined ? view.projectId : event.projectId,
        settings: mergeDefined(view.settings, event.settings ?? {}),
        isArchived: event.isArchived ?? view.isArchived,
        ...(event.isPinned === undefined ? {} : { isPinned: event.isPinned }),
      };
    case 'session.worktree':
      return { ...view, worktree: event.worktree };
    case 'session.seen':
      return { ...view, seenAt: event.at };
    case 'session.forked':
      return { ...view, forkedFrom: { sessionId: event.from, turnId: event.turnId, turns: view.turns.length } };
    case 'session.bound':
      return { ...view, engineSessionId: event.engineSessionId };
    case 'session.reset':
      return { ...view, turns: [], items: [], gone: [], requests: [], answered: [], usage: {}, forkedFrom: null };
    case 'turn.queued':
      return { ...view, turns: [...view.turns, newTurn(event.turnId, 'queued', event.prompt, event.at)] };
    case 'turn.unqueued':
      return { ...view, turns: view.turns.filter((turn) => turn.turnId !== event.turnId) };
    case 'turn.started':
      return withoutOldest({
        ...view,
        // What an outside client does was never queued, and there is no end to it.
        turns: [
          ...(view.kind === 'client' ? view.turns : withoutTurn(view.turns, event.turnId)),
          newTurn(event.turnId, 'running', event.prompt, event.saidAt ?? event.at),
        ],
      });
    case 'turn.cancelling':
      return { ...view, turns: changeTurn(view, event.turnId, { status: 'cancelling' }) };
    case 'turn.completed':
      return {
        ...view,
        turns: changeTurn(view, event.turnId, { status: event.outcome, durationMs: event.durationMs, error: event.error ?? null }),
        items: closeItems(view, event.turnId, { status: event.outcome === 'completed' ? 'completed' : 'cancelled', endedAt: event.at }),
      };
    case 'item.started':
      return startItem(withoutOldestItems(view), event);
    case 'item.delta':
      return { ...view, items: changeItem(view, event.itemId, (item) => ({ ...item, body: appendText(item.body, event.text) })) };
    case 'item.updated':
      return { ...view, items: changeItem(view, event.itemId, (item) => ({ ...item, body: patchBody(item.body, event.patch) })) };
    case 'item.completed':
      return {
        ...view,
        items: changeItem(view, event.itemId, (item) => ({
          ...item,
          status: event.status,
          endedAt: event.saidAt ?? event.at,
          body: event.patch === undefined ? item.body : patchBody(item.body, event.patch),
        })),
      };
    case 'item.dropped':
      return withoutItems(view, (item) => item.itemId === event.itemId);
    case 'request.opened':
      return openRequest(view, event);
    case 'request.placed':
      return placeRequest(view, event);
    case 'request.resolved':
      return resolveRequest(view, event);
    case 'usage.updated':
      return { ...view, usage: mergeDefined(view.usage, event.usage) };
    case 'run.changed':
      return { ...view, run: { state: event.state, text: event.text ?? null, retryAt: event.retryAt ?? null } };
  }
};

const startItem = (view: SessionView, event: Extract<SessionEvent, { type: 'item.started' }>): SessionView => {
  const { turnId, itemId, parentItemId = null, item: body } = event;
  const at = event.saidAt ?? event.at;
  return { ...view, items: [...view.items, { itemId, turnId, parentItemId, status: 'running', at, endedAt: null, body }] };
};

const openRequest = (view: SessionView, event: Extract<SessionEvent, { type: 'request.opened' }>): SessionView => {
  const { requestId, turnId, itemId = null, request } = event;
  const at = event.saidAt ?? event.at;
  return {
    ...view,
    requests: [...view.requests, { requestId, turnId, itemId, at, request, afterItemId: view.items.at(-1)?.itemId ?? null }],
  };
};

/** A call of an outside client may ask before the turn of its earlier calls has ended: its own entry is of the next one then. */
const placeRequest = (view: SessionView, { requestId, itemId }: Extract<SessionEvent, { type: 'request.placed' }>): SessionView => {
  const turnId = view.items.findLast((item) => item.itemId === itemId)?.turnId;
  const place = { itemId, ...(turnId === undefined ? {} : { turnId }) };
  return { ...view, requests: view.requests.map((open) => (open.requestId === requestId ? { ...open, ...place } : open)) };
};

const resolveRequest = (view: SessionView, event: Extract<SessionEvent, { type: 'request.resolved' }>): SessionView => {
  const request = view.requests.find((open) => open.requestId === event.requestId);
  if (request === undefined) return view;
  const { outcome, optionId = null, text = null, answers = null, by } = event;
  return {
    ...view,
    requests: view.requests.filter((open) => open !== request),
    answered: [...view.answered, { ...request, outcome, optionId, text, answers, by, answeredAt: event.saidAt ?? event.at }],
  };
};

/**
 * A program calls as often as it likes: of an outside client's session the newest turns are kept, half of them when it gets too
 * long, and the places of its entries begin anew.
 */
const MAX_CLIENT_TURNS = 400;
const MAX_CLIENT_ITEMS = 2_000;

const withoutOldest = (view: SessionView): SessionView => {
  if (view.kind !== 'client' || view.turns.length <= MAX_CLIENT_TURNS) return view;
  const turns = view.turns.slice(-MAX_CLIENT_TURNS / 2);
  const kept = new Set(turns.map(({ turnId }) => turnId));
  return {
    ...view,
    turns,
    items: view.items.filter(({ turnId }) => kept.has(turnId)),
    answered: view.answered.filter(({ turnId }) => turnId !== null && kept.has(turnId)),
    gone: [],
  };
};

/** Calls that overlap without end are one turn. */
const withoutOldestItems = (view: SessionView): SessionView => {
  if (view.kind !== 'client' || view.items.length < MAX_CLIENT_ITEMS) return view;
  return { ...view, items: view.items.slice(-MAX_CLIENT_ITEMS / 2), answered: view.answered.slice(-MAX_CLIENT_ITEMS / 2), gone: [] };
};

const statusOf = (view: SessionView): SessionStatus => {
  const turn = runningTurn(view);
  if (turn?.status === 'cancelling') return 'stopping';
  if (view.requests.length > 0) return 'waiting';
  if (turn === undefined) return 'idle';
  return view.run.state === 'starting' || view.run.state === 'stopped' ? 'starting' : 'running';
};

const newTurn = (turnId: TurnId, status: 'queued' | 'running', prompt: LoggedPrompt, at: number): ViewTurn => ({
  turnId,
  status,
  prompt,
  startedAt: at,
  durationMs: null,
  error: null,
});

const withoutTurn = (turns: readonly ViewTurn[], turnId: TurnId): readonly ViewTurn[] =>
  turns.some((turn) => turn.turnId === turnId) ? turns.filter((turn) => turn.turnId !== turnId) : turns;

/** Searches from the end, as for items: a long session is folded in the time it takes to read it. */
const changeTurn = (view: SessionView, turnId: TurnId, change: Partial<ViewTurn>): readonly ViewTurn[] => {
  const index = view.turns.findLastIndex((turn) => turn.turnId === turnId);
  const found = view.turns[index];
  return found === undefined ? view.turns : view.turns.with(index, { ...found, ...change });
};

/** Closes what the turn leaves open, but not what goes on in the background. */
const closeItems = (view: SessionView, turnId: TurnId, end: Pick<ViewItem, 'status' | 'endedAt'>): readonly ViewItem[] => {
  const isOpen = (item: ViewItem): boolean => item.status === 'running';
  if (!view.items.some((item) => isOpen(item) && item.turnId === turnId)) return view.items;
  const open = new Map(
    view.items.filter(isOpen).map(({ itemId, parentItemId, body }) => [itemId, { isBackground: isBackgroundTask(body), parentItemId }]),
  );
  return view.items.map((item) =>
    item.turnId === turnId && isOpen(item) && !outlivesTurn(item.itemId, (itemId) => open.get(itemId)) ? { ...item, ...end } : item,
  );
};

/** Searches from the end: what changes is nearly always the newest item. */
const changeItem = (view: SessionView, itemId: ItemId, change: (item: ViewItem) => ViewItem): readonly ViewItem[] => {
  const index = view.items.findLastIndex((item) => item.itemId === itemId);
  const found = view.items[index];
  if (found === undefined) return view.items;
  return view.items.with(index, change(found));
};

const appendText = (body: ItemBody, text: string): ItemBody => (body.kind === 'plan' ? body : { ...body, text: body.text + text });

const patchBody = (body: ItemBody, patch: ItemPatch): ItemBody => {
  switch (body.kind) {
    case 'message':
    case 'thought':
    case 'notice':
      return { ...body, text: patch.text ?? body.text };
    case 'plan':
      return { ...body, entries: patch.entries ?? body.entries };
    case 'tool': {
      const { entries: _, ...own } = patch;
      return mergeDefined(body, own);
    }
  }
};

/** Like a spread, but an undefined field leaves the old value. */
export const mergeDefined = <T extends object>(base: T, change: { [K in keyof T]?: T[K] | undefined }): T => ({
  ...base,
  ...Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined)),
});
