/** Traces of tabs by Chrome's debugger: https://chromedevtools.github.io/devtools-protocol/tot/Tracing/ */
import * as z from 'zod';
import { CompanionError } from '#protocol/errors.ts';
import type { SessionId } from '#protocol/ids.ts';
import { originOf } from '#extension/shared/addresses.ts';
import type { Tracer } from '#extension/toolkit/records.ts';
import { TraceEvent } from '#extension/toolkit/trace-insights.ts';
import type { Debuggers } from './debugger.ts';
import { orAborted, pause } from './queue.ts';
import type { Allowance } from './recordings.ts';

/** What DevTools records in its performance panel, without pictures. */
const CATEGORIES = [
  '-*',
  'blink.user_timing',
  'devtools.timeline',
  'disabled-by-default-devtools.timeline',
  'latencyInfo',
  'loading',
  'toplevel',
  'v8.execute',
];
/** A page that does much fills the memory of the worker. */
const MAX_EVENTS = 300_000;
/** Nobody has ended it by then. */
const LONGEST_MS = 120_000;
const END_MS = 30_000;

const Collected = z.object({ value: z.array(z.unknown()) });

/** For whom a trace is recorded, and of what. */
interface TraceCall {
  readonly sessionId: SessionId;
  readonly tabId: number;
  readonly allowance: Allowance;
  readonly signal: AbortSignal;
}

interface Ended {
  readonly sessionId: SessionId;
  readonly origin: string;
  readonly events: readonly TraceEvent[];
}

/** A trace is of one site, and of the session that began it. */
export class Traces {
  readonly #debuggers: Debuggers;
  readonly #running = new Map<number, Trace>();
  readonly #last = new Map<number, Ended>();

  constructor(debuggers: Debuggers) {
    this.#debuggers = debuggers;
  }

  /** For a call, which ends with `signal`. */
  of({ sessionId, tabId, allowance, signal }: TraceCall): Tracer {
    const running = (): Trace | undefined => {
      const trace = this.#running.get(tabId);
      return trace?.sessionId === sessionId ? trace : undefined;
    };
    return {
      isRunning: () => running() !== undefined,
      start: async () => {
        if (this.#running.has(tabId))
          throw new CompanionError('TOOL_FAILED', 'A trace of this tab is running.', { remedy: 'End it with performance_stop_trace.' });
        const trace = new Trace({ sessionId, tabId, allowance, debuggers: this.#debuggers });
        this.#running.set(tabId, trace);
        await trace.begun.catch((error: unknown) => {
          this.#running.delete(tabId);
          throw error;
        });
      },
      stop: async (afterMs = 0) => {
        if (afterMs > 0) await pause(afterMs, signal);
        const trace = running();
        if (trace === undefined)
          throw new CompanionError('TOOL_FAILED', 'No trace of this tab is running.', {
            remedy: 'Begin one with performance_start_trace.',
          });
        this.#running.delete(tabId);
        const events = await orAborted(trace.end(), signal);
        this.#last.set(tabId, { sessionId, origin: trace.allowance.origin, events });
        return events;
      },
      last: (shown) => {
        const last = this.#last.get(tabId);
        return last?.sessionId === sessionId && last.origin === shown ? last.events : null;
      },
    };
  }

  forget(tabId: number): void {
    this.#running.get(tabId)?.drop();
    this.#running.delete(tabId);
    this.#last.delete(tabId);
  }

  /** Those that are allowed no more are given up. */
  endWhere(isOver: (allowance: Allowance) => boolean): void {
    for (const [tabId, trace] of this.#running) {
      if (!isOver(trace.allowance)) continue;
      trace.drop();
      this.#running.delete(tabId);
    }
  }

  /** Nobody is left for whom tabs of the person are traced either. */
  endSession(sessionId: SessionId): void {
    for (const [tabId, trace] of this.#running) if (trace.sessionId === sessionId) this.forget(tabId);
    for (const [tabId, last] of this.#last) if (last.sessionId === sessionId) this.#last.delete(tabId);
  }
}

const MovedTo = z.object({ frame: z.object({ parentId: z.string().optional(), url: z.string() }) });

/** Holds the debugger for as long as it runs. */
class Trace {
  readonly sessionId: SessionId;
  readonly allowance: Allowance;
  readonly begun: Promise<void>;
  readonly #events: TraceEvent[] = [];
  readonly #complete = Promise.withResolvers<null>();
  readonly #wanted = Promise.withResolvers<null>();
  readonly #dropped = new AbortController();
  readonly #ended: Promise<void>;

  constructor({ sessionId, tabId, allowance, debuggers }: Omit<TraceCall, 'signal'> & { readonly debuggers: Debuggers }) {
    this.sessionId = sessionId;
    this.allowance = allowance;
    const begun = Promise.withResolvers<void>();
    this.begun = begun.promise;
    const limit = setTimeout(() => this.#wanted.resolve(null), LONGEST_MS);
    this.#ended = debuggers
      .with(tabId, this.#dropped.signal, async (attached) => {
        const unhear = attached.hear((method, params) => this.#take(method, params));
        this.#dropped.signal.addEventListener('abort', unhear);
        await attached.send('Tracing.start', {
          transferMode: 'ReportEvents',
          traceConfig: { includedCategories: CATEGORIES, excludedCategories: ['*'] },
        });
        begun.resolve();
        await orAborted(this.#wanted.promise, this.#dropped.signal);
        await attached.send('Tracing.end', {});
        await orAborted(this.#complete.promise, AbortSignal.any([this.#dropped.signal, AbortSignal.timeout(END_MS)]));
        unhear();
      })
      .finally(() => clearTimeout(limit));
    // Who begins it hears of it, and who ends it.
    this.#ended.catch((error: unknown) => begun.reject(error));
  }

  async end(): Promise<readonly TraceEvent[]> {
    this.#wanted.resolve(null);
    await this.#ended;
    return this.#events;
  }

  drop(): void {
    this.#dropped.abort();
  }

  #take(method: string, params: unknown): void {
    if (method === 'Page.frameNavigated' && this.#isElsewhere(params)) this.#wanted.resolve(null);
    if (method === 'Tracing.tracingComplete') this.#complete.resolve(null);
    if (method !== 'Tracing.dataCollected') return;
    for (const one of Collected.safeParse(params).data?.value ?? []) {
      const event = this.#events.length < MAX_EVENTS ? TraceEvent.safeParse(one).data : undefined;
      if (event !== undefined) this.#events.push(event);
    }
  }

  /** The tab shows another site from now on, for which nobody has said yes. */
  #isElsewhere(params: unknown): boolean {
    const frame = MovedTo.safeParse(params).data?.frame;
    return frame !== undefined && frame.parentId === undefined && originOf(frame.url) !== this.allowance.origin;
  }
}
