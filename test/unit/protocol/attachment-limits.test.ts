import { describe, expect, test } from 'vitest';
import { attachmentLimits, limitOf, whyNotAttached, type Sized } from '#protocol/attachment-limits.ts';

const file = (sizeBytes: number, more: Partial<Sized> = {}): Sized => ({
  kind: 'file',
  name: 'a.zip',
  mimeType: 'application/zip',
  sizeBytes,
  ...more,
});

describe('what may be attached', () => {
  test('each kind up to its own size', () => {
    expect(whyNotAttached([file(attachmentLimits.fileBytes)])).toBeNull();
    expect(whyNotAttached([file(attachmentLimits.fileBytes + 1)])?.message).toContain(
      'a.zip has more than 25.0 MiB; 25.0 MiB are allowed.',
    );
    expect(whyNotAttached([file(30 * 1024 * 1024)])?.message).toContain('a.zip has 30.0 MiB; 25.0 MiB are allowed.');
    expect(limitOf({ kind: 'file', mimeType: 'image/png' })).toBe(attachmentLimits.imageBytes);
    expect(limitOf({ kind: 'page', mimeType: 'text/plain' })).toBe(attachmentLimits.textBytes);
  });

  test('all together up to their sum and number, and both are said', () => {
    expect(whyNotAttached(Array.from({ length: 5 }, () => file(attachmentLimits.fileBytes)))?.message).toContain(
      '125.0 MiB together; a prompt takes 100.0 MiB',
    );
    expect(whyNotAttached(Array.from({ length: 51 }, () => file(1)))?.message).toContain('51 attachments; a prompt takes 50');
  });
});
