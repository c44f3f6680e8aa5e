/** A run inside the daemon: one call of the engine per turn, the history from the log. */
import type { EngineAttachment, EnginePrompt, HistoryEntry, LoopEngine, ToolBridge } from '#companion/engines/engine.ts';
import type { Log } from '#companion/lib/log.ts';
import { CompanionError, toErrorBody } from '#protocol/errors.ts';
import type { SessionSettings } from '#protocol/events.ts';
import type { AttachmentRef } from '#protocol/items.ts';
import type { SessionView } from '#protocol/view.ts';
import type { Run, RunListener } from './run.ts';

/** A run of a loop engine; `view` is read at each prompt. */
export const startLoopRun = (options: {
  readonly engine: LoopEngine;
  readonly settings: SessionSettings;
  readonly secrets: Readonly<Record<string, string>>;
  readonly endpoint: string | null;
  readonly tools: ToolBridge | null;
  readonly view: () => SessionView;
  /** Reads what was attached to an earlier prompt; throws when it is gone. */
  readonly load: (ref: AttachmentRef) => EngineAttachment;
  readonly listener: RunListener;
  readonly log: Log;
}): Run => {
  const { engine, secrets, endpoint, tools, load, listener, log } = options;
  let { settings } = options;
  let turn: { abort: AbortController; done: Promise<void> } | null = null;
  let hasEnded = false;

  const drive = async (prompt: EnginePrompt, abort: AbortController): Promise<void> => {
    let hasCompleted = false;
    const complete = (event: Parameters<RunListener['onEvent']>[0]): void => {
      if (hasCompleted || hasEnded) return;
      hasCompleted = event.type === 'turn.completed';
      listener.onEvent(event);
    };
    try {
      const history = toHistory(options.view(), prompt.turnId, load);
      await engine.turn({ prompt, settings, history, tools, secrets, endpoint, emit: complete, signal: abort.signal });
      complete({ type: 'turn.completed', outcome: abort.signal.aborted ? 'cancelled' : 'completed' });
    } catch (error) {
      // Anything else is a fault of our own: the person gets `INTERNAL`, the log what it was.
      if (!abort.signal.aborted && !(error instanceof CompanionError)) {
        log.error('run.turn_failed', { engine: engine.name, error, stack: error instanceof Error ? error.stack : undefined });
      }
      complete(
        abort.signal.aborted
          ? { type: 'turn.completed', outcome: 'cancelled' }
          : { type: 'turn.completed', outcome: 'failed', error: toErrorBody(error) },
      );
    }
  };

  listener.onEvent({ type: 'ready' });
  return {
    ready: Promise.resolve(),
    prompt: (prompt) => {
      const abort = new AbortController();
      turn = { abort, done: drive(prompt, abort) };
    },
    // Its capabilities declare that it cannot be steered, asks nothing and has no background tasks.
    steer: () => {},
    answer: () => {},
    stopTask: () => {},
    interrupt: () => turn?.abort.abort(),
    configure: (changed) => {
      settings = changed;
    },
    stop: async (how = {}) => {
      if (hasEnded) return;
      hasEnded = true;
      turn?.abort.abort();
      void tools?.close();
      // Not awaited: an engine that ignores the signal must not hold up the session.
      listener.onEnd(how.error ?? new CompanionError('ENGINE_CRASHED', `${engine.label} was stopped.`).toBody());
    },
  };
};

/** What was said and done before, oldest first; what the user really sent, not what was shown of it. */
const toHistory = (view: SessionView, turnId: string, load: (ref: AttachmentRef) => EngineAttachment): HistoryEntry[] => {
  const history: HistoryEntry[] = [];
  const begun = new Set<string>();
  for (const { turnId: itemTurn, body } of view.items) {
    if (itemTurn === turnId) continue;
    if (body.kind === 'tool') history.push({ role: 'tool', tool: body.tool, input: body.input, text: body.text });
    if (body.kind !== 'message' || body.role === 'system') continue;
    const isFirst = !begun.has(itemTurn);
    begun.add(itemTurn);
    const prompt = isFirst ? view.turns.find((turn) => turn.turnId === itemTurn)?.prompt : undefined;
    if (body.role === 'assistant') {
      if (body.text !== '') history.push({ role: 'assistant', text: body.text });
    } else if (prompt !== undefined && prompt.attachments.length > 0) {
      history.push({ role: 'user', text: prompt.text, attachments: () => prompt.attachments.flatMap((ref) => loaded(ref, load)) });
    } else history.push({ role: 'user', text: prompt?.text ?? body.text });
  }
  return history;
};

/** The conversation goes on without what has been deleted since. */
const loaded = (ref: AttachmentRef, load: (ref: AttachmentRef) => EngineAttachment): EngineAttachment[] => {
  try {
    return [load(ref)];
  } catch {
    return [];
  }
};
