import { describe, expect, test } from 'vitest';
import { attachmentLimits } from '#protocol/attachment-limits.ts';
import type { Route } from '#protocol/contract.ts';
import { CompanionError } from '#protocol/errors.ts';
import { routes } from '#protocol/routes.ts';
import type { Call } from '#extension/shared/wire.ts';
import { importSession, type ImportProgress } from '#extension/options/import-session.ts';
import { sampleSession } from '#test/fixtures/samples.ts';

const MIB = 1024 * 1024;

/** A daemon that takes an upload; `meanwhile` happens at each call. */
const daemon = (meanwhile: (route: Route) => void = () => {}) => {
  const sent: number[] = [];
  const called: string[] = [];
  const call = (async (route: Route, { body }: { body?: { dataBase64?: string } }) => {
    if (route !== routes.uploadState) called.push(`${route.method} ${route.path}`);
    meanwhile(route);
    if (body?.dataBase64 !== undefined) sent.push(Buffer.from(body.dataBase64, 'base64').length);
    if (route === routes.beginUpload) return { uploadId: 'u1', pieceBytes: attachmentLimits.pieceBytes };
    if (route === routes.importSession) return { session: sampleSession() };
    return route === routes.uploadState ? { receivedBytes: 0, sizeBytes: 0, read: null } : {};
  }) as unknown as Call;
  return { call, sent, called };
};

const file = new File([new Uint8Array(30 * MIB + 5)], 'long.json');

describe('a session that is imported in the panel', () => {
  test('is sent piece by piece, also where it is larger than an attachment may be, and says how far it is', async () => {
    const { call, sent, called } = daemon();
    const told: ImportProgress[] = [];

    const session = await importSession(call, file, {
      signal: new AbortController().signal,
      onProgress: (progress) => told.push(progress),
    });

    expect(session).toEqual(sampleSession());
    expect(Math.max(...sent)).toBe(attachmentLimits.pieceBytes);
    expect(sent.reduce((sum, length) => sum + length)).toBe(file.size);
    expect(told.map(({ step }) => step)).toEqual(sent.map(() => 'send'));
    expect(told.at(-1)?.share).toBeGreaterThan(0.9);
    expect(called.at(-1)).toBe('POST /api/agent-sessions/import');
  });

  test('is given up at once, and the daemon is told so; an import that fails is no upload that waits', async () => {
    const given = new AbortController();
    const stopped = daemon((route) => (route === routes.sendPiece ? given.abort() : undefined));

    expect(await importSession(stopped.call, file, { signal: given.signal, onProgress: () => {} })).toBeNull();
    expect(stopped.called).toEqual(['POST /agent/uploads', 'PUT /agent/uploads/:uploadId', 'DELETE /agent/uploads/:uploadId']);

    const refusing = daemon((route) => {
      if (route === routes.importSession) throw new CompanionError('INPUT_INVALID', 'It is no session.');
    });
    await expect(importSession(refusing.call, file, { signal: new AbortController().signal, onProgress: () => {} })).rejects.toThrow(
      'no session',
    );
    expect(refusing.called.at(-1)).toBe('DELETE /agent/uploads/:uploadId');
  });
});
