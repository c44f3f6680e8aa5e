/** Asks the model, and asks again where the server refuses something that can be left out. */
import type { EngineEvent } from '../engine.ts';
import { streamChat, type ChatMessage, type ChatTool } from './chat.ts';
import { ServerError, type Server } from './http.ts';
import { hasImages, withoutImages } from './images.ts';
import type { ModelFacts } from './model.ts';
import type { Answer, AnswerSink } from './stream.ts';
import { fitMessages, fitTools, requestTokens } from './window.ts';

/** The estimate was wrong when a server says that it is too much; this much of it is tried once. */
const SMALLER = 0.6;

export interface Asker {
  /** Tokens, as far as is known by now. */
  window(): number;
  /** `history` is told from its newest exchange to its oldest, as far as there is room. */
  ask(
    history: () => Iterable<readonly ChatMessage[]>,
    turn: readonly ChatMessage[],
    sink: AnswerSink,
    signal: AbortSignal,
  ): Promise<Answer>;
}

/** For one turn; what the server refused once is not tried again in it. */
export const createAsker = (options: {
  readonly server: Server;
  readonly model: string;
  readonly facts: ModelFacts;
  readonly tools: readonly ChatTool[];
  readonly system: ChatMessage;
  readonly emit: (event: EngineEvent) => void;
}): Asker => {
  const { server, model, system, emit } = options;
  let { window, seesImages } = options.facts;
  let tools = fitTools(options.tools, window);
  let asksUsage = true;
  let hasShrunk = false;
  const notice = (text: string): void => emit({ type: 'notice', level: 'warning', text });
  if (tools.length < options.tools.length) {
    notice(
      `The model reads ${window} tokens: it gets ${tools.length} of the ${options.tools.length} browser tools. Load it with a larger context for all.`,
    );
  }

  /** Leaves out what the server refused; false when there is nothing to leave out. */
  const adapt = (error: ServerError, messages: readonly ChatMessage[]): boolean => {
    if (error.code === 'ENGINE_CONTEXT_FULL') {
      if (hasShrunk) return false;
      hasShrunk = true;
      window = Math.floor(Math.min(window, requestTokens(messages, tools), windowIn(error.said) ?? window) * SMALLER);
      tools = fitTools(tools, window);
      notice('The conversation was too long for the model: what came first is left out.');
      return true;
    }
    if (asksUsage && /stream_options|include_usage/.test(error.said)) {
      asksUsage = false;
      return true;
    }
    if (tools.length > 0 && refusesTools(error.said)) {
      tools = [];
      notice('This model cannot use tools, so it answers without seeing the browser. Choose a model with tool support for that.');
      return true;
    }
    if (seesImages !== false && hasImages(messages) && /image|vision|multi-?modal|mmproj/i.test(error.said)) {
      seesImages = false;
      notice(BLIND);
      return true;
    }
    return false;
  };

  /** Where even the least is too much, the server's own words say more than ours. */
  const fit = (
    history: () => Iterable<readonly ChatMessage[]>,
    turn: readonly ChatMessage[],
    refused: ServerError | null,
  ): ChatMessage[] => {
    try {
      return fitMessages(system, history(), turn, tools, window);
    } catch (error) {
      throw refused ?? error;
    }
  };

  return {
    window: () => window,
    ask: async (history, turn, sink, signal) => {
      if (seesImages === false && turn.length === 1 && hasImages(turn)) notice(BLIND);
      let refused: ServerError | null = null;
      for (;;) {
        const all = fit(history, turn, refused);
        const messages = seesImages === false ? withoutImages(all) : all;
        let hasBegun = false;
        const begun =
          <T extends unknown[]>(pass: (...values: T) => void) =>
          (...values: T): void => {
            hasBegun = true;
            pass(...values);
          };
        try {
          return await streamChat({
            server,
            model,
            messages,
            tools,
            asksUsage,
            sink: { ...sink, onText: begun(sink.onText), onThought: begun(sink.onThought) },
            signal,
          });
        } catch (error) {
          if (hasBegun || !(error instanceof ServerError) || !adapt(error, messages)) throw error;
          if (error.code === 'ENGINE_CONTEXT_FULL') refused = error;
        }
      }
    },
  };
};

const BLIND = 'This model cannot see images: it gets a note in their place. Choose one with vision for that.';

/** Ollama, llama.cpp, LM Studio and vLLM each say it in their own way. */
const refusesTools = (said: string): boolean =>
  /tool/i.test(said) && /support|jinja|template|not enabled|requires|enable-auto-tool/i.test(said);

/** The window as llama.cpp, vLLM and LM Studio tell it with their refusal. */
const windowIn = (said: string): number | null => {
  const found = /"n_ctx"\s*:\s*(\d+)|(?:maximum context length|context length of only|context length) (?:is |of )?(\d+)/i.exec(said);
  const tokens = Number(found?.[1] ?? found?.[2]);
  return Number.isInteger(tokens) && tokens > 0 ? tokens : null;
};
