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
  /** What was told last. */
  #told: ConnectionState['state'] | null = null;
  /** The person has not decided about this browser yet, and the companion rests meanwhile: what they are asked stays as it is. */
  #isQuestionKept = false;
  readonly #waking = new Set<() => void>();

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

  /** Resolves once the companion is there to hear what the person has decided. */
  async wake(): Promise<void> {
    if (!this.#isQuestionKept) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waking.add(resolve);
    this.retry();
    await promise;
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
      () => this.#tell({ state: 'reconnecting', error: silentWorker, attempt: 1 }),
    );
  }

  #take(value: unknown): void {
    const state = ConnectionState.safeParse(value);
    if (state.success) this.#tell(state.data);
  }

  #tell(state: ConnectionState): void {
    clearTimeout(this.#lookAgain);
    // To show a question nobody is needed at the far end, who would rest again a minute later.
    this.#isQuestionKept = this.#told === 'newcomer' && (state.state === 'resting' || (this.#isQuestionKept && state.state === 'starting'));
    if (this.#isQuestionKept) return;
    this.#told = state.state;
    this.#onState(state);
    for (const awake of this.#waking) awake();
    this.#waking.clear();
    // Somebody looks, so it is needed.
    if (state.state === 'resting') this.retry();
    if (state.state === 'host_missing' || state.state === 'host_forbidden') this.#lookAgain = setTimeout(() => this.retry(), LOOK_AGAIN_MS);
  }
}
