/** How an agent's run reaches the browser tools: an address and a token of its own, void when the run has ended. */
import { MCP_ENV } from '#protocol/environment.ts';
import type { SessionId } from '#protocol/ids.ts';
import { MCP_SERVER_NAME } from '#protocol/version.ts';
import type { McpAccess } from '#companion/engines/engine.ts';
import { selfCommand } from '#companion/lib/self.ts';
import type { Tokens } from '#companion/mcp/tokens.ts';

/** A person's answer is part of a call, so this is long. */
const CALL_TIMEOUT_MS = 600_000;

export const createMcpAccess = (options: {
  tokens: Pick<Tokens, 'issue' | 'revoke'>;
  port: () => number;
}): { open(sessionId: SessionId): McpAccess; revoke(sessionId: SessionId): void } => {
  const { tokens, port } = options;
  const issued = new Map<SessionId, string>();
  const revoke = (sessionId: SessionId): void => {
    const token = issued.get(sessionId);
    if (token === undefined) return;
    issued.delete(sessionId);
    tokens.revoke(token);
  };
  return {
    revoke,
    open: (sessionId) => {
      revoke(sessionId);
      const token = tokens.issue({ type: 'session', sessionId });
      issued.set(sessionId, token);
      const url = `http://127.0.0.1:${port()}/mcp`;
      const { command, args } = selfCommand();
      return {
        serverName: MCP_SERVER_NAME,
        url,
        token,
        command,
        args: [...args, 'mcp'],
        env: { [MCP_ENV.url]: url, [MCP_ENV.token]: token },
        timeoutMs: CALL_TIMEOUT_MS,
      };
    },
  };
};
