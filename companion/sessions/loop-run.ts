/** A run inside the daemon: one call of the engine per turn, the history from the log. */
import type { EnginePrompt, LoopEngine, ToolBridge } from '#companion/engines/engine.ts';
import { CompanionError, toErrorBody } from '#protocol/errors.ts';
import type { SessionSettings } from '#protocol/events.ts';
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
  readonly listener: RunListener;
}): Run => {
  const { engine, secrets, endpoint, tools, listener } = options;
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
      const history = toHistory(options.view(), prompt.turnId);
      await engine.turn({ prompt, settings, history, tools, secrets, endpoint, emit: complete, signal: abort.signal });
      complete({ type: 'turn.completed', outcome: abort.signal.aborted ? 'cancelled' : 'completed' });
    } catch (error) {
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
      // Not awaited: an engine that ignores the signal must not hold up the session.
      listener.onEnd(how.error ?? new CompanionError('ENGINE_CRASHED', `${engine.label} was stopped.`).toBody());
    },
  };
};

/** Earlier messages, oldest first; what the user really sent, not what was shown of it. */
const toHistory = (view: SessionView, turnId: string): { role: 'user' | 'assistant'; text: string }[] => {
  const history: { role: 'user' | 'assistant'; text: string }[] = [];
  const begun = new Set<string>();
  for (const item of view.items) {
    if (item.turnId === turnId || item.body.kind !== 'message' || item.body.role === 'system') continue;
    const isFirst = !begun.has(item.turnId);
    begun.add(item.turnId);
    const prompt = isFirst ? view.turns.find((turn) => turn.turnId === item.turnId)?.prompt.text : undefined;
    const text = item.body.role === 'user' ? (prompt ?? item.body.text) : item.body.text;
    if (text !== '') history.push({ role: item.body.role, text });
  }
  return history;
};
