/** One conversation with the companion over an open carrier: hello, the tools, then calls and sessions as they come. */
import { type DownFrame, LINK_SERVER, type UpFrame } from '#protocol/link.ts';
import type { SiteRules } from '#protocol/sites.ts';
import { EXTENSION_ID, PROTOCOL, VERSION } from '#protocol/version.ts';
import { tools } from '#extension/tools/index.ts';
import { showAttention } from './badge.ts';
import type { CallJournal } from './call-journal.ts';
import type { Profile } from './profile.ts';
import { RpcServer } from './rpc-server.ts';
import type { ToolContexts } from './tool-contexts.ts';
import type { ToolRunner } from './tool-runner.ts';

export interface ConversationParts {
  readonly profile: Profile;
  readonly journal: CallJournal;
  readonly runner: ToolRunner;
  readonly contexts: ToolContexts;
  /** Told of the person's rules for sites. */
  readonly onSites: (rules: SiteRules) => unknown;
  /** Told of the permissions that hold. */
  readonly onGrants: (ids: readonly string[]) => unknown;
}

export class Conversation {
  readonly #send: (frame: UpFrame) => void;
  readonly #parts: ConversationParts;
  readonly #rpc: RpcServer;

  /** `send` does nothing once the carrier has ended. */
  constructor(send: (frame: UpFrame) => void, parts: ConversationParts) {
    this.#send = send;
    this.#parts = parts;
    this.#rpc = new RpcServer(parts.runner.handlers, (payload) => send({ type: 'mcp_message', server: LINK_SERVER, payload }));
    void this.#sayHello();
  }

  receive(frame: DownFrame): void {
    switch (frame.type) {
      case 'welcome':
        this.#parts.contexts.crossing.begin(frame.takesFiles === true);
        this.#send({ type: 'mcp_register', server: LINK_SERVER, tools: tools.map((tool) => tool.info) });
        return this.#parts.contexts.downloads.tellAgain();
      case 'mcp_message':
        return frame.server === LINK_SERVER ? this.#rpc.receive(frame.payload) : undefined;
      case 'session_start':
        return void this.#parts.contexts.sessionTabs.begin(frame.sessionId, frame.name);
      case 'session_end':
        return void this.#parts.contexts.endSession(frame.sessionId, frame.closesTabs);
      case 'session_rests':
        return this.#parts.contexts.acting.rests(frame.sessionId);
      case 'tab_handed':
        return void this.#parts.contexts.sessionTabs.hand(frame.sessionId, frame.tabId);
      case 'new_identity':
        return void this.#takeNewIdentity();
      case 'sites':
        return void this.#parts.onSites(frame.rules);
      case 'grants':
        return void this.#parts.onGrants(frame.ids);
      case 'attention':
        return showAttention(frame.count);
      case 'ping':
        return this.#send({ type: 'pong', at: frame.at });
      case 'pong':
      case 'mcp_registered':
      case 'host':
      case 'preparing':
      case 'host_failed':
      case 'resting':
      case 'refused':
        return undefined;
    }
  }

  /** The carrier has ended. */
  closed(): void {
    showAttention(0);
    this.#parts.contexts.acting.end();
    this.#parts.contexts.crossing.end();
  }

  async #sayHello(): Promise<void> {
    const [profile, journalId] = await Promise.all([this.#parts.profile.load(), this.#parts.journal.id()]);
    this.#send({
      type: 'hello',
      protocol: PROTOCOL,
      extensionVersion: VERSION,
      extensionId: EXTENSION_ID,
      ...profile,
      journalId,
      canRest: true,
    });
  }

  async #takeNewIdentity(): Promise<void> {
    await this.#parts.profile.renew();
    await this.#sayHello();
  }
}
