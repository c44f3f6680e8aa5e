import { describe, expect, test } from 'vitest';
import { withoutValues } from '#extension/background/evaluate.ts';

describe('the result of code', () => {
  test('is told without what secret fields hold, also as JSON has it', () => {
    const json = JSON.stringify({ one: 'hunter2', other: 'a "long" secret', both: 'hunter2, a "long" secret' });

    expect(JSON.parse(withoutValues(json, ['hunter2', 'a "long" secret']))).toEqual({
      one: '[secret]',
      other: '[secret]',
      both: '[secret], [secret]',
    });
  });

  test('keeps words and numbers in which a short one stands by chance', () => {
    expect(withoutValues('{"total":12345,"pin":1234,"text":"Straße1234"}', ['1234'])).toBe(
      '{"total":12345,"pin":[secret],"text":"Straße1234"}',
    );
    expect(withoutValues('$1 (1+1) $1', ['(1+1)'])).toBe('$1 [secret] $1');
  });
});
