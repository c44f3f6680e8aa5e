/** The far end of a carrier, speaking frames as the extension does. */
import { TOOL_CLASS_META, type ToolClass, type ToolInfo } from '#protocol/browser.ts';
import { Joiner } from '#protocol/chunk.ts';
import { BrowserId } from '#protocol/ids.ts';
import { PROTOCOL } from '#protocol/version.ts';
import { openReception } from '#test/fixtures/admission.ts';
import type { Bridge } from '#companion/browser/bridge.ts';

export interface Request {
  readonly id: string;
  readonly method: string;
  readonly params: Record<string, unknown> & { _meta?: Record<string, unknown>; name?: string; arguments?: Record<string, unknown> };
}

export interface ExtensionDouble {
  readonly frames: { type: string; [key: string]: unknown }[];
  readonly requests: Request[];
  readonly cancelled: string[];
  isClosed: boolean;
  send(frame: unknown): void;
  hello(more?: Record<string, unknown>): void;
  /** Answers a request. */
  answer(request: Request, result: unknown): void;
  /** What the fake does with each request; by default nothing. */
  onRequest: (request: Request) => void;
  /** What it does when it is asked whether it is there; by default nothing. */
  onPing: () => void;
  /** Ends the carrier, as a host that was killed does. */
  drop(): void;
}

export const tool = (name: string, toolClass: ToolClass): ToolInfo => ({
  name,
  description: name,
  inputSchema: { type: 'object' },
  _meta: { [TOOL_CLASS_META]: toolClass },
});

export const TOOLS = [tool('look', 'read'), tool('press', 'write')];

export const browserId = (name: string): BrowserId => BrowserId.parse(name);

export const createExtensionDouble = (
  bridge: Bridge,
  name = 'b1',
  reception = openReception(56_889, `token-${name}`),
  isElsewhere = false,
): ExtensionDouble => {
  const joiner = new Joiner();
  const attached = bridge.attach(
    {
      canRest: true,
      isElsewhere,
      send: (json) => {
        const joined = joiner.take(JSON.parse(json));
        if (joined.type === 'message') queueMicrotask(() => receive(joined.value as { type: string; payload?: unknown }));
      },
      close: () => fake.drop(),
    },
    reception,
  );

  const receive = (frame: { type: string; payload?: unknown }): void => {
    if (frame.type === 'ping') return fake.onPing();
    fake.frames.push(frame);
    if (frame.type !== 'mcp_message') return;
    const payload = frame.payload as Request & { method: string; params: { requestId?: string } };
    if (payload.method === 'notifications/cancelled') {
      fake.cancelled.push(String(payload.params.requestId));
      return;
    }
    fake.requests.push(payload);
    fake.onRequest(payload);
  };

  const fake: ExtensionDouble = {
    frames: [],
    requests: [],
    cancelled: [],
    isClosed: false,
    onRequest: () => {},
    onPing: () => {},
    send: (frame) => {
      if (!fake.isClosed) attached.receive(frame);
    },
    hello: (more = {}) => {
      fake.send({
        type: 'hello',
        protocol: PROTOCOL,
        extensionVersion: '0.1.0',
        extensionId: 'x',
        browserId: name,
        browserName: 'Chromium',
        label: `Label ${name}`,
        journalId: 'journal-1',
        ...more,
      });
    },
    answer: ({ id }, result) => fake.send({ type: 'mcp_message', server: 'browser', payload: { jsonrpc: '2.0', id, result } }),
    drop: () => {
      if (fake.isClosed) return;
      fake.isClosed = true;
      attached.closed();
    },
  };
  return fake;
};

/** The text a result carries. */
export const textOf = (result: { content: readonly { [key: string]: unknown }[] }): string =>
  result.content.map((block) => String(block['text'])).join('\n');

export const text = (words: string): { content: { type: 'text'; text: string }[] } => ({ content: [{ type: 'text', text: words }] });
