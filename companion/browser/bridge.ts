/** The companion's end of the link: which browsers there are, and a call to one of them by its id. */
import { type BrowserInfo, TabTarget, type ToolInfo, ToolResult } from '#protocol/browser.ts';
import { CompanionError } from '#protocol/errors.ts';
import type { DownFrame } from '#protocol/link.ts';
import type { BrowserId, CallId, SessionId } from '#protocol/ids.ts';
import type { Log } from '#companion/lib/log.ts';
import { createBrowsers } from './browsers.ts';
import { type Carrier, type Connection, type Welcome, acceptCarrier } from './connection.ts';
import { createRouting, describeOthers } from './routing.ts';
import { ConnectionLostError, type Progress } from './rpc.ts';
import { createToolList } from './tool-list.ts';

/** A worker or host that died is back sooner than this, or the call fails (R04, R05: within 3 s). */
const RECONNECT_MS = 2_700;
const WAIT_FOR_BROWSER_MS = 15_000;
/** The extension has its own, shorter deadlines; this one is for an extension that says nothing at all. */
const SILENCE_MS = 120_000;

export interface CallInput {
  readonly sessionId: SessionId;
  readonly callId: CallId;
  readonly name: string;
  readonly args: Record<string, unknown>;
  readonly browserId?: BrowserId;
  /** What the policy decided about; the extension does not act on another tab or origin. */
  readonly target?: { readonly tabId: number; readonly origin: string };
}

export interface CallOptions {
  readonly signal: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
}

export interface Bridge {
  /** A carrier has connected: its frames go into `receive`, its end is told to `closed`. */
  attach(carrier: Carrier, welcome: Welcome): { receive(frame: unknown): void; closed(): void };
  browsers(): BrowserInfo[];
  /** Told whenever a browser came, went or brought tools. */
  subscribe(listener: () => void): () => void;
  tools(): readonly ToolInfo[];
  /** The tab a call would act on, for the policy; null when it needs none or would open one. */
  resolveTab(
    sessionId: SessionId,
    tool: string,
    args: Record<string, unknown>,
    signal: AbortSignal,
    onProgress?: (progress: Progress) => void,
  ): Promise<TabTarget | null>;
  call(input: CallInput, options: CallOptions): Promise<ToolResult>;
  sessionStarted(sessionId: SessionId, name: string): void;
  sessionEnded(sessionId: SessionId): void;
  /** How many requests wait for the user. */
  setAttention(count: number): void;
  close(): void;
}

