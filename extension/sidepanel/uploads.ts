/** Sends what does not fit into the body of a prompt before it, in pieces. */
import { attachmentLimits } from '#protocol/attachment-limits.ts';
import { routes } from '#protocol/routes.ts';
import type { Call } from '#extension/shared/wire.ts';
import type { Attached } from './outbox.ts';
import { sizeOfBase64 } from '#extension/shared/base64.ts';

/** What goes in the body of a prompt, and the ids of what was sent before it. The largest are sent apart until the rest fits. */
export const sendLarge = async (
  call: Call,
  attachments: readonly Attached[],
): Promise<{ readonly attachments: Attached[]; readonly uploads: string[] }> => {
  const bySize = attachments.toSorted((one, other) => one.dataBase64.length - other.dataBase64.length);
  const inBody = new Set<Attached>();
  let sumBytes = 0;
  for (const file of bySize) {
    sumBytes += sizeOfBase64(file.dataBase64);
    if (sumBytes <= attachmentLimits.inBodyBytes) inBody.add(file);
  }
  const uploads: string[] = [];
  for (const file of attachments) if (!inBody.has(file)) uploads.push(await sendApart(call, file));
  return { attachments: attachments.filter((file) => inBody.has(file)), uploads };
};

/** Sends one file in pieces; resolves with the id of its upload. */
const sendApart = async (call: Call, { kind, name, mimeType, dataBase64 }: Attached): Promise<string> => {
  const body = { kind, name, mimeType, sizeBytes: sizeOfBase64(dataBase64) };
  const { uploadId, pieceBytes } = await call(routes.beginUpload, { body });
  // Four signs stand for three bytes, so a piece ends where three bytes do.
  const bytes = Math.floor(Math.min(pieceBytes, attachmentLimits.pieceBytes) / 3) * 3;
  const signs = (bytes / 3) * 4;
  for (let piece = 0; piece * signs < dataBase64.length; piece += 1) {
    const part = dataBase64.slice(piece * signs, (piece + 1) * signs);
    await call(routes.sendPiece, { params: { uploadId }, body: { offset: piece * bytes, dataBase64: part } });
  }
  return uploadId;
};
