/** A command that the real Claude Code runs in the background: seen, and stopped by itself, from the panel and from the terminal. */
import path from 'node:path';
import { describe, expect } from 'vitest';
import type { InstallReport } from '#protocol/setup.ts';
import { backgroundTasks } from '#protocol/view.ts';
import { createCompanion } from '#test/fixtures/companion.ts';
import { startConversation } from '#test/fixtures/conversation.ts';
import { createGate } from '#test/fixtures/gate.ts';
import type { Home } from '#test/fixtures/home.ts';
import type { ModelServer } from '#test/fixtures/model-server.ts';
import { openTerminal } from '#test/fixtures/terminal.ts';
import { until } from '#test/fixtures/until.ts';
import { test } from '#test/fixtures/stage.ts';

const COMMAND = 'touch high-water; until [ -e the-tide-is-out ]; do sleep 0.2; done';

const served = (home: Home): boolean => home.processes().some(({ command }) => command.includes('the-tide-is-out'));

/** A model that serves in the background, and then is in the middle of an answer until the gate opens. */
const scriptModel = (model: ModelServer) => {
  const gate = createGate();
  model.script('<task-notification>', { parts: [{ text: 'It has ended.' }] });
  model.script('write on', { parts: [{ text: 'The first half' }, { gate }, { text: ' and the second.' }] });
  model.script(
    'serve it',
    { parts: [{ tool: 'Bash', input: { command: COMMAND, description: 'Serve', run_in_background: true } }] },
    { parts: [{ text: 'It runs.' }] },
  );
  return gate;
};

describe('a background command', () => {
  test('is stopped on its card in the panel, and the running turn goes on', async ({ home, model, launch }) => {
    const companion = createCompanion(home, { isPortable: false });
    home.installClaude(model.url);
    const gate = scriptModel(model);
    const installed = await companion.run(['install', '--json']);
    const { extension } = JSON.parse(installed.stdout) as InstallReport;
    const browser = await launch({ extensionDir: extension.path, profileDir: path.join(home.dir, '.config', 'chromium') });
    const { page, disconnect } = await browser.openPanel();
    const button = (name: string | RegExp) => page.getByRole('button', { name });
    await button('Use the default workspace').click();
    await button('Agent: Claude Code').waitFor();
    const composer = page.getByRole('textbox', { name: 'Message' });

    await composer.fill('serve it');
    await composer.press('Enter');
    await button('Allow once').click();
    await page.getByText('It runs.').waitFor();
    await button('Send').waitFor();
    const card = page.locator('.tool').filter({ hasText: 'Serve' });
    await card.getByText('In the background').waitFor();
    await until(() => served(home), { what: 'the command' });

    await composer.fill('write on');
    await composer.press('Enter');
    await page.getByText('The first half').waitFor();
    await button('1 in the background').waitFor();
    await card.getByRole('button', { name: 'Stop this task' }).click();
    await card.getByText('stopped').waitFor();
    await until(() => !served(home), { what: 'the end of the command' });
    await expect.poll(() => button(/^Stop$/).count()).toBe(1);
    await expect.poll(() => button('1 in the background').count()).toBe(0);
    await expect.poll(() => card.getByRole('button', { name: 'Stop this task' }).count()).toBe(0);

    gate.open();
    await page.getByText('and the second.').waitFor();
    await button('Send').waitFor();
    await expect.poll(() => page.locator('.turn-end').filter({ hasText: 'Stopped' }).count()).toBe(0);
    await disconnect();
    await browser.close();
    await companion.stopDaemon();
  });

  test('is stopped by a key in the terminal, and the running turn goes on', async ({ home, model, companion }) => {
    home.installClaude(model.url);
    const gate = scriptModel(model);
    await companion.startDaemon();
    const conversation = await startConversation(companion, { settings: { allowedTools: ['Bash'] } });
    await conversation.act('serve it');
    const running = await conversation.waitFor((view) => view.status === 'idle' && backgroundTasks(view).length === 1);
    await until(() => served(home), { what: 'the command' });
    await conversation.act('write on');
    const terminal = openTerminal([companion.executable], { env: companion.env, cwd: home.dir, columns: 140, rows: 40 });

    await terminal.waitFor('The first half');
    await terminal.waitFor('1 in the background: B stops it');
    terminal.press('B');
    await terminal.waitFor(/■ Bash/);
    await until(() => !served(home), { what: 'the end of the command' });
    expect(terminal.screen()).not.toContain('in the background');
    expect(conversation.view().turns.at(-1)?.status).toBe('running');
    gate.open();
    await terminal.waitFor('and the second.');

    const view = await conversation.waitFor(({ status }) => status === 'idle');
    expect(view.items.find(({ itemId }) => itemId === backgroundTasks(running)[0]?.itemId)?.status).toBe('cancelled');
    expect(view.turns.map(({ status }) => status)).not.toContain('cancelled');
    terminal.press('q');
    terminal.close();
    conversation.close();
  });
});
