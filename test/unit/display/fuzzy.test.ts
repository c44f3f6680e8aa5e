import { describe, expect, test } from 'vitest';
import { fuzzy } from '#display/fuzzy.ts';

const files = ['companion/app/daemon.ts', 'docs/daemon.md', 'extension/sidepanel/actions.ts', 'README.md', 'test/unit/client/api.test.ts'];
const find = (query: string): readonly string[] => fuzzy(query, files, (file) => file, 10);

describe('names found by some of their letters', () => {
  test('all stand there until something is typed', () => {
    expect(find('')).toEqual(files);
  });

  test('a name that begins so comes first, whatever its case', () => {
    expect(find('DAEMON')[0]).toBe('docs/daemon.md');
    expect(find('read')[0]).toBe('README.md');
  });

  test('letters may be left out, also across folders, but not be in another order', () => {
    expect(find('sideact')).toEqual(['extension/sidepanel/actions.ts']);
    expect(find('tcedis')).toEqual([]);
  });

  test('no more come than are wanted', () => {
    expect(fuzzy('', files, (file) => file, 2)).toHaveLength(2);
  });

  test('twenty thousand names are looked through while somebody types', () => {
    const many = Array.from({ length: 20_000 }, (_, index) => `folder-${index % 97}/deeper/file-${index}.ts`);

    expect(fuzzy('f7file19999', many, (file) => file, 5)[0]).toBe('folder-17/deeper/file-19999.ts');
  });
});
