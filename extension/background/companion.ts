/** One conversation with the companion over an open carrier: hello, the tools, then calls and sessions as they come. */
import type { DownFrame, UpFrame } from '#protocol/link.ts';
import { EXTENSION_ID, PROTOCOL, VERSION } from '#protocol/version.ts';
import { tools } from '#extension/tools/index.ts';
import { showAttention } from './badge.ts';
import type { Journal } from './journal.ts';
import type { Conversation } from './native-port.ts';
import type { Profile } from './profile.ts';
import { createRpcServer } from './rpc-server.ts';
import type { SessionTabs } from './session-tabs.ts';
import type { ToolRunner } from './tool-runner.ts';

/** The MCP server's name on the link. */
const SERVER = 'browser';

export const converse = (
  send: (frame: UpFrame) => void,
  parts: { profile: Promise<Profile>; journal: Journal; runner: ToolRunner; sessionTabs: SessionTabs },
): Conversation => {
  const rpc = createRpcServer(parts.runner, (payload) => send({ type: 'mcp_message', server: SERVER, payload }));

  const sayHello = async (): Promise<void> => {
    const [profile, journalId] = await Promise.all([parts.profile, parts.journal.id()]);
    send({ type: 'hello', protocol: PROTOCOL, extensionVersion: VERSION, extensionId: EXTENSION_ID, ...profile, journalId });
  };
  void sayHello();

  const receive = (frame: DownFrame): void => {
    switch (frame.type) {
      case 'welcome':
        return send({ type: 'mcp_register', server: SERVER, tools: tools.map((tool) => tool.info) });
      case 'mcp_message':
        return rpc.receive(frame.payload);
      case 'session_start':
        return void parts.sessionTabs.begin(frame.sessionId, frame.name);
      case 'session_end':
        return void parts.sessionTabs.end(frame.sessionId);
      case 'attention':
        return showAttention(frame.count);
      case 'ping':
        return send({ type: 'pong', at: frame.at });
      case 'pong':
      case 'mcp_registered':
      case 'host':
      case 'host_failed':
      case 'refused':
        return undefined;
    }
  };

  return { receive, closed: () => showAttention(0) };
};
