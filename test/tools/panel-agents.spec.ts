import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { panelTest } from './panel-stage.ts';

const source = `
import { h, render } from 'preact';
import { EngineSetups } from '#extension/options/engine-setup.tsx';
import { SettingsContext } from '#extension/options/scene.ts';
import { createSay } from '#extension/options/texts.ts';
import { SceneContext } from '#extension/sidepanel/views/scene.ts';
import { createTranslate } from '#extension/sidepanel/i18n.ts';
import { CompanionError } from '#protocol/errors.ts';

window.calls = [];
const note = async (...call) => {
  window.calls.push(call);
  await window.gate;
  if (call.includes('bad')) throw new CompanionError('INPUT_INVALID', 'No.');
};
const scene = {
  t: createTranslate('en'),
  actions: { refreshEngines: note, engines: { storeSecret: note, changeEngine: note } },
};
const capabilities = (name) => ({ hasShell: name !== 'local', mcp: name === 'local' ? ['bridge'] : ['http'] });
const engine = (name, more) => ({ name, label: name, status: 'ready', capabilities: capabilities(name), models: [], modes: [], isCustom: false, ...more });
const setup = (info, more) => ({
  engine: info, isDisabled: false, settings: { args: [], envNames: [] }, hasEndpoint: false, secrets: [], hasOpenSecrets: false, ...more,
});
const state = {
  isCheckingEngines: false,
  trustedProjects: [],
  admissions: [],
  engines: [],
  engineSetups: { warning: 'Keys lie in a file.', engines: [
    setup(engine('claude'), { secrets: [{ name: 'NEW_KEY', isSet: false }, { name: 'OLD_KEY', isSet: true, place: 'file' }] }),
    setup(engine('local', { status: 'not_installed', fix: 'ollama serve' }), { hasEndpoint: true }),
    setup(engine('codex'), { isDisabled: true }),
  ] },
};
// The person has given the agents no order.
const settings = { say: createSay('en'), state, call: async () => ({ engineOrder: [] }) };
const screen = h('main', null, h(EngineSetups, { state }));
window.show = () =>
  render(h(SceneContext.Provider, { value: scene }, h(SettingsContext.Provider, { value: settings }, screen)), document.body);
`;

interface Screen {
  readonly page: Page;
  open(name: string): Promise<void>;
  calls(): Promise<unknown>;
}

const test = panelTest(source).extend<{ screen: Screen }>({
  screen: async ({ page }, use) => {
    await page.evaluate(() => (globalThis as unknown as { show: () => void }).show());
    await use({
      page,
      open: (name) => page.locator('.list-item', { hasText: name }).click(),
      calls: () => page.evaluate(() => (globalThis as unknown as { calls: unknown }).calls),
    });
  },
});

describe('the screen of the agents', () => {
  test('says which of them has neither commands nor files', async ({ screen: { page } }) => {
    const told = page.locator('.list-item', { hasText: 'browser tools only, no commands and no files' });

    await expect.poll(() => told.count()).toBe(1);
    await expect.poll(() => told.innerText()).toContain('local');
  });

  test('takes a key without showing it, and forgets it once it is stored', async ({ screen: { page, open, calls } }) => {
    await open('claude');
    const field = page.getByLabel('NEW_KEY');

    expect(await field.getAttribute('type')).toBe('password');
    await field.fill(' sk-1 ');
    await page.getByRole('button', { name: 'Save' }).click();
    await expect.poll(() => field.inputValue()).toBe('');

    await expect.poll(calls).toEqual([['claude', 'NEW_KEY', 'sk-1']]);
    expect(await page.content()).not.toContain('sk-1');
  });

  test('says where a stored key lies, and removes it', { tags: 'whole' }, async ({ screen: { page, open, calls } }) => {
    await open('claude');

    await expect.poll(() => page.locator('.setup').innerText()).toContain('saved in a file only you can read, not encrypted');
    await expect.poll(() => page.locator('main').innerText()).toContain('Keys lie in a file.');
    await page.getByRole('button', { name: 'Remove' }).click();

    await expect.poll(calls).toEqual([['claude', 'OLD_KEY', null]]);
  });

  test('keeps what was typed and says what is wrong with it', { tags: 'whole' }, async ({ screen: { page, open } }) => {
    await open('local');
    await page.getByLabel('Address of the model server').fill('bad');
    await page.getByLabel('Address of the model server').press('Enter');
    await open('claude');
    await page.getByLabel('NEW_KEY').fill('bad');
    await page.getByLabel('NEW_KEY').press('Enter');

    await page.locator('.field-error', { hasText: 'INPUT_INVALID' }).waitFor();
    await expect.poll(() => page.getByLabel('NEW_KEY').inputValue()).toBe('bad');
  });

  test('shows an agent as it was switched while that is saved', { tags: 'whole' }, async ({ screen: { page, open } }) => {
    await page.evaluate(() => Object.assign(globalThis, { gate: new Promise(() => {}) }));
    await open('codex');
    const offered = page.getByLabel('Offer this agent');

    await offered.click();

    await expect.poll(() => offered.isDisabled()).toBe(true);
    expect(await offered.isChecked()).toBe(true);
  });

  test(
    'switches an agent on again, and leaves what starts programs to the terminal',
    { tags: 'whole' },
    async ({ screen: { page, open, calls } }) => {
      await open('codex');
      await page.getByLabel('Offer this agent').click();

      await expect.poll(calls).toEqual([['codex', { isDisabled: false }]]);
      await page.getByText('Change the program, arguments or variables').click();
      await page.locator('.setup').getByLabel('Program').fill('/opt/my apps/codex');
      await page.locator('.setup').getByLabel('Variables').fill('WRONG');
      await page.getByText('A variable is written NAME=VALUE.').waitFor();
      await page.locator('.setup').getByLabel('Variables').fill('PROXY=$(evil)');
      await page.getByText('Add an agent', { exact: true }).click();
      const added = page.locator('details', { has: page.getByText('Add an agent', { exact: true }) });
      await added.getByLabel('Name', { exact: true }).fill('mine');
      await added.getByLabel('Program').fill('npx');
      await added.getByLabel('Arguments').fill('-y\n@acme/agent');

      await expect
        .poll(() => page.locator('.command').allTextContents())
        .toEqual([
          expect.stringContaining("pilotfish engine set codex 'path=/opt/my apps/codex' 'env.PROXY=$(evil)'"),
          expect.stringContaining('pilotfish engine add mine -- npx -y @acme/agent'),
        ]);
      // It is only written down: the daemon is told nothing of it.
      expect(await calls()).toEqual([['codex', { isDisabled: false }]]);
    },
  );
});
