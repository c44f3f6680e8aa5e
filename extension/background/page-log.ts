/** What a page has said to its console and which of its requests failed: the browser keeps both, and tells them to a debugger. */
import * as z from 'zod';
import { withDebugger } from './debugger.ts';

const MAX_LINES = 200;
const MAX_LINE_CHARS = 2000;

export interface PageLog {
  readonly console: readonly string[];
  readonly network: readonly string[];
}

const Logged = z.object({ entry: z.looseObject({ source: z.string(), level: z.string(), text: z.string(), url: z.string().optional() }) });
const Called = z.looseObject({
  type: z.string(),
  args: z.array(z.looseObject({ type: z.string(), value: z.unknown().optional(), description: z.string().optional() })),
});
const Thrown = z.object({
  exceptionDetails: z.looseObject({ text: z.string(), exception: z.looseObject({ description: z.string().optional() }).optional() }),
});

/** The newest lines of each, oldest first. The debugger is attached for the moment of the reading only. */
export const readPageLog = async (tabId: number, signal: AbortSignal): Promise<PageLog> => {
  const log = { console: new Array<string>(), network: new Array<string>() };
  const onEvent = (source: chrome.debugger.DebuggerSession, method: string, params?: object): void => {
    if (source.tabId === tabId) take(log, method, params);
  };
  chrome.debugger.onEvent.addListener(onEvent);
  try {
    await withDebugger(tabId, signal, async (attached) => {
      // Both tell what was kept since the page was loaded before they answer.
      await attached.send('Runtime.enable', {});
      await attached.send('Log.enable', {});
    });
  } finally {
    chrome.debugger.onEvent.removeListener(onEvent);
  }
  return { console: log.console.slice(-MAX_LINES), network: log.network.slice(-MAX_LINES) };
};

const take = (log: { console: string[]; network: string[] }, method: string, params: unknown): void => {
  if (method === 'Log.entryAdded') {
    const logged = Logged.safeParse(params);
    if (!logged.success) return;
    const { source, level, text, url } = logged.data.entry;
    (source === 'network' ? log.network : log.console).push(line(level, url === undefined ? text : `${text} (${url})`));
  } else if (method === 'Runtime.consoleAPICalled') {
    const called = Called.safeParse(params);
    if (called.success) log.console.push(line(called.data.type, called.data.args.map(shown).join(' ')));
  } else if (method === 'Runtime.exceptionThrown') {
    const thrown = Thrown.safeParse(params);
    if (thrown.success)
      log.console.push(line('error', thrown.data.exceptionDetails.exception?.description ?? thrown.data.exceptionDetails.text));
  }
};

const shown = ({ value, description }: { value?: unknown; description?: string | undefined }): string =>
  typeof value === 'string' ? value : (description ?? JSON.stringify(value) ?? 'undefined');

const line = (level: string, text: string): string => `[${level}] ${text.slice(0, MAX_LINE_CHARS)}`;
