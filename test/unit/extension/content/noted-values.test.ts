import { describe, expect, test } from 'vitest';
import { NotedValues } from '#extension/content/noted-values.ts';

const typed = (noted: NotedValues, text: string): void => {
  for (let length = 1; length <= text.length; length += 1) noted.grow([text.slice(0, length)]);
};

describe('what a field held for a time', () => {
  test('is known as it was when the typing ended, not by each of its beginnings', () => {
    const noted = new NotedValues(10);

    typed(noted, 'hunter22');
    typed(noted, 'swordfish');

    expect(noted.values).toEqual(['hunter22', 'swordfish']);
  });

  test('is known whole when it was erased letter by letter', () => {
    const noted = new NotedValues(10);

    typed(noted, 'hunter22');
    for (let length = 7; length > 0; length -= 1) noted.grow(['hunter22'.slice(0, length)]);

    expect(noted.values).toEqual(['hunter22']);
  });

  test('does not take the place of what was held whole, and the newest are kept', () => {
    const noted = new NotedValues(2);

    noted.add(['hunter']);
    typed(noted, 'hunter22');
    expect(noted.values).toEqual(['hunter', 'hunter22']);

    noted.add(['hunter']);
    noted.add(['swordfish']);
    expect(noted.values).toEqual(['hunter', 'swordfish']);
  });
});
