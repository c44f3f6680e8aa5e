/**
 * The carrier to the companion. Chrome starts the host, an open port keeps this worker alive, and a lost connection is made
 * again for ever.
 */
import { Joiner, splitMessage } from '#protocol/chunk.ts';
import { DownFrame, type UpFrame } from '#protocol/link.ts';
import type { ErrorBody } from '#protocol/errors.ts';
import { HOST_NAME } from '#protocol/version.ts';
import type { ConnectionState } from '#extension/shared/messages.ts';
import type { Conversation } from './conversation.ts';
import { type Ending, pauseBefore, toState } from './link-state.ts';

/** Chrome takes 64 MiB at once in this direction; a message below this length fits, whatever its characters are. */
const WHOLE_UNITS = 16_000_000;

interface Options {
  /** Called when the host has answered; the conversation says hello. */
  readonly converse: (send: (frame: UpFrame) => void) => Conversation;
  readonly onState: (state: ConnectionState) => void;
}

export class NativePort {
  readonly #options: Options;
  #line: Line | null = null;
  #state: ConnectionState = { state: 'starting' };
  #attempt = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: Options) {
    this.#options = options;
  }

  /** Connects, unless it is connected or connecting; what rests is left alone. */
  connect(): void {
    if (this.#line === null) this.#dial();
  }

  /** Connects because somebody looks: the companion is needed. */
  wake(): void {
    this.connect();
    this.#line?.wake();
  }

  state(): ConnectionState {
    return this.#state;
  }

  #dial(): void {
    clearTimeout(this.#timer);
    this.#line = new Line(this.#options.converse, {
      // The program answers: what was missing is there, whatever comes of it.
      onHost: () => {
        if (['host_missing', 'host_forbidden', 'resting'].includes(this.#state.state)) this.#setState({ state: 'starting' });
      },
      onResting: () => this.#setState({ state: 'resting' }),
      onWelcome: ({ port, token, companionVersion, advice, admission }) => {
        this.#attempt = 0;
        this.#setState(
          admission === undefined
            ? { state: 'connected', port, token, companionVersion, ...(advice === undefined ? {} : { advice }) }
            : { state: 'newcomer', port, token, admission },
        );
      },
      onEnd: (ending) => {
        this.#line = null;
        this.#attempt += 1;
        this.#setState(toState(ending, this.#attempt));
        this.#timer = setTimeout(() => this.#dial(), pauseBefore(this.#attempt, this.#state));
      },
    });
  }

  #setState(state: ConnectionState): void {
    this.#state = state;
    this.#options.onState(state);
  }
}

type WelcomeFrame = Extract<DownFrame, { type: 'welcome' }>;

interface LineEvents {
  onHost(): void;
  onResting(): void;
  onWelcome(frame: WelcomeFrame): void;
  onEnd(ending: Ending): void;
}

/** One port, from its opening to its end; after that nothing is sent or received. */
class Line {
  readonly #port = chrome.runtime.connectNative(HOST_NAME);
  readonly #joiner = new Joiner();
  readonly #converse: Options['converse'];
  readonly #events: LineEvents;
  #conversation: Conversation | null = null;
  #error: ErrorBody | null = null;
  #isRefused = false;
  /** The daemon has ended, and the host waits for the next one. */
  #isResting = false;
  #conversations = 0;
  #hasEnded = false;
  #lastMessage = 0;

  constructor(converse: Options['converse'], events: LineEvents) {
    this.#converse = converse;
    this.#events = events;
    this.#port.onMessage.addListener((message: unknown) => this.#receive(message));
    this.#port.onDisconnect.addListener(() => this.#end(chrome.runtime.lastError?.message ?? ''));
  }

  /** A fault that a frame causes ends this connection; the next one begins afresh. */
  #receive(message: unknown): void {
    try {
      const joined = this.#joiner.take(message);
      if (joined.type !== 'message') return;
      const parsed = DownFrame.safeParse(joined.value);
      // A newer companion may send frames that this version does not know; by its protocol version they may be ignored.
      if (parsed.success) this.#take(parsed.data);
    } catch (error) {
      console.error('link.fault', error);
      this.#port.disconnect();
      // Chrome tells only the other end of a disconnect.
      this.#end(String(error));
    }
  }

  #take(frame: DownFrame): void {
    if (frame.type === 'resting') {
      this.#isResting = true;
      this.#conversation?.closed();
      this.#events.onResting();
    } else if (frame.type === 'host') {
      this.#isResting = false;
      this.#events.onHost();
      this.#conversation = this.#begin();
    } else if (frame.type === 'host_failed' || frame.type === 'refused') {
      this.#error = frame.error;
      this.#isRefused = frame.type === 'refused';
    } else {
      if (frame.type === 'welcome') this.#events.onWelcome(frame);
      this.#conversation?.receive(frame);
    }
  }

  /** Asks for the daemon, if it rests. */
  wake(): void {
    if (this.#isResting && !this.#hasEnded) this.#port.postMessage({ type: 'wake' } satisfies UpFrame);
  }

  /** What an earlier conversation still has to say is not sent. */
  #begin(): Conversation {
    const number = (this.#conversations += 1);
    return this.#converse((up) => {
      if (number === this.#conversations && !this.#isResting) this.#send(up);
    });
  }

  #send(frame: UpFrame): void {
    if (this.#hasEnded) return;
    const json = JSON.stringify(frame);
    if (json.length <= WHOLE_UNITS) return this.#port.postMessage(frame);
    for (const part of splitMessage(json, String((this.#lastMessage += 1)))) this.#port.postMessage(JSON.parse(part));
  }

  #end(text: string): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#conversation?.closed();
    this.#events.onEnd({ text, error: this.#error, isRefused: this.#isRefused, hasSpoken: this.#conversation !== null });
  }
}
