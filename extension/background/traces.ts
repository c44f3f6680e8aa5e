/** Traces of tabs by Chrome's debugger: https://chromedevtools.github.io/devtools-protocol/tot/Tracing/ */
import * as z from 'zod';
import { CompanionError } from '#protocol/errors.ts';
import type { Tracer } from '#extension/toolkit/records.ts';
import { TraceEvent } from '#extension/toolkit/trace-insights.ts';
import type { Debuggers } from './debugger.ts';
import { orAborted, pause } from './queue.ts';

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

export class Traces {
  readonly #debuggers: Debuggers;
  readonly #running = new Map<number, Trace>();
  readonly #last = new Map<number, readonly TraceEvent[]>();

  constructor(debuggers: Debuggers) {
    this.#debuggers = debuggers;
  }

  /** For a call, which ends with `signal`. */
  of(tabId: number, signal: AbortSignal): Tracer {
    return {
      isRunning: () => this.#running.has(tabId),
      start: async () => {
        if (this.#running.has(tabId))
          throw new CompanionError('TOOL_FAILED', 'A trace of this tab is running.', { remedy: 'End it with performance_stop_trace.' });
        const trace = new Trace(tabId, this.#debuggers);
        this.#running.set(tabId, trace);
        await trace.begun.catch((error: unknown) => {
          this.#running.delete(tabId);
          throw error;
        });
      },
      stop: async (afterMs = 0) => {
        if (afterMs > 0) await pause(afterMs, signal);
        const trace = this.#running.get(tabId);
        if (trace === undefined)
          throw new CompanionError('TOOL_FAILED', 'No trace of this tab is running.', {
            remedy: 'Begin one with performance_start_trace.',
          });
        this.#running.delete(tabId);
        const events = await orAborted(trace.end(), signal);
        this.#last.set(tabId, events);
        return events;
      },
      last: () => this.#last.get(tabId) ?? null,
    };
  }

  forget(tabId: number): void {
    this.#running.get(tabId)?.drop();
    this.#running.delete(tabId);
    this.#last.delete(tabId);
  }
}

/** Holds the debugger for as long as it runs. */
class Trace {
  readonly begun: Promise<void>;
  readonly #events: TraceEvent[] = [];
  readonly #complete = Promise.withResolvers<null>();
  readonly #wanted = Promise.withResolvers<null>();
  readonly #dropped = new AbortController();
  readonly #ended: Promise<void>;

  constructor(tabId: number, debuggers: Debuggers) {
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
    if (method === 'Tracing.tracingComplete') this.#complete.resolve(null);
    if (method !== 'Tracing.dataCollected') return;
    for (const one of Collected.safeParse(params).data?.value ?? []) {
      const event = this.#events.length < MAX_EVENTS ? TraceEvent.safeParse(one).data : undefined;
      if (event !== undefined) this.#events.push(event);
    }
  }
}
