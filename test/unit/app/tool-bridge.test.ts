import { describe, expect } from 'vitest';
import { McpToolBridge } from '#companion/app/tool-bridge.ts';
import type { ToolBridge } from '#companion/engines/engine.ts';
import { test, type Stage } from '#test/unit/server/stage.ts';

const open = (stage: Stage) => {
  const sessionId = stage.sessions.create({ kind: 'agent' });
  const token = stage.sessionToken(sessionId);
  const seen = { connects: 0, closes: 0 };
  const bridge: ToolBridge = new McpToolBridge({
    connect: () => {
      seen.connects += 1;
      return { url: `${stage.base}/mcp`, token };
    },
    onClosed: () => (seen.closes += 1),
  });
  return { bridge, sessionId, seen };
};

const never = new AbortController().signal;

describe('the tool bridge', () => {
  test('lists and calls as an MCP client with the token of its session', async ({ stage }) => {
    const { bridge, sessionId, seen } = open(stage);

    const tools = await bridge.tools(never);
    const results = await Promise.all(Array.from({ length: 30 }, (_, depth) => bridge.call('browser_snapshot', { depth }, never)));

    expect(tools[0]).toMatchObject({
      name: 'browser_snapshot',
      description: 'The tool browser_snapshot.',
      inputSchema: { type: 'object' },
    });
    expect(results.every(({ content }) => content[0]?.['text'] === 'done')).toBe(true);
    expect(stage.bridge.calls.map((call) => call.sessionId)).toEqual(Array.from({ length: 30 }, () => sessionId));
    await bridge.close();
    expect(seen).toEqual({ connects: 1, closes: 1 });
  });

  test('a call that is stopped is stopped in the browser too', async ({ stage }) => {
    const { bridge } = open(stage);
    const stopped = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    stage.bridge.onCall((_, { signal }) => {
      signal.addEventListener('abort', () => stopped.resolve());
      begun.resolve();
      return new Promise(() => {});
    });
    const abort = new AbortController();

    const call = bridge.call('browser_snapshot', {}, abort.signal);
    await begun.promise;
    abort.abort(new Error('enough'));

    await expect(call).rejects.toThrow('enough');
    await stopped.promise;
    await bridge.close();
  });

  test('that nobody used connects to nothing', async ({ stage }) => {
    const { bridge, seen } = open(stage);

    await bridge.close();

    expect(seen).toEqual({ connects: 0, closes: 0 });
  });

  test('says so when the server cannot be reached', async () => {
    const bridge = new McpToolBridge({ connect: () => ({ url: 'http://127.0.0.1:1/mcp', token: 'x' }), onClosed: () => {} });

    await expect(bridge.tools(never)).rejects.toMatchObject({ code: 'MCP_UNREACHABLE' });
    await bridge.close();
  });
});
