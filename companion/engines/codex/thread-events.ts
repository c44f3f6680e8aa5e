/** Notifications about the thread and the account rather than its items: usage, limits, warnings. */
import { on, type Handlers } from '#companion/engines/codecs/handlers.ts';
import { say } from '#companion/engines/codecs/open-items.ts';
import { notifications, readReset } from './schema.ts';

export interface ThreadEventsContext {
  readonly isOwn: (threadId: string) => boolean;
  /** Name the browser tools' MCP server has in this thread. */
  readonly serverName: () => string | null;
  /** When an exhausted limit resets; undefined while no limit is exhausted. */
  readonly noteReset: (resetsAt: number | undefined) => void;
}

export const threadHandlers = ({ isOwn, serverName, noteReset }: ThreadEventsContext): Handlers =>
  new Map([
    [
      'thread/tokenUsage/updated',
      on(notifications['thread/tokenUsage/updated'], ({ threadId, tokenUsage }) => {
        if (!isOwn(threadId)) return [];
        const { total, last, modelContextWindow } = tokenUsage;
        const usage = {
          // Codex counts what came from the cache among the input.
          inputTokens: total.inputTokens - total.cachedInputTokens,
          cacheReadTokens: total.cachedInputTokens,
          outputTokens: total.outputTokens,
          contextUsed: last.totalTokens,
          ...(typeof modelContextWindow === 'number' ? { contextWindow: modelContextWindow } : {}),
        };
        return [say({ type: 'usage.updated', usage })];
      }),
    ],
    [
      'account/rateLimits/updated',
      on(notifications['account/rateLimits/updated'], ({ rateLimits: { primary, secondary } }) => {
        noteReset(readReset(primary) ?? readReset(secondary));
        return [];
      }),
    ],
    [
      'mcpServer/startupStatus/updated',
      on(notifications['mcpServer/startupStatus/updated'], ({ name, status, error }) => {
        if (name !== serverName() || status !== 'failed') return [];
        const text = `The agent could not reach the browser tools: ${error ?? 'it does not say why'}`;
        return [say({ type: 'notice', level: 'warning', text, code: 'MCP_UNREACHABLE' })];
      }),
    ],
    [
      'model/rerouted',
      on(notifications['model/rerouted'], ({ threadId, fromModel, toModel }) =>
        isOwn(threadId) ? [say({ type: 'notice', level: 'info', text: `Answered by ${toModel} instead of ${fromModel}.` })] : [],
      ),
    ],
    [
      'error',
      on(notifications.error, ({ threadId, error, willRetry }) =>
        isOwn(threadId) && willRetry ? [say({ type: 'retrying', text: error.additionalDetails ?? error.message })] : [],
      ),
    ],
    // A model codex has no record of works as any other.
    [
      'warning',
      on(notifications.warning, ({ message }) =>
        /^Model metadata for .* not found/.test(message) ? [] : [say({ type: 'notice', level: 'warning', text: message })],
      ),
    ],
  ]);
