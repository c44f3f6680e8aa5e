/** One carrier with an extension at its far end, from the first frame to the last. */
import type { BrowserInfo, ToolInfo } from '#protocol/browser.ts';
import { createJoiner, splitMessage } from '#protocol/chunk.ts';
import { CompanionError } from '#protocol/errors.ts';
import { type DownFrame, UpFrame, negotiate } from '#protocol/link.ts';
import { PROTOCOL, VERSION } from '#protocol/version.ts';
import type { Log } from '#companion/lib/log.ts';
import { type Rpc, createRpc } from './rpc.ts';

/** The MCP server every extension registers. */
const BROWSER_SERVER = 'browser';

/** What moves frames: native messaging through the host, a WebSocket. */
export interface Carrier {
  send(json: string): void;
  close(): void;
}

export type Hello = Extract<UpFrame, { type: 'hello' }>;

/** What the extension of this browser is told; made anew for each hello. */
export type Welcome = (hello: Hello) => { port: number; token: string; advice?: string };

/** An extension that said hello and was welcomed. */
export interface Connection {
  readonly info: BrowserInfo;
  /** Absent when the extension keeps no journal: then nothing that changes a page may be sent twice. */
  readonly journalId: string | undefined;
  readonly rpc: Rpc;
  tools: readonly ToolInfo[];
  send(frame: DownFrame): void;
  close(): void;
}

interface Events {
  onOpen(connection: Connection): void;
  onTools(connection: Connection): void;
  onFocus(connection: Connection): void;
  onClosed(connection: Connection): void;
}

/** Takes the frames of one carrier. Nothing counts before a `hello` whose protocol version we can speak. */
export const acceptCarrier = (
  carrier: Carrier,
  options: { welcome: Welcome; log: Log; events: Events },
): { receive(frame: unknown): void; closed(): void } => {
  const { log, events } = options;
  const join = createJoiner();
  let connection: Connection | null = null;
  let hasClosed = false;
  let lastMessage = 0;

  const send = (frame: DownFrame): void => {
    if (hasClosed) return;
    for (const part of splitMessage(JSON.stringify(frame), String(++lastMessage))) carrier.send(part);
  };

  const open = (hello: Hello): void => {
    const refusal = toRefusal(hello);
    if (refusal !== null) {
      log.warn('browser.refused', { label: hello.label, extensionVersion: hello.extensionVersion, code: refusal.code });
      send({ type: 'refused', error: refusal.toBody() });
      return carrier.close();
    }
    // A second hello on one carrier: the extension began anew without losing its port.
    if (connection !== null) end();
    const opened: Connection = {
      info: {
        browserId: hello.browserId,
        name: hello.browserName,
        label: hello.label,
        extensionVersion: hello.extensionVersion,
        connectedAt: Date.now(),
        toolCount: 0,
      },
      journalId: hello.journalId,
      rpc: createRpc((payload) => send({ type: 'mcp_message', server: BROWSER_SERVER, payload })),
      tools: [],
      send,
      close: () => carrier.close(),
    };
    connection = opened;
    send({ type: 'welcome', protocol: PROTOCOL, companionVersion: VERSION, ...options.welcome(hello) });
    return events.onOpen(opened);
  };

  const end = (): void => {
    const ended = connection;
    connection = null;
    if (ended === null) return;
    events.onClosed(ended);
    ended.rpc.end();
  };

  const receive = (frame: UpFrame): void => {
    if (frame.type === 'hello') return open(frame);
    if (frame.type === 'ping') return send({ type: 'pong', at: frame.at });
    if (connection === null) return log.warn('link.frame_before_hello', { type: frame.type });
    switch (frame.type) {
      case 'mcp_register':
        connection.tools = frame.tools;
        send({ type: 'mcp_registered', server: frame.server, toolCount: frame.tools.length });
        return events.onTools(connection);
      case 'mcp_unregister':
        connection.tools = [];
        return events.onTools(connection);
      case 'focus':
        return events.onFocus(connection);
      case 'mcp_message':
        return connection.rpc.receive(frame.payload);
      case 'pong':
        return undefined;
    }
  };

  return {
    receive: (frame) => {
      const joined = join(frame);
      if (joined.type === 'partial') return;
      if (joined.type === 'invalid') return log.warn('link.frame_invalid', { reason: joined.reason });
      const parsed = UpFrame.safeParse(joined.value);
      if (parsed.success) receive(parsed.data);
      else log.warn('link.frame_invalid', { reason: parsed.error.issues[0]?.message ?? 'unknown' });
    },
    closed: () => {
      hasClosed = true;
      end();
    },
  };
};

/** Null when both ends understand each other; otherwise the end that is too old is named, with what to do. */
const toRefusal = (hello: Hello): CompanionError | null => {
  const result = negotiate(PROTOCOL, hello.protocol);
  if ('version' in result) return null;
  const versions = `The extension is ${hello.extensionVersion} (link protocol ${hello.protocol.oldest}–${hello.protocol.current}), pilotfish is ${VERSION} (${PROTOCOL.oldest}–${PROTOCOL.current}).`;
  return new CompanionError(result.tooOld === 'ours' ? 'COMPANION_TOO_OLD' : 'EXTENSION_TOO_OLD', versions);
};