/** The one bridge of a daemon. `tools` is the list the build embedded. */
export const createBridge = (options: { tools: readonly ToolInfo[]; log: Log; waitForBrowserMs?: number }): Bridge => {
  const { log } = options;
  const browsers = createBrowsers();
  const tools = createToolList(options.tools);
  const routing = createRouting(browsers, options.waitForBrowserMs ?? WAIT_FOR_BROWSER_MS);
  const sessions = new Map<SessionId, string>();
  const listeners = new Set<() => void>();
  const carriers = new Set<Carrier>();
  let attention = 0;

  const changed = (): void => {
    for (const listener of listeners) listener();
  };
  const broadcast = (frame: DownFrame): void => {
    for (const connection of browsers.list()) connection.send(frame);
  };

  const events = {
    onOpen: (connection: Connection): void => {
      log.info('browser.connected', { ...connection.info });
      const replaced = browsers.add(connection);
      for (const [sessionId, name] of sessions) connection.send({ type: 'session_start', sessionId, name });
      connection.send({ type: 'attention', count: attention });
      replaced?.rpc.end();
      replaced?.close();
      changed();
    },
    onTools: (connection: Connection): void => {
      connection.info.toolCount = connection.tools.length;
      tools.learn(connection.tools);
      changed();
    },
    onFocus: (connection: Connection): void => browsers.touch(connection),
    onClosed: (connection: Connection): void => {
      if (!browsers.remove(connection)) return;
      log.info('browser.disconnected', { browserId: connection.info.browserId, label: connection.info.label });
      changed();
    },
  };

  /** Asks; when the connection ends meanwhile and the browser comes back, asks once more where that is safe. */
  const ask = async (
    connection: Connection,
    method: string,
    params: Record<string, unknown>,
    call: CallOptions & { isReadOnly: boolean },
  ): Promise<unknown> => {
    try {
      return await connection.rpc.request(method, params, call);
    } catch (error) {
      if (!(error instanceof ConnectionLostError)) throw error;
    }
    const { browserId } = connection.info;
    const isBack = (): Connection | null => {
      const found = browsers.find(browserId);
      return found === connection ? null : found;
    };
    const next = await browsers.wait(isBack, RECONNECT_MS, call.signal);
    // With the same journal the extension knows whether this call id has run, and never runs it twice.
    const isSafe = call.isReadOnly || (next?.journalId !== undefined && next.journalId === connection.journalId);
    if (next === null || !isSafe) throw new CompanionError(call.isReadOnly ? 'BROWSER_DISCONNECTED' : 'WORKER_RESTARTED');
    try {
      return await next.rpc.request(method, params, call);
    } catch (error) {
      if (error instanceof ConnectionLostError) throw new CompanionError(call.isReadOnly ? 'BROWSER_DISCONNECTED' : 'WORKER_RESTARTED');
      throw error;
    }
  };

  const call = async (input: CallInput, { signal, onProgress }: CallOptions): Promise<ToolResult> => {
    const connection = await routing.route(input.sessionId, input.browserId ?? routing.asked(input.args), signal, onProgress);
    const silence = createSilence(signal);
    const report = (progress: Progress): void => {
      silence.heard();
      onProgress?.(progress);
    };
    try {
      const params = { name: input.name, arguments: input.args, _meta: toMeta(input) };
      const isReadOnly = tools.classOf(input.name) === 'read';
      const answer = await ask(connection, 'tools/call', params, { signal: silence.signal, onProgress: report, isReadOnly });
      const result = ToolResult.safeParse(answer);
      if (!result.success) throw new CompanionError('FRAME_INVALID', `The result of ${input.name} is not one.`);
      return input.name === 'browser_tabs' ? describeOthers(result.data, connection, browsers.list()) : result.data;
    } catch (error) {
      throw silence.isOver() && !signal.aborted ? new CompanionError('TOOL_TIMEOUT') : error;
    } finally {
      silence.end();
    }
  };

  return {
    attach: (carrier, welcome) => {
      carriers.add(carrier);
      const accepted = acceptCarrier(carrier, { welcome, log, events });
      return {
        receive: (frame) => accepted.receive(frame),
        closed: () => {
          carriers.delete(carrier);
          accepted.closed();
        },
      };
    },
    browsers: () => browsers.list().map((connection) => connection.info),
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    tools: () => tools.list(),
    resolveTab: async (sessionId, tool, args, signal, onProgress) => {
      const connection = await routing.route(sessionId, routing.asked(args), signal, onProgress);
      const answer = await ask(connection, 'pilotfish/resolve_tab', { sessionId, tool, args }, { signal, isReadOnly: true });
      return TabTarget.nullable().parse(answer);
    },
    call,
    sessionStarted: (sessionId, name) => {
      sessions.set(sessionId, name);
      broadcast({ type: 'session_start', sessionId, name });
    },
    sessionEnded: (sessionId) => {
      sessions.delete(sessionId);
      routing.forget(sessionId);
      broadcast({ type: 'session_end', sessionId });
    },
    setAttention: (count) => {
      attention = count;
      broadcast({ type: 'attention', count });
    },
    close: () => {
      for (const carrier of carriers) carrier.close();
    },
  };
};

const toMeta = ({ callId, sessionId, target }: CallInput): Record<string, unknown> => ({
  callId,
  sessionId,
  ...(target === undefined ? {} : { target }),
});

/** Aborts when the caller does, or when nothing was heard for too long. */
const createSilence = (signal: AbortSignal): { signal: AbortSignal; heard(): void; isOver(): boolean; end(): void } => {
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(), SILENCE_MS);
  return {
    signal: AbortSignal.any([signal, over.signal]),
    heard: () => void timer.refresh(),
    isOver: () => over.signal.aborted,
    end: () => clearTimeout(timer),
  };
};
