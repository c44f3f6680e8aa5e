/** The extension is there before the program is registered: the real panel says so, and is on its way as soon as it is. */
import path from 'node:path';
import { describe, expect } from 'vitest';
import { extensionDir } from '#installer/build.ts';
import { createCompanion } from '#test/fixtures/companion.ts';
import { HANG_MS, SLACK_MS } from '#test/fixtures/limits.ts';
import { test } from '#test/fixtures/stage.ts';
import { until } from '#test/fixtures/until.ts';

/** How soon the panel must have noticed. */
const SOON_MS = 2000;

describe('a program that is registered while the panel is open', () => {
  test('is noticed at once, and until then the panel says what to do and no code', { tags: 'whole' }, async ({ home, launch }) => {
    const companion = createCompanion(home, { isPortable: false });
    const browser = await launch({ extensionDir, profileDir: path.join(home.dir, '.config', 'chromium') });
    const { page, disconnect } = await browser.openPanel();
    const missing = page.getByRole('heading', { name: /not registered/ });
    await missing.waitFor();
    expect(await page.locator('body').innerText()).not.toMatch(/[A-Z]+_[A-Z_]+/);

    // The panel itself notes when the words went, since looking from here takes its time.
    await page.evaluate(() => {
      const watch = new MutationObserver(() => {
        if (document.body.textContent.includes('not registered')) return;
        document.body.dataset['goneAt'] = String(Date.now());
        watch.disconnect();
      });
      watch.observe(document.body, { childList: true, subtree: true, characterData: true });
    });
    expect(await companion.run(['install', '--json'])).toMatchObject({ code: 0 });
    const installedAt = Date.now();
    const goneAt = Number(await until(() => page.evaluate(() => document.body.dataset['goneAt']), { timeoutMs: HANG_MS }));

    expect(goneAt - installedAt).toBeLessThan(SOON_MS + SLACK_MS);
    await page.getByRole('button', { name: 'Choose a folder' }).waitFor();
    console.info(`noticed ${goneAt - installedAt} ms after the installation`);
    await disconnect();
    await browser.close();
    await companion.stopDaemon();
  });
});
