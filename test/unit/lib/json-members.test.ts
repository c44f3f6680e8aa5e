import { describe, expect, test } from 'vitest';
import { type JsonPiece, jsonMembers } from '#companion/lib/json-members.ts';

const LIMITS = { pieceBytes: 1000, depth: 5 };

const inPieces = async function* (bytes: Buffer, length: number) {
  for (let at = 0; at < bytes.length; at += length) yield await Promise.resolve(bytes.subarray(at, at + length));
};

const read = async (given: string | Buffer, length = 1): Promise<JsonPiece[]> => {
  const pieces: JsonPiece[] = [];
  for await (const piece of jsonMembers(inPieces(Buffer.from(given), length), LIMITS)) pieces.push(piece);
  return pieces;
};

const put = (pieces: readonly JsonPiece[]): unknown => {
  const found: Record<string, unknown> = {};
  for (const { name, isElement, json } of pieces) {
    const value: unknown = JSON.parse(json);
    const before = found[name];
    if (isElement) found[name] = [...(Array.isArray(before) ? before : []), value];
    else found[name] = value;
  }
  return found;
};

const VALUE = {
  'a "name" \\': 1.5e3,
  word: true,
  none: null,
  text: 'quotes " and \\" and \\\\ and 好, {[',
  numbers: [1, -2, 3],
  nested: { deep: [{ deeper: ['}', ']', '\\"'] }] },
  list: [{ a: [1, { b: '," }' }] }, 'text', [[], {}], null],
};

describe('the members of a JSON object', () => {
  test('may stand behind a byte order mark, and behind no part of one', async () => {
    const text = JSON.stringify(VALUE);

    for (const length of [1, 2, 1000]) expect(put(await read(`\ufeff${text}`, length))).toEqual(VALUE);
    const marked = Buffer.from(`\ufeff${text}`);
    const parts = [marked.subarray(1), marked.subarray(2), Buffer.concat([marked.subarray(0, 1), marked.subarray(3)])];
    for (const part of parts) for (const length of [1, 1000]) await expect(read(part, length)).rejects.toThrow('The file is not JSON.');
    await expect(read(`\ufeff\ufeff${text}`)).rejects.toThrow('The file is not JSON.');
  });

  test.for([1, 2, 3, 7, 1000])('are what is in it, whatever its bytes come in (%i at a time)', async (length) => {
    for (const text of [JSON.stringify(VALUE), JSON.stringify(VALUE, null, 2), ` ${JSON.stringify(VALUE)}\n`])
      expect(put(await read(text, length))).toEqual(VALUE);
    expect(await read('{}', length)).toEqual([]);
    expect(await read('{"a":[],"b":[ ]}', length)).toEqual([]);
  });

  test.for([
    '',
    '[]',
    '1',
    '{',
    '{"a":1',
    '{"a":[1',
    '{"a":[1,',
    '{"a":"x',
    '{"a"}',
    '{"a":1,}',
    '{a:1}',
    '{"a":[,]}',
    '{"a":[1 2]}',
    '{"a":1 "b":2}',
    '{"a":1}}',
    '{"a":1}{',
    '{"\\q":1}',
    `{"a":${'['.repeat(3)}${'['.repeat(6)}${']'.repeat(9)}}`,
    `{"a":"${'x'.repeat(1000)}"}`,
  ])('of %s are refused', async (text) => {
    await expect(read(text, 3).then((pieces) => put(pieces))).rejects.toThrow(/./);
  });
});
