/** One turn on a terminal or a pipe: the answer as it comes on stdout, everything beside it on stderr. */
import { toolTarget } from '#display/tool-line.ts';
import type { SessionEvent } from '#protocol/events.ts';
import { CompanionError, toErrorBody } from '#protocol/errors.ts';
import type { SessionId, TurnId } from '#protocol/ids.ts';
import type { ViewItem } from '#protocol/view.ts';
import { emptyView, project } from '#protocol/view.ts';
import { askUser } from './ask.ts';
import type { Io } from './io.ts';

export interface FollowedTurn {
  /** The exit code, once the turn has ended. */
  readonly ended: Promise<number>;
  stop(): void;
}

/** Follows a turn from before it is sent. ctrl+c stops the turn and waits for its end; a second one leaves. */
export const followTurn = (io: Io, sessionId: SessionId, turnId: TurnId, isJson: boolean): FollowedTurn => {
  const watch = new AbortController();
  const { promise: ended, resolve, reject } = Promise.withResolvers<number>();
  const questions = new Map<string, AbortController>();
  const printAnswer = createAnswerPrinter(io);
  let view = emptyView(sessionId);

  const take = (event: SessionEvent): void => {
    const before = view;
    view = project(view, event);
    if (view === before || !('turnId' in event ? event.turnId === turnId : event.type === 'request.resolved')) return;
    if (isJson) io.json(event, true);
    if (event.type === 'request.opened') void answer(event);
    if (event.type === 'request.resolved') questions.get(event.requestId)?.abort();
    if ('itemId' in event && event.itemId !== undefined) {
      const item = view.items.find(({ itemId }) => itemId === event.itemId);
      if (item !== undefined && !isJson) printAnswer(item, event.type);
    }
    if (event.type === 'turn.completed') resolve(finish(event));
  };

  const finish = ({ outcome, error }: Extract<SessionEvent, { type: 'turn.completed' }>): number => {
    if (isJson) return outcome === 'completed' ? 0 : 1;
    io.write('\n');
    if (error !== undefined) io.note(`${error.message}\n${error.remedy}`);
    else if (outcome !== 'completed') io.note(outcome === 'cancelled' ? 'Stopped.' : 'Interrupted; send again to go on.');
    return outcome === 'completed' ? 0 : 1;
  };

  const answer = async ({ requestId, request }: Extract<SessionEvent, { type: 'request.opened' }>): Promise<void> => {
    const control = new AbortController();
    questions.set(requestId, control);
    try {
      const given = await askUser(io, request, AbortSignal.any([control.signal, watch.signal]), isJson);
      if (given !== null) await io.client.answer(sessionId, requestId, given);
    } catch (error) {
      // Somebody was faster, in the panel or another terminal.
      if (!(error instanceof CompanionError) || error.code !== 'REQUEST_RESOLVED') io.note(toErrorBody(error).message);
    }
  };

  const interrupt = (): void => {
    io.client.cancel(sessionId, turnId).catch(reject);
  };
  io.signal.addEventListener('abort', interrupt, { once: true });
  io.client
    .streamSession(
      sessionId,
      null,
      (event) => {
        if (event.type === 'resync') view = emptyView(sessionId);
        else take(event);
      },
      watch.signal,
    )
    .catch(reject);
  // It is awaited only after the prompt was taken.
  ended.catch(() => undefined);
  return {
    ended,
    stop: () => {
      watch.abort();
      io.signal.removeEventListener('abort', interrupt);
    },
  };
};

/** Prints what an item has grown by: messages on stdout, what the agent does on stderr. */
const createAnswerPrinter = (io: Io): ((item: ViewItem, eventType: SessionEvent['type']) => void) => {
  const printed = new Map<string, string>();
  let isFirst = true;
  return ({ itemId, parentItemId, body, status }, eventType) => {
    if (body.kind === 'message' && body.role === 'assistant' && parentItemId === null) {
      const known = printed.get(itemId) ?? '';
      // A final text that differs from the streamed one is printed whole, on lines of its own.
      const addition = body.text.startsWith(known) ? body.text.slice(known.length) : `\n${body.text}`;
      if (addition === '') return;
      if (!printed.has(itemId) && !isFirst) io.write('\n\n');
      isFirst = false;
      printed.set(itemId, body.text);
      io.write(addition);
      return;
    }
    // The name comes first, what it is about often only with an update.
    if (body.kind === 'tool' && !printed.has(itemId) && (body.title !== body.tool || eventType === 'item.completed')) {
      printed.set(itemId, '');
      io.note(`· ${body.tool} ${toolTarget(body)}`.trimEnd());
    }
    if (body.kind === 'tool' && eventType === 'item.completed' && status !== 'completed') io.note(`· ${body.tool} ${status}`);
    if (body.kind === 'notice' && eventType === 'item.started') io.note(`! ${body.text}`);
  };
};
