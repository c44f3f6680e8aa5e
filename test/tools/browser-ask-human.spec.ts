import { expect } from 'vitest';
import { until } from '#test/fixtures/until.ts';
import { textOf } from './tool-stage.ts';
import { describeTabs, plainTest as test } from './tool-test.ts';

describeTabs(
  (how) => `browser_ask_human about a ${how} tab`,
  ({ open }) => {
    test('asks the person to act, and tells the agent that it is done and where the page is then', async ({ stage }) => {
      const agent = await open(stage, 'form.html');
      agent.answerWith(() => 'done');

      const text = await agent.text('browser_ask_human', { message: 'Please solve\nthe captcha.' });

      expect(agent.asked).toMatchObject([
        {
          kind: 'question',
          title: 'The agent asks you: Please solve the captcha.',
          where: stage.url,
          options: [{ label: 'Done' }, { label: 'I cannot' }],
        },
      ]);
      expect(text).toMatch(/^The user says that it is done\..*title: Create an account/s);
    });

    test('puts a choice, and hears a no', async ({ stage }) => {
      const agent = await open(stage, 'form.html');
      agent.answerWith(() => 'reject');

      expect(await agent.error('browser_ask_human', { message: 'Which one?', options: ['Red', 'Blue'] })).toContain(
        'The user said that they cannot or will not.',
      );

      expect(agent.asked[0]?.questions).toMatchObject([{ question: 'Which one?', options: [{ label: 'Red' }, { label: 'Blue' }] }]);
    });

    test('waits without a limit, holds nobody up, and ends when it is stopped', async ({ stage }) => {
      const agent = await open(stage, 'form.html');
      agent.answerWith(() => new Promise(() => {}));
      const stop = new AbortController();
      const call = agent.call('browser_ask_human', { message: 'Enter the code.' }, { signal: stop.signal });
      await until(() => agent.asked.length === 1);

      expect(await agent.text('browser_snapshot')).toContain('Create an account');
      stop.abort();

      expect(textOf(await call)).toContain('CALL_CANCELLED');
    });
  },
);

test('browser_ask_sites asks once for the sites of a task, and then acts on each of them', async ({ stage }) => {
  const agent = stage.agent();
  agent.answerWith(() => 'session');

  const told = await agent.text('browser_ask_sites', { origins: [stage.url, stage.otherUrl], minutes: 5, reason: 'to compare' });
  for (const site of [stage.url, stage.otherUrl]) {
    await agent.text('browser_navigate', { url: `${site}/form.html` });
    expect(await agent.text('browser_click', { target: '#card' })).toMatch(/^Clicked\./);
  }

  expect(told).toMatch(/^The user allowed http.* for 5 minutes, until /);
  expect(agent.asked.map(({ title }) => title)).toEqual(['Open and change pages of 2 sites for 5 minutes']);
});
