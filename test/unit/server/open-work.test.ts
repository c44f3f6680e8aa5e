import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, vi } from 'vitest';
import { test } from './stage.ts';

describe('a request that takes long', () => {
  test('is work until it is answered, and a stream is none', async ({ stage }) => {
    const chosen = Promise.withResolvers<string | null>();
    vi.spyOn(stage.desktop, 'chooseFolder').mockReturnValue(chosen.promise);
    expect(stage.server.isAnswering).toBe(false);

    const answer = stage.fetch('/agent/projects/pick-directory', { method: 'POST' });
    await expect.poll(() => stage.server.isAnswering).toBe(true);
    chosen.resolve('/home/somebody/chosen');
    await answer;
    await turn();
    expect(stage.server.isAnswering).toBe(false);

    const stream = await stage.fetch('/api/events');
    expect([stream.status, stage.server.isAnswering]).toEqual([200, false]);
    await stream.body?.cancel();
  });
});
