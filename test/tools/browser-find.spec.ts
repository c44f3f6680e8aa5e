import { expect } from 'vitest';
import { describeTabs, plainTest as test } from './tool-test.ts';

describeTabs(
  (how) => `browser_find in a ${how} tab`,
  ({ open }) => {
    test('finds text and patterns with refs, headings and neighbours, in frames too', async ({ stage }) => {
      const agent = await open(stage, 'waiting.html?still');

      const found = await agent.text('browser_find', { text: 'buy PEARS' });
      expect(found).toContain('1 line matches.');
      expect(found).toMatch(/## Fruit\n(?:.*\n)*- Pears \[e\d+ button "Buy pears"\]/);
      expect(found).not.toContain('# Waiting');
      expect(await agent.text('browser_find', { regex: '^- (apples|pears) ' })).toContain('2 lines match.');
      expect(await agent.text('browser_find', { text: 'inner' })).toContain('Inner');
    });

    test('finds no secret, and says what is wrong with a pattern', async ({ stage }) => {
      const agent = await open(stage, 'waiting.html?still');

      expect(await agent.text('browser_find', { text: 'planted-9c2e' })).toBe('Nothing on the page matches.');
      expect(await agent.error('browser_find', { regex: '(?=a)b' })).toContain('neither look ahead');
      expect(await agent.error('browser_find', { regex: '(' })).toContain('"regex"');
      expect(await agent.error('browser_find', {})).toContain('Give "text" or "regex"');
    });
  },
);
