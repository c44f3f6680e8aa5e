/** Notifications about the thread and the account as a whole: usage, limits, warnings. */
import { notice } from '#protocol/notices.ts';
import { on, type Handlers } from '#companion/engines/codecs/handlers.ts';
import { say } from '#companion/engines/codecs/open-items.ts';
import { notifications, readReset } from './schema.ts';

/** What codex tells of the thread as a whole. */
export class ThreadEvents {
  /** By the name of the notification. */
  readonly handlers: Handlers = this.#makeHandlers();
  readonly #isOwn: (threadId: string) => boolean;
  readonly #serverName: () => string | null;
  #resetsAt: number | undefined;

  /** `serverName` is the name that the MCP server with the browser tools has in this thread. */
  constructor(isOwn: (threadId: string) => boolean, serverName: () => string | null) {
    this.#isOwn = isOwn;
    this.#serverName = serverName;
  }

  /** When an exhausted limit of the account resets; undefined while no limit is exhausted. */
  get resetsAt(): number | undefined {
    return this.#resetsAt;
  }

  #makeHandlers(): Handlers {
    return new Map([
      [
        'thread/tokenUsage/updated',
        on(notifications['thread/tokenUsage/updated'], ({ threadId, tokenUsage }) => {
          if (!this.#isOwn(threadId)) return [];
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
          this.#resetsAt = readReset(primary) ?? readReset(secondary);
          return [];
        }),
      ],
      [
        'mcpServer/startupStatus/updated',
        on(notifications['mcpServer/startupStatus/updated'], ({ name, status, error }) => {
          if (name !== this.#serverName() || status !== 'failed') return [];
          return [say(noBrowser(error ?? 'it does not say why'))];
        }),
      ],
      [
        'model/rerouted',
        on(notifications['model/rerouted'], ({ threadId, fromModel, toModel }) =>
          this.#isOwn(threadId) ? [say({ type: 'notice', level: 'info', ...notice('rerouted', { to: toModel, from: fromModel }) })] : [],
        ),
      ],
      [
        'error',
        on(notifications.error, ({ threadId, error, willRetry }) =>
          this.#isOwn(threadId) && willRetry ? [say({ type: 'retrying', text: error.additionalDetails ?? error.message })] : [],
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
  }
}

/** That this thread has no browser tools, and what codex says of it. */
export const noBrowser = (reason: string) =>
  ({ type: 'notice', level: 'warning', ...notice('no_browser', { reason }), code: 'MCP_UNREACHABLE' }) as const;
