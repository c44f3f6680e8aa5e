import { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { Comers } from '#companion/app/reception.ts';
import { UNKNOWN_PROCESS, type Caller } from '#companion/lib/peer.ts';

const caller: Caller = { ...UNKNOWN_PROCESS, pid: 7, actsFor: 'person' };

describe('the program behind a connection over loopback', () => {
  test('is looked for once, also by calls that come together, and is looked at first behind the next connection', async () => {
    const asked: (number | null)[] = [];
    const comers = new Comers({
      identifyLoopback: async (_, likely) => {
        asked.push(likely);
        return caller;
      },
    });
    const first = new Socket();

    const together = await Promise.all([comers.overLoopback('Editor', first), comers.overLoopback('Editor', first)]);
    const later = await comers.overLoopback('Editor', new Socket());

    expect(asked).toEqual([null, 7]);
    expect(together.map(({ pid }) => pid)).toEqual([7, 7]);
    expect(later.pid).toBe(7);
  });
});
