/** The MCP server of the recordings, `lab`: answers plain JSON over HTTP to every client that has its token. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readJson, sendJson } from '#test/fixtures/model-server.ts';

export const LAB_TOKEN = 'lab-secret-token';

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAYAAACNMs+9AAAAFUlEQVR42mP8z8BQz0AEYBxVSF+FABJADveWkH6oAAAAAElFTkSuQmCC';

const tools = [
  {
    name: 'browser_read_page',
    description: 'Reads the page in the active browser tab',
    inputSchema: { type: 'object', properties: { url: { type: 'string' } } },
    annotations: { readOnlyHint: true },
  },
  { name: 'fail', description: 'Always fails', inputSchema: { type: 'object', properties: {} } },
  { name: 'screenshot', description: 'Takes a screenshot', inputSchema: { type: 'object', properties: {} } },
];

const results: Record<string, object> = {
  browser_read_page: { content: [{ type: 'text', text: '# Fake page\nHello from the fake page' }] },
  fail: { content: [{ type: 'text', text: 'It always fails.' }], isError: true },
  screenshot: {
    content: [
      { type: 'text', text: 'screenshot 10x10' },
      { type: 'image', data: PNG, mimeType: 'image/png' },
    ],
  },
};

export const startLabMcp = async (): Promise<{ url: string; close(): Promise<void> }> => {
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.headers.authorization !== `Bearer ${LAB_TOKEN}`) return sendJson(response, 401, { error: 'unauthorized' });
    if (request.method !== 'POST') {
      response.writeHead(405).end();
      return undefined;
    }
    const { id, method, params } = (await readJson(request)) as { id?: number; method?: string; params?: Record<string, unknown> };
    if (id === undefined) {
      response.writeHead(202).end();
      return undefined;
    }
    const result = resultOf(method ?? '', params ?? {});
    const rest = result === null ? { error: { code: -32_601, message: `no ${method}` } } : { result };
    return sendJson(response, 200, { jsonrpc: '2.0', id, ...rest });
  };
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

const resultOf = (method: string, params: Record<string, unknown>): object | null => {
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: params['protocolVersion'] ?? '2025-06-18',
        capabilities: { tools: {} },
        serverInfo: { name: 'lab', version: '1.0.0' },
      };
    case 'tools/list':
      return { tools };
    case 'tools/call':
      return results[String(params['name'])] ?? null;
    case 'ping':
      return {};
    default:
      return null;
  }
};
