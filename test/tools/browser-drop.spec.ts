import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { type AgentStage } from './tool-stage.ts';
import { describeTabs, plainTest as test } from './tool-test.ts';

const write = (stage: AgentStage, name: string, content: string): string => {
  const file = path.join(stage.projectDir, name);
  writeFileSync(file, content);
  return file;
};

describeTabs(
  (how) => `browser_drop in a ${how} tab`,
  ({ open }) => {
    test('drops files where the page takes them, after a yes that says which', async ({ stage }) => {
      const file = write(stage, 'photo.png', 'pixels');
      write(stage, 'plan.txt', 'plan');
      const agent = await open(stage, 'files.html');

      expect(await agent.text('browser_drop', { target: '#zone', paths: ['photo.png', 'plan.txt'] })).toMatch(/^Dropped\./);

      // The page reads them before it says what it got.
      await expect
        .poll(() => agent.text('browser_snapshot'))
        .toContain('zone got 2: photo.png image/png 6: pixels; plan.txt text/plain 4: plan as Files');
      expect(agent.asked[0]?.detail).toContain(`Gives away the file: ${file} (6 bytes)`);
      expect(await agent.text('browser_drop', { target: '#button', paths: ['plan.txt'] })).toContain('Nothing was dropped');
    });

    test('drops on what the page lays over itself meanwhile', { tags: 'whole' }, async ({ stage }) => {
      write(stage, 'photo.png', 'pixels');
      const agent = await open(stage, 'files.html?overlay');

      expect(await agent.text('browser_drop', { target: '#zone', paths: ['photo.png'] })).toMatch(/^Dropped\./);

      await expect.poll(() => agent.text('browser_snapshot')).toContain('overlay got 1: photo.png');
    });

    test('drops texts, for which a yes to change the site is enough', async ({ stage }) => {
      write(stage, 'plan.txt', 'plan');
      const agent = await open(stage, 'files.html');
      agent.answerWith(() => 'session');
      const data = { 'text/plain': 'hello', 'text/html': '<b>hello</b>' };

      expect(await agent.text('browser_drop', { target: '#texts', data })).toMatch(/^Dropped\./);

      expect(await agent.text('browser_snapshot')).toContain('text: hello, <b>hello</b>');
      expect(agent.asked[0]?.detail).toContain('Text that is dropped: text/plain: hello');
      await agent.text('browser_click', { target: '#nothing' });
      expect(agent.asked).toHaveLength(1);
      await agent.text('browser_drop', { target: '#zone', paths: ['plan.txt'] });
      expect(agent.asked).toHaveLength(2);
    });

    test('says what it needs', async ({ stage }) => {
      write(stage, 'plan.txt', 'plan');
      const agent = await open(stage, 'files.html');

      expect(await agent.error('browser_drop', { target: '#zone' })).toContain('needs "paths" or "data"');
      expect(agent.asked).toEqual([]);
      expect(await agent.error('browser_drop', { target: '#many', paths: ['plan.txt'] })).toContain('use browser_file_upload');
      expect(await agent.error('browser_drop', { target: '#zone', data: 'text' })).toMatch(
        /"data".*Expected arguments: target, element\?, paths\?/s,
      );
      expect(await agent.error('browser_drop', { target: 'e999', paths: ['plan.txt'] })).toMatch(/^TARGET_NOT_FOUND/);
    });
  },
);
