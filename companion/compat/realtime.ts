/** `RealtimeEvent`s: a view of the event log for existing clients, which merge messages by id. */
import * as z from 'zod';
import type { ErrorBody } from '#protocol/errors.ts';
import type { SessionEvent } from '#protocol/events.ts';
import type { ItemId } from '#protocol/ids.ts';
import { runningTurn, type SessionStatus, type SessionView, type ViewItem } from '#protocol/view.ts';

/** A growing text is sent whole each time it has grown by this much, so that a stream does not cost the square of its text. */
export const GROWTH = 1.05;

export const AgentMessage = z.object({
  id: z.string(),
  sessionId: z.string(),
  projectId: z.string().optional(),
  /** The session, which is the conversation. */
  conversationId: z.string(),
  role: z.enum(['user', 'assistant', 'tool', 'system']),
  content: z.string(),
  messageType: z.enum(['chat', 'tool_use', 'tool_result', 'status']),
  cliSource: z.string().optional(),
  /** The id of the turn, which existing clients call a request. */
  requestId: z.string().optional(),
  isStreaming: z.boolean().optional(),
  isFinal: z.boolean().optional(),
  /** ISO 8601. */
  createdAt: z.string(),
  metadata: z.record(z.string(), z.unknown()).optional(),
});
export type AgentMessage = z.infer<typeof AgentMessage>;

export type RealtimeStatus = 'starting' | 'ready' | 'running' | 'completed' | 'error' | 'cancelled';

export type RealtimeEvent =
  | { type: 'message'; data: AgentMessage }
  | {
      type: 'status';
      data: { sessionId: string; status: RealtimeStatus; message?: string; requestId?: string; metadata?: Record<string, unknown> };
    }
  | { type: 'error'; error: string; data?: { sessionId?: string; requestId?: string; code?: string; remedy?: string } }
  | { type: 'usage'; data: { sessionId: string; requestId?: string } & Record<string, unknown> }
  | {
      type: 'request';
      data: { sessionId: string; requestId: string; turnId?: string; state: 'open' | 'resolved'; request?: unknown; outcome?: string };
    }
  | { type: 'connected'; data: { sessionId: string; transport: 'sse' | 'websocket'; timestamp: string } }
  | { type: 'heartbeat'; data: { timestamp: string } }
  | { type: 'resync'; data: { sessionId: string; reason: string } };

/** What a message says of its session. */
type Talker = Pick<SessionView, 'sessionId' | 'projectId' | 'engine'>;

/** The message of an item as it is now; the message of a user's prompt has the turn's id. */
export const toAgentMessage = (view: Talker, item: ViewItem): AgentMessage => {
  const base = {
    id: item.itemId,
    sessionId: view.sessionId,
    conversationId: view.sessionId,
    ...(view.projectId === null ? {} : { projectId: view.projectId }),
    cliSource: view.engine,
    requestId: item.turnId,
    createdAt: new Date(item.at).toISOString(),
    ...(item.status === 'running' ? { isStreaming: true } : { isFinal: true }),
  };
  const { body } = item;
  switch (body.kind) {
    case 'message':
      return {
        ...base,
        role: body.role,
        content: body.text,
        messageType: 'chat',
        ...(body.attachments ? { metadata: { attachments: body.attachments } } : {}),
      };
    case 'thought':
      return { ...base, role: 'assistant', content: body.text, messageType: 'chat', metadata: { isThinking: true } };
    case 'tool':
      return {
        ...base,
        role: 'tool',
        content: item.status === 'running' && body.text === '' ? body.title : body.text,
        messageType: item.status === 'running' ? 'tool_use' : 'tool_result',
        metadata: {
          toolName: body.tool,
          toolKind: body.toolKind,
          title: body.title,
          toolInput: body.input,
          status: item.status,
          ...(body.changes ? { changes: body.changes } : {}),
          ...(body.exitCode === undefined ? {} : { exitCode: body.exitCode }),
        },
      };
    case 'plan':
      return {
        ...base,
        role: 'tool',
        content: body.entries.map((entry) => `${marks[entry.status]} ${entry.content}`).join('\n'),
        messageType: 'status',
        metadata: { plan: body.entries },
      };
    case 'notice':
      return {
        ...base,
        role: 'system',
        content: body.text,
        messageType: 'status',
        metadata: { level: body.level, ...(body.code ? { code: body.code } : {}) },
      };
  }
};

const marks = { pending: '[ ]', in_progress: '[~]', completed: '[x]' } as const;

/** Turns the log events of one stream into RealtimeEvents. */
export class RealtimeConverter {
  /** How much of each growing text was sent. */
  readonly #sentLengths = new Map<string, number>();
  /** The turn that has begun and not ended, and whether it was said to be running. */
  #turn: { readonly turnId: string; readonly isRunning: boolean } | null = null;

