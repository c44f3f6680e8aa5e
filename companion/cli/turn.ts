/** One turn on a terminal or a pipe: the answer goes to stdout as it comes, everything else to stderr. */
import type { SessionEvent } from '#protocol/events.ts';
import { CompanionError, toErrorBody } from '#protocol/errors.ts';
import type { SessionId, TurnId } from '#protocol/ids.ts';
import { emptyView, project, type SessionView } from '#protocol/view.ts';
import { AnswerPrinter } from './answer-printer.ts';
import { answerFor, type OnAsk } from './ask.ts';
import { exitCodeOfTurn } from './exit-code.ts';
import type { Io } from './io.ts';

export interface TurnToFollow {
  readonly io: Io;
  readonly sessionId: SessionId;
  readonly turnId: TurnId;
  readonly isJson: boolean;
  readonly onAsk: OnAsk;
}

/** Follows a turn from before it is sent. ctrl+c stops the turn and waits for its end; a second one leaves. */
export class FollowedTurn {
  /** The exit code, once the turn has ended. */
  readonly ended: Promise<number>;
  readonly #io: Io;
  readonly #sessionId: SessionId;
  readonly #turnId: TurnId;
  readonly #isJson: boolean;
  readonly #onAsk: OnAsk;
  readonly #end = Promise.withResolvers<number>();
  readonly #watch = new AbortController();
  /** The question that the person is asked now; aborted when the answer comes from elsewhere. */
  readonly #asking = new Map<string, AbortController>();
  readonly #printer: AnswerPrinter;
  #view: SessionView;

  constructor({ io, sessionId, turnId, isJson, onAsk }: TurnToFollow) {
    this.#io = io;
    this.#sessionId = sessionId;
    this.#turnId = turnId;
    this.#isJson = isJson;
    this.#onAsk = onAsk;
    this.#printer = new AnswerPrinter(io);
    this.#view = emptyView(sessionId);
    this.ended = this.#end.promise;
    // It is awaited only after the prompt was accepted.
    this.ended.catch(() => undefined);
    io.signal.addEventListener('abort', this.#interrupt, { once: true });
    io.client
      .streamSession(
        sessionId,
        null,
        (event) => {
          if (event.type === 'resync') this.#view = emptyView(sessionId);
          else this.#take(event);
        },
        this.#watch.signal,
      )
      .catch(this.#end.reject);
  }

  stop(): void {
    this.#watch.abort();
    this.#io.signal.removeEventListener('abort', this.#interrupt);
  }

  readonly #interrupt = (): void => {
    this.#io.client.cancel(this.#sessionId, this.#turnId).catch(this.#end.reject);
  };

  #take(event: SessionEvent): void {
    const before = this.#view;
    this.#view = project(before, event);
    const isOurs = 'turnId' in event ? event.turnId === this.#turnId : event.type === 'request.resolved';
    if (this.#view === before || !isOurs) return;
    if (this.#isJson) this.#io.json(event, true);
    if (event.type === 'request.opened') void this.#ask(event);
    if (event.type === 'request.resolved') this.#asking.get(event.requestId)?.abort();
    if ('itemId' in event && event.itemId !== undefined) {
      const item = this.#view.items.find(({ itemId }) => itemId === event.itemId);
      if (item !== undefined && !this.#isJson) this.#printer.print(item, event.type);
    }
    if (event.type === 'turn.completed') this.#end.resolve(this.#finish(event));
  }

  #finish({ outcome, error }: Extract<SessionEvent, { type: 'turn.completed' }>): number {
    if (!this.#isJson) {
      this.#printer.endLine();
      if (error !== undefined) this.#io.note(`${error.message}\n${error.remedy}`);
      else if (outcome !== 'completed') this.#io.note(outcome === 'cancelled' ? 'Stopped.' : 'Interrupted; send again to go on.');
    }
    return exitCodeOfTurn(outcome, error?.code);
  }

  async #ask({ requestId, request }: Extract<SessionEvent, { type: 'request.opened' }>): Promise<void> {
    const control = new AbortController();
    this.#asking.set(requestId, control);
    try {
      this.#printer.endLine();
      const given = await answerFor(this.#io, request, this.#onAsk, AbortSignal.any([control.signal, this.#watch.signal]));
      if (given !== null) await this.#io.client.answer(this.#sessionId, requestId, given);
    } catch (error) {
      // Somebody answered earlier, in the panel or another terminal.
      if (!(error instanceof CompanionError) || error.code !== 'REQUEST_RESOLVED') this.#io.note(toErrorBody(error).message);
    }
  }
}
