import { describe, expect, test } from 'vitest';
import { SessionId } from '#protocol/ids.ts';
import { Sending } from '#extension/sidepanel/sending.ts';

const [s1, s2] = [SessionId.parse('s1'), SessionId.parse('s2')];
const never = (): Promise<SessionId> => Promise.reject(new Error('a session was made'));

describe('prompts', () => {
  test('of a session do not overtake each other, whatever becomes of the one before, and hold up no other session', async () => {
    const sending = new Sending();
    const upload = Promise.withResolvers<void>();
    const arrived: string[] = [];
    const arrives = (name: string) => async (): Promise<void> => void arrived.push(name);

    const large = sending.send({ turnId: 't1', sessionId: s1 }, never, () => upload.promise.then(arrives('large')));
    const small = sending.send({ turnId: 't2', sessionId: s1 }, never, arrives('small'));
    await sending.send({ turnId: 't3', sessionId: s2 }, never, arrives('elsewhere'));
    upload.reject(new Error('it was cut off'));

    await expect(large).rejects.toThrow('it was cut off');
    await small;
    expect(arrived).toEqual(['elsewhere', 'small']);
  });

  test('to the session that was just made come after the one that made it', async () => {
    const sending = new Sending();
    const [made, upload] = [Promise.withResolvers<SessionId>(), Promise.withResolvers<void>()];
    const arrived: string[] = [];

    const first = sending.send(
      { turnId: 't1', sessionId: null },
      () => made.promise,
      async () => {
        await upload.promise;
        arrived.push('first');
      },
    );
    made.resolve(s1);
    await made.promise;
    const second = sending.send({ turnId: 't2', sessionId: s1 }, never, async () => void arrived.push('second'));
    upload.resolve();
    await Promise.all([first, second]);

    expect(arrived).toEqual(['first', 'second']);
  });
});
