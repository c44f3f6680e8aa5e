/** Imports a session, which for a long one takes a while: how far it is can be told, and who goes away gives it up. */
import { setTimeout } from 'node:timers/promises';
import type { SessionSummary } from '#protocol/api.ts';
import { routes } from '#protocol/routes.ts';
import type { ImportInput } from '#protocol/session-export.ts';
import type { Transport } from './transport.ts';
import type { Sending } from './uploads.ts';

/** How often it is asked how far it is. */
const ASK_EVERY_MS = 500;

export const importSession = async (
  transport: Transport,
  body: ImportInput,
  { signal, onProgress }: Sending = {},
): Promise<SessionSummary> => {
  const over = new AbortController();
  if (body.uploadId !== undefined && onProgress !== undefined) void tellOf(transport, body.uploadId, onProgress, over.signal);
  try {
    return (await transport.call(routes.importSession, { body }, { signal, silenceMs: 0 })).session;
  } finally {
    over.abort();
  }
};

const tellOf = async (
  transport: Transport,
  uploadId: string,
  onProgress: NonNullable<Sending['onProgress']>,
  signal: AbortSignal,
): Promise<void> => {
  try {
    for (;;) {
      await setTimeout(ASK_EVERY_MS, undefined, { signal });
      const { read } = await transport.call(routes.uploadState, { params: { uploadId } }, { signal });
      if (read !== null) onProgress(read.done, read.total);
    }
  } catch {
    // It is over, or the import itself will tell why not.
  }
};
