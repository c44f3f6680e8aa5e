/** Claude's `system` lines: which conversation this is, what state it is in, what it waits for. */
import { CompanionError } from '#protocol/errors.ts';
import { say } from '#companion/engines/codecs/open-items.ts';
import type { Effect, LaunchOptions } from '../engine.ts';
import type { SystemFrame } from './frames.ts';
import type { Settings } from './settings.ts';
import type { Tasks } from './tasks.ts';
import type { Turn } from './turn.ts';

export const createSystem = (
  options: LaunchOptions,
  { settings, turn, tasks }: { settings: Settings; turn: Turn; tasks: Tasks },
): ((frame: SystemFrame) => Effect[]) => {
  let sessionId = options.engineSessionId;
  let isMcpDown = false;

  const bind = (id: string | null | undefined): Effect[] => {
    if (typeof id !== 'string' || id === sessionId) return [];
    sessionId = id;
    return [say({ type: 'bound', engineSessionId: id })];
  };

  const mode = ({ permissionMode }: SystemFrame): Effect[] => (typeof permissionMode === 'string' ? settings.isMode(permissionMode) : []);

  /** Told once, when our server begins to fail; claude goes on without it. */
  const mcp = (frame: SystemFrame): Effect[] => {
    const ours = frame.mcp_servers?.find(({ name }) => name === options.mcp?.serverName);
    const wasDown = isMcpDown;
    isMcpDown = ours?.status === 'failed';
    if (!isMcpDown || wasDown) return [];
    const { code, message } = new CompanionError('MCP_UNREACHABLE');
    return [say({ type: 'notice', level: 'warning', text: message, code })];
  };

  return (frame) => {
    switch (frame.subtype) {
      // Comes again at the start of every turn.
      case 'init':
        turn.canTrackSteers = frame.capabilities?.includes('msg_lifecycle_v1') === true;
        return [...bind(frame.session_id), ...mode(frame), ...mcp(frame)];
      case 'status':
        return [...(frame.status === 'requesting' ? turn.wake(tasks.takeReason) : []), ...mode(frame)];
      case 'task_started':
      case 'task_updated':
      case 'task_notification':
        return tasks.take(frame);
      case 'api_retry':
        return turn.retry(frame);
      case 'compact_boundary':
        return [say({ type: 'notice', level: 'info', text: 'The earlier conversation was summarised to make room.' })];
      case 'model_fallback':
      case 'model_refusal_fallback':
        return typeof frame.content === 'string' ? [say({ type: 'notice', level: 'warning', text: frame.content })] : [];
      default:
        return [];
    }
  };
};
