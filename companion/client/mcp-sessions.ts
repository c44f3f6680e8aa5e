/** Sessions of MCP clients over stdio: each is held open for as long as this process lives. */
import { type ElicitedQuestion, McpCallLine, type McpCallInput, type McpSessionInput } from '#protocol/api.ts';
import type { ToolResult } from '#protocol/browser.ts';
import { CompanionError } from '#protocol/errors.ts';
import type { SessionId } from '#protocol/ids.ts';
import { routes } from '#protocol/routes.ts';
import { CALL_LINE_PROTOCOL } from '#protocol/version.ts';
import { BEGUN_WITHIN_MS, CallLine } from './call-line.ts';
import { CutCallError } from './cut-call.ts';
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
  readonly #lines = new Map<SessionId, Promise<CallLine | null>>();

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
    this.#endLine(sessionId);
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
    let result: ToolResult | null = null;
    const take = (line: McpCallLine): void => {
      if ('result' in line) ({ result } = line);
      else if ('progress' in line) onProgress?.(line);
      else if (line.question === null) questions.get(line.elicitId)?.abort();
      else if (elicit !== undefined) void this.#elicit(sessionId, line.elicitId, elicit(line.question, openIn(questions, line.elicitId)));
    };
    try {
      const line = await this.#lineOf(sessionId);
      await (line === null ? this.#request(sessionId, asked, signal, take) : line.call(asked, signal, take));
    } catch (error) {
      if (result !== null) return result;
      signal.throwIfAborted();
      throw error;
    } finally {
      for (const question of questions.values()) question.abort();
    }
    if (result === null) throw new CutCallError();
    return result;
  }

  /** The line of a session, which is begun by its first call; null where the daemon does not know of lines, or of the session. */
  async #lineOf(sessionId: SessionId): Promise<CallLine | null> {
    let line = this.#lines.get(sessionId);
    if (line === undefined) {
      line = this.#openLine(sessionId);
      this.#lines.set(sessionId, line);
      const forget = (): void => {
        if (this.#lines.get(sessionId) === line) this.#lines.delete(sessionId);
      };
      line.then((opened) => (opened === null ? forget() : opened.onEnd(forget)), forget);
    }
    return line.catch((error: unknown) => {
      throw isUnreachable(error) ? new CutCallError(error, false) : error;
    });
  }

  async #openLine(sessionId: SessionId): Promise<CallLine | null> {
    const socket = await this.#transport.upgrade(routes.callTool, { sessionId }, CALL_LINE_PROTOCOL, BEGUN_WITHIN_MS);
    return socket === null ? null : new CallLine(socket);
  }

  /** The same as a request of its own, as daemons of earlier versions know it. */
  async #request(sessionId: SessionId, body: McpCallInput, signal: AbortSignal, take: (line: McpCallLine) => void): Promise<void> {
    const silence = { silenceMs: 0, begunWithinMs: BEGUN_WITHIN_MS };
    const answer = await this.#transport
      .stream(routes.callTool, { params: { sessionId }, body }, { signal, ...silence })
      .catch((error: unknown) => {
        throw isUnreachable(error) ? new CutCallError(error, !isAbsent(error)) : error;
      });
    try {
      // Read to its end, so that its connection serves the next call.
      for await (const line of readLines(answer)) take(McpCallLine.parse(JSON.parse(line)));
    } catch (cause) {
      throw new CutCallError(cause);
    }
  }

  #endLine(sessionId: SessionId): void {
    void this.#lines.get(sessionId)?.then(
      (line) => line?.close(),
      () => {},
    );
    this.#lines.delete(sessionId);
  }

  /** A client that cannot ask after all, or whose dialog was closed, leaves the question to the other surfaces. */
  async #elicit(sessionId: SessionId, elicitId: string, answer: Promise<string | null>): Promise<void> {
    const optionId = await answer.catch(() => null);
    await this.#transport.call(routes.tellElicited, { params: { sessionId }, body: { elicitId, optionId } }).catch(() => null);
  }

  /** Ends the streams that hold the sessions, so that the daemon sees that their clients are gone. */
  letGo(): void {
    for (const hold of this.#holds.values()) hold.abort.abort();
    for (const sessionId of this.#lines.keys()) this.#endLine(sessionId);
  }
}

const openIn = (questions: Map<string, AbortController>, elicitId: string): AbortSignal => {
  const question = new AbortController();
  questions.set(elicitId, question);
  return question.signal;
};

const isUnreachable = (error: unknown): error is CompanionError => error instanceof CompanionError && error.code === 'DAEMON_NOT_RUNNING';
