/** A browser lends its tabs after one click of the person, and what only claims to be a browser never does. */
import { cpSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import type { Admission } from '#protocol/admission.ts';
import type { Status } from '#protocol/api.ts';
import type { TestBrowser } from '#test/fixtures/browser.ts';
import { connectBrowserDouble } from '#test/fixtures/browser-double.ts';
import type { Companion } from '#test/fixtures/companion.ts';
import { MachineLoad } from '#test/fixtures/machine-load.ts';
import { until } from '#test/fixtures/until.ts';
import { test, type Stage } from '#test/fixtures/stage.ts';

const open = async (
  { companion, launch }: Pick<Stage, 'companion' | 'launch'>,
  name: string,
  isNewcomer: boolean,
): Promise<TestBrowser> => {
  const profileDir = path.join(companion.home.dir, name);
  const { stdout } = await companion.run(['install', '--json', '--user-data-dir', profileDir]);
  const { extension } = JSON.parse(stdout) as { extension: { path: string } };
  return launch({ extensionDir: extension.path, profileDir, env: companion.env, isNewcomer });
};

const listed = async (companion: Companion): Promise<Admission[]> =>
  (JSON.parse((await companion.run(['browsers', '--json'])).stdout) as { browsers: Admission[] }).browsers;

const browsersOf = async (companion: Companion): Promise<Status['browsers']> =>
  ((await companion.api.send('GET', '/api/status')).json as Status).browsers.filter(({ toolCount }) => toolCount > 0);

describe('a new browser', () => {
  test('is used after one real click in its panel, which shows what it is; whatever else connects never is', async ({
    companion,
    launch,
  }) => {
    const { openPanel } = await open({ companion, launch }, 'one', true);
    const { page, disconnect } = await openPanel();
    const allow = page.getByRole('button', { name: 'Allow' });
    await allow.waitFor();
    const [waiting] = await listed(companion);
    if (waiting === undefined) throw new Error('none waits');
    const shown = await page.locator('body').innerText();

    // What the system says, in the panel and in the terminal.
    expect(waiting).toMatchObject({ state: 'waiting', origin: 'browser', program: readlinkSync(`/proc/${waiting.pid ?? 0}/exe`) });
    for (const fact of ['Connect this browser?', String(waiting.program), String(waiting.pid), waiting.name]) expect(shown).toContain(fact);
    expect(await browsersOf(companion)).toEqual([]);

    // No script presses it.
    await allow.evaluate((button) => (button as HTMLButtonElement).click());
    expect(await listed(companion)).toEqual([waiting]);

    const load = new MachineLoad();
    const allowedAt = performance.now();
    await allow.click();
    const [browser] = await until(async () => {
      const found = await browsersOf(companion);
      return found.length === 1 ? found : null;
    });
    if (load.isQuiet) expect(performance.now() - allowedAt).toBeLessThan(1_000);
    await page.getByRole('button', { name: 'Use the default workspace' }).waitFor();
    expect(await listed(companion)).toMatchObject([{ id: waiting.id, state: 'allowed' }]);

    // It has the key of the link and the id of a profile that was let in; the system says that it is another program.
    const told: Admission[] = [];
    const tokens: { port: number; token: string }[] = [];
    const double = await connectBrowserDouble(companion, {
      browserId: browser?.browserId ?? '',
      onWelcome: ({ admission, port, token }) => {
        if (admission !== undefined) told.push(admission);
        tokens.push({ port, token });
      },
    });
    const [own] = tokens;
    const asItself = await fetch(`http://127.0.0.1:${own?.port}/api/admissions/${told[0]?.id}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${own?.token}`, 'content-type': 'application/json' },
      body: '{"isAllowed":true}',
    });
    expect(told).toMatchObject([{ state: 'waiting', origin: 'program', program: realpathSync(process.execPath), pid: process.pid }]);
    expect(asItself.status).toBe(403);
    expect((await browsersOf(companion)).map(({ browserId }) => browserId)).toEqual([browser?.browserId]);
    expect((await companion.run(['status'])).stdout).toContain('A program that is no known browser wants to be one');
    double.close();

    // Taken back in the terminal: the panel asks again.
    await companion.run(['browsers', 'remove', waiting.id]);
    await allow.waitFor();
    expect(await browsersOf(companion)).toEqual([]);
    await page.getByRole('button', { name: 'Not me' }).click();
    await page.getByText('You turned this browser away.').waitFor();
    await expect.poll(() => page.locator('body').innerText()).toContain(`pilotfish browsers allow ${waiting.id}`);
    await companion.run(['browsers', 'allow', waiting.id]);
    await page.getByRole('button', { name: 'Use the default workspace' }).waitFor();
    await disconnect();
  });

  test(
    'is asked about by a panel that stays as it is while nothing else needs the daemon',
    { tags: 'whole' },
    async ({ companion, launch }) => {
      const { openPanel } = await open({ companion, launch }, 'one', true);
      const { page, disconnect } = await openPanel();
      const allow = page.getByRole('button', { name: 'Allow' });
      await allow.waitFor();
      await page.evaluate(() => {
        const seen: string[] = [];
        const look = (): void => void seen.push(document.querySelector('h1')?.textContent ?? 'no question');
        new MutationObserver(look).observe(document.body, { childList: true, subtree: true });
        Object.assign(globalThis, { seen });
      });

      const settings = JSON.parse(readFileSync(companion.paths.settingsFile, 'utf8')) as Record<string, unknown>;
      companion.writeSettings({ ...settings, idleExitMs: 700 });
      // The end of a stream makes the daemon look again.
      const looking = new AbortController();
      await companion.api.hold('/api/events', looking.signal);
      looking.abort();
      await until(() => companion.daemons().length === 0, { what: 'the daemon to end' });
      const seen = await page.evaluate(() => Reflect.get(globalThis, 'seen') as string[]);
      await allow.click();
      await page.getByRole('button', { name: 'Use the default workspace' }).waitFor();

      expect(seen).toEqual([]);
      await disconnect();
    },
  );

  test('that is the copy of a profile takes an identity of its own, and keeps it', { tags: 'whole' }, async ({ companion, launch }) => {
    const one = await open({ companion, launch }, 'one', false);
    const [original] = await until(async () => {
      const found = await browsersOf(companion);
      return found.length === 1 ? found : null;
    });
    await one.close();
    cpSync(one.profileDir, path.join(companion.home.dir, 'copy'), {
      recursive: true,
      filter: (file) => !/Singleton|DevToolsActivePort/.test(file),
    });

    await open({ companion, launch }, 'one', false);
    await until(async () => (await browsersOf(companion)).length === 1);
    const copy = await open({ companion, launch }, 'copy', false);
    await until(async () => (await browsersOf(companion)).length === 2, { what: 'two browsers' });
    const both = await browsersOf(companion);
    const idOf = (browser: TestBrowser): Promise<unknown> =>
      browser.worker.evaluate(async () => (await chrome.storage.local.get('browserId'))['browserId']);
    const kept = await idOf(copy);
    await copy.close();
    await until(async () => (await browsersOf(companion)).length === 1);

    expect(both.map(({ browserId }) => browserId)).toContain(original?.browserId);
    expect(kept).not.toBe(original?.browserId);
    expect(both.map(({ browserId }) => browserId)).toContain(kept);
    const { connectedAt } = both.find(({ browserId }) => browserId === original?.browserId) ?? {};
    expect(await browsersOf(companion)).toMatchObject([{ browserId: original?.browserId, connectedAt }]);
  });
});
