/** The worker's connection to the companion, as a page of the extension follows it. */
import { errorSaying } from '#protocol/errors.ts';
import { explainInFront } from '#protocol/front-faults.ts';
import { CONNECTION_KEY, ConnectionState, WorkerMessage, type PageMessage } from './messages.ts';

const silentWorker = errorSaying('INTERNAL', explainInFront('worker_silent'), explainInFront('reload_and_open'));

/** What a person mends outside the browser, while they look: it is tried so often. */
const LOOK_AGAIN_MS = 1_000;

/** The worker may sleep or restart: the stored state stands in for it. */
export class ConnectionWatch {
  readonly #onState: (state: ConnectionState) => void;
  #lookAgain: ReturnType<typeof setTimeout> | undefined;

  /** Calls back with the state at once and at each change. */
  constructor(onState: (state: ConnectionState) => void) {
    this.#onState = onState;
    chrome.runtime.onMessage.addListener(this.#onMessage);
    chrome.storage.onChanged.addListener(this.#onStored);
    this.#send({ type: 'connection.get' });
  }

  /** Asks the worker to connect again now. */
  retry(): void {
    this.#send({ type: 'connection.retry' });
  }

  close(): void {
    clearTimeout(this.#lookAgain);
    chrome.runtime.onMessage.removeListener(this.#onMessage);
    chrome.storage.onChanged.removeListener(this.#onStored);
  }

  readonly #onMessage = (message: unknown, sender: chrome.runtime.MessageSender): void => {
    if (sender.id !== chrome.runtime.id) return;
    const parsed = WorkerMessage.safeParse(message);
    if (parsed.success) this.#tell(parsed.data.state);
  };

  readonly #onStored = (changes: Record<string, chrome.storage.StorageChange>, area: string): void => {
    if (area === 'session') this.#take(changes[CONNECTION_KEY]?.newValue);
  };

  #send(message: PageMessage): void {
    chrome.runtime.sendMessage(message).then(
      (answer: unknown) => {
        if (message.type === 'connection.get') this.#take(answer);
      },
      () => this.#onState({ state: 'reconnecting', error: silentWorker, attempt: 1 }),
    );
  }

  #take(value: unknown): void {
    const state = ConnectionState.safeParse(value);
    if (state.success) this.#tell(state.data);
  }

  #tell(state: ConnectionState): void {
    this.#onState(state);
    clearTimeout(this.#lookAgain);
    // Somebody looks, so it is needed.
    if (state.state === 'resting') this.retry();
    if (state.state === 'host_missing' || state.state === 'host_forbidden') this.#lookAgain = setTimeout(() => this.retry(), LOOK_AGAIN_MS);
  }
}
