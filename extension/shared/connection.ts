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

/** What a person mends outside the browser, while they look: it is tried so often. */
const LOOK_AGAIN_MS = 1_000;

/** Calls back with the state at once and at each change. The worker may sleep or restart: the stored state stands in for it. */
export const watchConnection = (onState: (state: ConnectionState) => void): ConnectionWatch => {
  let lookAgain: ReturnType<typeof setTimeout> | undefined;
  const tell = (state: ConnectionState): void => {
    onState(state);
    clearTimeout(lookAgain);
    if (state.state === 'host_missing' || state.state === 'host_forbidden') lookAgain = setTimeout(retry, LOOK_AGAIN_MS);
  };
  const retry = (): void => send({ type: 'connection.retry' });
  const take = (value: unknown): void => {
    const state = ConnectionState.safeParse(value);
    if (state.success) tell(state.data);
  };
  const onMessage = (message: unknown, sender: chrome.runtime.MessageSender): void => {
    if (sender.id !== chrome.runtime.id) return;
    const parsed = WorkerMessage.safeParse(message);
    if (parsed.success) tell(parsed.data.state);
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
    retry,
    close: () => {
      clearTimeout(lookAgain);
      chrome.runtime.onMessage.removeListener(onMessage);
      chrome.storage.onChanged.removeListener(onStored);
    },
  };
};
