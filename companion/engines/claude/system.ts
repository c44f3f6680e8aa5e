/** Claude's `system` lines: which conversation this is, what state it is in, what it waits for. */
import { CompanionError } from '#protocol/errors.ts';
import { notice } from '#protocol/notices.ts';
import { say } from '#companion/engines/codecs/open-items.ts';
import type { Effect, LaunchOptions } from '../engine.ts';
import type { SystemFrame } from './frames.ts';
import type { Settings } from './settings.ts';
import type { Tasks } from './tasks.ts';
import type { Turn } from './turn.ts';

export class SystemLines {
  readonly #serverName: string | undefined;
  readonly #settings: Settings;
  readonly #turn: Turn;
  readonly #tasks: Tasks;
  #engineSessionId: string | null;
  #isMcpDown = false;

  constructor(options: LaunchOptions, parts: { readonly settings: Settings; readonly turn: Turn; readonly tasks: Tasks }) {
    this.#serverName = options.mcp?.serverName;
    this.#engineSessionId = options.engineSessionId;
    this.#settings = parts.settings;
    this.#turn = parts.turn;
    this.#tasks = parts.tasks;
  }

  take(frame: SystemFrame): Effect[] {
    switch (frame.subtype) {
      // This line comes again at the start of every turn.
      case 'init':
        this.#turn.canTrackSteers = frame.capabilities?.includes('msg_lifecycle_v1') === true;
        return [...this.#bind(frame.session_id), ...this.#noteMode(frame), ...this.#noteMcp(frame)];
      case 'status': {
        const begun = frame.status === 'requesting' ? this.#turn.wake(() => this.#tasks.takeReason()) : [];
        return [...begun, ...this.#noteMode(frame)];
      }
      case 'task_started':
      case 'task_updated':
      case 'task_notification':
        return this.#tasks.take(frame);
      case 'api_retry':
        return this.#turn.retry(frame);
      case 'compact_boundary':
        return [say({ type: 'notice', level: 'info', ...notice('summarised') })];
      case 'model_fallback':
      case 'model_refusal_fallback':
        return typeof frame.content === 'string' ? [say({ type: 'notice', level: 'warning', text: frame.content })] : [];
      default:
        return [];
    }
  }

  #bind(id: string | null | undefined): Effect[] {
    if (typeof id !== 'string' || id === this.#engineSessionId) return [];
    this.#engineSessionId = id;
    return [say({ type: 'bound', engineSessionId: id })];
  }

  #noteMode({ permissionMode }: SystemFrame): Effect[] {
    return typeof permissionMode === 'string' ? this.#settings.noteMode(permissionMode) : [];
  }

  /** The user is told once when our server begins to fail; claude goes on without it. */
  #noteMcp(frame: SystemFrame): Effect[] {
    const ours = frame.mcp_servers?.find(({ name }) => name === this.#serverName);
    const wasDown = this.#isMcpDown;
    this.#isMcpDown = ours?.status === 'failed';
    if (!this.#isMcpDown || wasDown) return [];
    const { code, message } = new CompanionError('MCP_UNREACHABLE');
    return [say({ type: 'notice', level: 'warning', text: message, code })];
  }
}
