/** Pairing with a browser that is elsewhere: a person opens it in a terminal, one browser comes, and both ends confirm the same code. */
import { CompanionError, type ErrorBody, toErrorBody } from '#protocol/errors.ts';
import type { PairingState } from '#protocol/remote.ts';
import { explain } from '#protocol/faults.ts';

/** How long a pairing stays open, and how many browsers may try in that time: a code of six digits is not guessed in three tries. */
const OPEN_MS = 5 * 60_000;
const TRIES = 3;

/** A name and port of this machine as a browser writes them: what a tunnel leads to. */
const HERE = /^(?:127\.0\.0\.1|localhost)(?::\d{1,5})?$/;

interface Open {
  /** What the person is shown, in Unix milliseconds. */
  readonly expiresAt: number;
  /** When it ends, on the pairing's own clock. */
  readonly endsAt: number;
  /** The `Host` of the place where a browser is to come, beside those of this machine. */
  readonly host: string | null;
  triesLeft: number;
  current: { readonly name: string; readonly code: string; readonly answered: PromiseWithResolvers<boolean>; hasAnswered: boolean } | null;
  isBusy: boolean;
  readonly ended: AbortController;
}

/** One browser's try. It ends with the pairing. */
export interface Try {
  readonly signal: AbortSignal;
  /** Shows the code in the terminal; resolves with whether the person says that it is the same. */
  ask(name: string, code: string): Promise<boolean>;
  /** Both ends have confirmed. */
  succeed(admissionId: string, name: string): void;
  fail(error: unknown): void;
}

export class Pairing {
  readonly #now: () => number;
  #open: Open | null = null;
  #outcome: Extract<PairingState, { state: 'paired' | 'failed' }> | null = null;

  /** `now` is a clock in milliseconds that nobody sets. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** A person wants a browser to come; an earlier pairing is over. */
  open(host: string | null): PairingState {
    this.close();
    this.#outcome = null;
    this.#open = {
      expiresAt: Date.now() + OPEN_MS,
      endsAt: this.#now() + OPEN_MS,
      host,
      triesLeft: TRIES,
      current: null,
      isBusy: false,
      ended: new AbortController(),
    };
    return this.state();
  }

  close(): void {
    this.#open?.current?.answered.resolve(false);
    this.#open?.ended.abort();
    this.#open = null;
  }

  state(): PairingState {
    const open = this.#current();
    if (open === null) return this.#outcome ?? { state: 'closed' };
    const { expiresAt, triesLeft, current } = open;
    if (current === null) return { state: 'open', expiresAt, triesLeft };
    return { state: 'asked', expiresAt, name: current.name, code: current.code, hasAnswered: current.hasAnswered };
  }

  get isOpen(): boolean {
    return this.#current() !== null;
  }

  /** Whether a browser may come to this `Host` now. */
  takesHost(host: string): boolean {
    const open = this.#current();
    return open !== null && (HERE.test(host) || host === open.host);
  }

  /** The person has compared the codes. `code` is the one that they saw: an answer never counts for another browser. */
  answer(code: string, isSame: boolean): PairingState {
    const asked = this.#current()?.current;
    if (asked === undefined || asked === null || asked.code !== code) throw new CompanionError('PAIRING_CLOSED', explain('no_code_shown'));
    asked.hasAnswered = true;
    asked.answered.resolve(isSame);
    return this.state();
  }

  /** A browser has come to be paired. Throws when none is expected, or another one is being paired. */
  begin(): Try {
    const open = this.#current();
    if (open === null) throw new CompanionError('PAIRING_CLOSED');
    if (open.isBusy) throw new CompanionError('PAIRING_CLOSED', explain('other_pairing'));
    open.isBusy = true;
    open.triesLeft -= 1;
    const isCurrent = (): boolean => this.#open === open;
    return {
      signal: AbortSignal.any([open.ended.signal, AbortSignal.timeout(Math.max(1, Math.ceil(open.endsAt - this.#now())))]),
      ask: (name, code) => {
        const answered = Promise.withResolvers<boolean>();
        open.current = { name, code, answered, hasAnswered: false };
        return answered.promise;
      },
      succeed: (admissionId, name) => {
        if (!isCurrent()) return;
        this.#open = null;
        this.#outcome = { state: 'paired', admissionId, name };
      },
      fail: (error) => {
        open.current?.answered.resolve(false);
        open.current = null;
        open.isBusy = false;
        if (!isCurrent() || (open.triesLeft > 0 && !isFinal(toErrorBody(error)))) return;
        this.#open = null;
        this.#outcome = { state: 'failed', error: toErrorBody(error) };
      },
    };
  }

  #current(): Open | null {
    if (this.#open !== null && this.#now() >= this.#open.endsAt) this.close();
    return this.#open;
  }
}

/** A person has said no: nobody gets another try. */
const isFinal = ({ code }: ErrorBody): boolean => code === 'PAIRING_REFUSED';
