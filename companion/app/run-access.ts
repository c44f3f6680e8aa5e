/** How an agent's run reaches the browser tools: with an address and a token of its own, which is void when the run has ended. */
import { MCP_ENV } from '#protocol/environment.ts';
import type { SessionId } from '#protocol/ids.ts';
import { toMcpArgs, withToolSets, type ToolSet } from '#protocol/tool-sets.ts';
import { MCP_PATH, MCP_SERVER_NAME } from '#protocol/version.ts';
import type { McpAccess } from '#companion/engines/engine.ts';
import { selfCommand } from '#companion/lib/self.ts';
import type { Tokens } from '#companion/mcp/tokens.ts';

/** The time limit of a call. It is long, because a call may wait for a person's answer. */
const CALL_TIMEOUT_MS = 600_000;

export class RunAccess {
  readonly #tokens: Pick<Tokens, 'issue' | 'revoke'>;
  readonly #port: () => number;
  readonly #setsOf: (sessionId: SessionId) => readonly ToolSet[];
  readonly #issued = new Map<SessionId, string>();

  /** `setsOf` names the sets of tools for a session; none stands for the default one. */
  constructor(tokens: Pick<Tokens, 'issue' | 'revoke'>, port: () => number, setsOf: (sessionId: SessionId) => readonly ToolSet[]) {
    this.#setsOf = setsOf;
    this.#tokens = tokens;
    this.#port = port;
  }

  readonly open = (sessionId: SessionId): McpAccess => {
    this.revoke(sessionId);
    const token = this.#tokens.issue({ type: 'session', sessionId });
    this.#issued.set(sessionId, token);
    const url = `http://127.0.0.1:${this.#port()}${MCP_PATH}`;
    const { command, args } = selfCommand();
    const sets = this.#setsOf(sessionId);
    return {
      serverName: MCP_SERVER_NAME,
      url: withToolSets(url, sets),
      token,
      command,
      args: [...args, ...toMcpArgs(sets)],
      env: { [MCP_ENV.url]: url, [MCP_ENV.token]: token },
      timeoutMs: CALL_TIMEOUT_MS,
    };
  };

  readonly revoke = (sessionId: SessionId): void => {
    const token = this.#issued.get(sessionId);
    if (token === undefined) return;
    this.#issued.delete(sessionId);
    this.#tokens.revoke(token);
  };
}
