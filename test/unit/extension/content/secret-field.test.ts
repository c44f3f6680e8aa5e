import { describe, expect, test } from 'vitest';
import { isSecretField } from '#extension/content/secret-field.ts';
import { type FieldSample, HARMLESS_FIELDS, SECRET_FIELDS } from '#test/fixtures/secret-fields.ts';

const isSecret = (sample: FieldSample): boolean =>
  isSecretField({
    type: 'text',
    autocomplete: '',
    isMasked: false,
    isCodeBox: false,
    isPhraseWord: false,
    digits: 0,
    value: '',
    ...sample,
  });

describe('secret fields', () => {
  test('are known by their names in many languages, by type, by autocomplete and by their look', () => {
    expect(SECRET_FIELDS.length).toBeGreaterThanOrEqual(300);
    expect(SECRET_FIELDS.filter((sample) => !isSecret(sample))).toEqual([]);
  });

  test('are not taken for what only has words like theirs', () => {
    expect(HARMLESS_FIELDS.length).toBeGreaterThanOrEqual(300);
    expect(HARMLESS_FIELDS.filter(isSecret).map(({ names }) => names.join())).toEqual([]);
  });

  test.each(['4111 1111 1111 1111', '-----BEGIN OPENSSH PRIVATE KEY-----', 'ghp_abcdefghijklmnopqrstuvwxyz0123456789'])(
    'are known by what they hold: %s',
    (value) => {
      expect(isSecret({ names: ['notes'], type: 'textarea', value })).toBe(true);
    },
  );

  test('are known by a few digits for a code that is named no further', () => {
    expect(isSecret({ names: ['code'], digits: 6 })).toBe(true);
    expect(isSecret({ names: ['code'] })).toBe(false);
  });
});
