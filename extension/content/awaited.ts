/** What a page has begun, as its own functions tell. Runs in the page's own world, as a part of `watchPending`. */

type Handler = ProxyHandler<Parameters<typeof Reflect.apply>[0]>;

/** Functions of a page that are watched until they are given back. */
export class WatchedFunctions {
  readonly #undo: (() => void)[] = [];

  replace(owner: unknown, name: string, handler: Handler): void {
    const own: object = Object(owner);
    const original: unknown = Reflect.get(own, name);
    if (typeof original !== 'function') return;
    const watched: unknown = new Proxy(original, handler);
    Reflect.set(own, name, watched);
    this.#undo.push(() => Reflect.get(own, name) === watched && Reflect.set(own, name, original));
  }

  /** Hears what is given to a property, such as a listener. */
  hearSet(owner: unknown, name: string, hear: (self: unknown) => void): void {
    const own: object = Object(owner);
    const original = Object.getOwnPropertyDescriptor(own, name);
    const give = original?.set;
    if (original === undefined || give === undefined) return;
    const set = function set(this: unknown, given: unknown): void {
      Reflect.apply(give, this, [given]);
      hear(this);
    };
    Object.defineProperty(own, name, { ...original, set });
    this.#undo.push(() => Object.getOwnPropertyDescriptor(own, name)?.set === set && Object.defineProperty(own, name, original));
  }

  giveBack(): void {
    for (const undo of this.#undo) undo();
  }
}

/** What the functions of a page have begun and is not over. */
export class Awaited {
  readonly #functions = new WatchedFunctions();
  /** Each with the time from which on it is no longer waited for. */
  readonly #pending = new Map<object, number>();
  /** What ends the wait for each answer. */
  readonly #asked = new Set<() => void>();
  readonly #onOver: () => void;

  constructor(onOver: () => void) {
    this.#onOver = onOver;
  }

  get count(): number {
    const now = performance.now();
    return [...this.#pending.values()].filter((untilMs) => untilMs > now).length;
  }

  begin(limitMs: number): () => void {
    const token = {};
    this.#pending.set(token, performance.now() + limitMs);
    return () => void (this.#pending.delete(token) && this.#onOver());
  }

  /** It is over with the promise that it gives, or with one of these events of what it gives, or of itself. */
  follow(owner: unknown, name: string, limitMs: number, events: readonly string[] = []): void {
    this.#functions.replace(owner, name, {
      apply: (target, self, args): unknown => {
        const isOver = this.begin(limitMs);
        hear(self, events, isOver);
        const result = orOver(isOver, (): unknown => Reflect.apply(target, self, args));
        hear(result, events, isOver);
        const changed: unknown = typeof result === 'object' && result !== null ? Reflect.get(result, 'updateCallbackDone') : null;
        const promise = changed instanceof Promise ? changed : result;
        if (promise instanceof Promise) void promise.finally(isOver).catch(() => null);
        return result;
      },
    });
  }

