/** What a page has written to its console, and which of its requests failed: the browser keeps both and reports them to a debugger. */
import * as z from 'zod';
import type { ConsoleEntry } from '#extension/toolkit/page.ts';
import { Remote, contentsOf, writtenOf } from './console-values.ts';
import type { Debuggers } from './debugger.ts';

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

/** The newest entries of the console and of failed requests, oldest first. The debugger listens for the moment of the reading only. */
export const readPageLog = async (
  debuggers: Debuggers,
  { tabId, forgets, signal }: { readonly tabId: number; readonly forgets: boolean; readonly signal: AbortSignal },
): Promise<ConsoleEntry[]> => {
  const log: Taken[] = [];
  let contents: ReadonlyMap<Remote, string> = new Map();
  const onEvent = (source: chrome.debugger.DebuggerSession, method: string, params?: object): void => {
    const taken = source.tabId === tabId ? take(method, params) : null;
    if (taken !== null) log.push(taken);
  };
  chrome.debugger.onEvent.addListener(onEvent);
  try {
    await debuggers.with(tabId, signal, async (attached) => {
      // Both commands report what was kept since the page was loaded before they answer.
      await attached.send('Runtime.enable', {});
      await attached.send('Log.enable', {});
      const values = log.flatMap(({ args }) => args);
      contents = await contentsOf(values, (method, params) => attached.send(method, params));
      if (forgets) await Promise.all([attached.send('Runtime.discardConsoleEntries', {}), attached.send('Log.clear', {})]);
      // The next one who asks is told again, and nobody pays meanwhile.
      await attached.send('Runtime.disable', {});
      await attached.send('Log.disable', {});
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
}

const take = (method: string, params: unknown): Taken | null => {
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
