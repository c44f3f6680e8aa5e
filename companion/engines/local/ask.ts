/** Asks the model, and asks again without what the server refused, where that can be left out. */
import { notice, type Notice } from '#protocol/notices.ts';
import type { EngineEvent } from '../engine.ts';
import { streamChat, type ChatMessage, type ChatTool } from './chat.ts';
import type { History } from './history.ts';
import { ServerError, type Server } from './http.ts';
import type { ModelFacts } from './model.ts';
import type { Answer, AnswerSink } from './stream.ts';
import { fitMessages, fitTools, requestTokens } from './window.ts';

/** When a server says that a request is too long, the estimate was wrong; this share of it is tried once. */
const SMALLER = 0.6;

/** Asks during one turn. What the server refused once is not sent again in it. */
export class Asker {
  readonly #server: Server;
  readonly #model: string;
  readonly #system: ChatMessage;
  readonly #onEvent: (event: EngineEvent) => void;
  #window: number;
  #seesImages: boolean | null;
  #tools: readonly ChatTool[];
  #asksUsage = true;
  #hasShrunk = false;

  constructor(options: {
    readonly server: Server;
    readonly model: string;
    readonly facts: ModelFacts;
    readonly tools: readonly ChatTool[];
    readonly system: ChatMessage;
    readonly emit: (event: EngineEvent) => void;
  }) {
    this.#server = options.server;
    this.#model = options.model;
    this.#system = options.system;
    this.#onEvent = options.emit;
    this.#window = options.facts.window;
    this.#seesImages = options.facts.seesImages;
    this.#tools = fitTools(options.tools, this.#window);
    if (this.#tools.length < options.tools.length) {
      this.#tell(notice('fewer_tools', { window: `${this.#window}`, some: `${this.#tools.length}`, all: `${options.tools.length}` }));
    }
  }

  /** Tokens that the model reads, as far as that is known yet. */
  get window(): number {
    return this.#window;
  }

  async ask(history: History, turn: readonly ChatMessage[], sink: AnswerSink, signal: AbortSignal): Promise<Answer> {
    if (this.#seesImages === false && turn.length === 1 && hasImages(turn)) this.#tell(notice('no_images'));
    let refused: ServerError | null = null;
    for (;;) {
      const all = this.#fit(history, turn, refused);
      const messages = this.#seesImages === false ? withoutImages(all) : all;
      const heard = { hasBegun: false };
      try {
        return await this.#stream(messages, noting(sink, heard), signal);
      } catch (error) {
        if (heard.hasBegun || !(error instanceof ServerError) || !this.#adapt(error, messages)) throw error;
        if (error.code === 'ENGINE_CONTEXT_FULL') refused = error;
      }
    }
  }

  async #stream(messages: readonly ChatMessage[], sink: AnswerSink, signal: AbortSignal): Promise<Answer> {
    const [server, model, tools, asksUsage] = [this.#server, this.#model, this.#tools, this.#asksUsage];
    return streamChat({ server, model, messages, tools, asksUsage, sink, signal });
  }

  /** When even the shortest request is too long, the server's own words say more than a general sentence. */
  #fit(history: History, turn: readonly ChatMessage[], refused: ServerError | null): ChatMessage[] {
    try {
      return fitMessages(this.#system, history.exchanges(), turn, this.#tools, this.#window);
    } catch (error) {
      throw refused ?? error;
    }
  }

  /** Leaves out what the server refused; returns false when nothing can be left out. */
  #adapt(error: ServerError, messages: readonly ChatMessage[]): boolean {
    if (error.code === 'ENGINE_CONTEXT_FULL') return this.#shrink(error, messages);
    if (this.#asksUsage && /stream_options|include_usage/.test(error.said)) {
      this.#asksUsage = false;
      return true;
    }
    if (this.#tools.length > 0 && refusesTools(error.said)) {
      this.#tools = [];
      this.#tell(notice('no_tools'));
      return true;
    }
    if (this.#seesImages !== false && hasImages(messages) && /image|vision|multi-?modal|mmproj/i.test(error.said)) {
      this.#seesImages = false;
      this.#tell(notice('no_images'));
      return true;
    }
    return false;
  }

  #shrink(error: ServerError, messages: readonly ChatMessage[]): boolean {
    if (this.#hasShrunk) return false;
    this.#hasShrunk = true;
    const told = windowIn(error.said) ?? this.#window;
    this.#window = Math.floor(Math.min(this.#window, requestTokens(messages, this.#tools), told) * SMALLER);
    this.#tools = fitTools(this.#tools, this.#window);
    this.#tell(notice('too_long'));
    return true;
  }

  #tell(told: Notice): void {
    this.#onEvent({ type: 'notice', level: 'warning', ...told });
  }
}

/** The same sink, which also notes that something of the answer was shown. */
const noting = (sink: AnswerSink, heard: { hasBegun: boolean }): AnswerSink => ({
  ...sink,
  onText: (text) => {
    heard.hasBegun = true;
    sink.onText(text);
  },
  onThought: (text) => {
    heard.hasBegun = true;
    sink.onThought(text);
  },
});

const LEFT_OUT = '[An image is left out here: this model sees none. The user sees it.]';

const hasImages = (messages: readonly ChatMessage[]): boolean =>
  messages.some(({ content }) => typeof content !== 'string' && content.some((part) => part.type === 'image_url'));

/** The same messages with a note in the place of each picture. */
const withoutImages = (messages: readonly ChatMessage[]): ChatMessage[] =>
  messages.map((message) =>
    message.role !== 'user' || typeof message.content === 'string'
      ? message
      : { ...message, content: message.content.map((part) => (part.type === 'text' ? part.text : LEFT_OUT)).join('\n\n') },
  );

/** Ollama, llama.cpp, LM Studio and vLLM each say it in their own way. */
const refusesTools = (said: string): boolean =>
  /tool/i.test(said) && /support|jinja|template|not enabled|requires|enable-auto-tool/i.test(said);

/** The window as llama.cpp, vLLM and LM Studio tell it with their refusal. */
const windowIn = (said: string): number | null => {
  const found = /"n_ctx"\s*:\s*(\d+)|(?:maximum context length|context length of only|context length) (?:is |of )?(\d+)/i.exec(said);
  const tokens = Number(found?.[1] ?? found?.[2]);
  return Number.isInteger(tokens) && tokens > 0 ? tokens : null;
};
