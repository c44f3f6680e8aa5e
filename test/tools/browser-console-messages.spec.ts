import { expect, onTestFinished } from 'vitest';
import { type Agent, type AgentStage, currentTab } from './tool-stage.ts';
import { describeTabs, plainTest as test } from './tool-test.ts';

const open = async (stage: AgentStage, isShown: boolean): Promise<Agent> => {
  const agent = await stage.open('console.html');
  const tabId = await currentTab(agent);
  if (isShown) await agent.text('browser_tabs', { action: 'select', tabId });
  return agent;
};

describeTabs(
  (how) => `browser_console_messages in a ${how} tab`,
  ({ isShown }) => {
    test('tells what was written since the page was loaded, in order and fenced', async ({ stage }) => {
      const agent = await open(stage, isShown);
      await agent.text('browser_click', { target: '#more' });

      const text = await agent.text('browser_console_messages');

      expect(text).toMatch(/<\w{7} untrusted http:\/\/127/);
      expect(text).toMatch(
        /\[info\] started.*\[warning\] slow 3.*\[info\] again \(5 times\).*\[info\] pressed \{by: "hand"\}.*\[error\] TypeError: No basket/s,
      );
      expect(text).toContain('[error] Failed to load resource: the server responded with a status of 404 (Not Found)');
      expect(text).not.toContain('in detail');
      expect(agent.asked).toHaveLength(1);
    });

    test('tells what objects hold, and nothing that came of the tools themselves', async ({ stage }) => {
      const page = `<input type="date" id="day"><script>
        const user = { id: 7, isOn: true, boss: null, tags: ['a', 'b'], more: { deep: { er: 1 } }, get lazy() { document.title = 'read'; return 1; } };
        console.log('%cUser', 'color: red', user, new Map([['k', 1]]));
        console.group('G'); console.groupEnd(); console.log('100%', undefined, null);
      </script>`;
      const agent = await stage.open(`says?text=${encodeURIComponent(page)}`);
      await agent.error('browser_type', { target: '#day', text: '5 March' });

      const text = await agent.text('browser_console_messages');

      expect(text).toContain(
        '[info] User {id: 7, isOn: true, boss: null, tags: ["a", "b"], more: {deep: Object}, lazy: (…)} Map(1) {"k" => 1}\n[info] G\n[info] 100% undefined null\n</',
      );
      expect(await agent.text('browser_snapshot')).not.toContain('"read');
    });

    test('tells what frames of other sites wrote, but for those that are closed to agents', async ({ stage }) => {
      const writes = (words: string): string => encodeURIComponent(`<script>console.log("${words}", { at: location.pathname })</script>`);
      const closed = stage.otherUrl.replace('localhost', 'closed.localhost');
      stage.sites.set(closed, 'never');
      onTestFinished(() => stage.sites.remove(closed));
      const frames = [stage.otherUrl, closed].map((origin) => `<iframe src="${origin}/says?text=${writes(`From ${origin}`)}"></iframe>`);
      const agent = await stage.open(`says?text=${encodeURIComponent(`<script>console.log("From the page")</script>${frames.join('')}`)}`);

      await expect
        .poll(() => agent.text('browser_console_messages'))
        .toContain(`[info] From the page\n[info] From ${stage.otherUrl} {at: "/says"}`);
      expect(await agent.text('browser_console_messages', { clear: 'after' })).not.toContain('closed.localhost');
      expect(await agent.text('browser_console_messages')).toContain('0 messages');
    });

    test('shows what is severe enough', async ({ stage }) => {
      const agent = await open(stage, isShown);

      expect(await agent.text('browser_console_messages', { level: 'debug' })).toContain('[debug] in detail');
      const errors = await agent.text('browser_console_messages', { level: 'error' });
      expect(errors).toContain('[error]');
      expect(errors).not.toMatch(/\[(?:info|warning|debug)\]/);
    });

    test('forgets what was read, when asked to', async ({ stage }) => {
      const agent = await open(stage, isShown);

      expect(await agent.text('browser_console_messages', { clear: 'after' })).toMatch(/They are forgotten now\..*\[info\] started/s);
      expect(await agent.text('browser_console_messages', { level: 'debug' })).toContain('0 messages');
      await agent.text('browser_click', { target: '#more' });
      expect(await agent.text('browser_console_messages', { clear: 'before' })).toMatch(/^0 messages.*forgotten just now/);
    });

    test('tells no secret', async ({ stage }) => {
      const agent = await open(stage, isShown);

      const text = await agent.text('browser_console_messages');

      expect(text).toContain('access_token=[secret]&page=2');
      expect(text).not.toMatch(/s3cr3tvalue|sk-abc/);
    });

    test('says that there is nothing, and takes a wrong level for what it is', async ({ stage }) => {
      const agent = await stage.open('form.html');

      expect(await agent.text('browser_console_messages')).toBe('0 messages of level "info" or above since the page was loaded.');
      expect(await agent.error('browser_console_messages', { level: 'fatal' })).toContain('"level"');
    });
  },
);
