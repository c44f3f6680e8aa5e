import { describe, expect, test } from 'vitest';
import { InTurn } from '#extension/shared/in-turn.ts';

describe('what the settings ask', () => {
  test('is asked one after the other, so that the later answer is the last', async () => {
    const turn = new InTurn();
    const asked: string[] = [];
    const first = Promise.withResolvers<string>();
    const seen: string[] = [];
    const take = (name: string, answer: Promise<string>): Promise<void> =>
      turn
        .ask(() => {
          asked.push(name);
          return answer;
        })
        .then((value) => void seen.push(value));

    const both = [take('first', first.promise), take('second', Promise.resolve('newer'))];
    await Promise.resolve();
    expect(asked).toEqual(['first']);
    first.resolve('older');
    await Promise.all(both);

    expect(seen).toEqual(['older', 'newer']);
  });

  test('goes on after a refusal, which only the question itself is told', async () => {
    const turn = new InTurn();

    const refused = turn.ask(() => Promise.reject(new Error('no')));
    const next = turn.ask(async () => 'yes');

    await expect(refused).rejects.toThrow('no');
    expect(await next).toBe('yes');
  });
});
