import { once } from 'node:events';
import { existsSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import path from 'node:path';
import { describe, expect, vi } from 'vitest';
import { Attachments } from '#companion/store/attachments.ts';
import { attachmentLimits } from '#protocol/attachment-limits.ts';
import { AttachmentStats, RemovedAttachments, Upload } from '#protocol/attachments.ts';
import { ErrorBody } from '#protocol/errors.ts';
import { SessionId } from '#protocol/ids.ts';
import { keepOne } from '#test/fixtures/keep-one.ts';
import { aProject } from './room-doubles.ts';
import { test, type Stage } from './stage.ts';

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** A picture in a session of the project, and a file in one without a project. */
const withTwo = (stage: Stage) => {
  const attachments = new Attachments(stage.attachmentsDir);
  const mine = stage.sessions.create({ projectId: aProject.id });
  const others = stage.sessions.create({ projectId: null });
  const picture = keepOne(attachments, { kind: 'image', name: '../a picture.png', mimeType: 'image/png', dataBase64: PNG });
  const file = keepOne(attachments, { kind: 'file', name: 'b.html', mimeType: 'text/html', dataBase64: btoa('<script>') });
  stage.attached.add(mine, picture);
  stage.attached.add(others, file);
  return { attachments, mine, picture, file, nameOf: (ref: typeof picture) => path.basename(attachments.pathOf(ref)) };
};

/** A caller that breaks the connection when the answer begins. */
const leaveAfterHead = async (stage: Stage, address: string): Promise<void> => {
  const call = request(stage.base + address, { agent: false, headers: { authorization: `Bearer ${stage.panelToken}` } });
  call.end();
  await once(call, 'response');
  call.destroy();
};

describe('what was attached', () => {
  test('is counted by project', async ({ stage }) => {
    const { picture, file } = withTwo(stage);
    stage.attached.add(SessionId.parse('session_that_is_gone'), { ...file, sizeBytes: 1 });

    const stats = AttachmentStats.parse(await (await stage.fetch('/agent/attachments/stats')).json());

    expect(stats.totalFiles).toBe(3);
    expect(stats.projects).toEqual([
      { projectId: aProject.id, projectName: aProject.name, existsInDb: true, fileCount: 1, totalBytes: picture.sizeBytes },
      { projectId: '', existsInDb: false, fileCount: 2, totalBytes: file.sizeBytes + 1 },
    ]);
    expect(stats.orphanProjectIds).toEqual([]);
  });

  test('a picture is shown again, and never asked for twice; nothing else is ever shown', async ({ stage }) => {
    const { picture, file, nameOf } = withTwo(stage);

    const shown = await stage.fetch(`/agent/attachments/${aProject.id}/${nameOf(picture)}`);

    expect(Buffer.from(await shown.arrayBuffer()).toString('base64')).toBe(PNG);
    expect(shown.headers.get('content-type')).toBe('image/png');
    expect(shown.headers.get('cache-control')).toContain('immutable');
    expect(shown.headers.get('content-security-policy')).toContain('sandbox');
    for (const wrong of [nameOf(file), '..%2Fsettings.json', `${picture.attachmentId}`]) {
      expect((await stage.fetch(`/agent/attachments/${aProject.id}/${wrong}`)).status).toBe(404);
    }
  });

  test('is sent whole, whatever its size', async ({ stage }) => {
    const { attachments, picture, nameOf } = withTwo(stage);
    const bytes = Buffer.alloc(attachmentLimits.fileBytes, 'pilotfish ');
    writeFileSync(attachments.pathOf(picture), bytes);

    const answer = await stage.fetch(`/agent/attachments/${aProject.id}/${nameOf(picture)}`);

    expect(answer.headers.get('content-length')).toBe(String(bytes.length));
    expect(bytes.equals(Buffer.from(await answer.arrayBuffer()))).toBe(true);
  });

  test('is read no further than its reader wants it, and closed when the reader leaves', async ({ stage }) => {
    const { attachments, picture, nameOf } = withTwo(stage);
    const sizeBytes = 512 * 2 ** 20;
    truncateSync(attachments.pathOf(picture), sizeBytes);
    const opened = vi.spyOn(stage.attachments, 'stream');

    await leaveAfterHead(stage, `/agent/attachments/${aProject.id}/${nameOf(picture)}`);

    const [{ bytes }] = await Promise.all(opened.mock.results.map(({ value }) => value));
    if (!bytes.closed) await once(bytes, 'close');
    expect(bytes.bytesRead).toBeGreaterThan(0);
    expect(bytes.bytesRead).toBeLessThan(sizeBytes);
  });

  test('that is gone from the disk is told', async ({ stage }) => {
    const { attachments, picture, nameOf } = withTwo(stage);
    rmSync(attachments.pathOf(picture));

    const answer = await stage.fetch(`/agent/attachments/${aProject.id}/${nameOf(picture)}`);

    expect(ErrorBody.parse(await answer.json()).code).toBe('ATTACHMENT_GONE');
  });

  test('is removed by project or all together, but for what is in use', async ({ stage }) => {
    const { attachments, mine, picture, file } = withTwo(stage);
    stage.sessions.emit(mine, { type: 'turn.started', turnId: 'turn_1' as never, prompt: { text: 'go', attachments: [picture] } });
    const remove = async (address: string, body?: unknown) =>
      RemovedAttachments.parse(await (await stage.fetch(address, { method: 'DELETE', ...(body === undefined ? {} : { body }) })).json());

    expect(await remove(`/agent/attachments/${aProject.id}`)).toMatchObject({ scope: 'project', removedFiles: 0 });
    expect(await remove('/agent/attachments', { projectIds: [''] })).toMatchObject({
      scope: 'selected',
      removedFiles: 1,
      removedBytes: file.sizeBytes,
    });
    expect(existsSync(attachments.pathOf(file))).toBe(false);

    stage.sessions.emit(mine, { type: 'turn.completed', turnId: 'turn_1' as never, outcome: 'completed', durationMs: 1 });
    expect(await remove('/agent/attachments')).toMatchObject({ scope: 'all', removedFiles: 1, removedBytes: picture.sizeBytes });
    expect(existsSync(attachments.pathOf(picture))).toBe(false);
    expect(AttachmentStats.parse(await (await stage.fetch('/agent/attachments/stats')).json()).totalFiles).toBe(0);
  });
});

describe('an upload', () => {
  const begin = async (stage: Stage, more: object = {}) =>
    stage.fetch('/agent/uploads', { method: 'POST', body: { kind: 'file', name: 'a.bin', mimeType: '', sizeBytes: 6, ...more } });
  const piece = async (stage: Stage, id: string, offset: number, text: string) =>
    stage.fetch(`/agent/uploads/${id}`, { method: 'PUT', body: { offset, dataBase64: btoa(text) } });

  test('comes in pieces, in order, and a repeated piece changes nothing', async ({ stage }) => {
    const { uploadId } = Upload.parse(await (await begin(stage)).json());

    expect(await (await piece(stage, uploadId, 0, 'abc')).json()).toEqual({ receivedBytes: 3 });
    expect(await (await piece(stage, uploadId, 0, 'abc')).json()).toEqual({ receivedBytes: 3 });
    expect((await piece(stage, uploadId, 4, 'ef')).status).toBe(400);
    expect((await piece(stage, uploadId, 3, 'defg')).status).toBe(400);
    expect(await (await piece(stage, uploadId, 3, 'def')).json()).toEqual({ receivedBytes: 6 });

    const attachments = stage.attachments;
    const [ref] = attachments.saveAll([{ uploadId }]);
    if (ref === undefined) throw new Error('nothing was kept');
    expect(Buffer.from(attachments.load(ref).dataBase64, 'base64').toString()).toBe('abcdef');
    attachments.uploads.letGo(uploadId);
    expect(readdirSync(path.join(stage.attachmentsDir, 'uploads'))).toEqual([]);
    expect(Buffer.from(attachments.load(ref).dataBase64, 'base64').toString()).toBe('abcdef');
  });

  test('that is too large is refused before its first byte, with the sizes', async ({ stage }) => {
    const refused = await begin(stage, { sizeBytes: 25 * 2 ** 20 + 1 });

    expect(refused.status).toBe(413);
    expect(ErrorBody.parse(await refused.json()).message).toContain('25.0 MiB');
  });

  test('that is not whole, not a picture or not known belongs to no prompt', async ({ stage }) => {
    const half = Upload.parse(await (await begin(stage)).json());
    const noPicture = Upload.parse(await (await begin(stage, { kind: 'image', sizeBytes: 3 })).json());
    await piece(stage, noPicture.uploadId, 0, 'abc');

    for (const uploadId of [half.uploadId, noPicture.uploadId, '../../settings.json']) {
      expect(() => stage.attachments.saveAll([{ uploadId }]), uploadId).toThrow();
    }
    expect((await piece(stage, 'unknown', 0, 'abc')).status).toBe(410);
  });
});
