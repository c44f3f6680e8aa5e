import { describe, expect } from 'vitest';
import { clicksWithin, untilInTime } from './tool-stage.ts';
import { plainTest as test } from './tool-test.ts';
import { SLACK_MS } from '#test/fixtures/limits.ts';

describe('a tab that is really hidden', () => {
  test('is clicked without waiting for frames that never come', async ({ stage }) => {
    const agent = await stage.open('form.html');
    const target = await agent.ref(/button "Close"/);
    await agent.text('browser_click', { target });

    // Timers of a hidden tab have their turn once a second. One click comes that nothing else holds up.
    expect(await clicksWithin(agent, target, 900)).toBe(true);
  });

  test('is read when its slow timers have had their turn', async ({ stage }) => {
    const agent = await stage.open('settle.html');

    await untilInTime(async () => {
      await agent.text('browser_reload');
      await agent.text('browser_click', { target: '#timers' });
      return (await agent.text('browser_snapshot')).includes('Step 5');
    });
  });

  test('is typed into, and its form is sent', async ({ stage }) => {
    const agent = await stage.open('form.html');

    expect(await agent.text('browser_type', { target: '#email', text: 'ada@example.org', submit: true })).toContain(
      'Sent: email=ada@example.org',
    );
    expect(await agent.text('browser_type', { target: '#signature', text: 'Ada', slowly: true })).toContain('value: "Ada"');
  });

  test('is pictured again and again', { tags: 'whole' }, async ({ stage }) => {
    const agent = await stage.open('settle.html');
    await agent.text('browser_click', { target: '#slow-link' });
    await agent.text('browser_navigate_back');

    for (let round = 0; round < 8; round += 1) {
      const startedAt = performance.now();
      const result = await agent.call('browser_take_screenshot', { fullPage: round % 2 === 0 });
      expect(result.content.map(({ type }) => type)).toEqual(['text', 'image']);
      expect(performance.now() - startedAt).toBeLessThan(1_500 + SLACK_MS);
    }
  });

  test('takes real input in time', async ({ stage }) => {
    const agent = await stage.open('settle.html');

    const startedAt = performance.now();
    const opened = await agent.text('browser_click', { target: '#popup', trusted: true });

    expect(opened).toContain('It opened tab');
    expect(performance.now() - startedAt).toBeLessThan(1_500 + SLACK_MS);
  });

  test('goes back to a page that was kept in memory', { tags: 'whole' }, async ({ stage }) => {
    const agent = await stage.open('settle.html');
    await agent.text('browser_click', { target: '#slow-link' });

    expect(await agent.text('browser_navigate_back')).toContain('title: Settling');
    expect(await agent.text('browser_snapshot')).toContain('Load by request');
  });
});
