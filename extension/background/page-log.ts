/** What a page has written to its console, and which of its requests failed: the browser keeps both and reports them to a debugger. */
import * as z from 'zod';
import type { ConsoleEntry } from '#extension/toolkit/page.ts';
import type { Debuggers } from './debugger.ts';

const MAX_ENTRIES = 200;
const MAX_ENTRY_CHARS = 2000;

const Logged = z.object({
  entry: z.looseObject({ source: z.string(), level: z.string(), text: z.string(), timestamp: z.number(), url: z.string().optional() }),
});
const Called = z.looseObject({
  type: z.string(),
  timestamp: z.number(),
  args: z.array(z.looseObject({ type: z.string(), value: z.unknown().optional(), description: z.string().optional() })),
});
const Thrown = z.object({
  timestamp: z.number(),
  exceptionDetails: z.looseObject({ text: z.string(), exception: z.looseObject({ description: z.string().optional() }).optional() }),
});

/** The newest entries of the console and of failed requests, oldest first. The debugger listens for the moment of the reading only. */
export const readPageLog = async (
  debuggers: Debuggers,
  { tabId, forgets, signal }: { readonly tabId: number; readonly forgets: boolean; readonly signal: AbortSignal },
): Promise<ConsoleEntry[]> => {
  const log: { at: number; entry: ConsoleEntry }[] = [];
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
      if (forgets) await Promise.all([attached.send('Runtime.discardConsoleEntries', {}), attached.send('Log.clear', {})]);
      // The next one who asks is told again, and nobody pays meanwhile.
      await attached.send('Runtime.disable', {});
      await attached.send('Log.disable', {});
    });
  } finally {
    chrome.debugger.onEvent.removeListener(onEvent);
  }
  const entries = log.toSorted((one, other) => one.at - other.at).map(({ entry }) => entry);
  return [...newest(entries, 'console'), ...newest(entries, 'network')].toSorted(
    (one, other) => entries.indexOf(one) - entries.indexOf(other),
  );
};

const newest = (entries: readonly ConsoleEntry[], source: ConsoleEntry['source']): ConsoleEntry[] =>
  entries.filter((entry) => entry.source === source).slice(-MAX_ENTRIES);

const take = (method: string, params: unknown): { at: number; entry: ConsoleEntry } | null => {
  if (method === 'Log.entryAdded') {
    const logged = Logged.safeParse(params);
    if (!logged.success) return null;
    const { source, level, text, timestamp, url } = logged.data.entry;
    return taken(timestamp, source === 'network' ? 'network' : 'console', level, url === undefined ? text : `${text} (${url})`);
  }
  if (method === 'Runtime.consoleAPICalled') {
    const called = Called.safeParse(params);
    return called.success ? taken(called.data.timestamp, 'console', called.data.type, called.data.args.map(shown).join(' ')) : null;
  }
  if (method === 'Runtime.exceptionThrown') {
    const thrown = Thrown.safeParse(params);
    if (!thrown.success) return null;
    const { exception, text } = thrown.data.exceptionDetails;
    return taken(thrown.data.timestamp, 'console', 'error', exception?.description ?? text);
  }
  return null;
};

const shown = ({ value, description }: { value?: unknown; description?: string | undefined }): string =>
  typeof value === 'string' ? value : (description ?? JSON.stringify(value) ?? 'undefined');

const taken = (at: number, source: ConsoleEntry['source'], kind: string, text: string): { at: number; entry: ConsoleEntry } => ({
  at,
  entry: { source, kind, text: text.slice(0, MAX_ENTRY_CHARS) },
});