  /** `view` is the view after the event, or a later one. */
  convert(view: SessionView, event: SessionEvent): RealtimeEvent[] {
    switch (event.type) {
      case 'item.delta': {
        const item = findItem(view, event.itemId);
        if (item === undefined || item.body.kind === 'plan') return [];
        const { length } = item.body.text;
        if (length < (this.#sentLengths.get(event.itemId) ?? 0) * GROWTH) return [];
        this.#sentLengths.set(event.itemId, length);
        return [{ type: 'message', data: toAgentMessage(view, item) }];
      }
      case 'item.started':
      case 'item.updated':
      case 'item.completed': {
        const item = findItem(view, event.itemId);
        if (event.type === 'item.completed') this.#sentLengths.delete(event.itemId);
        return item === undefined ? [] : [{ type: 'message', data: toAgentMessage(view, item) }];
      }
      case 'turn.started': {
        // An agent that is warm says nothing more of itself.
        const isReady = statuses[view.status] === 'running';
        this.#turn = { turnId: event.turnId, isRunning: isReady };
        return [status(view, 'starting', event.turnId), ...(isReady ? [status(view, 'running', event.turnId)] : [])];
      }
      case 'turn.completed':
        return this.#endTurn(view, event);
      case 'run.changed': {
        const turnId = this.#turn?.turnId ?? view.turns.findLast((candidate) => candidate.status === 'running')?.turnId;
        if (event.state === 'stopped') return [];
        const state = event.state === 'retrying' || (event.state === 'ready' && turnId !== undefined) ? 'running' : event.state;
        if (state === 'running' && this.#turn !== null) this.#turn = { ...this.#turn, isRunning: true };
        return [status(view, state, turnId, event.text)];
      }
      case 'request.opened':
        return [
          {
            type: 'request',
            data: {
              sessionId: view.sessionId,
              requestId: event.requestId,
              ...(event.turnId === null ? {} : { turnId: event.turnId }),
              state: 'open',
              request: event.request,
            },
          },
        ];
      case 'request.resolved':
        return [
          { type: 'request', data: { sessionId: view.sessionId, requestId: event.requestId, state: 'resolved', outcome: event.outcome } },
        ];
      case 'usage.updated':
        return [
          {
            type: 'usage',
            data: { sessionId: view.sessionId, ...(event.turnId === null ? {} : { requestId: event.turnId }), ...toUsage(event.usage) },
          },
        ];
      case 'session.created':
      case 'session.updated':
      case 'session.seen':
      case 'session.worktree':
      case 'session.forked':
      case 'session.bound':
      case 'session.reset':
      case 'request.placed':
      case 'turn.queued':
      case 'turn.unqueued':
      case 'turn.cancelling':
      case 'item.dropped':
        return [];
    }
  }

  #endTurn(view: SessionView, { turnId, outcome, error }: Extract<SessionEvent, { type: 'turn.completed' }>): RealtimeEvent[] {
    // A client that comes later has missed that a warm agent went to work.
    const wasSilent = outcome === 'completed' && this.#turn?.isRunning === false;
    this.#turn = null;
    const end = outcome === 'failed' || outcome === 'interrupted' ? 'error' : outcome;
    return [
      ...(wasSilent ? [status(view, 'running', turnId)] : []),
      ...(error === undefined ? [] : [toErrorEvent(view, error, turnId)]),
      status(view, end, turnId, error?.message ?? outcome),
    ];
  }
}

/** The first events of a stream; `resync` says why the reader's earlier events are void, if they are. */
export const toConnected = (sessionId: string, resync: string | null): RealtimeEvent[] => [
  { type: 'connected', data: { sessionId, transport: 'sse', timestamp: new Date().toISOString() } },
  ...(resync === null ? [] : [{ type: 'resync' as const, data: { sessionId, reason: resync } }]),
];

export const toHeartbeat = (): RealtimeEvent => ({ type: 'heartbeat', data: { timestamp: new Date().toISOString() } });

/** What is going on now, for a reader that has the history from elsewhere. */
export const presentOf = (view: SessionView): RealtimeEvent[] => [
  ...view.items
    .filter((item) => item.status === 'running')
    .map((item): RealtimeEvent => ({ type: 'message', data: toAgentMessage(view, item) })),
  ...view.requests.map(({ requestId, turnId, request }): RealtimeEvent => ({
    type: 'request',
    data: { sessionId: view.sessionId, requestId, ...(turnId === null ? {} : { turnId }), state: 'open', request },
  })),
  status(view, statuses[view.status], runningTurn(view)?.turnId),
];

const statuses: Record<SessionStatus, RealtimeStatus> = {
  idle: 'ready',
  starting: 'starting',
  running: 'running',
  waiting: 'running',
  stopping: 'running',
};

/** What a reader that comes back has missed: each item that changed in `missed` once, as it is in `view`, and all other events. */
export const changesOf = (view: SessionView, missed: readonly SessionEvent[]): RealtimeEvent[] => {
  const newest = new Map(missed.map((event) => [changedItem(event), event.seq]));
  const converter = new RealtimeConverter();
  return missed
    .filter((event) => changedItem(event) === null || newest.get(changedItem(event)) === event.seq)
    .flatMap((event) => converter.convert(view, event));
};

const changedItem = (event: SessionEvent): ItemId | null =>
  event.type === 'item.started' || event.type === 'item.delta' || event.type === 'item.updated' || event.type === 'item.completed'
    ? event.itemId
    : null;

const toUsage = ({ costUsd, ...rest }: { costUsd?: number | undefined }): Record<string, unknown> => ({
  ...rest,
  ...(costUsd === undefined ? {} : { totalCostUsd: costUsd }),
});

const findItem = (view: SessionView, itemId: string): ViewItem | undefined => view.items.findLast((item) => item.itemId === itemId);

const status = (view: SessionView, value: RealtimeStatus, turnId?: string, message?: string): RealtimeEvent => ({
  type: 'status',
  data: {
    sessionId: view.sessionId,
    status: value,
    ...(turnId === undefined ? {} : { requestId: turnId }),
    ...(message === undefined ? {} : { message }),
  },
});

const toErrorEvent = (view: SessionView, error: ErrorBody, turnId: string): RealtimeEvent => ({
  type: 'error',
  error: error.message,
  data: { sessionId: view.sessionId, requestId: turnId, code: error.code, remedy: error.remedy },
});
