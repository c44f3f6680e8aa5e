/** An agent is added, changed and removed from the real options page: each time the person says yes or no in a terminal window. */
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import type { InstallReport } from '#protocol/setup.ts';
import { EXTENSION_ORIGIN } from '#protocol/version.ts';
import { createCompanion, type Companion } from '#test/fixtures/companion.ts';
import { answerOf, isDone, startConversation } from '#test/fixtures/conversation.ts';
import { signal } from '#test/fixtures/signal.ts';
import { test } from '#test/fixtures/stage.ts';
import { openTerminal, type Terminal } from '#test/fixtures/terminal.ts';
import { until } from '#test/fixtures/until.ts';

const AGENT = fileURLToPath(new URL('../fixtures/echo-agent-double.sh', import.meta.url));

/** A terminal of the person that only notes what it is to run, or that does what the script says. */
const placeTerminal = (home: string, script?: string): void => {
  const bin = path.join(home, 'bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(path.join(home, '.bash_profile'), 'export PATH="$HOME/bin:$PATH" DISPLAY=:nowhere\n');
  const note = `for word in "$@"; do printf '%s\\n' "$word"; done > "$HOME/window.part"; mv "$HOME/window.part" "$HOME/window"`;
  writeFileSync(path.join(bin, 'xdg-terminal-exec'), `#!/bin/sh\n${script ?? note}\n`);
  chmodSync(path.join(bin, 'xdg-terminal-exec'), 0o755);
};

/** What the newest window was to run. */
const commandOf = async ({ home }: Companion): Promise<string[]> => {
  const window = path.join(home.dir, 'window');
  await until(() => existsSync(window), { what: 'the terminal window' });
  const command = readFileSync(window, 'utf8').trimEnd().split('\n');
  rmSync(window);
  return command;
};

/** The window as a person has it. */
const openWindow = async (companion: Companion, command?: readonly string[]): Promise<Terminal> =>
  openTerminal(command ?? (await commandOf(companion)), {
    env: { ...companion.env, DISPLAY: ':9' },
    cwd: companion.home.dir,
    columns: 80,
    rows: 24,
  });

/** Fills in the form that has this summary. */
const fill = async (options: Page, form: string, values: Readonly<Record<string, string>>): Promise<void> => {
  const fields = options.locator('#agents details', { has: options.locator('summary', { hasText: form }) });
  for (const [label, value] of Object.entries(values)) await fields.getByLabel(label, { exact: true }).fill(value);
};

const namesOf = async (companion: Companion): Promise<string[]> => {
  const { engines } = JSON.parse((await companion.run(['engine', 'list', '--json'])).stdout) as { engines: { name: string }[] };
  return engines.map(({ name }) => name);
};

describe('an agent of the person', () => {
  test('is added, changed and removed by a yes in a terminal window, and by nothing else', { tags: 'whole' }, async ({ home, launch }) => {
    placeTerminal(home.dir);
    const companion = createCompanion(home, { isPortable: false });
    const { extension } = JSON.parse((await companion.run(['install', '--json'])).stdout) as InstallReport;
    const browser = await launch({ extensionDir: extension.path, profileDir: path.join(home.dir, '.config', 'chromium') });
    const options = await browser.context.newPage();
    await options.setViewportSize({ width: 400, height: 900 });
    await options.goto(`${EXTENSION_ORIGIN}/options.html#agents`);
    await options.getByText('Add an agent', { exact: true }).click();
    const notes = path.join(home.dir, 'my notes');
    await fill(options, 'Add an agent', { Name: 'mine', Program: '/bin/bash', 'Arguments, one a line': `${AGENT}\n${notes}` });
    const confirm = options.getByRole('button', { name: 'Confirm in a terminal' });

    // What a script presses opens nothing; a press of the person opens a window, in which Enter alone is a no.
    await confirm.evaluate((button: HTMLElement) => button.click());
    await confirm.click();
    await options.getByText('Waiting for your answer in the terminal window.').waitFor();
    using first = await openWindow(companion);
    await first.waitFor('[no]');
    expect(first.screen()).toContain('Program     "/bin/bash"');
    expect(first.screen()).toContain(`"${notes}"`);
    first.press('Enter');
    await first.waitFor('Nothing was changed.');
    await options.getByText('You refused it in the terminal. Nothing was changed.').waitFor();
    expect(await namesOf(companion)).not.toContain('mine');

    // Cancel in the panel ends the question in the window, and no yes there sets anything.
    await confirm.click();
    using second = await openWindow(companion);
    await second.waitFor('[no]');
    await options.getByRole('button', { name: 'Cancel' }).click();
    await second.waitFor('This is not asked any more. Nothing was changed.');
    second.type('yes');
    second.press('Enter');
    expect(await namesOf(companion)).not.toContain('mine');

    // A window that is closed has refused.
    await confirm.click();
    const third = await openWindow(companion);
    await third.waitFor('[no]');
    third.close();
    await options.getByText('You refused it in the terminal. Nothing was changed.').waitFor();

    // A yes adds the agent: it is in the list, and answers.
    await confirm.click();
    using fourth = await openWindow(companion);
    await fourth.waitFor('[no]');
    fourth.type('yes');
    fourth.press('Enter');
    await fourth.waitFor('mine is ready');
    await options.getByText('It is set.').waitFor();
    const added = options.locator('#agents .list-item', { hasText: 'mine' });
    await added.getByText('Ready').waitFor();
    const conversation = await startConversation(companion, { engine: 'mine' });
    await conversation.act('say hello');
    expect(answerOf(await conversation.waitFor(isDone))).toContain('echo hello');
    conversation.close();

    // A change whose words try to pass for other rows, in Chinese.
    await options.getByLabel('Language').selectOption('zh');
    await added.click();
    await options.getByText('更改程序、参数或环境变量').click();
    await fill(options, '更改程序、参数或环境变量', {
      '环境变量，写作“名称=值”，每行一个': `A=\u202ex\u001b[2J${' '.repeat(70)}程序      "/bin/true"`,
    });
    await options.getByRole('button', { name: '在终端中确认' }).click();
    using fifth = await openWindow(companion);
    await fifth.waitFor('[no]');
    expect(fifth.screen()).toContain('面板请求更改此智能体的启动方式');
    expect(fifth.screen()).toContain(String.raw`A="⟨U+202E⟩x\u001b[2J`);
    expect(fifth.screen()).not.toMatch(/^ {2}程序/m);
    fifth.type('yes');
    fifth.press('Enter');
    await fifth.waitFor('已设置。');
    await options.getByRole('listitem').filter({ hasText: 'mine' }).getByText('已设置。').waitFor();

    // It is removed the same way; meanwhile the daemon is killed, which sets nothing.
    const remove = options.getByRole('button', { name: '移除此智能体' });
    await remove.click();
    using sixth = await openWindow(companion);
    await sixth.waitFor('[no]');
    for (const pid of companion.daemons()) signal(pid, 'SIGKILL');
    await sixth.waitFor('按 Enter 关闭此窗口。');
    expect(await namesOf(companion)).toContain('mine');
    await options.locator('#agents .list-item', { hasText: 'mine' }).click();
    await remove.click();
    using seventh = await openWindow(companion);
    await seventh.waitFor('[no]');
    seventh.type('yes');
    seventh.press('Enter');
    await seventh.waitFor('已设置。');
    await options.locator('#agents .list-item', { hasText: 'mine' }).waitFor({ state: 'detached' });

    // A terminal that ends at once leaves the command to copy.
    placeTerminal(home.dir, 'exit 1');
    await options.getByText('添加智能体', { exact: true }).click();
    await fill(options, '添加智能体', { 名称: 'mine', 程序: '/bin/bash' });
    await options.getByRole('button', { name: '在终端中确认' }).click();
    await options.getByText('终端窗口立即关闭了。').waitFor();
    await options.getByText('pilotfish engine add mine -- /bin/bash').waitFor();
    await browser.close();
    await companion.stopDaemon();
  });
});
