/** The worker's connection to the companion, as a page of the extension follows it. */
import type { ErrorBody } from '#protocol/errors.ts';
import { CONNECTION_KEY, ConnectionState, WorkerMessage, type PageMessage } from './messages.ts';

export interface ConnectionWatch {
  /** Asks the worker to connect again now. */
  retry(): void;
  close(): void;
}

const silentWorker: ErrorBody = {
  code: 'INTERNAL',
  message: "The extension's background worker does not answer.",
  remedy: 'Reload the extension at chrome://extensions, then open this panel again.',
};

/** Calls back with the state at once and at each change. The worker may sleep or restart: the stored state stands in for it. */
export const watchConnection = (onState: (state: ConnectionState) => void): ConnectionWatch => {
  const take = (value: unknown): boolean => {
    const state = ConnectionState.safeParse(value);
    if (state.success) onState(state.data);
    return state.success;
  };
  const onMessage = (message: unknown, sender: chrome.runtime.MessageSender): void => {
    if (sender.id !== chrome.runtime.id) return;
    const parsed = WorkerMessage.safeParse(message);
    if (parsed.success) onState(parsed.data.state);
  };
  const onStored = (changes: Record<string, chrome.storage.StorageChange>, area: string): void => {
    if (area === 'session') take(changes[CONNECTION_KEY]?.newValue);
  };
  const send = (message: PageMessage): void => {
    chrome.runtime.sendMessage(message).then(
      (answer: unknown) => {
        if (message.type === 'connection.get') take(answer);
      },
      () => onState({ state: 'reconnecting', error: silentWorker, attempt: 1 }),
    );
  };
  chrome.runtime.onMessage.addListener(onMessage);
  chrome.storage.onChanged.addListener(onStored);
  send({ type: 'connection.get' });
  return {
    retry: () => send({ type: 'connection.retry' }),
    close: () => {
      chrome.runtime.onMessage.removeListener(onMessage);
      chrome.storage.onChanged.removeListener(onStored);
    },
  };
};
