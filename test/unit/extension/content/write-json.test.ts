import { describe, expect, test } from 'vitest';
import { writeJson } from '#extension/content/write-json.ts';

const asItIs = (_key: string, part: unknown): unknown => part;

describe('a value written without JSON.stringify', () => {
  test.each([
    [null, true, -0.5, 1e21, Number.NaN, Infinity, '', 'a "b" \\ \n\t\u0000\u2028 é 你 😀'],
    [{ a: undefined, b: [undefined, () => 1], c: { d: {} }, '"': [] }, [[]], new Date(0), new Map()],
    ['\ud800', 'x\udc00', '\ud83d\ude00\ud83d'],
    'text',
    undefined,
  ])('is what JSON.stringify makes of it: %#', (value) => {
    expect(writeJson(value, asItIs)).toBe(JSON.stringify(value));
  });

  test('is told in other words where the caller wants that', () => {
    const tell = (_key: string, part: unknown): unknown => (typeof part === 'bigint' ? `${part}n` : part);

    expect(writeJson({ a: [12n] }, tell)).toBe('{"a":["12n"]}');
  });

  test('that holds itself is refused', () => {
    const loop: Record<string, unknown> = {};
    loop['again'] = [loop];

    expect(() => writeJson(loop, asItIs)).toThrow('holds itself');
  });

  test('does not ask lists how they want to be written', () => {
    const list = Object.assign([1, 2], { toJSON: () => 'a text' });

    expect(writeJson(list, asItIs)).toBe('[1,2]');
  });
});
