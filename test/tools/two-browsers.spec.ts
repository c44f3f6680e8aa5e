import { describe, expect, test } from 'vitest';
import { until } from '#test/fixtures/until.ts';
import { startPlainStage } from './tool-stage.ts';

describe('two browsers at once', () => {
  test('are both named, each session stays in its own, and the end of one does not disturb the other', async () => {
    const stage = await startPlainStage(2);
    try {
      const [second, first] = stage.bridge.browsers();
      if (first === undefined || second === undefined) throw new Error('two browsers are connected');
      const [one, two] = [stage.agent('One'), stage.agent('Two')];
      one.answerWith(() => 'session');
      await one.text('browser_tabs', { action: 'list', browserId: first.browserId });
      await two.text('browser_tabs', { action: 'list', browserId: second.browserId });
      await one.text('browser_navigate', { url: `${stage.url}/form.html` });
      await two.text('browser_navigate', { url: `${stage.url}/shadow.html` });

      const tabs = await one.text('browser_tabs', { action: 'list' });
      for (let round = 0; round < 25; round += 1) {
        const texts = await Promise.all([one.text('browser_snapshot'), two.text('browser_snapshot')]);
        expect(texts.map((text) => /title: (.*)/.exec(text)?.[1])).toEqual(['Create an account', 'Shadow roots']);
      }
      await stage.endBrowser(1);
      await until(() => stage.bridge.browsers().length === 1);

      expect(first.label).not.toBe(second.label);
      expect(tabs).toContain(first.label);
      expect(tabs).toContain(`browserId ${second.browserId}`);
      expect(await one.text('browser_snapshot')).toContain('Create an account');
      // It was the other profile than the one used last, so the person was asked; the profile of a session that has closed is not left unasked either.
      expect([one.asked.length, two.asked.length]).toEqual([1, 0]);
      two.answerWith(() => 'reject');
      expect(await two.error('browser_snapshot')).toContain('BROWSER_NOT_CONNECTED');
      expect(await two.error('browser_snapshot')).toContain('CONSENT_DENIED');
    } finally {
      await stage.close();
    }
  });
});
