/** Sends a file that was exported, and waits until it is a session: the file is read piece by piece, and both can be given up. */
import type { SessionSummary } from '#protocol/api.ts';
import { attachmentLimits } from '#protocol/attachment-limits.ts';
import { routes } from '#protocol/routes.ts';
import { bytesToBase64 } from '#extension/shared/base64.ts';
import type { Call } from '#extension/shared/wire.ts';

/** How far it is; first it is sent, then it is taken in. */
export interface ImportProgress {
  readonly step: 'send' | 'read';
  /** From 0 to 1. */
  readonly share: number;
}

/** The largest file takes minutes, and can be given up at any time. */
const IMPORT_WITHIN_MS = 4 * 60 * 60_000;
const ASK_EVERY_MS = 500;

/** Null when it was given up: nothing of it stays then. */
export const importSession = async (
  call: Call,
  file: File,
  { signal, onProgress }: { readonly signal: AbortSignal; readonly onProgress: (progress: ImportProgress) => void },
): Promise<SessionSummary | null> => {
  const body = { kind: 'session', name: file.name, mimeType: 'application/json', sizeBytes: file.size } as const;
  const { uploadId, pieceBytes } = await call(routes.beginUpload, { body });
  const params = { uploadId };
  const giveUp = (): void => void call(routes.cancelUpload, { params }).catch(() => {});
  signal.addEventListener('abort', giveUp);
  const asking = setInterval(() => {
    const asked = call(routes.uploadState, { params });
    // The caller that waits for the import is told what went wrong.
    asked
      .then(({ read }) => (read === null ? undefined : onProgress({ step: 'read', share: read.done / Math.max(1, read.total) })))
      .catch(() => {});
  }, ASK_EVERY_MS);
  try {
    const length = Math.min(pieceBytes, attachmentLimits.pieceBytes);
    for (let offset = 0; offset < file.size && !signal.aborted; offset += length) {
      onProgress({ step: 'send', share: offset / file.size });
      const piece = new Uint8Array(await file.slice(offset, offset + length).arrayBuffer());
      await call(routes.sendPiece, { params, body: { offset, dataBase64: bytesToBase64(piece) } });
    }
    return signal.aborted
      ? null
      : (await call(routes.importSession, { body: { uploadId } }, AbortSignal.timeout(IMPORT_WITHIN_MS))).session;
  } catch (error) {
    if (signal.aborted) return null;
    giveUp();
    throw error;
  } finally {
    signal.removeEventListener('abort', giveUp);
    clearInterval(asking);
  }
};
