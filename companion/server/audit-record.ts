/** What the audit keeps of a request that acts for the person. */
import type { IncomingMessage } from 'node:http';
import type { AuditRecord } from '#protocol/audit.ts';
import type { Principal } from '#companion/mcp/tokens.ts';

/** `body` may contain keys and prompts: only what was chosen, and which folder, is taken from it. */
export const toAuditRecord = (
  principal: Principal,
  { method = '', url = '' }: IncomingMessage,
  body: unknown,
  status: number,
): AuditRecord => {
  const chosen = [textOf(body, 'optionId'), textOf(body, 'path')].filter((text) => text !== null);
  return { kind: 'act', by: nameOf(principal), what: `${method} ${url}`, result: [status, ...chosen].join(' ') };
};

const nameOf = (principal: Principal): string => {
  switch (principal.type) {
    case 'panel':
      return `the panel of ${principal.browserId}`;
    case 'session':
      return `the MCP client of ${principal.sessionId}`;
    case 'nobody':
      return 'somebody without a token';
    case 'local': {
      const { caller } = principal;
      if (caller?.pid === undefined || caller.pid === null) return 'the private socket';
      const side = { person: 'a terminal', agent: 'a program of an agent', unknown: 'a program that had ended' }[caller.actsFor];
      return `${side}, process ${caller.pid} (${caller.program ?? 'unknown program'})`;
    }
  }
};

const textOf = (body: unknown, name: 'optionId' | 'path'): string | null => {
  const value: unknown = typeof body === 'object' && body !== null && Object.hasOwn(body, name) ? Reflect.get(body, name) : null;
  return typeof value === 'string' ? value : null;
};
