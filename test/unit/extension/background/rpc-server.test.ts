import { describe, expect, it } from 'vitest';
import { CompanionError } from '#protocol/errors.ts';
import type { JsonRpc } from '#protocol/link.ts';
import { type LinkHandlers, RpcServer } from '#extension/background/rpc-server.ts';

const params = { name: 'look', arguments: {}, _meta: { callId: 'call_1', sessionId: 'session_1', otherBrowsers: [] } };

const create = (handlers: Partial<LinkHandlers> = {}) => {
  const sent: JsonRpc[] = [];
  const served: string[] = [];
  const server = new RpcServer(
    {
      'tools/call': ({ name }) => {
        served.push(name);
        return Promise.resolve({ content: [] });
      },
      'pilotfish/describe_call': () => Promise.resolve({ target: null, lines: [] }),
      'pilotfish/mark_call': () => Promise.resolve({}),
      'pilotfish/call_outcome': () => Promise.resolve({ state: 'new' }),
      'pilotfish/decide_downloads': () => Promise.resolve({ taken: [] }),
      'pilotfish/saved_files': () => Promise.resolve({ files: [] }),
      'pilotfish/look_again': () => Promise.resolve({ outcome: 'unchanged', elements: [] }),
      'pilotfish/read_file': () => Promise.resolve({ dataBase64: '' }),
      'pilotfish/file_taken': () => Promise.resolve({}),
      ...handlers,
    },
    (message) => sent.push(message),
  );
  const ask = (id: string, method: string, given: Record<string, unknown> = params): void =>
    server.receive({ jsonrpc: '2.0', id, method, params: given });
  return { server, sent, served, ask };
};

describe('the JSON-RPC server of the extension', () => {
  it('answers each request by its id', async () => {
    const { sent, ask } = create();

    ask('1', 'tools/call');
    ask('2', 'pilotfish/describe_call', { sessionId: 'session_1', tool: 'look', args: {} });

    await expect.poll(() => sent).toHaveLength(2);
    expect(sent).toEqual([
      { jsonrpc: '2.0', id: '1', result: { content: [] } },
      { jsonrpc: '2.0', id: '2', result: { target: null, lines: [] } },
    ]);
  });

  it('answers a method it does not have with an error, whatever it is called', async () => {
    const { sent, served, ask } = create();
    const names = ['__proto__', 'constructor', 'toString', 'valueOf', 'tools/list', ''];

    for (const name of names) ask(name, name);

    await expect.poll(() => sent).toHaveLength(names.length);
    expect(sent.map(({ error }) => error?.code)).toEqual(names.map(() => -32_601));
    expect(served).toEqual([]);
  });

  it('answers wrong parameters with an error that names them, and serves nothing', async () => {
    const { sent, served, ask } = create();

    ask('1', 'tools/call', {});
    ask('2', 'tools/call', { ...params, _meta: JSON.parse('{"__proto__":{"callId":"x","sessionId":"y","otherBrowsers":[]}}') });
    ask('3', 'tools/call', { ...params, name: 7 });

    await expect.poll(() => sent).toHaveLength(3);
    expect(sent.map(({ error }) => error?.code)).toEqual([-32_602, -32_602, -32_602]);
    expect(sent[2]?.error?.message).toContain('name');
    expect(served).toEqual([]);
  });

  it('tells what a handler throws, and goes on', async () => {
    const { sent, ask } = create({
      'tools/call': () => Promise.reject(new CompanionError('TAB_NOT_FOUND')),
      'pilotfish/describe_call': () => Promise.reject(new TypeError('broken')),
    });

    ask('1', 'tools/call');
    ask('2', 'pilotfish/describe_call', { sessionId: 's', tool: 'look', args: {} });

    await expect.poll(() => sent).toHaveLength(2);
    expect(sent.map(({ error }) => error?.data)).toMatchObject([{ code: 'TAB_NOT_FOUND' }, { code: 'INTERNAL' }]);
  });

  it('ends the request that was cancelled, and no other', async () => {
    const signals: AbortSignal[] = [];
    const { server, ask } = create({ 'tools/call': (_, signal) => (signals.push(signal), new Promise(() => {})) });
    ask('1', 'tools/call');
    ask('2', 'tools/call');

    server.receive({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: '2' } });
    server.receive({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: {} } });

    expect(signals.map(({ aborted }) => aborted)).toEqual([false, true]);
  });
});
