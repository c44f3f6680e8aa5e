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

/** What was asked to be reverted. */
const revertNamed = async (name: string): Promise<unknown> => {
  const bodies: unknown[] = [];
  // The wire, at its far end.
  const call = (route: { path: string }, sent: { body?: unknown }): Promise<unknown> => {
    if (route.path.endsWith('/changes')) return Promise.resolve(changes);
    bodies.push(sent.body);
    return Promise.resolve({ undo: 'u1', files: [], skipped: [] });
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a double of a generic function
  await new WorkActions(call as never).revertNamed(sessionId, name);
  return bodies[0];
};

describe('a file that an agent has named', () => {
  test.each([
    ['/home/me/repo/app/tides.txt', 'app/tides.txt'],
    ['/home/me/repo/tides.txt', 'tides.txt'],
    ['tides.txt', 'app/tides.txt'],
    ['app/tides.txt', 'app/tides.txt'],
  ])('%s is reverted as %s', async (name, path) => {
    expect(await revertNamed(name)).toEqual({ paths: [path] });
  });

  test('is not reverted where it is not among the changes', async () => {
    expect(await revertNamed('/home/me/other/tides.txt')).toBeUndefined();
  });
});
