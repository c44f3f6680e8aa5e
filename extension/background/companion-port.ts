/** The connection to the companion, by whichever carrier. A lost one is made again for ever. */
import { Joiner } from '#protocol/chunk.ts';
import type { Preparing } from '#protocol/health.ts';
import { DownFrame, type UpFrame } from '#protocol/link.ts';
import { type ErrorBody, toErrorBody } from '#protocol/errors.ts';
import type { ConnectionState } from '#extension/shared/messages.ts';
import type { Carrier } from './carriers.ts';
import type { Conversation } from './conversation.ts';
import { type Ending, pauseBefore, toState } from './link-state.ts';

interface Options {
  /** Opens the carrier that the person has chosen; throws what the person is told. */
  readonly open: () => Promise<Carrier>;
  /** Called when the host has answered; the conversation says hello. */
  readonly converse: (send: (frame: UpFrame) => void) => Conversation;
  readonly onState: (state: ConnectionState) => void;
}

export class CompanionPort {
  readonly #options: Options;
  #line: Line | null = null;
  #state: ConnectionState = { state: 'starting' };
  #attempt = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Counts the attempts to open a carrier: only the newest one counts. */
  #dials = 0;
  #isDialing = false;

  constructor(options: Options) {
    this.#options = options;
  }

  /** The person has chosen another carrier. */
  reopen(): void {
    this.#isDialing = false;
    this.#attempt = 0;
    const line = this.#line;
    this.#line = null;
    line?.close();
    this.#setState({ state: 'starting' });
    void this.#dial();
  }

  /** Connects, unless it is connected or connecting; what rests is left alone. */
  connect(): void {
    if (this.#line === null && !this.#isDialing) void this.#dial();
  }

  /** Connects because somebody looks: the companion is needed. */
  wake(): void {
    this.connect();
    this.#line?.wake();
  }

  state(): ConnectionState {
    return this.#state;
  }

  async #dial(): Promise<void> {
    clearTimeout(this.#timer);
    const dial = (this.#dials += 1);
    this.#isDialing = true;
    let carrier: Carrier;
    try {
      carrier = await this.#options.open();
    } catch (error) {
      if (dial === this.#dials) this.#ended({ text: '', error: toErrorBody(error), isRefused: false, hasSpoken: false, isElsewhere: true });
      return;
    }
    if (dial !== this.#dials) return carrier.close();
    this.#isDialing = false;
    const line: Line = new Line(carrier, this.#options.converse, {
      // The program answers: what was missing is there, whatever comes of it.
      onHost: () => {
        if (['host_missing', 'host_forbidden', 'resting'].includes(this.#state.state)) this.#setState({ state: 'starting' });
      },
      onPreparing: (preparing) => this.#setState({ state: 'starting', preparing }),
      onResting: () => this.#setState({ state: 'resting' }),
      onWelcome: ({ port, token, companionVersion, advice, admission }) => {
        this.#attempt = 0;
        const place = carrier.place(port);
        this.#setState(
          admission === undefined
            ? { state: 'connected', ...place, token, companionVersion, ...(advice === undefined ? {} : { advice }) }
            : { state: 'newcomer', ...place, token, admission },
        );
      },
      onEnd: (ending) => {
        if (this.#line === line) this.#ended(ending);
      },
    });
    this.#line = line;
    line.begin();
  }

  #ended(ending: Ending): void {
    this.#line = null;
    this.#isDialing = false;
    this.#attempt += 1;
    this.#setState(toState(ending, this.#attempt));
    this.#timer = setTimeout(() => void this.#dial(), pauseBefore(this.#attempt, this.#state));
  }

  #setState(state: ConnectionState): void {
    this.#state = state;
    this.#options.onState(state);
  }
}

type WelcomeFrame = Extract<DownFrame, { type: 'welcome' }>;

interface LineEvents {
  onHost(): void;
  onPreparing(preparing: Preparing): void;
  onResting(): void;
  onWelcome(frame: WelcomeFrame): void;
  onEnd(ending: Ending): void;
}

/** One carrier, from its opening to its end; after that nothing is sent or received. */
class Line {
  readonly #carrier: Carrier;
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

  constructor(carrier: Carrier, converse: Options['converse'], events: LineEvents) {
    this.#carrier = carrier;
    this.#converse = converse;
    this.#events = events;
  }

  begin(): void {
    this.#carrier.begin(
      (message) => this.#receive(message),
      (text) => this.#end(text),
    );
  }

  close(): void {
    this.#carrier.close();
    this.#end('');
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
      this.#carrier.close();
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
    } else if (frame.type === 'preparing') {
      this.#events.onPreparing(frame.preparing);
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
    if (this.#isResting && !this.#hasEnded) this.#carrier.send({ type: 'wake' });
  }

  /** What an earlier conversation still has to say is not sent. */
  #begin(): Conversation {
    const number = (this.#conversations += 1);
    return this.#converse((up) => {
      if (number === this.#conversations && !this.#isResting) this.#send(up);
    });
  }

  #send(frame: UpFrame): void {
    if (!this.#hasEnded) this.#carrier.send(frame);
  }

  #end(text: string): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#conversation?.closed();
    this.#events.onEnd({ text, error: this.#error, isRefused: this.#isRefused, hasSpoken: this.#conversation !== null });
  }
}
