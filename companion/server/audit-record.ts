/** What the audit keeps of a request that acts for the person. */
import type { IncomingMessage } from 'node:http';
import type { AuditRecord } from '#protocol/audit.ts';
import { inAudit } from '#protocol/audit-lines.ts';
import type { Said } from '#protocol/said.ts';
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

const nameOf = (principal: Principal): Said => {
  switch (principal.type) {
    case 'panel':
      return inAudit('who_panel', { browser: principal.browserId });
    case 'session':
      return inAudit('who_mcp_client', { session: principal.sessionId });
    case 'nobody':
      return inAudit('who_nobody');
    case 'local': {
      const { caller } = principal;
      if (caller?.pid === undefined || caller.pid === null) return inAudit('who_socket');
      return inAudit(PROCESSES[caller.actsFor], { pid: caller.pid, program: caller.program ?? inAudit('unknown_program') });
    }
  }
};

const PROCESSES = { person: 'who_terminal', agent: 'who_agent_process', unknown: 'who_ended_process' } as const;

const textOf = (body: unknown, name: 'optionId' | 'path'): string | null => {
  const value: unknown = typeof body === 'object' && body !== null && Object.hasOwn(body, name) ? Reflect.get(body, name) : null;
  return typeof value === 'string' ? value : null;
};
