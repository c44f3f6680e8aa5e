/** Questions that go to a client over stdio with what else is told of its call, and whose answers it sends by itself. */
import type { McpCallLine } from '#protocol/api.ts';
import type { SessionId } from '#protocol/ids.ts';
import { randomId } from '#companion/lib/random-id.ts';
import type { Elicit } from '#companion/mcp/elicit.ts';

export class Elicitations {
  readonly #open = new Map<string, { readonly sessionId: SessionId; readonly resolve: (optionId: string | null) => void }>();

  /** For one call; `write` sends a line to its client. */
  over(sessionId: SessionId, write: (line: McpCallLine) => void): Elicit {
    return async (question, signal) => {
      const elicitId = randomId('elicit');
      const { promise, resolve } = Promise.withResolvers<string | null>();
      const end = (): void => resolve(null);
      this.#open.set(elicitId, { sessionId, resolve });
      signal.addEventListener('abort', end, { once: true });
      try {
        write({ elicitId, question });
        return await promise;
      } finally {
        signal.removeEventListener('abort', end);
        this.#open.delete(elicitId);
        write({ elicitId, question: null });
      }
    };
  }

  /** One that is over, or another session's, is passed over: the person has answered elsewhere. */
  answer(sessionId: SessionId, elicitId: string, optionId: string | null): void {
    const open = this.#open.get(elicitId);
    if (open?.sessionId === sessionId) open.resolve(optionId);
  }
}
