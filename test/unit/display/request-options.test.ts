import { describe, expect, test } from 'vitest';
import { answerRow, formRow, keyedOptions, optionOfKey } from '#display/request-options.ts';
import type { RequestBody, RequestOption } from '#protocol/requests.ts';

const options: RequestOption[] = [
  { optionId: 'always', label: 'Always', kind: 'allow_always' },
  { optionId: 'once', label: 'Once', kind: 'allow_once' },
  { optionId: 'no', label: 'No', kind: 'reject' },
];

describe('answers to a request', () => {
  test('begin with what allows least, and end with the refusal', () => {
    const first = { optionId: 'never', label: 'No, stop', kind: 'reject' } as const;

    expect(keyedOptions([first, ...options]).map(({ option }) => option.optionId)).toEqual(['once', 'always', 'never', 'no']);
  });

  test('have the same keys for every agent, and digits where a key is taken', () => {
    const keys = keyedOptions([
      ...options,
      { optionId: 'session', label: 'Here', kind: 'allow_session' },
      { optionId: 'not', label: 'Not', kind: 'reject' },
    ]);

    expect(keys.map(({ key, option }) => `${key} ${option.optionId}`)).toEqual(['a once', 's session', 'A always', 'd no', '5 not']);
  });

  test('a allows once, whatever stands first', () => {
    expect(optionOfKey('a', options)?.optionId).toBe('once');
    expect(optionOfKey('d', options)?.optionId).toBe('no');
  });

  test('a chooses nothing wider when there is no "once"', () => {
    expect(optionOfKey('a', options.slice(0, 1))).toBeUndefined();
  });

  test.each(['Enter', ' ', 'y', 's', '1', '', '__proto__'])('%j chooses nothing here', (key) => {
    expect(optionOfKey(key, options)).toBeUndefined();
  });
});

describe('the row of a card', () => {
  const idsOf = (kind: RequestBody['kind'], given: RequestOption[]) => {
    const { row, more } = answerRow({ kind, options: given });
    return [row, more].map((answers) => answers.map(({ option }) => option.optionId));
  };

  test('holds yes once and no; what allows for longer is a step further away', () => {
    expect(idsOf('consent', options)).toEqual([['once', 'no'], ['always']]);
  });

  test('holds everything where nothing can be allowed once, and in a plan', () => {
    expect(idsOf('trust', [options[0] ?? never(), options[2] ?? never()])).toEqual([['always', 'no'], []]);
    expect(idsOf('plan', options)).toEqual([['once', 'always', 'no'], []]);
  });

  test('sends all answers to questions together, by Enter, or refuses them', () => {
    const refuse = { optionId: 'reject', label: 'Do not answer', kind: 'reject' } as const;
    const send = { optionId: 'accept', label: 'Send', kind: 'choice' } as const;
    const shown = (...given: RequestOption[]) =>
      formRow({ options: given }, 'Answer').map(({ key, option: { optionId, label } }) => [key, optionId, label]);

    expect(shown(refuse, send)).toEqual([
      ['Enter', 'accept', 'Send'],
      ['d', 'reject', 'Do not answer'],
    ]);
    expect(shown()).toEqual([['Enter', 'answer', 'Answer']]);
  });
});

const never = (): never => {
  throw new Error('there are three options');
};
