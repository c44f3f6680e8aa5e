/** Turns what an agent says into reports with our ids: the last step before it is decided what they mean. */
import type { EngineEvent } from '#companion/engines/engine.ts';
import { randomId } from '#companion/lib/random-id.ts';
import type { Log } from '#companion/lib/log.ts';
import { ItemRecorder } from '#companion/runs/item-recorder.ts';
import { UsageMeter } from '#companion/runs/usage-meter.ts';
import type { Usage } from '#protocol/events.ts';
import { RequestId, type SessionId, type TurnId } from '#protocol/ids.ts';
import { notice } from '#protocol/notices.ts';
import type { Report } from './decision.ts';
import type { OpenRequests } from './open-requests.ts';
import { newItemId } from './session-log.ts';

/** Of lines that cannot be read, the first ones are logged, and then one of so many. */
const MAX_LOGGED = 20;
const LOGGED_EVERY = 1000;
/** Far more than any task needs; each item costs time for everybody who looks at the session. */
const MAX_TURN_ITEMS = 10_000;

type OtherEvent = Exclude<EngineEvent, { type: `item.${string}` }>;

export class Reports {
  readonly items: ItemRecorder;
  readonly #requests: OpenRequests;
  readonly #sessionId: SessionId;
  readonly #log: Log;
  readonly #deliver: (report: Report) => void;
  #meter = new UsageMeter({});
  #malformed = 0;
  /** The turn whose items are counted. */
  #countedTurn: TurnId | null = null;
  #begun = 0;

  /** Each report goes to `deliver`, in order; the agent's requests are noted in `requests`. */
  constructor(options: {
    readonly requests: OpenRequests;
    readonly sessionId: SessionId;
    readonly log: Log;
    readonly deliver: (report: Report) => void;
  }) {
    this.#requests = options.requests;
    this.#sessionId = options.sessionId;
    this.#log = options.log;
    this.#deliver = options.deliver;
    this.items = new ItemRecorder((events) => this.#deliver({ type: 'items', events, rounds: this.items.rounds }), newItemId);
  }

  /** A new process begins; `usage` is what the session has used until now. */
  beginRun(usage: Usage): void {
    this.#meter = new UsageMeter(usage);
    this.#malformed = 0;
  }

  /** `turnId` is the turn that the event belongs to, if there is one. */
  take(event: EngineEvent, turnId: TurnId | null): void {
    if (!('itemId' in event) || event.type === 'request.opened') this.#takeOther(event);
    else if (event.type !== 'item.started' || this.#mayBegin(turnId)) this.items.take(event, turnId);
    else this.#deliver({ type: 'items.flood', limit: MAX_TURN_ITEMS });
  }

  #takeOther(event: OtherEvent): void {
    const report = this.#toReport(event);
    if (report === null) return;
    this.items.flush();
    this.#deliver(report);
  }

  #mayBegin(turnId: TurnId | null): boolean {
    if (turnId !== this.#countedTurn) this.#begun = 0;
    this.#countedTurn = turnId;
    this.#begun += 1;
    return this.#begun <= MAX_TURN_ITEMS;
  }

  #toReport(event: OtherEvent): Report | null {
    switch (event.type) {
      case 'ready':
        return { type: 'ready' };
      case 'request.opened': {
        const requestId = RequestId.parse(randomId('request'));
        this.#requests.add(requestId, { origin: 'agent', agentRequestId: event.requestId });
        const isInBackground = event.itemId !== undefined && this.items.isInBackground(event.itemId);
        return { ...event, requestId, itemId: this.items.idOf(event.itemId) ?? null, isInBackground };
      }
      case 'request.withdrawn': {
        const requestId = this.#requests.idOf(event.requestId);
        return requestId === undefined ? null : { type: 'request.withdrawn', requestId };
      }
      case 'usage.updated':
        return { type: 'usage.updated', ...this.#meter.read(event.usage, event) };
      case 'malformed':
        return this.#countMalformed(event);
      case 'commands.told':
        return null;
      case 'bound':
      case 'retrying':
      case 'settings.changed':
      case 'notice':
      case 'turn.started':
      case 'turn.completed':
        return event;
    }
  }

  /** The user is told only of the first line that cannot be read, so that a flood of such lines does not flood the log. */
  #countMalformed({ reason, line }: Extract<EngineEvent, { type: 'malformed' }>): Report | null {
    this.#malformed += 1;
    const count = this.#malformed;
    if (count <= MAX_LOGGED || count % LOGGED_EVERY === 0)
      this.#log.warn('engine.malformed', { sessionId: this.#sessionId, count, reason, line });
    if (count > 1) return null;
    return { type: 'notice', level: 'warning', ...notice('malformed', { reason }), code: 'ENGINE_OUTPUT_MALFORMED' };
  }
}
