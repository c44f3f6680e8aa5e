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

  test('the name of a file counts more than its folders, also where it is as long and both begin so', () => {
    const paths = [
      'api/x.ts',
      'config/first.ts',
      'src/very/long/folder/name/config.json',
      'button/index.ts',
      'lib/my-button.ts',
      'button/button.ts',
    ];
    const inOrder = (query: string): readonly string[] => fuzzy(query, paths, (file) => file, 10);

    expect(inOrder('config')).toEqual(['src/very/long/folder/name/config.json', 'config/first.ts']);
    expect(inOrder('button')).toEqual(['button/button.ts', 'lib/my-button.ts', 'button/index.ts']);
    expect(fuzzy('button', paths, (file) => file.replaceAll('/', '\\'), 1)).toEqual(['button/button.ts']);
  });

  test('the first letters of words find a name before letters in the middle of one', () => {
    expect(fuzzy('ui', ['Guide.cpp', 'src/equip.ts', 'UserInterface.cpp'], (file) => file, 1)).toEqual(['UserInterface.cpp']);
  });

  test('words may be typed in any order', () => {
    expect(find('daemon docs')).toEqual(['docs/daemon.md']);
    expect(find('  ')).toEqual(files);
  });

  test('accents may be left out, and every script is found by its own letters', () => {
    const foreign = [
      'docs/résumé.md',
      'src/Über.ts',
      'İstanbul.txt',
      '文档/设计说明.md',
      'Проект/Файл.txt',
      'ぱ/データ.ts',
      '한국어/파일.md',
      'a/😀.ts',
    ];
    const first = (query: string): string | undefined => fuzzy(query, foreign, (file) => file, 1)[0];

    expect(['resume', 'RÉSUMÉ', 'uber', 'istanbul'].map(first)).toEqual([
      'docs/résumé.md',
      'docs/résumé.md',
      'src/Über.ts',
      'İstanbul.txt',
    ]);
    expect(['设明', '文设', 'файл', 'データ', '파일', '😀'].map(first)).toEqual([...foreign.slice(3, 4), ...foreign.slice(3)]);
    expect(fuzzy('明设', foreign, (file) => file, 1)).toEqual([]);
  });

  test('values with the same text are all there in their order, and each way to read a list is searched by itself', () => {
    const tabs = [
      { title: 'Tides', place: 'north' },
      { title: 'Tides', place: 'south' },
    ];

    expect(fuzzy('tide', tabs, ({ title }) => title, 10)).toEqual(tabs);
    expect(fuzzy('sou', tabs, ({ place }) => place, 10)).toEqual(tabs.slice(1));
    const alike = Array.from({ length: 100 }, (_, index) => ({ index }));
    expect(fuzzy('new', alike, () => 'New session', 50)).toEqual(alike.slice(0, 50));
    expect(fuzzy('sou', [], ({ place }: { place: string }) => place, 10)).toEqual([]);
  });

  test('no more come than are wanted', () => {
    expect(fuzzy('', files, (file) => file, 2)).toHaveLength(2);
  });

  test('twenty thousand names are looked through while somebody types', () => {
    const many = Array.from({ length: 20_000 }, (_, index) => `folder-${index % 97}/deeper/file-${index}.ts`);

    expect(fuzzy('f7file19999', many, (file) => file, 5)[0]).toBe('folder-17/deeper/file-19999.ts');
  });

  test('a query of ten thousand letters costs little, also in long names that have them', () => {
    const many = Array.from({ length: 500 }, (_, index) => `${'ab'.repeat(500)}-${index}`);
    const searched = (query: string): number => {
      const { user } = process.cpuUsage();
      fuzzy(query, many, (name) => name, 40);
      return process.cpuUsage().user - user;
    };
    searched('ab');

    for (const query of ['a'.repeat(10_000), 'ab'.repeat(5_000), 'a b '.repeat(2_500), '\u0301'.repeat(10_000), '文'.repeat(10_000)])
      expect(searched(query)).toBeLessThan(1_000_000);
  });
});
