import { expect, test } from 'vitest';
import { MCP_ENV } from '#protocol/environment.ts';
import { SessionId } from '#protocol/ids.ts';
import type { ToolSet } from '#protocol/tool-sets.ts';
import { RunAccess } from '#companion/app/run-access.ts';
import { Tokens } from '#companion/mcp/tokens.ts';

test('an agent gets the sets of tools that its project names, over HTTP and over stdio; without any the default one', () => {
  const sessionId = SessionId.parse('session_1');
  let sets: readonly ToolSet[] = ['default', 'storage'];
  const access = new RunAccess(
    new Tokens(),
    () => 4321,
    () => sets,
  );

  const chosen = access.open(sessionId);
  sets = [];
  const usual = access.open(sessionId);

  expect(chosen.url).toBe('http://127.0.0.1:4321/mcp?tools=default,storage');
  expect(chosen.args.slice(-3)).toEqual(['mcp', '--tools', 'default,storage']);
  expect(chosen.env[MCP_ENV.url]).toBe('http://127.0.0.1:4321/mcp');
  expect(usual.url).toBe('http://127.0.0.1:4321/mcp');
  expect(usual.args.at(-1)).toBe('mcp');
});
