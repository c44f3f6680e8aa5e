/** What a page has written to its console, and which of its requests failed: the browser keeps both and reports them to a debugger. */
import * as z from 'zod';
import type { ConsoleEntry } from '#extension/toolkit/page.ts';
import { Remote, contentsOf, writtenOf } from './console-values.ts';
import type { Debugger, Debuggers } from './debugger.ts';
import { withFrameSessions } from './frame-sessions.ts';

const MAX_ENTRIES = 200;
const MAX_ENTRY_CHARS = 2000;

const Logged = z.object({
  entry: z.looseObject({ source: z.string(), level: z.string(), text: z.string(), timestamp: z.number(), url: z.string().optional() }),
});
const Called = z.looseObject({ type: z.string(), timestamp: z.number(), args: z.array(Remote) });
const Thrown = z.object({
  timestamp: z.number(),
  exceptionDetails: z.looseObject({ text: z.string(), exception: z.looseObject({ description: z.string().optional() }).optional() }),
});

interface LogOptions {
  readonly tabId: number;
  readonly forgets: boolean;
  readonly signal: AbortSignal;
  /** Whether frames with this address may be read; null where the page has no frames. */
  readonly isRead: ((url: string) => boolean) | null;
}

/** The newest entries of the console and of failed requests, oldest first. The debugger listens for the moment of the reading only. */
export const readPageLog = async (debuggers: Debuggers, { tabId, forgets, signal, isRead }: LogOptions): Promise<ConsoleEntry[]> => {
  const log: Taken[] = [];
  const contents = new Map<Remote, string>();
  const onEvent = (source: chrome.debugger.DebuggerSession, method: string, params?: object): void => {
    const taken = source.tabId === tabId ? take(method, params) : null;
    if (taken !== null) log.push({ ...taken, sessionId: source.sessionId });
  };
  const readIn = async (attached: Debugger, sessionId?: string): Promise<void> => {
    const send = (method: string, params: Record<string, unknown>): Promise<unknown> => attached.send(method, params, sessionId);
    // Both commands report what was kept since the page was loaded before they answer.
    await send('Runtime.enable', {});
    await send('Log.enable', {});
    const values = log.filter((taken) => taken.sessionId === sessionId).flatMap(({ args }) => args);
    for (const [value, content] of await contentsOf(values, send)) contents.set(value, content);
    if (forgets) await Promise.all([send('Runtime.discardConsoleEntries', {}), send('Log.clear', {})]);
    // The next one who asks is told again, and nobody pays meanwhile.
    await send('Runtime.disable', {});
    await send('Log.disable', {});
  };
  chrome.debugger.onEvent.addListener(onEvent);
  try {
    await debuggers.with(tabId, signal, async (attached) => {
      await readIn(attached);
      if (isRead === null) return;
      await withFrameSessions(attached, tabId, async (frames) => {
        // A frame may go while it is read.
        for (const { place, url } of frames) if (isRead(url)) await readIn(attached, place.sessionId).catch(() => signal.throwIfAborted());
      });
    });
  } finally {
    chrome.debugger.onEvent.removeListener(onEvent);
  }
  const entries = log.toSorted((one, other) => one.at - other.at).map((taken) => toEntry(taken, contents));
  return [...newest(entries, 'console'), ...newest(entries, 'network')].toSorted(
    (one, other) => entries.indexOf(one) - entries.indexOf(other),
  );
};

const newest = (entries: readonly ConsoleEntry[], source: ConsoleEntry['source']): ConsoleEntry[] =>
  entries.filter((entry) => entry.source === source).slice(-MAX_ENTRIES);

interface Taken {
  readonly at: number;
  readonly source: ConsoleEntry['source'];
  readonly kind: string;
  readonly text: string;
  /** What a call of the console was given, in place of a text. */
  readonly args: readonly Remote[];
  /** Of the frame that has written it, where that runs in a process of its own. */
  readonly sessionId: string | undefined;
}

const take = (method: string, params: unknown): Omit<Taken, 'sessionId'> | null => {
  if (method === 'Log.entryAdded') {
    const logged = Logged.safeParse(params);
    if (!logged.success) return null;
    const { source, level, text, timestamp, url } = logged.data.entry;
    // What the browser says of our own scripts is not the page's.
    if (url?.startsWith(chrome.runtime.getURL('')) === true) return null;
    const [from, said] = [source === 'network' ? 'network' : 'console', url === undefined ? text : `${text} (${url})`] as const;
    return { at: timestamp, source: from, kind: level, text: said, args: [] };
  }
  if (method === 'Runtime.consoleAPICalled') {
    const called = Called.safeParse(params);
    if (!called.success || called.data.type === 'endGroup') return null;
    const { timestamp, type, args } = called.data;
    return { at: timestamp, source: 'console', kind: type, text: '', args };
  }
  if (method === 'Runtime.exceptionThrown') {
    const thrown = Thrown.safeParse(params);
    if (!thrown.success) return null;
    const { exception, text } = thrown.data.exceptionDetails;
    return { at: thrown.data.timestamp, source: 'console', kind: 'error', text: exception?.description ?? text, args: [] };
  }
  return null;
};

const toEntry = ({ source, kind, text, args }: Taken, contents: ReadonlyMap<Remote, string>): ConsoleEntry => ({
  source,
  kind,
  text: (args.length === 0 ? text : writtenOf(args, contents)).slice(0, MAX_ENTRY_CHARS),
});
