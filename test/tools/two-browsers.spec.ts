import { describe, expect, test } from 'vitest';
import { NO_LOSS, tellFigure, times } from '#test/fixtures/figures.ts';
import { until } from '#test/fixtures/until.ts';
import { startPlainStage } from './tool-stage.ts';

/** A thousand calls in the whole form. */
const ROUNDS = times(1, 250);

describe('two browsers at once', () => {
  test(`are both named, each of four sessions stays in its own in ${4 * ROUNDS} calls, and the end of one does not disturb the other`, async () => {
    const startedAt = performance.now();
    const stage = await startPlainStage(2);
    try {
      const [second, first] = stage.bridge.browsers();
      if (first === undefined || second === undefined) throw new Error('two browsers are connected');
      const agents = ['One', 'Two', 'Three', 'Four'].map((name) => stage.agent(name));
      const [one, two] = agents;
      if (one === undefined || two === undefined) throw new Error('there are four');
      for (const [index, agent] of agents.entries()) {
        const { browserId } = index % 2 === 0 ? first : second;
        agent.answerWith(() => 'session');
        await agent.text('browser_tabs', { action: 'list', browserId });
        await agent.text('browser_navigate', { url: `${stage.url}/says?text=<title>${agent.sessionId}</title>` });
      }

      const tabs = await one.text('browser_tabs', { action: 'list' });
      for (let round = 0; round < ROUNDS; round += 1) {
        const texts = await Promise.all(agents.map((agent) => agent.text('browser_snapshot')));
        expect(texts.map((text) => /^\/\S* "(.*)"$/m.exec(text)?.[1])).toEqual(agents.map(({ sessionId }) => sessionId));
      }
      await stage.endBrowser(1);
      await until(() => stage.bridge.browsers().length === 1);

      expect(first.label).not.toBe(second.label);
      expect(tabs).toContain(first.label);
      expect(tabs).toContain(`browserId ${second.browserId}`);
      expect(await one.text('browser_snapshot')).toContain(`"${one.sessionId}"`);
      // It was the other profile than the one used last, so the person was asked; the profile of a session that has closed is not left unasked either.
      expect([one.asked.length, two.asked.length]).toEqual([1, 0]);
      two.answerWith(() => 'reject');
      expect(await two.error('browser_snapshot')).toContain('BROWSER_NOT_CONNECTED');
      expect(await two.error('browser_snapshot')).toContain('CONSENT_DENIED');
      tellFigure({
        fault: 'Two browsers and four sessions at once; then one browser ends',
        count: `${4 * ROUNDS} calls, each in the browser of its session`,
        ...NO_LOSS,
        ms: performance.now() - startedAt,
      });
    } finally {
      await stage.close();
    }
  });
});
