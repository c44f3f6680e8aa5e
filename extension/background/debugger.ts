/** The debugger: attached for one purpose, detached at once. Chrome shows a bar while it is attached. */
import { CompanionError } from '#protocol/errors.ts';
import { orAborted } from './queue.ts';

const PROTOCOL_VERSION = '1.3';

export interface Debugger {
  send(method: string, params: Record<string, unknown>): Promise<unknown>;
}

/** Runs `task` with the debugger attached to the tab. */
export const withDebugger = async <T>(tabId: number, signal: AbortSignal, task: (attached: Debugger) => Promise<T>): Promise<T> => {
  const target = { tabId };
  try {
    await chrome.debugger.attach(target, PROTOCOL_VERSION);
  } catch (error) {
    throw new CompanionError('TOOL_FAILED', `The debugger cannot be attached: ${error instanceof Error ? error.message : String(error)}`, {
      remedy: 'Close DevTools on this tab, or do without it.',
    });
  }
  try {
    return await task({
      send: async (method, params) => {
        signal.throwIfAborted();
        return orAborted(chrome.debugger.sendCommand(target, method, params), signal);
      },
    });
  } finally {
    // The user may have closed the bar, which detaches.
    await chrome.debugger.detach(target).catch(() => null);
  }
};
