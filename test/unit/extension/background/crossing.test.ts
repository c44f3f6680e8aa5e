import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { crossingLimits } from '#protocol/crossing.ts';
import { SessionId } from '#protocol/ids.ts';
import type { UpFrame } from '#protocol/link.ts';
import { Crossing } from '#extension/background/crossing.ts';
import { until } from '#test/fixtures/until.ts';

type Offer = Extract<UpFrame, { type: 'file_offered' }>;

const stage = () => {
  const sent: UpFrame[] = [];
  const crossing = new Crossing((frame) => void sent.push(frame));
  crossing.begin(true);
  const offered = (): Promise<Offer> => until(() => sent.find((frame): frame is Offer => frame.type === 'file_offered') ?? null);
  return { crossing, offer: (content: Blob) => crossing.offer(SessionId.parse('s-1'), 'numbers.csv', content), offered };
};

describe('a file for a companion elsewhere', () => {
  test('is offered with its checksum, and read part by part', async () => {
    const { crossing, offer, offered } = stage();
    const content = Buffer.alloc(crossingLimits.partBytes + 100, 'é');
    const crossed = offer(new Blob([content]));

    const { fileId, sizeBytes, sha256 } = await offered();
    const parts = [0, crossingLimits.partBytes].map((offset) => Buffer.from(crossing.read({ fileId, offset }).dataBase64, 'base64'));
    crossing.taken({ fileId, path: '/there/numbers.csv', problem: null });

    expect(Buffer.concat(parts).equals(content)).toBe(true);
    expect({ sizeBytes, sha256 }).toEqual({ sizeBytes: content.length, sha256: createHash('sha256').update(content).digest('hex') });
    expect(await crossed).toEqual({ path: '/there/numbers.csv', problem: null });
    // It is held no longer.
    expect(() => crossing.read({ fileId, offset: 0 })).toThrow('does not offer this file any more');
  });

  test('that is too large is not offered, and why is told', async () => {
    const { offer } = stage();

    expect((await offer(new Blob([new Uint8Array(crossingLimits.fileBytes + 1)]))).problem).toBe('It is larger than 64 MiB.');
  });

  test('is given up when the connection ends, and the next one does not know it', async () => {
    const { crossing, offer, offered } = stage();
    const crossed = offer(new Blob(['a']));
    const { fileId } = await offered();

    crossing.end();

    expect((await crossed).problem).toBe('The connection ended meanwhile.');
    crossing.begin(true);
    expect(() => crossing.read({ fileId, offset: 0 })).toThrow('does not offer this file any more');
  });
});
