/** Files that calls have made of what they read, and saved among the person's downloads: a later call may hand them to a page. */
import * as z from 'zod';
import type { SessionId } from '#protocol/ids.ts';
import { SavedFile } from '#protocol/link.ts';
import { sha256Of } from '#extension/shared/sha256.ts';
import { Stored } from './stored.ts';

/** How many are remembered for a session. */
const MAX_KEPT = 50;

const Kept = z.record(z.string(), z.array(SavedFile)).transform((record) => new Map(Object.entries(record)));

export class SavedFiles {
  readonly #kept = new Stored<ReadonlyMap<string, readonly SavedFile[]>>(
    'session',
    'saved files',
    Kept,
    () => new Map(),
    Object.fromEntries,
  );

  /** The file is there, with these bytes. */
  async note(sessionId: SessionId, file: Pick<SavedFile, 'path' | 'name' | 'origin'>, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    const saved = { ...file, sizeBytes: bytes.length, savedAt: Date.now(), sha256: await sha256Of(bytes) };
    await this.#kept.update((kept) => new Map([...kept, [sessionId, [...(kept.get(sessionId) ?? []), saved].slice(-MAX_KEPT)]]));
  }

  /** The newest last. */
  async of(sessionId: SessionId): Promise<readonly SavedFile[]> {
    return (await this.#kept.load()).get(sessionId) ?? [];
  }

  forget(sessionId: SessionId): Promise<void> {
    return this.#kept.update((kept) => (kept.has(sessionId) ? new Map([...kept].filter(([id]) => id !== sessionId)) : kept));
  }
}
