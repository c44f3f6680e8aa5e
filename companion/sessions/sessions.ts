/** The core: orders in, events out. Every order is decided, appended, published, and only then acted upon. */
import { randomId } from '#companion/lib/random-id.ts';
import type { SessionSummary, TaskOutput } from '#protocol/api.ts';
import type { ToolResult } from '#protocol/browser.ts';
import type { Command } from '#protocol/commands.ts';
import { CompanionError, type ErrorBody } from '#protocol/errors.ts';
import type { EventBody, SessionEvent } from '#protocol/events.ts';
import { type ItemId, type ProjectId, SessionId, TurnId } from '#protocol/ids.ts';
import type { AttachmentRef } from '#protocol/items.ts';
import type { RequestAnswer, RequestBody } from '#protocol/requests.ts';
import { emptyView, runningTurn, type SessionView } from '#protocol/view.ts';
import { advanceQueue } from './advance-queue.ts';
import { createAsks, toAnswer } from './asks.ts';
import { clearRuns, reapOrphans, settle } from './boot.ts';
import { type ClientCalls, createClientCalls, noCall } from './client-calls.ts';
import { decide } from './decide.ts';
import { capabilitiesOf, startFactsOf } from '#companion/catalogue/engine-facts.ts';
import { SessionLog, newItemId, newRow, sessionNotFound, type SessionListener } from './session-log.ts';
import { createListFeed } from './list-feed.ts';
import { needsRestart } from './needs-restart.ts';
import { openRun, type RunDeps } from './open-run.ts';
import { noteUse } from '#companion/projects/projects.ts';
import { createRunner, type Runner } from './runner.ts';
import { isSettled } from './summary.ts';
import { createTrust, type Trust } from '#companion/trust/trust.ts';
import { createWarmPool } from '#companion/runs/warm-pool.ts';

/** Views kept in memory of sessions that nobody looks at. */
const MAX_IDLE_VIEWS = 32;

export interface Sessions {
  /** Resolves when the intent is on disk. */
  dispatch(command: Command): Promise<{ sessionId: SessionId; turnId?: TurnId }>;
  /** Throws SESSION_NOT_FOUND. */
  view(sessionId: SessionId): SessionView;
  epoch(sessionId: SessionId): string;
  /** Most recently changed first. */
  list(): SessionSummary[];
  read(sessionId: SessionId, afterSeq: number, limit: number): SessionEvent[];
  /** Throws TASK_NOT_RUNNING, also when its engine does not tell. */
  readTask(sessionId: SessionId, itemId: ItemId): Promise<TaskOutput>;
  subscribe(sessionId: SessionId, listener: SessionListener): () => void;
  /** Calls that come quickly after each other are made one. */
  subscribeList(listener: (sessions: SessionSummary[]) => void): () => void;
  /** Asks the user on behalf of the companion; null when withdrawn. */
  ask(sessionId: SessionId, request: RequestBody, signal: AbortSignal): Promise<RequestAnswer | null>;
  /** Records a browser call in a client's log; in an agent's log the agent itself reports it. */
  recordCall(
    sessionId: SessionId,
    call: { name: string; args: Record<string, unknown>; title: string },
  ): { finish(result: ToolResult | ErrorBody): void };
  /** The engine's settings changed: its processes are started anew, each before its next turn. */
  renew(engineName: string): void;
  /** Projects whose own files may act. */
  readonly trusted: Pick<Trust, 'list' | 'revoke'>;
  /** What a person should know now. */
  readonly warnings: readonly string[];
  /** Ends every run and settles the log. */
  close(): Promise<void>;
}

interface Session {
  readonly journal: SessionLog;
  readonly runner: Runner;
  readonly calls: ClientCalls;
}

