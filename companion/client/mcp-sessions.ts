/** Sessions of MCP clients over stdio: each is held open for as long as this process lives. */
import { type ElicitedQuestion, McpCallLine, type McpCallInput, type McpSessionInput } from '#protocol/api.ts';
import type { ToolResult } from '#protocol/browser.ts';
import { CompanionError } from '#protocol/errors.ts';
import type { SessionId } from '#protocol/ids.ts';
import { routes } from '#protocol/routes.ts';
import { readLines } from './json-lines.ts';
import { holdMcpSession } from './streams.ts';
import type { Transport } from './transport.ts';

export type CallProgress = Extract<McpCallLine, { progress: number }>;

export interface CallHandlers {
  readonly signal: AbortSignal;
  readonly onProgress?: ((progress: CallProgress) => void) | undefined;
  /** Puts a question to the person; absent where the caller cannot. */
  readonly elicit?: ((question: ElicitedQuestion, signal: AbortSignal) => Promise<string | null>) | undefined;
}

export class McpSessions {
  readonly #transport: Transport;
  readonly #holds = new Map<SessionId, AbortController>();

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  async open(body: McpSessionInput): Promise<SessionId> {
    const { sessionId } = await this.#transport.call(routes.openMcpSession, { body });
    const hold = new AbortController();
    this.#holds.set(sessionId, hold);
    // It rejects only when the session was deleted, which the next call reports.
    holdMcpSession(this.#transport, sessionId, hold.signal).catch(() => {});
    return sessionId;
  }

  async close(sessionId: SessionId): Promise<void> {
    this.#holds.get(sessionId)?.abort();
    this.#holds.delete(sessionId);
    await this.#transport.call(routes.closeMcpSession, { params: { sessionId } });
  }

  async call(sessionId: SessionId, body: McpCallInput, { signal, onProgress, elicit }: CallHandlers): Promise<ToolResult> {
    // A person may take as long as they like to answer.
    const asked = elicit === undefined ? body : { ...body, canElicit: true };
    const questions = new Map<string, AbortController>();
    const answer = await this.#transport.stream(routes.callTool, { params: { sessionId }, body: asked }, { signal, silenceMs: 0 });
    try {
      for await (const line of readLines(answer)) {
        const parsed = McpCallLine.parse(JSON.parse(line));
        if ('result' in parsed) return parsed.result;
        if ('progress' in parsed) onProgress?.(parsed);
        else if (parsed.question === null) questions.get(parsed.elicitId)?.abort();
        else if (elicit !== undefined)
          void this.#elicit(sessionId, parsed.elicitId, elicit(parsed.question, openIn(questions, parsed.elicitId)));
      }
    } catch (cause) {
      signal.throwIfAborted();
      throw new CutCallError(cause);
    } finally {
      for (const question of questions.values()) question.abort();
    }
    throw new CutCallError();
  }

  /** A client that cannot ask after all, or whose dialog was closed, leaves the question to the other surfaces. */
  async #elicit(sessionId: SessionId, elicitId: string, answer: Promise<string | null>): Promise<void> {
    const optionId = await answer.catch(() => null);
    await this.#transport.call(routes.tellElicited, { params: { sessionId }, body: { elicitId, optionId } }).catch(() => null);
  }

  /** Ends the streams that hold the sessions, so that the daemon sees that their clients are gone. */
  letGo(): void {
    for (const hold of this.#holds.values()) hold.abort();
  }
}

const openIn = (questions: Map<string, AbortController>, elicitId: string): AbortSignal => {
  const question = new AbortController();
  questions.set(elicitId, question);
  return question.signal;
};

/** Whether the call was carried out only the browser knows, so it is not repeated. */
export class CutCallError extends CompanionError {
  constructor(cause?: unknown) {
    super('DAEMON_NOT_RUNNING', 'It went away during the call.', {
      remedy: 'Look at the page first, then call again: the daemon is started by itself.',
      cause,
    });
  }
}
