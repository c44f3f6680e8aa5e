import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { upload, uploadSession } from '#companion/client/uploads.ts';
import type { Transport } from '#companion/client/transport.ts';

/** Nothing is to be sent. */
const transport = {
  call: () => Promise.reject(new Error('something was sent')),
} as unknown as Transport;

describe('what is no file', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'pf-uploads-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  test.skipIf(process.platform === 'win32')('is refused at once, also a named pipe that nobody writes into', async () => {
    const pipe = path.join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const refusal = { code: 'INPUT_INVALID', remedy: 'Name a file that is there and that you may read.' };

    await expect(uploadSession(transport, pipe, {})).rejects.toMatchObject(refusal);
    await expect(upload(transport, [pipe])).rejects.toMatchObject(refusal);
    await expect(uploadSession(transport, folder, {})).rejects.toMatchObject(refusal);
  });
});
