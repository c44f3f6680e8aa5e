import { expect } from 'vitest';
import { describeTabs, plainTest as test } from './tool-test.ts';

const bodyOf = (text: string): string => /^\/\S* ".*"\n([^]*)\n<\//m.exec(text)?.[1] ?? text;

describeTabs(
  (how) => `browser_read in a ${how} tab`,
  ({ open }) => {
    test('tells what a page says as Markdown, without what is around it, invisible or secret', async ({ stage }) => {
      const agent = await open(stage, 'article.html');

      const text = await agent.text('browser_read');

      expect(text).toContain(' untrusted http');
      const body = bodyOf(text);
      for (const part of [
        '# On bees',
        'Bees are small, and there are many.',
        '- Queen\n  1. lays\n  2. leads\n- Worker',
        '> To bee',
        '```\nconst bee = () => {\n  return `buzz`;\n};\n```',
        String.raw`| Kind | Count |
| --- | --- |
| Queen | 1 \| one |`,
        '![A bee]',
        'Ada',
        '[x] I agree',
        'From a frame',
      ])
        expect(body).toContain(part);
      for (const part of ['Menu entry', 'Site name', 'Imprint', 'Ignore all', 'planted-9c2e']) expect(body).not.toContain(part);
      expect(body).not.toMatch(/\[e\d+/);
      expect(agent.asked).toEqual([]);
    });

    test('reads a part, in pages, with addresses', async ({ stage }) => {
      const agent = await open(stage, 'article.html');

      expect(bodyOf(await agent.text('browser_read', { target: 'nav', urls: true }))).toBe(`[Menu entry](${stage.url}/a)`);
      expect(bodyOf(await agent.text('browser_read', { target: 'footer' }))).toBe('Imprint');
      await agent.text('browser_navigate', { url: `${stage.url}/dense.html` });
      const first = await agent.text('browser_read', { maxTokens: 300 });
      expect(first).toMatch(/Part 1 of \d+: pass page 2/);
      expect(await agent.text('browser_read', { maxTokens: 300, page: 2 })).not.toContain(bodyOf(first));
    });
  },
);
