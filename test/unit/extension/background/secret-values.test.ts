import { describe, expect, test } from 'vitest';
import { SecretValues } from '#extension/background/secret-values.ts';

const ONE = 'https://one.example';

describe('what secret fields of pages hold', () => {
  test('is in no text of a result, of whatever tab, and a picture is left as it is', () => {
    const secrets = new SecretValues();
    secrets.learn(1, ['Tr0ub4dor&3'], ONE);
    secrets.learn(2, ['482913'], ONE);
    const result = {
      content: [
        { type: 'text', text: 'title: Tr0ub4dor&amp;3, code 482913, order 1482913' },
        { type: 'image', data: 'x482913/482913', mimeType: 'image/png' },
      ],
      _meta: { error: { message: 'Tr0ub4dor&3' } },
    };

    expect(secrets.without(result)).toEqual({
      content: [{ type: 'text', text: 'title: [secret], code [secret], order 1482913' }, result.content[1]],
      _meta: { error: { message: '[secret]' } },
    });
    expect(secrets.of(2)).toEqual(['482913']);
  });

  test('is counted when it is learned, once', () => {
    const secrets = new SecretValues();
    secrets.learn(1, ['Tr0ub4dor&3'], ONE);
    const { learned } = secrets;

    secrets.learn(1, ['Tr0ub4dor&3'], ONE);
    expect(secrets.learned).toBe(learned);
    secrets.learn(1, ['Tr0ub4dor&3', '482913'], ONE);
    expect(secrets.learned).not.toBe(learned);
  });

  test('is remembered while the tab shows the same site, also when the field was emptied, and by the call that leads elsewhere', () => {
    const secrets = new SecretValues();
    secrets.learn(1, ['Tr0ub4dor&3'], ONE);

    secrets.begin(1, ONE);
    secrets.learn(1, [], ONE);
    secrets.begin(1, ONE);
    expect(secrets.without('Tr0ub4dor&3')).toBe('[secret]');
    secrets.begin(1, 'https://two.example');
    expect(secrets.without('Tr0ub4dor&3')).toBe('Tr0ub4dor&3');
  });

  test('is told to documents of its origin alone, in whatever tab they are', () => {
    const secrets = new SecretValues();
    secrets.learn(1, ['Tr0ub4dor&3'], ONE);
    secrets.learn(1, ['482913'], 'https://two.example');
    secrets.learn(2, ['correct horse'], ONE);
    secrets.learn(2, ['of-a-sandbox'], 'null');

    expect(secrets.ofOrigin(ONE)).toEqual(['Tr0ub4dor&3', 'correct horse']);
    expect(secrets.ofOrigin('null')).toEqual([]);
  });

  test('of a document that goes is in nothing of the next site, and in what follows no more', () => {
    const secrets = new SecretValues();
    secrets.begin(1, ONE);
    secrets.learnLast(1, ['Tr0ub4dor&3'], ONE);

    secrets.begin(1, 'https://two.example');
    expect(secrets.without('Tr0ub4dor&3')).toBe('[secret]');
    secrets.begin(1, 'https://two.example');
    expect(secrets.without('Tr0ub4dor&3')).toBe('[secret]');
    secrets.begin(1, 'https://three.example');
    expect(secrets.without('Tr0ub4dor&3')).toBe('Tr0ub4dor&3');
  });

  test('is hidden as it was learned last, and what holds none of it is given back as it is', () => {
    const secrets = new SecretValues();
    secrets.learn(1, ['Tr0ub4dor&3'], ONE);
    const harmless = { text: 'nothing', list: [{ name: 'e12' }, null, 1] };

    expect(secrets.without(harmless)).toBe(harmless);
    secrets.learn(1, ['correct horse'], ONE);
    expect(secrets.without({ list: ['Tr0ub4dor&3', 'correct horse', 'e12'], count: 2 })).toEqual({
      list: ['[secret]', '[secret]', 'e12'],
      count: 2,
    });
    secrets.forget(1);
    expect(secrets.without('correct horse')).toBe('correct horse');
  });

  test('is forgotten with its tab, and beyond a number', () => {
    const secrets = new SecretValues();
    secrets.learn(1, ['Tr0ub4dor&3'], ONE);
    for (let count = 0; count < 250; count += 1) secrets.learn(2, [`value-${count}-of-many`], ONE);

    secrets.forget(1);

    expect(secrets.of(1)).toEqual([]);
    expect(secrets.of(2)).toHaveLength(200);
    expect(secrets.without('Tr0ub4dor&3 value-0-of-many value-249-of-many')).toBe('Tr0ub4dor&3 value-0-of-many [secret]');
  });
});
