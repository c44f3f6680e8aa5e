/** What a command in the background of the real Claude Code writes: seen while it runs, in the panel and in the terminal. */
import path from 'node:path';
import { describe, expect } from 'vitest';
import type { InstallReport } from '#protocol/setup.ts';
import { backgroundTasks } from '#protocol/view.ts';
import { createCompanion } from '#test/fixtures/companion.ts';
import { startConversation } from '#test/fixtures/conversation.ts';
import type { ModelServer } from '#test/fixtures/model-server.ts';
import { openTerminal } from '#test/fixtures/terminal.ts';
import { test } from '#test/fixtures/stage.ts';

// The words are put together by the shell: what the cards show of the command is not what it writes.
const COMMAND = 'touch high-water; echo "<b>tide</b> at $((3 + 4)) metres"; until [ -e the-tide-is-out ]; do sleep 0.2; done';
const WRITTEN = '<b>tide</b> at 7 metres';

const scriptModel = (model: ModelServer): void => {
  model.script('<task-notification>', { parts: [{ text: 'It has ended.' }] });
  model.script(
    'serve it',
    { parts: [{ tool: 'Bash', input: { command: COMMAND, description: 'Serve', run_in_background: true } }] },
    { parts: [{ text: 'It runs.' }] },
  );
};

describe('the output of a background command', () => {
  test('is seen in its open card in the panel, as text, and asked for only then', async ({ home, model, launch }) => {
    const companion = createCompanion(home, { isPortable: false });
    home.installClaude(model.url);
    scriptModel(model);
    const installed = await companion.run(['install', '--json']);
    const { extension } = JSON.parse(installed.stdout) as InstallReport;
    const browser = await launch({ extensionDir: extension.path, profileDir: path.join(home.dir, '.config', 'chromium') });
    const { page, disconnect } = await browser.openPanel();
    const button = (name: string | RegExp) => page.getByRole('button', { name });
    const asked: string[] = [];
    page.on('request', (request) => {
      if (/\/items\/.+\/output$/.test(request.url())) asked.push(request.url());
    });
    await button('Use the default workspace').click();
    await button('Agent: Claude Code').waitFor();
    const composer = page.getByRole('textbox', { name: 'Message' });

    await composer.fill('serve it');
    await composer.press('Enter');
    await button('Allow once').click();
    await page.getByText('It runs.').waitFor();
    const card = page.locator('.tool').filter({ hasText: 'Serve' });
    await card.getByText('In the background').waitFor();
    expect(asked).toEqual([]);
    await card.locator('.tool-head').click();
    await card.getByLabel('Output so far').getByText(WRITTEN).waitFor();
    await expect.poll(() => card.getByRole('button', { name: 'Stop this task' }).count()).toBe(1);

    await card.getByRole('button', { name: 'Stop this task' }).click();
    await card.getByText('stopped').waitFor();
    await expect.poll(() => card.getByLabel('Output so far').count()).toBe(0);
    await disconnect();
    await browser.close();
    await companion.stopDaemon();
  });

  test('is seen in the terminal while outputs are open', async ({ home, model, companion }) => {
    home.installClaude(model.url);
    scriptModel(model);
    await companion.startDaemon();
    const conversation = await startConversation(companion, { settings: { allowedTools: ['Bash'] } });
    await conversation.act('serve it');
    await conversation.waitFor((view) => view.status === 'idle' && backgroundTasks(view).length === 1);
    const terminal = openTerminal([companion.executable], { env: companion.env, cwd: home.dir, columns: 140, rows: 40 });

    await terminal.waitFor('1 in the background');
    expect(terminal.screen()).not.toContain(WRITTEN);
    terminal.press('o');
    await terminal.waitFor(WRITTEN);

    terminal.press('q');
    terminal.close();
    conversation.close();
  });
});
