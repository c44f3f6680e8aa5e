import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { HandedFile } from '#protocol/browser.ts';
import { handFiles } from '#extension/toolkit/hand-files.ts';
import type { Page } from '#extension/toolkit/page.ts';
import { codeOf } from '#test/unit/sessions/stage.ts';

const fileOf = (name: string, bytes: Buffer): HandedFile => ({
  name,
  type: '',
  modifiedAt: 0,
  dataBase64: bytes.toString('base64'),
  sha256: createHash('sha256').update(bytes).digest('hex'),
});

/** A page that keeps what it is given. */
const createPage = (): { page: Page; parts: string[] } => {
  const parts: string[] = [];
  const ask = async (_name: string, { part }: { part: string }): Promise<null> => (parts.push(part), null);
  return { page: { ask } as unknown as Page, parts };
};

const bytes = Buffer.from(Array.from({ length: 1_600_000 }, (_, index) => index % 251));

describe('a file on its way to a page', () => {
  test('arrives byte for byte', async () => {
    const { page, parts } = createPage();

    const given = await handFiles(page, [fileOf('a.bin', bytes), fileOf('empty', Buffer.alloc(0))], 0);

    expect(given.map(({ name }) => name)).toEqual(['a.bin', 'empty']);
    expect(given[0]).not.toHaveProperty('sha256');
    expect(Buffer.from(parts.join(''), 'base64').equals(bytes)).toBe(true);
  });

  test('is refused when it is not the one that was sent, and nothing reaches the page', async () => {
    const { page, parts } = createPage();
    const damaged = Buffer.from(bytes);
    damaged[1_234_567] = (damaged[1_234_567] ?? 0) ^ 1;

    for (const dataBase64 of [damaged.toString('base64'), bytes.subarray(0, -3).toString('base64'), '']) {
      const file = { ...fileOf('a.bin', bytes), dataBase64 };
      expect(await codeOf(handFiles(page, [fileOf('whole.txt', Buffer.from('whole')), file], 0))).toBe('TOOL_FAILED');
    }
    expect(parts).toEqual([]);
  });

  test('is taken as it is from a companion that sends no checksum', async () => {
    const { page, parts } = createPage();
    const { sha256: _, ...file } = fileOf('a.txt', Buffer.from('words'));

    await handFiles(page, [file], 0);

    expect(parts).toEqual([btoa('words')]);
  });
});
