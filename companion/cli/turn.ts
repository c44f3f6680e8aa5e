/** One turn on a terminal or a pipe: the answer goes to stdout as it comes, everything else to stderr. */
import { toolTarget } from '#display/tool-line.ts';
import type { SessionEvent } from '#protocol/events.ts';
import { CompanionError, toErrorBody } from '#protocol/errors.ts';
import type { SessionId, TurnId } from '#protocol/ids.ts';
import { emptyView, project, type SessionView, type ViewItem } from '#protocol/view.ts';
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

/** Prints what an item has grown by: messages on stdout, what the agent does on stderr. */
class AnswerPrinter {
  readonly #io: Io;
  /** What was printed of each item. */
  readonly #printed = new Map<string, string>();
  #isFirst = true;
  #isInLine = false;

  constructor(io: Io) {
    this.#io = io;
  }

  /** Makes sure that whatever comes next, on either stream, begins a new line. */
  endLine(): void {
    if (this.#isInLine) this.#io.write('\n');
    this.#isInLine = false;
  }

  print({ itemId, parentItemId, body, status }: ViewItem, eventType: SessionEvent['type']): void {
    if (body.kind === 'message' && body.role === 'assistant' && parentItemId === null) this.#printText(itemId, body.text);
    if (body.kind === 'notice' && eventType === 'item.started') this.#note(`! ${body.text}`);
    if (body.kind !== 'tool') return;
    const isEnd = eventType === 'item.completed';
    // The name comes first; what the call works on often comes only with an update.
    if (!this.#printed.has(itemId) && (body.title !== body.tool || isEnd)) {
      this.#printed.set(itemId, '');
      this.#note(`· ${body.tool} ${toolTarget(body)}`.trimEnd());
    }
    if (isEnd && status !== 'completed') this.#note(`· ${body.tool} ${status}`);
  }

  #note(line: string): void {
    this.endLine();
    this.#io.note(line);
  }

  #printText(itemId: string, text: string): void {
    const known = this.#printed.get(itemId) ?? '';
    // A final text that differs from the streamed one is printed whole, on lines of its own.
    const addition = text.startsWith(known) ? text.slice(known.length) : `\n${text}`;
    if (addition === '') return;
    if (!this.#printed.has(itemId) && !this.#isFirst) {
      this.endLine();
      this.#io.write('\n');
    }
    this.#isFirst = false;
    this.#isInLine = !addition.endsWith('\n');
    this.#printed.set(itemId, text);
    this.#io.write(addition);
  }
}
