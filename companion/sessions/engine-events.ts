/** What a codec reports, brought into the session's log under our ids. */
import type { EngineEvent } from '#companion/engines/engine.ts';
import { randomId } from '#companion/lib/random-id.ts';
import type { Log } from '#companion/lib/log.ts';
import type { EventBody } from '#protocol/events.ts';
import { type ItemId, RequestId, type TurnId } from '#protocol/ids.ts';
import type { ItemStatus } from '#protocol/items.ts';
import { type CostMeter, createCostMeter } from '#companion/runs/cost.ts';
import { createItemRecorder } from '#companion/runs/item-recorder.ts';
import { newItemId, type SessionLog } from './session-log.ts';

/** Of lines that cannot be read the first are logged, and then one in so many. */
const MAX_LOGGED = 20;
const LOGGED_EVERY = 1000;

export interface EngineEvents {
  take(event: EngineEvent): void;
  /** The engine's id of an open request; it is answered once. */
  takeRequest(requestId: RequestId): string | undefined;
  /** Events that close all items and the requests of this turn. */
  closeTurn(turnId: TurnId, status: ItemStatus): EventBody[];
  /** A new process begins: what the old one had open is over. */
  startRun(): void;
  /** Closes what ran in the background, and withdraws what was asked. */
  endRun(status: ItemStatus): void;
  hasOpenTool(): boolean;
  hasBackgroundTask(): boolean;
  /** The engine's id of an open item. */
  engineIdOf(itemId: ItemId): string | undefined;
  /** Answers of the model in this turn. */
  readonly rounds: number;
}

/** Records into `journal`; `turnId` is the turn that runs now, `onChange` is called when items or costs have grown. */
export const createEngineEvents = (options: {
  journal: SessionLog;
  log: Log;
  turnId: () => TurnId | null;
  onChange: () => void;
  onTurnStarted: (reason: string) => void;
  onTurnCompleted: (event: Extract<EngineEvent, { type: 'turn.completed' }>) => void;
}): EngineEvents => {
  const { journal, log, turnId, onChange } = options;
  const { sessionId } = journal;
  const items = createItemRecorder((bodies) => journal.record(bodies), newItemId);
  /** Ids of the engine's requests, by ours. */
  const requests = new Map<RequestId, string>();
  let cost: CostMeter = createCostMeter(0);
  let malformed = 0;

  /** Between turns an engine may still speak, of background work for instance: that belongs to the turn before. */
  const homeTurn = (): TurnId | null => turnId() ?? journal.view().turns.findLast((turn) => turn.status !== 'queued')?.turnId ?? null;
  const record = (body: EventBody): void => {
    items.flush();
    journal.record([body]);
  };
  const withdraw = (requestId: RequestId, by: string): EventBody => {
    requests.delete(requestId);
    return { type: 'request.resolved', requestId, outcome: 'withdrawn', by };
  };
  const notice = (level: 'info' | 'warning' | 'error', text: string, code: string | undefined): void => {
    const home = homeTurn();
    if (home === null) return;
    const place = { turnId: home, itemId: newItemId() };
    record({ type: 'item.started', ...place, item: { kind: 'notice', level, text, ...(code === undefined ? {} : { code }) } });
    record({ type: 'item.completed', ...place, status: 'completed' });
  };

  return {
    take: (event) => {
      switch (event.type) {
        case 'ready':
          if (journal.view().run.state !== 'ready') record({ type: 'run.changed', state: 'ready' });
          return;
        case 'bound':
          if (journal.view().engineSessionId === event.engineSessionId) return;
          record({ type: 'session.bound', engineSessionId: event.engineSessionId });
          return;
        case 'item.started':
        case 'item.delta':
        case 'item.updated':
        case 'item.completed':
        case 'item.dropped':
          if (journal.view().run.state === 'retrying') record({ type: 'run.changed', state: 'ready' });
          items.take(event, homeTurn());
          onChange();
          return;
        case 'request.opened': {
          const requestId = RequestId.parse(randomId('request'));
          const itemId = items.idOf(event.itemId);
          requests.set(requestId, event.requestId);
          record({
            type: 'request.opened',
            // What a background task asks stays open when the turn ends.
            turnId: event.itemId !== undefined && items.isInBackground(event.itemId) ? null : turnId(),
            requestId,
            ...(itemId === undefined ? {} : { itemId }),
            request: event.request,
          });
          return;
        }
        case 'request.withdrawn':
          for (const [requestId, engineId] of requests) if (engineId === event.requestId) record(withdraw(requestId, 'the agent'));
          return;
        case 'usage.updated': {
          const { costUsd, ...usage } = event.usage;
          const total = costUsd === undefined ? {} : { costUsd: cost.read(costUsd) };
          record({ type: 'usage.updated', turnId: turnId(), usage: { ...usage, ...total } });
          onChange();
          return;
        }
        case 'retrying':
          record({
            type: 'run.changed',
            state: 'retrying',
            text: event.text,
            ...(event.retryAt === undefined ? {} : { retryAt: event.retryAt }),
          });
          return;
        case 'settings.changed':
          record({ type: 'session.updated', settings: event.settings });
          return;
        case 'notice':
          notice(event.level, event.text, event.code);
          return;
        case 'turn.started':
          options.onTurnStarted(event.reason);
          // Says in the conversation why it goes on, where the user's words would stand.
          notice('info', event.reason, undefined);
          return;
        case 'turn.completed':
          options.onTurnCompleted(event);
          return;
        case 'malformed':
          malformed += 1;
          // A flood of them must not become one of the log.
          if (malformed <= MAX_LOGGED || malformed % LOGGED_EVERY === 0)
            log.warn('engine.malformed', { sessionId, count: malformed, reason: event.reason, line: event.line });
          if (malformed === 1) notice('warning', `The agent wrote something we cannot read: ${event.reason}`, 'ENGINE_OUTPUT_MALFORMED');
      }
    },
    takeRequest: (requestId) => {
      const engineId = requests.get(requestId);
      requests.delete(requestId);
      return engineId;
    },
    closeTurn: (endedId, status) => [
      ...items.closeTurn(status),
      ...journal
        .view()
        .requests.filter((request) => request.turnId === endedId)
        .map((request) => withdraw(request.requestId, 'end of turn')),
    ],
    startRun: () => {
      cost = createCostMeter(journal.view().usage.costUsd ?? 0);
      malformed = 0;
    },
    endRun: (status) => {
      journal.record([
        ...items.closeBackground(status),
        ...[...requests.keys()].map((requestId) => withdraw(requestId, 'end of the agent')),
      ]);
    },
    hasOpenTool: () => items.hasOpenTool(),
    hasBackgroundTask: () => items.hasBackgroundTask(),
    engineIdOf: (itemId) => items.engineIdOf(itemId),
    get rounds() {
      return items.rounds;
    },
  };
};