  /** Made anew, it is waited for until it says something. */
  followMade(name: string, limitMs: number, events: readonly string[]): void {
    this.#functions.replace(globalThis, name, {
      construct: (target, args, made): object => {
        const isOver = this.begin(limitMs);
        const result = orOver(isOver, (): object => Object(Reflect.construct(target, args, made)));
        hear(result, events, isOver);
        return result;
      },
    });
  }

  /** It is over when it calls back the function that it is given first. */
  followCallback(owner: unknown, name: string, limitMs: number): void {
    this.#functions.replace(owner, name, {
      apply: (target, self, [told, ...others]): unknown => {
        const isOver = this.begin(limitMs);
        const tell = function tell(this: unknown, ...args: unknown[]): unknown {
          isOver();
          return typeof told === 'function' ? Reflect.apply(told, this, args) : undefined;
        };
        return orOver(isOver, (): unknown => Reflect.apply(target, self, [tell, ...others]));
      },
    });
  }

  /** What is put off by as much as its options say is over when it is done. */
  followDelayed(owner: unknown, name: string, horizonMs: number, limitMs: number): void {
    this.#functions.replace(owner, name, {
      apply: (target, self, args): unknown => {
        const result: unknown = Reflect.apply(target, self, args);
        const delayMs = Number(Reflect.get(Object(args[1]), 'delay')) || 0;
        if (delayMs <= horizonMs && result instanceof Promise) void result.finally(this.begin(delayMs + limitMs)).catch(() => null);
        return result;
      },
    });
  }

  /** A signal is over when it is given, where that is due so soon. */
  followTimed(owner: unknown, name: string, horizonMs: number, limitMs: number, event: string): void {
    this.#functions.replace(owner, name, {
      apply: (target, self, args): unknown => {
        const result: unknown = Reflect.apply(target, self, args);
        const delayMs = Number(args[0]) || 0;
        if (delayMs <= horizonMs) hear(result, [event], this.begin(delayMs + limitMs));
        return result;
      },
    });
  }

  /** It is over with an event to which what it is done to already listens. */
  followHeard(owner: unknown, name: string, limitMs: number, event: string): void {
    this.#functions.replace(owner, name, {
      apply: (target, self, args): unknown => {
        const result: unknown = Reflect.apply(target, self, args);
        if (typeof Reflect.get(Object(self), `on${event}`) === 'function') hear(self, [event], this.begin(limitMs));
        return result;
      },
    });
  }

  /** A window that closes itself goes a moment later, as the browser comes to it. One that may not do so says that it stays. */
  followClosing(limitMs: number): void {
    this.#functions.replace(globalThis, 'close', {
      apply: (target, self, args): unknown => {
        const result: unknown = Reflect.apply(target, self, args);
        if (Reflect.get(globalThis, 'closed') === true) this.begin(limitMs);
        return result;
      },
    });
  }

  /** What plays is over at its end, where that is due so soon. */
  followPlayed(owner: unknown, name: string, horizonMs: number, limitMs: number): void {
    this.#functions.replace(owner, name, {
      apply: (target, self, args): unknown => {
        const isOver = this.begin(limitMs);
        hear(self, ['ended', 'pause', 'error', 'emptied'], isOver);
        const result = orOver(isOver, (): unknown => Reflect.apply(target, self, args));
        if (result instanceof Promise) void result.catch(isOver);
        // How long it is may be known only when it has come.
        const isLong = (): void => {
          const secondsOf = (name: string): number => Number(Reflect.get(Object(self), name));
          if ((secondsOf('duration') - secondsOf('currentTime')) * 1_000 > horizonMs || Reflect.get(Object(self), 'loop') === true)
            isOver();
        };
        isLong();
        hear(self, ['durationchange'], isLong);
        return result;
      },
    });
  }

  /** A view that is led somewhere step by step is there when it says so; one that does not begin to move within `beginMs` was there before. */
  followScrolled(owner: unknown, name: string, beginMs: number, limitMs: number): void {
    this.#functions.replace(owner, name, {
      apply: (target, self, args): unknown => {
        const result: unknown = Reflect.apply(target, self, args);
        if (Reflect.get(Object(args[0]), 'behavior') !== 'smooth') return result;
        let isOver = this.begin(beginMs);
        const ends = new AbortController();
        const end = (): void => {
          this.#asked.delete(end);
          ends.abort();
          isOver();
        };
        const options = { capture: true, passive: true, signal: ends.signal };
        const move = (): void => {
          const hasBegun = isOver;
          isOver = this.begin(limitMs);
          hasBegun();
        };
        document.addEventListener('scroll', move, { ...options, once: true });
        document.addEventListener('scrollend', end, options);
        this.#asked.add(end);
        return result;
      },
    });
  }

  /**
   * A question that was sent is over with an answer that changes what the page holds: before it, the far end may have said only that it has heard,
   * which a page shows by an attribute, as that it is busy. `onOwn` hears of what is sent to itself, with the way to send something after it.
   */
  followAsked(
    owner: unknown,
    name: string,
    limitMs: number,
    { answering = null, onOwn }: { readonly answering?: unknown; readonly onOwn?: (send: (port: MessagePort) => void) => void } = {},
  ): void {
    this.#functions.replace(owner, name, {
      apply: (target, self, args): unknown => {
        const result: unknown = Reflect.apply(target, self, args);
        const heard = answering ?? self;
        const isOwn = heard instanceof MessagePort && isForItself(args[0]);
        if (isOwn) onOwn?.((port) => Reflect.apply(target, port, [null]));
        else if (heard instanceof EventTarget) this.#untilAnswered(heard, limitMs);
        return result;
      },
    });
  }

  #untilAnswered(heard: EventTarget, limitMs: number): void {
    const isOver = this.begin(limitMs);
    const ends = new AbortController();
    let changedAt = -Infinity;
    let isAnswered = false;
    const end = (): void => {
      this.#asked.delete(end);
      ends.abort();
      observer.disconnect();
      isOver();
    };
    const observer = new MutationObserver(() => {
      changedAt = performance.now();
      if (isAnswered) end();
    });
    observer.observe(document, { subtree: true, childList: true, characterData: true });
    // The page may have heard it before.
    const hearAnswer = ({ timeStamp }: Event): void => {
      isAnswered = true;
      if (changedAt >= timeStamp) end();
    };
    heard.addEventListener('message', hearAnswer, { signal: ends.signal });
    this.#asked.add(end);
  }

  giveBack(): void {
    this.#functions.giveBack();
    for (const end of this.#asked) end();
  }
}

/** What a scheduler sends to itself, to go on in a task of its own, is nothing or a number. */
const isForItself = (sent: unknown): boolean =>
  sent === null || sent === undefined || typeof sent === 'number' || (typeof sent === 'string' && /^\d*$/.test(sent));

/** Undefined where the page has no such things. */
export const prototypeOf = (name: string): unknown => {
  const made: unknown = Reflect.get(globalThis, name);
  return typeof made === 'function' ? Reflect.get(made, 'prototype') : undefined;
};

const hear = (heard: unknown, events: readonly string[], isOver: () => void): void => {
  if (heard instanceof EventTarget) for (const event of events) heard.addEventListener(event, isOver, { once: true });
};

/** What fails at once was not begun. */
const orOver = <T>(isOver: () => void, work: () => T): T => {
  try {
    return work();
  } catch (error) {
    isOver();
    throw error;
  }
};
