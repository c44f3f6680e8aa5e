/** Which browser a session works in: the one it named, the one it used before, or the one used last. */
import type { ToolResult } from '#protocol/browser.ts';
import { CompanionError } from '#protocol/errors.ts';
import { BrowserId, type SessionId } from '#protocol/ids.ts';
import type { Browsers } from './browsers.ts';
import type { Connection } from './connection.ts';
import type { Progress } from './rpc.ts';

const PROGRESS_EVERY_MS = 1_000;

export interface Routing {
  /** The browser for a call, waiting for one if need be; the session stays with it. */
  route(
    sessionId: SessionId,
    wanted: BrowserId | undefined,
    signal: AbortSignal,
    onProgress?: (progress: Progress) => void,
  ): Promise<Connection>;
  /** The browser that the arguments of a call name. */
  asked(args: Record<string, unknown>): BrowserId | undefined;
  forget(sessionId: SessionId): void;
}

export const createRouting = (browsers: Browsers, waitMs: number): Routing => {
  /** The label is kept for the time when the browser has gone. */
  const bindings = new Map<SessionId, { browserId: BrowserId; label: string }>();

  const notThere = (sessionId: SessionId, wanted: BrowserId | undefined): CompanionError => {
    const connected = browsers.list().map(({ info }) => `"${info.label}" (${info.browserId})`);
    if (wanted !== undefined && connected.length > 0) return new CompanionError('BROWSER_UNKNOWN', `Connected: ${connected.join(', ')}.`);
    const bound = bindings.get(sessionId);
    if (bound === undefined || connected.length === 0) return new CompanionError('BROWSER_NOT_CONNECTED');
    // Said once and not done silently: the next call may go elsewhere.
    bindings.delete(sessionId);
    return new CompanionError('BROWSER_NOT_CONNECTED', `"${bound.label}", where this session worked, is closed.`, {
      remedy: `Open it again, or repeat the call to work in ${connected[0]} from now on.`,
    });
  };

  return {
    route: async (sessionId, wanted, signal, onProgress) => {
      const choose = (): Connection | null => {
        const browserId = wanted ?? bindings.get(sessionId)?.browserId;
        return browserId === undefined ? (browsers.list()[0] ?? null) : browsers.find(browserId);
      };
      const found = choose() ?? (await withProgress(waitMs, onProgress, () => browsers.wait(choose, waitMs, signal)));
      if (found === null) throw notThere(sessionId, wanted);
      bindings.set(sessionId, { browserId: found.info.browserId, label: found.info.label });
      return found;
    },
    asked: (args) => {
      const browserId = BrowserId.safeParse(args['browserId']);
      return browserId.success ? browserId.data : undefined;
    },
    forget: (sessionId) => void bindings.delete(sessionId),
  };
};

/** Adds to a tab list what only the companion knows: the other browsers, and how to get there. */
export const describeOthers = (result: ToolResult, here: Connection, all: readonly Connection[]): ToolResult => {
  const others = all.filter((connection) => connection !== here);
  if (others.length === 0) return result;
  const lines = others.map(({ info }) => `- ${info.name} "${info.label}": browserId ${info.browserId}`);
  const text = `Other connected browsers (pass browserId to browser_tabs to work there):\n${lines.join('\n')}`;
  return { ...result, content: [...result.content, { type: 'text', text }] };
};

/** A client that hears nothing gives up; so it hears each second that we wait. */
const withProgress = async <T>(
  waitMs: number,
  onProgress: ((progress: Progress) => void) | undefined,
  wait: () => Promise<T>,
): Promise<T> => {
  const startedAt = Date.now();
  const report = (): void =>
    onProgress?.({
      progress: Math.round((Date.now() - startedAt) / 1000),
      total: Math.round(waitMs / 1000),
      message: 'Waiting for a browser with the Pilotfish extension.',
    });
  report();
  const timer = setInterval(report, PROGRESS_EVERY_MS);
  try {
    return await wait();
  } finally {
    clearInterval(timer);
  }
};
