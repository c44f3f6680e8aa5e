import { describe, expect, test } from 'vitest';
import { mentionAt, toFileWord, toSkillWord, toTabPlace, withWord } from '#extension/sidepanel/mention.ts';

const at = (marked: string) => mentionAt(marked.replace('|', ''), marked.indexOf('|'));

describe('what the user is about to name', () => {
  test('is the word with a sign that ends at the caret', () => {
    expect(at('look at @src/ma| please')).toEqual({ kind: 'file', query: 'src/ma', start: 8, end: 15 });
    expect(at('#|')).toMatchObject({ kind: 'page', query: '' });
    expect(at('/comp|')).toMatchObject({ kind: 'command', query: 'comp' });
    expect(at('with $ti|')).toMatchObject({ kind: 'skill', query: 'ti', start: 5 });
  });

  test.each(['me@example.org|', 'a/b|', 'see /tmp|', '# Title|', 'no sign|', '@done |', 'a$b|'])('is nothing in "%s"', (marked) => {
    expect(at(marked)).toBeNull();
  });

  test('is a skill that is called where the prompt begins with it, and named elsewhere', () => {
    expect([toSkillWord('tide', { start: 0 }), toSkillWord('tide', { start: 5 })]).toEqual(['/tide', '$tide']);
  });

  test('is one tab among others of its title by the whole of its address, and otherwise by its host', () => {
    const tabs = [
      { title: 'Issue', url: 'https://code.example/a/1' },
      { title: 'Issue', url: 'https://code.example/a/2?tab=files#top' },
      { title: 'Mail', url: 'https://mail.example/inbox' },
      { title: 'New Tab', url: 'about:blank' },
    ];

    expect(tabs.map((tab) => toTabPlace(tab, tabs))).toEqual(['code.example/a/1', 'code.example/a/2?tab=files#top', 'mail.example', '']);
  });

  test('gives way to the word that was chosen, with one space after it', () => {
    const mention = at('see @re| now');

    expect(mention === null ? null : withWord('see @re now', mention, '@README.md')).toEqual({ text: 'see @README.md now', caret: 14 });
    expect(withWord('@re', { kind: 'file', query: 're', start: 0, end: 3 }, toFileWord('my notes.md'))).toEqual({
      text: '@"my notes.md" ',
      caret: 15,
    });
  });
});
