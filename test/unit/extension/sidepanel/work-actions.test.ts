import { describe, expect, test } from 'vitest';
import { SessionId } from '#protocol/ids.ts';
import type { Changes } from '#protocol/work.ts';
import { WorkActions } from '#extension/sidepanel/work-actions.ts';

const sessionId = SessionId.parse('s1');
const file = { status: 'modified', additions: 1, deletions: 1, isBinary: false, sizeBytes: 9 } as const;
const changes: Changes = {
  folder: '/home/me/repo/app',
  top: '/home/me/repo',
  base: 'a',
  since: 'session',
  now: 'b',
  files: [
    { ...file, path: 'app/tides.txt' },
    { ...file, path: 'tides.txt' },
  ],
  additions: 2,
  deletions: 2,
  worktree: null,
};

/** What was asked to be reverted, and what is told of it. */
const revertNamed = async (name: string): Promise<{ asked: unknown; told: unknown }> => {
  const bodies: unknown[] = [];
  // The wire, at its far end.
  const call = (route: { path: string }, sent: { body?: unknown }): Promise<unknown> => {
    if (route.path.endsWith('/changes')) return Promise.resolve(changes);
    bodies.push(sent.body);
    return Promise.resolve({ undo: 'u1', files: [], skipped: [] });
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a double of a generic function
  const told = await new WorkActions(call as never).revertNamed(sessionId, name);
  return { asked: bodies[0], told };
};

describe('a file that an agent has named', () => {
  test.each([
    ['/home/me/repo/app/tides.txt', 'app/tides.txt'],
    ['/home/me/repo/tides.txt', 'tides.txt'],
    ['tides.txt', 'app/tides.txt'],
    ['app/tides.txt', 'app/tides.txt'],
  ])('%s is reverted as %s', async (name, path) => {
    expect(await revertNamed(name)).toMatchObject({ asked: { paths: [path] }, told: { undo: 'u1', since: 'session' } });
  });

  test('is not reverted where it is not among the changes', async () => {
    expect(await revertNamed('/home/me/other/tides.txt')).toEqual({ asked: undefined, told: null });
  });
});
