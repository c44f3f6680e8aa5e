import { describe, expect, test } from 'vitest';
import { argumentLines } from '#protocol/argument-lines.ts';

describe('the arguments of a call', () => {
  test('are a line each, without the signs of a notation', () => {
    expect(argumentLines({ url: 'https://tides.example/', limit: 5, days: ['Sat', 'Sun'], note: null })).toBe(
      'url: https://tides.example/\nlimit: 5\ndays: ["Sat","Sun"]\nnote: null',
    );
  });

  test('cannot pose as one another', () => {
    expect(argumentLines({ text: 'a\nurl: https://tides.example/', 'x\nurl': 'b', url: ' https://evil.example/' })).toBe(
      'text:\n  a\n  url: https://tides.example/\n"x\\nurl": b\nurl: " https://evil.example/"',
    );
  });

  test('keep their shape where they have one', () => {
    const rows = [{ day: 'Saturday', high: '05:12', low: '11:20' }, { day: 'Sunday' }];

    expect(argumentLines({ rows })).toBe(
      'rows:\n  [\n    {\n      "day": "Saturday",\n      "high": "05:12",\n      "low": "11:20"\n    },\n    {\n      "day": "Sunday"\n    }\n  ]',
    );
    expect(argumentLines(['a'])).toBe('[\n  "a"\n]');
    expect(argumentLines(undefined)).toBe('');
  });
});
