/** The newest snapshot of each tab, for what changed since. A worker that starts anew knows of none. */
import type { SessionId } from '#protocol/ids.ts';
import type { LastSnapshot, TakenSnapshot } from '#extension/toolkit/tool.ts';

/** Longer ones are not kept. */
const MAX_CHARS = 500_000;
const MAX_KEPT = 20;

export class Snapshots {
  /** By tab and session, for in a tab of the person's several may look. The newest stands last. */
  readonly #kept = new Map<string, TakenSnapshot>();

  of(sessionId: SessionId, tabId: number | null): LastSnapshot {
    const key = `${tabId} ${sessionId}`;
    return {
      read: () => this.#kept.get(key) ?? null,
      keep: (taken) => {
        this.#kept.delete(key);
        if (taken.text.length <= MAX_CHARS) this.#kept.set(key, taken);
        const [oldest] = this.#kept.keys();
        if (this.#kept.size > MAX_KEPT && oldest !== undefined) this.#kept.delete(oldest);
      },
    };
  }

  forget(tabId: number): void {
    for (const key of this.#kept.keys()) if (key.startsWith(`${tabId} `)) this.#kept.delete(key);
  }
}
