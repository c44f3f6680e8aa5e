/** Sessions of MCP clients over stdio: each is held open for as long as this process lives. */
import { type ElicitedQuestion, McpCallLine, type McpCallInput, type McpSessionInput } from '#protocol/api.ts';
import type { ToolResult } from '#protocol/browser.ts';
import { CompanionError } from '#protocol/errors.ts';
import type { SessionId } from '#protocol/ids.ts';
import { routes } from '#protocol/routes.ts';
import { readLines } from './json-lines.ts';
import { holdMcpSession } from './streams.ts';
import { isAbsent, type Transport } from './transport.ts';

export type CallProgress = Extract<McpCallLine, { progress: number }>;

export interface CallHandlers {
  readonly signal: AbortSignal;
  readonly onProgress?: ((progress: CallProgress) => void) | undefined;
  /** Puts a question to the person; absent where the caller cannot. */
  readonly elicit?: ((question: ElicitedQuestion, signal: AbortSignal) => Promise<string | null>) | undefined;
}

/** The daemon begins each answer at once, however long it takes: one that is silent for this long hangs. */
const BEGUN_WITHIN_MS = 5_000;

/** What tells the daemon that the client of a session lives. */
interface Hold {
  readonly abort: AbortController;
  /** Whether the daemon has it, as far as is known. */
  isLive: boolean;
  /** With what it was opened. */
  readonly body: McpSessionInput;
  /** Whether its session was opened again since. */
  isOpenedAgain: boolean;
}

export class McpSessions {
  readonly #transport: Transport;
  readonly #holds = new Map<SessionId, Hold>();

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  async open(body: McpSessionInput): Promise<SessionId> {
    const { sessionId } = await this.#transport.call(routes.openMcpSession, { body });
    void this.#hold(sessionId, body);
    return sessionId;
  }

  /** A session has one hold, which goes on with the next daemon, also when it is opened again there: each keeps this process alive. */
  async #hold(sessionId: SessionId, body: McpSessionInput): Promise<void> {
    const known = this.#holds.get(sessionId);
    if (known !== undefined) {
      known.isOpenedAgain = true;
      return;
    }
    const hold: Hold = { abort: new AbortController(), body, isLive: false, isOpenedAgain: false };
    const { signal } = hold.abort;
    this.#holds.set(sessionId, hold);
    const onLive = (isLive: boolean): void => void (hold.isLive = isLive);
    // It rejects only when the session was deleted, which the next call reports, or when the next daemon did not know it yet.
    await holdMcpSession(this.#transport, sessionId, signal, onLive).catch(() => {});
    hold.isLive = false;
    const isFound = !signal.aborted && !hold.isOpenedAgain && (await this.#isFoundAgain(sessionId, body));
    if (this.#holds.get(sessionId) === hold) this.#holds.delete(sessionId);
    if ((isFound || hold.isOpenedAgain) && !signal.aborted) void this.#hold(sessionId, body);
  }

  /** Tells the next daemon whose session it is, so that nothing of it ends while its client makes no call. */
  async #isFoundAgain(sessionId: SessionId, body: McpSessionInput): Promise<boolean> {
    if (body.key === undefined) return false;
    const found = await this.#transport.call(routes.openMcpSession, { body: { ...body, isBack: true } }).catch(() => null);
    return found?.sessionId === sessionId;
  }

  /** Whether the daemon that knows the session was there a moment ago, so that nothing need be asked before a call. */
  isHeld(sessionId: SessionId): boolean {
    return this.#holds.get(sessionId)?.isLive === true;
  }

  async close(sessionId: SessionId): Promise<void> {
    const hold = this.#holds.get(sessionId);
    hold?.abort.abort();
    this.#holds.delete(sessionId);
    const close = (): Promise<unknown> => this.#transport.call(routes.closeMcpSession, { params: { sessionId } });
    await close().catch(async (error: unknown) => {
      if (hold === undefined || !(await this.#isFoundAgain(sessionId, hold.body))) throw error;
      await close();
    });
  }

  async call(sessionId: SessionId, body: McpCallInput, { signal, onProgress, elicit }: CallHandlers): Promise<ToolResult> {
    // A person may take as long as they like to answer.
    const asked = elicit === undefined ? body : { ...body, canElicit: true };
    const questions = new Map<string, AbortController>();
    const sent = { params: { sessionId }, body: asked };
    const silence = { silenceMs: 0, begunWithinMs: BEGUN_WITHIN_MS };
    const answer = await this.#transport.stream(routes.callTool, sent, { signal, ...silence }).catch((error: unknown) => {
      throw isUnreachable(error) ? new CutCallError(error, !isAbsent(error)) : error;
    });
    let result: ToolResult | null = null;
    try {
      // Read to its end, so that its connection serves the next call.
      for await (const line of readLines(answer)) {
        const parsed = McpCallLine.parse(JSON.parse(line));
        if ('result' in parsed) ({ result } = parsed);
        else if ('progress' in parsed) onProgress?.(parsed);
        else if (parsed.question === null) questions.get(parsed.elicitId)?.abort();
        else if (elicit !== undefined)
          void this.#elicit(sessionId, parsed.elicitId, elicit(parsed.question, openIn(questions, parsed.elicitId)));
      }
    } catch (cause) {
      if (result !== null) return result;
      signal.throwIfAborted();
      throw new CutCallError(cause);
    } finally {
      for (const question of questions.values()) question.abort();
    }
    if (result === null) throw new CutCallError();
    return result;
  }

  /** A client that cannot ask after all, or whose dialog was closed, leaves the question to the other surfaces. */
  async #elicit(sessionId: SessionId, elicitId: string, answer: Promise<string | null>): Promise<void> {
    const optionId = await answer.catch(() => null);
    await this.#transport.call(routes.tellElicited, { params: { sessionId }, body: { elicitId, optionId } }).catch(() => null);
  }

  /** Ends the streams that hold the sessions, so that the daemon sees that their clients are gone. */
  letGo(): void {
    for (const hold of this.#holds.values()) hold.abort.abort();
  }
}

const openIn = (questions: Map<string, AbortController>, elicitId: string): AbortSignal => {
  const question = new AbortController();
  questions.set(elicitId, question);
  return question.signal;
};

const isUnreachable = (error: unknown): error is CompanionError => error instanceof CompanionError && error.code === 'DAEMON_NOT_RUNNING';

/** Whether the call was carried out only the browser knows, so it is not repeated, unless no daemon can have had it. */
export class CutCallError extends CompanionError {
  /** Whether a daemon may have had it. */
  readonly wasSent: boolean;

  constructor(cause?: unknown, wasSent = true) {
    super('DAEMON_NOT_RUNNING', 'It went away during the call.', {
      remedy: 'Look at the page first, then call again: the daemon is started by itself.',
      cause,
    });
    this.wasSent = wasSent;
  }
}