/** The sessions in `store`; what a dead daemon left running is settled before this returns. */
export const createSessions = (deps: RunDeps & { readonly now: () => number }): Sessions => {
  const { store, paths, log, engines, now } = deps;
  const sessions = new Map<SessionId, Session>();
  const asks = createAsks();
  const trust = createTrust(store, log);
  const pool = createWarmPool(() => store.settings.current().warm);
  const feed = createListFeed(() => list());
  let isClosing = false;

  const list = (): SessionSummary[] =>
    [...sessions.values()].map(({ journal }) => journal.summary()).toSorted((a, b) => b.updatedAt.localeCompare(a.updatedAt));
  const find = (sessionId: SessionId): Session => {
    const session = sessions.get(sessionId);
    if (session === undefined) throw sessionNotFound(sessionId);
    return session;
  };
  const add = (row: ConstructorParameters<typeof SessionLog>[0]['row']): Session => {
    const journal = new SessionLog({
      row,
      store,
      log,
      now,
      onEvent: (event) => {
        asks.settle(event);
        if (event.type !== 'item.delta') feed.changed();
      },
    });
    const runner = createRunner({
      journal,
      store,
      log,
      pool,
      open: async (listener) =>
        openRun({ ...deps, trust }, journal, listener, {
          ask: (request, signal) => asks.ask(journal, request, signal),
          isWanted: () => sessions.has(row.sessionId) && runningTurn(journal.view()) !== undefined,
        }),
      canResume: () => capabilitiesOf(engines, journal.view().engine).canResume,
      onTurnEnd: () => afterTurn(session),
    });
    const session: Session = { journal, runner, calls: createClientCalls(journal) };
    sessions.set(row.sessionId, session);
    return session;
  };
  const afterTurn = (session: Session): void => {
    session.journal.saveSummary();
    advanceQueue({
      journal: session.journal,
      log,
      itemId: newItemId,
      isWanted: () => !isClosing && sessions.has(session.journal.sessionId),
      begin: (bodies) => {
        act(session, bodies);
        trim();
      },
    });
  };
  /** Views of long sessions are large; the list does without them. */
  const trim = (): void => {
    const idle = [...sessions.values()].filter(({ journal }) => journal.isLoaded && journal.view().status === 'idle');
    for (const { journal } of idle.slice(0, Math.max(0, idle.length - MAX_IDLE_VIEWS))) journal.unload();
  };

  /** What follows from events that are on disk. */
  const act = (session: Session, bodies: readonly EventBody[], before = session.journal.view().settings): void => {
    const { runner, journal } = session;
    const started = bodies.find((body) => body.type === 'turn.started');
    if (started !== undefined) {
      runner.start(started.turnId, started.prompt);
      noteUse(store, journal.view().projectId, now(), log);
    }
    for (const body of bodies) {
      if (body.type === 'turn.cancelling') runner.cancel(body.turnId);
      else if (body.type === 'session.reset') runner.configure(journal.view().settings, true);
      // Its folder is another one.
      else if (body.type === 'session.updated' && body.projectId !== undefined) runner.configure(journal.view().settings, true);
      else if (body.type === 'session.updated' && body.settings !== undefined) {
        runner.configure(journal.view().settings, needsRestart(before, body.settings, startFactsOf(engines, journal.view().engine)));
      } else if (body.type === 'request.resolved') {
        const answer = toAnswer({ ...body, sessionId: journal.sessionId, seq: 0, at: 0 });
        if (answer !== null) runner.answer(body.requestId, answer);
      }
    }
  };

  const checkProject = (projectId: ProjectId | null): void => {
    if (projectId !== null && store.projects.find(projectId) === null) throw new CompanionError('PROJECT_NOT_FOUND', projectId);
  };
  const create = (command: Extract<Command, { type: 'session.create' }>): { sessionId: SessionId } => {
    if (command.kind !== 'client') engines.find(command.engine);
    checkProject(command.projectId);
    const row = newRow(SessionId.parse(randomId('session')), command.projectId, now());
    const bodies = decide(emptyView(row.sessionId), command, make(false, []));
    store.sessions.save(row);
    const { journal } = add(row);
    try {
      journal.commit(bodies);
    } catch (error) {
      sessions.delete(row.sessionId);
      store.sessions.remove(row.sessionId);
      throw error;
    }
    return { sessionId: row.sessionId };
  };
  const remove = (session: Session): void => {
    const { sessionId } = session.journal;
    const refs = session.journal.view().turns.flatMap((turn) => turn.prompt.attachments);
    store.sessions.remove(sessionId);
    session.journal.discard();
    sessions.delete(sessionId);
    asks.forget(sessionId);
    feed.changed();
    for (const ref of refs) store.attachments.remove(ref);
    void session.runner.stop('cancelled');
  };
  const start = (session: Session, command: Extract<Command, { type: 'turn.start' }>): { turnId: TurnId } => {
    const { journal, runner } = session;
    const turnId = command.turnId ?? TurnId.parse(randomId('turn'));
    // Before the attachments are kept: a repeated command must not keep them twice.
    if (decide(journal.view(), { ...command, turnId }, make(true, [])).length === 0) return { turnId };
    const refs: AttachmentRef[] = [];
    let bodies: EventBody[];
    try {
      for (const attachment of command.prompt.attachments) refs.push(store.attachments.save(attachment));
      bodies = decide(journal.view(), { ...command, turnId }, make(capabilitiesOf(engines, journal.view().engine).canSteer, refs));
      journal.commit(bodies);
    } catch (error) {
      for (const ref of refs) store.attachments.remove(ref);
      throw error;
    }
    const steered = bodies[0]?.type === 'item.started' ? bodies[0] : null;
    if (steered === null) act(session, bodies);
    else {
      const { text, displayText } = command.prompt;
      runner.steer(steered.turnId, { text, ...(displayText === undefined ? {} : { displayText }), attachments: refs });
    }
    return { turnId: steered?.turnId ?? turnId };
  };
  const cancel = (session: Session, command: Extract<Command, { type: 'turn.cancel' }>): void => {
    const { journal, runner } = session;
    const bodies = decide(journal.view(), command, make(false, []));
    const stopping = runningTurn(journal.view());
    // Asked again while it stops: the user has waited long enough.
    const isSecond = stopping?.status === 'cancelling' && (command.turnId === undefined || command.turnId === stopping.turnId);
    journal.commit(bodies);
    act(session, bodies);
    if (isSecond) runner.cancel(stopping.turnId);
  };
  const make = (canSteer: boolean, attachments: readonly AttachmentRef[]): Parameters<typeof decide>[2] => ({
    turnId: () => TurnId.parse(randomId('turn')),
    itemId: newItemId,
    now: now(),
    canSteer,
    attachments,
  });

  reapOrphans(store, log);
  clearRuns(paths.runsDir, log);
  for (const row of store.sessions.list()) {
    const { journal } = add(row);
    if (row.summarySeq === row.lastSeq && row.summary !== null && isSettled(row.summary)) continue;
    journal.record(settle(journal.view()));
    journal.unload();
  }

  return {
    dispatch: async (command) => {
      if (isClosing) throw new CompanionError('DAEMON_NOT_RUNNING', 'It is being stopped.');
      if (command.type === 'session.create') return create(command);
      const session = find(command.sessionId);
      const { journal } = session;
      const { sessionId } = command;
      switch (command.type) {
        case 'turn.start':
          return { sessionId, ...start(session, command) };
        case 'turn.cancel':
          cancel(session, command);
          return { sessionId };
        case 'task.stop':
          decide(journal.view(), command, make(false, []));
          session.runner.stopTask(command.itemId);
          return { sessionId };
        case 'session.delete':
          remove(session);
          return { sessionId };
        case 'request.answer':
          if (!journal.view().requests.some((open) => open.requestId === command.requestId) && journal.hadRequest(command.requestId)) {
            throw new CompanionError('REQUEST_RESOLVED');
          }
          break;
        case 'session.update':
          checkProject(command.projectId ?? null);
          break;
        case 'session.reset':
          break;
      }
      const before = journal.view();
      const bodies = decide(before, command, make(false, []));
      journal.commit(bodies);
      act(session, bodies, before.settings);
      return { sessionId };
    },
    view: (sessionId) => find(sessionId).journal.view(),
    epoch: (sessionId) => find(sessionId).journal.epoch,
    list,
    read: (sessionId, afterSeq, limit) => {
      find(sessionId);
      return store.events.read(sessionId, afterSeq, limit);
    },
    readTask: async (sessionId, taskId) => find(sessionId).runner.readTask(taskId),
    subscribe: (sessionId, listener) => find(sessionId).journal.subscribe(listener),
    subscribeList: (listener) => feed.subscribe(listener),
    ask: async (sessionId, request, signal) => asks.ask(find(sessionId).journal, request, signal),
    recordCall: (sessionId, call) => {
      const { journal, calls } = find(sessionId);
      return journal.view().kind === 'client' ? calls.record(call) : noCall;
    },
    renew: (engineName) => {
      for (const { journal, runner } of sessions.values()) if (journal.summary().engineName === engineName) runner.renew();
    },
    trusted: trust,
    get warnings() {
      const held = [...sessions.values()].reduce((sum, { journal }) => sum + journal.heldCount, 0);
      return held === 0 ? [] : [`The history cannot be written: ${held} events wait until the disk has space again.`];
    },
    close: async () => {
      isClosing = true;
      feed.close();
      pool.close();
      await Promise.all([...sessions.values()].map(async ({ runner }) => runner.stop('interrupted')));
      for (const { journal } of sessions.values()) {
        if (journal.isLoaded) journal.record(settle(journal.view()));
        journal.close();
      }
    },
  };
};
