import { describe, expect, test } from 'vitest';
import { SaidSchema } from '#protocol/said-schema.ts';
import { asItCame, sayingOf } from '#protocol/said.ts';

const say = sayingOf({
  none: 'Nothing is missing.',
  some: '{folder} lacks {count file|files}: {why}.',
  why: 'it was {how}',
} as const);

describe('what is said', () => {
  test('has its English beside its code and what stands in it, sentences in sentences too', () => {
    const why = [say('why', { how: 'moved' }), say('why', { how: 'cut {count}' })];

    expect(say('none')).toEqual({ code: 'none', values: {}, text: 'Nothing is missing.' });
    expect(say('some', { folder: '/srv', count: 1, why })).toEqual({
      code: 'some',
      values: { folder: '/srv', count: 1, why },
      text: '/srv lacks 1 file: it was moved; it was cut {count}.',
    });
  });

  test('does not compile without a value, with one too many or with one of another kind', () => {
    // @ts-expect-error: its places are not filled.
    say('some');
    // @ts-expect-error: one place is not filled.
    say('some', { folder: '/srv', count: 1 });
    // @ts-expect-error: a number is counted.
    say('some', { folder: '/srv', count: 'one', why: '' });
    // @ts-expect-error: it has no such place.
    say('why', { how: '', where: '' });
    // @ts-expect-error: it has no place.
    say('none', { how: '' });
  });

  test('travels as it is, and is refused where it is no sentence', () => {
    const said = say('some', { folder: '/srv', count: 2, why: [say('why', { how: 'moved' })] });

    expect(SaidSchema.parse(JSON.parse(JSON.stringify(said)))).toEqual(said);
    expect(SaidSchema.safeParse({ ...said, values: { why: { code: 'why', values: {} } } }).success).toBe(false);
    expect(asItCame('Whatever.')).toMatchObject({ values: {}, text: 'Whatever.' });
  });
});
