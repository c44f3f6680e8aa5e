import { Buffer } from 'node:buffer';
import { describe, expect, test } from 'vitest';
import { attachmentLimits } from '#protocol/attachment-limits.ts';
import type { Call } from '#extension/shared/wire.ts';
import type { Attached } from '#extension/sidepanel/outbox.ts';
import { sendLarge } from '#extension/sidepanel/uploads.ts';

const file = (name: string, sizeBytes: number): Attached => ({
  kind: 'file',
  name,
  mimeType: 'text/plain',
  dataBase64: Buffer.alloc(sizeBytes, name).toString('base64'),
});

/** A daemon that puts the pieces together again, as it checks them: each goes where the last one ended. */
const createDaemon = () => {
  const received: { name: string; sizeBytes: number; bytes: Buffer }[] = [];
  const call = (async (_route: unknown, sent: { params?: { uploadId: string }; body: Record<string, unknown> }) => {
    if (sent.params === undefined) {
      received.push({ name: String(sent.body['name']), sizeBytes: Number(sent.body['sizeBytes']), bytes: Buffer.alloc(0) });
      return { uploadId: String(received.length - 1), pieceBytes: attachmentLimits.pieceBytes };
    }
    const upload = received[Number(sent.params.uploadId)];
    if (upload === undefined || upload.bytes.length !== sent.body['offset']) throw new Error('the piece does not follow the last one');
    upload.bytes = Buffer.concat([upload.bytes, Buffer.from(String(sent.body['dataBase64']), 'base64')]);
    return { receivedBytes: upload.bytes.length };
  }) as unknown as Call;
  return { call, received };
};

describe('what is attached', () => {
  test('goes with the prompt while it fits', async () => {
    const daemon = createDaemon();
    const files = [file('a', 1000), file('b', 2000)];

    expect(await sendLarge(daemon.call, files)).toEqual({ attachments: files, uploads: [] });
    expect(daemon.received).toEqual([]);
  });

  test('goes before it in pieces when it is too large for that, byte for byte, and the small ones stay', async () => {
    const daemon = createDaemon();
    const large = file('large', 9 * 1024 * 1024);
    const small = file('small', 10);

    const sent = await sendLarge(daemon.call, [large, small]);

    expect(sent).toEqual({ attachments: [small], uploads: ['0'] });
    expect(daemon.received.map(({ name, sizeBytes }) => [name, sizeBytes])).toEqual([['large', 9 * 1024 * 1024]]);
    expect(daemon.received[0]?.bytes.equals(Buffer.from(large.dataBase64, 'base64'))).toBe(true);
  });
});
